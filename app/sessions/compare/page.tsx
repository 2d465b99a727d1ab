import { ComparePage } from "#components/load/compare-page.tsx";

export const metadata = { title: "Compare" };

export default function Page() {
  return <ComparePage />;
}
