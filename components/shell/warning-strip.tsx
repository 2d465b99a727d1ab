"use client";
import Link from "next/link";
import { useEffect } from "react";
import type { Change } from "#lib/wire/sources-schema.ts";
import { percent } from "#lib/kernel/load/load-labels.ts";
import { Button } from "../ui/button.tsx";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

export type Warning = Extract<Change, { type: "warning" }>;

/** A running session is nearly full: where to see what filled it. The browser says it too, where its person allowed it. */
export function WarningStrip({ warning, onClose }: { warning: Warning; onClose: () => void }) {
  useEffect(() => notify(warning), [warning]);
  const { id, title, tokens, line, share } = warning;
  return (
    <output className="flex min-h-9 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-strong bg-sunk px-6 py-1 max-md:px-4">
      <span className="min-w-0">
        <b className="font-semibold">
          <SafeText text={title} />
        </b>{" "}
        is at {percent(share)} of its load line: {formatTokens(tokens)} of {formatTokens(line)} tokens.
      </span>
      <Link className="link" href={`/sessions/${id}?tab=load`} onClick={onClose}>
        See what filled it
      </Link>
      <Button kind="quiet" small onClick={onClose}>
        Dismiss
      </Button>
    </output>
  );
}

/** All tabs hear of it: one of the session's notices takes the place of the other. */
function notify({ id, title, share }: Warning): void {
  if (typeof Notification === "undefined" || Notification.permission !== "granted" || !document.hidden) return;
  const notice = new Notification("Plimsoll", {
    body: `${title} is at ${percent(share)} of its load line.`,
    tag: `load ${id}`,
  });
  notice.addEventListener("click", () => window.focus());
}
