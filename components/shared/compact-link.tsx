"use client";
import Link from "next/link";
import type { LoadView } from "./load-view.ts";
import { useSession } from "./session-context.tsx";
import { useEventParam, type Tab } from "./url-state.ts";
import { useCursor } from "./use-call-cursor.ts";
import { useWrites } from "../ui/access-context.ts";
import { buttonClass } from "../ui/button.tsx";

export const compactHref = (session: string, at: number | null): string =>
  `/sessions/${encodeURIComponent(session)}/compact${at === null ? "" : `?at=${at}`}`;

type CompactLinkProps = { kind?: "primary" | "plain" | "quiet"; small?: boolean; at?: number | null };

/** To the dry run, at the event that the reader stands on; without one, at the end. Who only reads a project has none. */
export function CompactLink({ kind = "plain", small = false, at }: CompactLinkProps) {
  const { id } = useSession();
  const [event] = useEventParam();
  const position = event ?? at ?? null;
  if (!useWrites()) return null;
  return (
    <Link
      prefetch={false}
      href={compactHref(id, position)}
      className={buttonClass(kind, small)}
      title={
        position === null
          ? "Nothing is written until you apply"
          : `At event ${position}; nothing is written until you apply`
      }
    >
      Compact…
    </Link>
  );
}

/** At the call under the chart's cursor: with nothing chosen the fullest, which is what the reader came for. */
export function CompactAtCursor({ view, tab }: { view: LoadView; tab: Tab }) {
  const { index } = useCursor(view, tab);
  return <CompactLink small at={view.calls[index]?.seq ?? null} />;
}
