import Link from "next/link";
import { buttonClass } from "#components/ui/button.tsx";
import { Empty } from "#components/ui/empty.tsx";

export const metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <h1 className="sr-only">Not found</h1>
      <Empty
        title="There is nothing here"
        actions={
          <Link href="/" className={buttonClass("primary")}>
            All sessions
          </Link>
        }
      >
        This address names no page. A session or an artifact that was swept or never imported has no page either: import
        its session again, and the same address works.
      </Empty>
    </div>
  );
}
