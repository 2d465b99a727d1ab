import { FindingsPage } from "#components/usage/findings-page.tsx";

export const metadata = { title: "Findings" };

export default function Page() {
  return <FindingsPage />;
}
