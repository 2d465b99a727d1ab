import { SourcesPage } from "../../components/sources/sources-page.tsx";

export const metadata = { title: "Sources" };

export default function Page() {
  return <SourcesPage />;
}
