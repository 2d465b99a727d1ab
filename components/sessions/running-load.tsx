"use client";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Gauge } from "../ui/gauge.tsx";
import { Absent } from "../ui/num.tsx";
import { Sparkline } from "../ui/sparkline.tsx";

type RunningLoadProps = {
  session: SessionRow;
  width: number;
  /** Height of the sparkline below it; 0: there is no room for one. */
  sparkPx: number;
};

/** From here there is room for the share beside the gauge. */
const SHARE_PX = 140;
/** Below it the rate stands under the gauge. */
const BESIDE_PX = 108;

/** Of a running session: how full its context is now, and how many tokens a minute it spends. */
export function RunningLoad({ session, width, sparkPx }: RunningLoadProps) {
  const { last, peak, burn, sparkline } = session;
  const share = last.tokens === null || !peak.loadLine ? null : last.tokens / peak.loadLine;
  if (share === null && burn === null && sparkline === null) return <Absent why="No prompt tokens known" />;
  const hasSpark = sparkPx > 0 && sparkline !== null;
  return (
    <span className="block" style={{ width }}>
      <span className={`gap-1.5 text-12 leading-4 ${width < BESIDE_PX ? "block" : "flex h-4 items-center"}`}>
        {share !== null && (
          <span
            className={`flex flex-1 items-center gap-1.5 ${width < BESIDE_PX ? "h-2" : ""}`}
            title={`Context now: ${formatTokens(last.tokens ?? 0)} of ${formatTokens(peak.loadLine ?? 0)} tokens, ${peak.origin}`}
          >
            <Gauge
              share={share}
              label={`Context now at ${formatPercent(share)} of the load line`}
              width={
                width < BESIDE_PX || burn === null ? width - (width < SHARE_PX ? 0 : 40) : width < SHARE_PX ? 32 : 56
              }
            />
            {width >= SHARE_PX && <span aria-hidden="true">{formatPercent(share)}</span>}
          </span>
        )}
        {burn !== null && (
          <span className="text-ink-2 tabular-nums" title={burnTitle(burn)}>
            {burn.isLowerBound && "≥ "}
            {formatTokens(burn.tokensPerMinute, true)}
            {burn.origin === "counted" && <span className="origin-dot font-bold">·</span>}/min
          </span>
        )}
      </span>
      {hasSpark && <Sparkline points={sparkline} running width={width} height={sparkPx} />}
    </span>
  );
}

/** `Burn rate: 50,000 tokens of 2 calls in 5 minutes, reported`. */
function burnTitle({ tokens, calls, minutes, origin, isLowerBound }: NonNullable<SessionRow["burn"]>): string {
  const span = minutes === 1 ? "the last minute" : `${minutes.toFixed(minutes % 1 === 0 ? 0 : 1)} minutes`;
  const rate = `Burn rate: ${formatTokens(tokens)} tokens of ${formatCount(calls, "call")} in ${span}, ${origin}.`;
  return isLowerBound ? `${rate} The output of a call is only its first count.` : rate;
}
