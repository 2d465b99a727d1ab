import { ApiPage } from "#components/api-docs/api-page.tsx";

export const metadata = { title: "API" };

export default function Page() {
  return <ApiPage />;
}
