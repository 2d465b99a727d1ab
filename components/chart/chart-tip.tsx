"use client";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { When } from "../ui/when.tsx";
import type { LoadView } from "../shared/load-view.ts";
import { BLOW_UP_WORDS, CacheBreakNote } from "./notes-at.tsx";
import type { ChartOverlay } from "./overlay.ts";

const WIDTH = 300;
/** The largest three that came in are named; the rest is one line. */
const NAMED = 3;

type ChartTipProps = { view: LoadView; index: number; x: number; width: number; overlay: ChartOverlay };

/** What a call was sent that the one before was not, and what went wrong there. */
export function ChartTip({ view, index, x, width, overlay }: ChartTipProps) {
  const call = view.calls[index];
  if (!call) return null;
  const named = call.entered.slice(0, NAMED);
  const growth = call.prompt - (view.prompts[index - 1] ?? 0);
  const rest = growth - named.reduce((sum, item) => sum + item.tokens, 0);
  const isEstimate = call.origin !== "reported" || named.some((item) => item.origin === "estimated");
  const predicted = overlay.predicted?.[index];
  const troubles = overlay.blowUps.filter((blowUp) => blowUp.index === index && blowUp.kind !== "jump");
  const left = x + 14 + WIDTH > width ? Math.max(0, x - 14 - WIDTH) : x + 14;
  return (
    <div
      className="pointer-events-none absolute z-10 rounded-2 bg-raised px-3 py-2 text-12 shadow-float"
      style={{ left, top: 34, width: WIDTH }}
    >
      <div className="flex items-baseline gap-1.5">
        <b className="font-semibold">Call {call.call}</b>
        <span className="text-ink-3">
          turn {call.turn}
          {call.ts !== null && (
            <>
              , <When ts={call.ts} show="time" />
            </>
          )}
        </span>
        <b className="ml-auto font-semibold tabular-nums">
          <Num value={call.prompt} origin={call.origin} />
        </b>
      </div>
      {view.breaks.includes(index) ? (
        <p className="mt-1 text-ink-2">
          First call after a {view.rewound.has(index) ? "rewind" : "compaction"}: {growth < 0 ? "" : "+"}
          <Num value={growth} origin={call.origin} />
        </p>
      ) : (
        <ul className="mt-1">
          {named.map((item) => (
            <li key={item.seq} className="flex items-center gap-2 leading-[18px]">
              <Swatch category={item.category} />
              <span className="min-w-0 flex-1 truncate">
                <SafeText text={item.label} />
              </span>
              <span className="num">
                <Num value={item.tokens} origin={item.origin} signed />
              </span>
            </li>
          ))}
          {index > 0 && Math.round(rest) !== 0 && (
            <li className="flex items-center gap-2 leading-[18px] text-ink-2">
              <Swatch category="unattributed" />
              <span className="flex-1">The rest</span>
              <span className="num">
                <Num value={rest} origin={isEstimate ? "estimated" : "reported"} signed />
              </span>
            </li>
          )}
        </ul>
      )}
      {predicted !== undefined && Math.round(predicted) !== call.prompt && (
        <p className="mt-1 flex text-ink-2">
          <span className="flex-1">With this policy</span>
          <span className="num">
            <Num value={predicted} origin="estimated" />
          </span>
        </p>
      )}
      {troubles.map(({ kind }) => (
        <p key={kind} className="mt-1 font-medium">
          {BLOW_UP_WORDS[kind]}
        </p>
      ))}
      <CacheBreakNote found={overlay.breaks.get(index)} />
      <p className="mt-1 border-t border-line pt-1 text-ink-3">Click to select, [ and ] to step</p>
    </div>
  );
}
