import Link from "next/link";
import type { ReactNode } from "react";
import { buttonClass } from "./button.tsx";
import { Empty } from "./empty.tsx";

/** In place of a page of nothing. */
export function NotFoundPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <h1 className="sr-only">Not found</h1>
      <Empty
        title={title}
        actions={
          <Link href="/" className={buttonClass("primary")}>
            All sessions
          </Link>
        }
      >
        {children}
      </Empty>
    </div>
  );
}
