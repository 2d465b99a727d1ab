"use client";
import { Download } from "lucide-react";
import Link from "next/link";
import type { HeavyOutput, SessionRow } from "#lib/wire/sessions.ts";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { shownText } from "../ui/hidden-text.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";

type TopCellProps = { session: SessionRow; bold: boolean; oneLine: boolean };

/** The output that weighed most over the session: it opens where it came in, and its bytes are one click away. */
export function TopCell({ session, bold, oneLine }: TopCellProps) {
  const { top } = session;
  if (top === null) return <span className="text-ink-3">Nothing stands out</span>;
  return (
    <span className="flex items-center gap-1">
      <Link
        prefetch={false}
        href={`/sessions/${session.id}?event=${top.seq}`}
        title={`Entered at call ${top.enteredAt}, sent ${formatCount(top.callsResident, "time")}: ${formatTokens(top.lifetimeTokens)} tokens in all, ${top.origin}`}
        className={`min-w-0 flex-1 ${oneLine ? "flex items-baseline gap-1.5" : "block"}`}
      >
        <span className={`block truncate leading-[18px] hover:underline ${bold ? "font-medium" : ""}`}>
          <SafeText text={topName(top)} />
        </span>
        <span className={`block text-12 text-ink-3 ${oneLine ? "flex-none" : "mt-px truncate"}`}>
          <Num value={top.tokens} origin={top.origin} short /> {residence(top.callsResident)}
        </span>
      </Link>
      {top.artifact !== null && (
        <a
          href={`/api/artifacts/${encodeURIComponent(top.artifact)}/raw`}
          download
          aria-label={`Download ${shownText(topName(top))}`}
          title={`Download ${formatBytes(top.bytes)}`}
          className="inline-grid size-6 flex-none place-items-center rounded-1 text-ink-3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink"
        >
          <Download size={13} aria-hidden="true" />
        </a>
      )}
    </span>
  );
}

/** How many model calls were sent it. */
function residence(calls: number): string {
  if (calls === 0) return "at the end, never sent";
  return calls === 1 ? "once" : `× ${formatCount(calls, "call")}`;
}

/** `Read server.ts`: the label may already begin with the tool's name. */
function topName({ label, toolName }: HeavyOutput): string {
  return label === toolName || label.startsWith(`${toolName} `) ? label : `${toolName} ${label}`.trim();
}
