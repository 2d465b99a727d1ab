"use client";
import { Download as DownloadIcon } from "lucide-react";
import Link from "next/link";
import type { HeavyOutput, SessionCulprit, SessionRow } from "#lib/wire/sessions-schema.ts";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";

type TopCellProps = { session: SessionRow; bold: boolean; oneLine: boolean };

/** Who loaded it and what could have been saved; without a culprit the output that weighed most. */
export function TopCell({ session, bold, oneLine }: TopCellProps) {
  const { culprit } = session;
  if (culprit === null) return <TopOutput session={session} bold={false} oneLine={oneLine} />;
  // Both are of the same verdict.
  const saves = savesWords(culprit, session.avoidable!);
  // What was lost in a cache or read again went out whole each time: how often stands in its name.
  const stays = culprit.callsResident > 1 && culprit.detector !== "cache-break" && !oneLine;
  return (
    <span className="flex items-center gap-1">
      <Link
        prefetch={false}
        href={`/sessions/${session.id}?tab=load`}
        title={`${shownText(culprit.fix)}. ${saves.title}`}
        className={`min-w-0 flex-1 ${oneLine ? "flex items-baseline gap-1.5 max-md:flex-wrap max-md:gap-y-0" : "block"}`}
      >
        <span
          className={`block max-w-full truncate leading-[18px] max-md:leading-4 hover:underline ${bold ? "font-medium" : ""}`}
        >
          <SafeText text={culprit.label} />
        </span>
        <span className={`block text-12 text-ink-3 ${oneLine ? "flex-none" : "mt-px truncate"}`}>
          <span className="text-ink-2 tabular-nums">{oneLine ? saves.own : saves.short}</span>
          {stays && <> {residence(culprit.callsResident)}</>}
        </span>
      </Link>
      {session.top !== null && session.top.seq === culprit.seq && <Download output={session.top} />}
    </span>
  );
}

/** `~$0.98 avoidable (~$2.40 in all)`: what it alone could have saved, and what all culprits could have. "Of" is of a cost, as on Load. */
function savesWords(culprit: SessionCulprit, avoidable: NonNullable<SessionRow["avoidable"]>) {
  const isPriced = culprit.avoidableUsd !== null;
  const words = (usd: number | null, tokens: number, isPartial: boolean) =>
    (isPriced && estimatedUsd(usd, isPartial)) || `~${formatTokens(tokens, true)} tokens`;
  const own = words(culprit.avoidableUsd, culprit.avoidableTokens, culprit.isPartial);
  const all = words(avoidable.usd, avoidable.tokens, avoidable.isPartial);
  const saved = `${own} avoidable`;
  return {
    /** Where a row has one line. */
    own: saved,
    short: own === all ? saved : `${saved} (${all} in all)`,
    title: `${saved}, ${all} by all culprits; the same turns assumed`,
  };
}

/** The output that weighed most over the session: it opens where it came in, and its bytes are one click away. */
function TopOutput({ session, bold, oneLine }: TopCellProps) {
  const { top } = session;
  if (top === null) return <span className="text-ink-3">Nothing stands out</span>;
  return (
    <span className="flex items-center gap-1">
      <Link
        prefetch={false}
        href={`/sessions/${session.id}?event=${top.seq}`}
        title={
          top.callsResident === 0
            ? "No call was sent it"
            : `Entered at call ${top.enteredAt}, sent ${formatCount(top.callsResident, "time")}: ${formatTokens(top.lifetimeTokens)} tokens in all, ${top.origin}`
        }
        className={`min-w-0 flex-1 ${oneLine ? "flex items-baseline gap-1.5 max-md:flex-wrap max-md:gap-y-0" : "block"}`}
      >
        <span
          className={`block max-w-full truncate leading-[18px] max-md:leading-4 hover:underline ${bold ? "font-medium" : ""}`}
        >
          <SafeText text={topName(top)} />
        </span>
        <span className={`block text-12 text-ink-3 ${oneLine ? "flex-none" : "mt-px truncate"}`}>
          <Num value={top.tokens} origin={top.origin} short /> {residence(top.callsResident)}
        </span>
      </Link>
      <Download output={top} />
    </span>
  );
}

/** Its bytes are one click away. */
function Download({ output }: { output: HeavyOutput }) {
  if (output.artifact === null) return null;
  return (
    <a
      href={`/api/artifacts/${encodeURIComponent(output.artifact)}/raw`}
      download
      aria-label={`Download ${shownText(topName(output))}`}
      title={`Download ${formatBytes(output.bytes)}`}
      className="inline-grid size-6 flex-none place-items-center rounded-1 text-ink-3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink"
    >
      <DownloadIcon size={13} aria-hidden="true" />
    </a>
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
