import Link from "next/link";
import { buttonClass } from "#components/ui/button.tsx";
import { Empty } from "#components/ui/empty.tsx";

export const metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <h1 className="sr-only">Not found</h1>
      <Empty
        title="Page not found"
        actions={
          <Link href="/" className={buttonClass("primary")}>
            All sessions
          </Link>
        }
      >
        No page has this address. Import the session again if it was removed.
      </Empty>
    </div>
  );
}
