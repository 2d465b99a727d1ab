import { ComparePage } from "#components/diff/compare-page.tsx";

export const metadata = { title: "Compare" };

export default function Page() {
  return <ComparePage />;
}
