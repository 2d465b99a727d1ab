"use client";
import { CircleUserRound } from "lucide-react";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** Who signed in, with their roles, and the way out: a page of the gate's own. */
export function Account({ person }: { person: string }) {
  const label = `Account: ${shownText(person)}`;
  return (
    // oxlint-disable-next-line next/no-html-link-for-pages -- Next has no such page: the gate answers it
    <a
      href="/sign-in"
      aria-label={label}
      title={label}
      className="ml-1 -mr-1.5 inline-grid size-7 flex-none place-items-center rounded-2 text-ink-2 hover:bg-sunk"
    >
      <CircleUserRound size={15} aria-hidden="true" />
    </a>
  );
}
