"use client";
// The legend is the read-out at the cursor: what that call's prompt was made of, in stacking order from the top.
import { partsOf } from "#lib/wire/load-stack.ts";
import { Fragment } from "react";
import { CATEGORY_NAMES, type Category } from "#lib/wire/common-schema.ts";
import type { LoadCall } from "#lib/wire/load-schema.ts";
import { formatTokens } from "../ui/format.ts";
import { Kbd } from "../ui/kbd.tsx";
import { Num } from "../ui/num.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { When } from "../ui/when.tsx";
import { rangeSums, type LoadView, type Span } from "../shared/load-view.ts";
import { NO_OVERLAY, type ChartOverlay } from "./overlay.ts";

type LegendProps = {
  view: LoadView;
  index: number;
  onOnly: (category: Category | null) => void;
  step: (by: 1 | -1) => void;
  overlay?: ChartOverlay;
};

export function ChartLegend({ view, index, onOnly, step, overlay = NO_OVERLAY }: LegendProps) {
  const call = view.calls[index];
  if (!call) return null;
  const parts = partsOf(call).toReversed();
  return (
    <div>
      <div className="flex h-7 items-center gap-2 border-b border-line-strong">
        <h2 className="text-13 font-semibold">Call {call.call}</h2>
        {call.inherited && <span className="text-12 text-ink-3">inherited</span>}
        <span className="ml-auto text-12 text-ink-3">
          turn {call.turn}
          {call.ts !== null && (
            <>
              , <When ts={call.ts} show="time" />
            </>
          )}
        </span>
        <span className="h-4 w-px bg-line" />
        <button type="button" aria-label="The call before" onClick={() => step(-1)}>
          <Kbd>[</Kbd>
        </button>
        <button type="button" aria-label="The next call" onClick={() => step(1)}>
          <Kbd>]</Kbd>
        </button>
      </div>
      <table className="mt-1 w-full table-fixed text-12">
        <caption className="sr-only">Composition of call {call.call} </caption>
        <colgroup>
          <col width={18} />
          <col />
          <col width={70} />
          <col width={60} />
        </colgroup>
        <tbody>
          {parts.map((part) => (
            <tr
              key={part.category}
              className="h-5"
              onMouseEnter={() => onOnly(part.category)}
              onMouseLeave={() => onOnly(null)}
            >
              <td>
                <Swatch category={part.category} />
              </td>
              <th scope="row" className="text-left font-normal whitespace-nowrap">
                {CATEGORY_NAMES[part.category]}
              </th>
              <td className="num">
                <Num value={part.tokens} origin={part.origin} />
              </td>
              <td className="num text-ink-3">{share(part.tokens, call.prompt)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="h-6 border-t border-line-strong">
            <th scope="row" colSpan={2} className="pl-[18px] text-left font-semibold">
              {call.origin === "reported" ? "Reported" : call.origin === "counted" ? "Counted" : "Estimated"}
            </th>
            <td className="num font-semibold">
              <Num value={call.prompt} origin={call.origin} />
            </td>
            <td className="num text-ink-3" title="of the load line">
              {view.line === null ? "" : share(call.prompt, view.line)}
            </td>
          </tr>
          {overlay.predicted !== null && (
            <PolicyRows prompt={call.prompt} predicted={overlay.predicted[index] ?? call.prompt} line={view.line} />
          )}
        </tfoot>
      </table>
      <div className="mt-0.5 text-12 text-ink-2">
        {/* The rows of a policy take its line: nothing below the chart moves. */}
        {call.origin !== "reported" && overlay.predicted === null && (
          <p title="The provider reported no prompt tokens for this call">Not reported; all parts are {call.origin}.</p>
        )}
        {view.load.counting && <p>Counting still runs; estimated parts become counted.</p>}
      </div>
    </div>
  );
}

/** What the policy takes out of this prompt, and what it leaves. */
function PolicyRows({ prompt, predicted, line }: { prompt: number; predicted: number; line: number | null }) {
  const saved = prompt - predicted;
  return (
    <>
      <tr className="h-5 text-ink-2">
        <th scope="row" colSpan={2} className="text-left font-normal whitespace-nowrap">
          <span className="flex items-center gap-2">
            <i
              className={`size-2.5 rounded-[2px] ${saved >= 0 ? "bg-c-result/20 shadow-[inset_0_0_0_1px_var(--c-result)]" : ""}`}
            />
            {saved >= 0 ? "Would be offloaded" : "Would be added"}
          </span>
        </th>
        <td className="num">
          <Num value={Math.abs(saved)} origin="estimated" />
        </td>
        <td className="num text-ink-3">{share(Math.abs(saved), prompt)}</td>
      </tr>
      <tr className="h-5 text-ink-2">
        <th scope="row" colSpan={2} className="text-left font-normal whitespace-nowrap">
          <span className="flex items-center gap-2">
            <svg width={10} height={8} aria-hidden="true">
              <path d="M0 4H10" stroke="var(--ink)" strokeWidth={1.6} strokeDasharray="4 2" />
            </svg>
            With this policy
          </span>
        </th>
        <td className="num">
          <Num value={predicted} origin="estimated" />
        </td>
        <td className="num text-ink-3" title="of the load line">
          {line === null ? "" : share(predicted, line)}
        </td>
      </tr>
    </>
  );
}

function share(tokens: number, of: number): string {
  if (of === 0) return "";
  const size = Math.abs(tokens) / of;
  // Of more than the whole, a tenth says nothing.
  const percent = (size * 100).toFixed(size > 1 ? 0 : 1);
  return `${tokens < 0 && percent !== "0.0" ? "−" : ""}${percent}\u2009%`;
}

type RangeProps = { view: LoadView; range: Span; onClear: () => void };

/** What a chosen range of calls came to, in one sentence. */
export function RangeNote({ view, range, onClear }: RangeProps) {
  const sums = rangeSums(view, range);
  return (
    <p className="text-12 text-ink-2">
      Calls {range.from + 1}–{range.to}: <Num value={sums.growth} origin={sums.origin} signed short />, peak{" "}
      <Num value={sums.peak} origin={sums.origin} short />, <Num value={sums.sent} origin={sums.origin} short /> sent in{" "}
      {sums.calls} {sums.calls === 1 ? "call" : "calls"}.{" "}
      <button type="button" className="text-accent hover:underline" onClick={onClear}>
        Clear
      </button>
    </p>
  );
}

/** The parts in one bar, and the sum written out under it. */
export function Reconciliation({ view, index }: { view: LoadView; index: number }) {
  const call = view.calls[index];
  if (!call) return null;
  const parts = partsOf(call);
  const sum = parts.reduce((total, part) => total + part.tokens, 0);
  const shown = parts.filter((part) => part.tokens !== 0);
  return (
    <div>
      <div className="flex h-2 gap-px overflow-hidden rounded-[2px]" aria-hidden="true">
        {shown
          .filter((part) => part.tokens > 0)
          .map((part) => (
            <i
              key={part.category}
              className={part.category === "unattributed" ? "hatch" : ""}
              style={{
                flex: part.tokens,
                background: part.category === "unattributed" ? undefined : `var(--c-${part.category})`,
              }}
            />
          ))}
      </div>
      <p className="mt-2 flex flex-wrap items-center gap-x-1.5 text-12 text-ink-3">
        {shown.map((part, i) => (
          <Fragment key={part.category}>
            {i > 0 && <span>{part.tokens < 0 ? "−" : "+"}</span>}
            <span>
              <b className="font-medium text-ink">
                <Num value={i > 0 ? Math.abs(part.tokens) : part.tokens} origin={part.origin} />
              </b>{" "}
              {CATEGORY_NAMES[part.category].toLowerCase()}
            </span>
          </Fragment>
        ))}
        <span>=</span>
        <b className="font-medium text-ink">
          <Num value={sum} origin={call.origin} />
        </b>
        <span className="text-ink-2">
          {call.origin === "reported"
            ? Math.round(sum) === call.prompt
              ? `✓ the provider reported ${formatTokens(call.prompt)}`
              : `the provider reported ${formatTokens(call.prompt)}: ${formatTokens(call.prompt - sum)} apart`
            : `${call.origin}: not reported`}
        </span>
      </p>
      <TooMuch call={call} />
    </div>
  );
}

/** Parts that weigh this share of a prompt too much are worth a sentence; less is what weighing leaves everywhere. */
const WORTH_SAYING = 0.01;

function TooMuch({ call }: { call: LoadCall }) {
  const unattributed = partsOf(call).find((part) => part.category === "unattributed")?.tokens ?? 0;
  if (unattributed >= -WORTH_SAYING * call.prompt) return null;
  return (
    <p className="mt-1 text-12 text-ink-2">
      The parts add up to {formatTokens(-unattributed)} more than was {call.origin}: estimates are high, or something
      left.
    </p>
  );
}
