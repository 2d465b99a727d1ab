import { SearchPage } from "#components/search/search-page.tsx";

export const metadata = { title: "Search" };

export default function Page() {
  return <SearchPage />;
}
