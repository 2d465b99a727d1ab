import { NotFoundPage } from "#components/ui/not-found.tsx";

export const metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <NotFoundPage title="Page not found">
      No page has this address. Import the session again if it was removed.
    </NotFoundPage>
  );
}
