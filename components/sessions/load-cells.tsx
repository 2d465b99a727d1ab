"use client";
// How full a session was: its sparkline, and the fullest prompt of it.
import { stateWords } from "#lib/kernel/load/compaction-state.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { formatPercent, formatTokens } from "../ui/format.ts";
import { fetched } from "../ui/fetched.tsx";
import { Hull } from "../ui/hull.tsx";
import { Absent, Num } from "../ui/num.tsx";
import { Sparkline } from "../ui/sparkline.tsx";
import { oneLine, type CellProps } from "./row-view.ts";
import { peakShare } from "./session-table-rows.ts";

// Few sessions run: the first page goes without it.
const RunningLoad = fetched(() => import("./running-load.tsx").then((module) => module.RunningLoad));

export function LoadCell({ session, view }: CellProps) {
  if (session.status === "running")
    return <RunningLoad session={session} width={view.loadWidth - 24} sparkPx={oneLine(view) ? 0 : view.height - 26} />;
  const points = sparkPoints(session);
  if (points === null) return <Absent why={NO_PROMPTS} />;
  return <Sparkline points={points} width={view.loadWidth - 24} height={Math.min(40, view.height - 8)} />;
}

const NO_PROMPTS = "No prompt tokens reported; Load estimates them";

/** A summary that an earlier release stored has zeros where no prompt was reported. */
const sparkPoints = ({ sparkline, peak }: SessionRow): SessionRow["sparkline"] =>
  peak.tokens === null ? null : sparkline;

/** Of a narrow row the sparkline stands under the peak. */
export function PeakCell({ session, view }: CellProps) {
  const isRunning = session.status === "running";
  const points = sparkPoints(session);
  const isUnder = view.isNarrow && view.hasLoad && (isRunning || points !== null);
  return (
    <>
      <Peak session={session} view={view} />
      {isUnder && (
        <span className="mt-1 block">
          {isRunning ? (
            <RunningLoad session={session} width={UNDER_PEAK.width} sparkPx={0} />
          ) : (
            <Sparkline points={points ?? []} {...UNDER_PEAK} />
          )}
        </span>
      )}
    </>
  );
}

/** In the column of compactions the word for it stands beside the number; here there is no room for it. */
const AUTOMATIC = / \(.+\)$/u;

const UNDER_PEAK = { width: 92, height: 24 };

function Peak({ session, view }: CellProps) {
  const share = peakShare(session.peak);
  const { peak } = session;
  if (share === null) {
    return peak.tokens === null ? (
      <Absent why={session.calls === 0 ? "No model calls recorded" : NO_PROMPTS} />
    ) : (
      <span title="The load line of this model is not known">
        <Num value={peak.tokens} origin={peak.origin} short />
      </span>
    );
  }
  const { state } = session;
  const words = state === null || state === "fine" ? null : stateWords(state, session.automaticCompactions);
  const isOneLine = oneLine(view) || view.isNarrow;
  const mark = peak.origin === "reported" ? "" : peak.origin === "estimated" ? "~" : "";
  return (
    <span
      className="flex items-center gap-2"
      title={`${words === null ? "" : `${words}. `}${mark}${formatTokens(peak.tokens ?? 0)} tokens (${peak.origin}) of ${formatTokens(peak.loadLine ?? 0)} (${peak.loadLineOrigin ?? "assumed"})`}
    >
      <Hull percent={state === "refused" ? Math.max(101, share * 100) : Math.min(100, share * 100)} />
      <span className={isOneLine ? "flex gap-2 leading-4" : "leading-4"}>
        <span className={words === null ? "" : "font-semibold"}>
          {mark}
          {formatPercent(share)}
          {peak.origin === "counted" && <span className="origin-dot font-bold text-ink-2">·</span>}
        </span>
        {words !== null && (
          <span className={`text-12 text-ink-2 ${isOneLine ? "sr-only" : "block"}`}>
            {words.replace(AUTOMATIC, "")}
            <span className="sr-only">{AUTOMATIC.exec(words)?.[0]}</span>
          </span>
        )}
      </span>
    </span>
  );
}
