"use client";
// How the prompt at the cursor came to its size since its epoch began: each step starts where the one before ended.
import { useMemo } from "react";
import type { BlowUp, LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { chipClass } from "../ui/chip.tsx";
import { formatTokens } from "../ui/format.ts";
import { Absent, Num } from "../ui/num.tsx";
import { categoryColor, Swatch } from "../ui/swatch.tsx";
import { ItemName } from "./item-name.tsx";
import { barsOf, waterfallAt, type Step } from "../shared/ledger-view.ts";
import { eventHref, onPlainClick, type LoadCursor } from "../shared/load-cursor.ts";
import { Weight } from "./weight.tsx";

type WaterfallProps = { ledger: LedgerAnswer; cursor: LoadCursor };

export function Waterfall({ ledger, cursor }: WaterfallProps) {
  const { call } = cursor;
  const found = ledger.calls.find((one) => one.call === call);
  const epochStart = ledger.calls.find((one) => one.epoch === found?.epoch);
  const { bars, prompt, highest } = useMemo(() => barsOf(waterfallAt(ledger, call)), [ledger, call]);
  const scale = Math.max(highest, ledger.loadLine ?? 0) * 1.04;
  const isReported = found !== undefined && found.reported !== null;
  return (
    <div className="mt-3.5">
      <BlowUps ledger={ledger} cursor={cursor} />
      <table className="mt-2 w-full table-fixed" aria-label={`Composition of call ${call}, step by step`}>
        <thead>
          <tr className="border-b border-line-strong text-12 text-ink-3">
            <th scope="col" className="num w-17 px-2 font-medium">
              At call
            </th>
            <th scope="col" className="w-90 px-2 text-left font-medium max-lg:w-60 max-md:w-40">
              From call {epochStart?.call ?? call}, where its epoch began
            </th>
            <th scope="col" className="h-6.5 font-medium">
              <span className="sr-only">Bar</span>
            </th>
            <th scope="col" className="num w-24 px-2 font-medium">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ step, from, to }, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- the steps of one prompt never move
            <tr key={i} className="h-6 border-b border-line hover:bg-sunk">
              <td className="num px-2 text-ink-2">{step.call ?? <Absent />}</td>
              <td className="px-2">
                <StepName step={step} cursor={cursor} />
              </td>
              <td className="relative p-0">
                <Bar step={step} from={from / scale} to={to / scale} />
                <LineMark line={ledger.loadLine} scale={scale} />
              </td>
              <td className="num px-2">
                {step.item === null ? (
                  <Num value={step.tokens} origin={step.origin} />
                ) : (
                  <Weight item={step.item} origin={step.origin} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="h-7 border-t border-line-strong font-semibold">
            <th scope="row" colSpan={2} className="py-0 pr-2 pl-19 text-left font-semibold">
              The prompt of call {call}
            </th>
            <td className="relative p-0">
              <span
                className="absolute inset-y-2 left-0 rounded-[1px] bg-ink-2"
                style={{ width: `${(prompt / scale) * 100}%` }}
              />
              <LineMark line={ledger.loadLine} scale={scale} />
            </td>
            <td className="num px-2">
              <Num value={prompt} origin={isReported ? "reported" : "estimated"} />
            </td>
          </tr>
        </tfoot>
      </table>
      {ledger.loadLine !== null && (
        <p className="mt-1 text-12 text-ink-3">The red line is the load line, {formatTokens(ledger.loadLine)}.</p>
      )}
    </div>
  );
}

function StepName({ step, cursor }: { step: Step; cursor: LoadCursor }) {
  const seq = step.item?.seq ?? null;
  const words = (
    <>
      {step.item === null && step.kind !== "unattributed" ? (
        <span className="size-2.5 flex-none rounded-[2px] border border-control" aria-hidden="true" />
      ) : (
        <Swatch category={step.kind} />
      )}
      <ItemName label={step.label} tool={step.tool} />
    </>
  );
  if (seq === null)
    return (
      <span className="flex items-center gap-2" title={step.label}>
        {words}
      </span>
    );
  return (
    <a
      className="flex items-center gap-2 hover:underline"
      href={eventHref(cursor.session, seq)}
      title={step.label}
      onClick={onPlainClick(() => cursor.openEvent(seq))}
    >
      {words}
    </a>
  );
}

function Bar({ step, from, to }: { step: Step; from: number; to: number }) {
  const isMany = step.item === null && step.kind !== "unattributed";
  const left = `${Math.max(0, from) * 100}%`;
  const width = `max(1px, ${(to - Math.max(0, from)) * 100}%)`;
  return (
    <>
      <i className="absolute inset-y-0 w-px bg-line-strong" style={{ left }} aria-hidden="true" />
      <i
        aria-hidden="true"
        className={`absolute inset-y-1 rounded-[1px] ${step.kind === "unattributed" ? "hatch" : ""} ${isMany ? "border border-control bg-sunk" : ""}`}
        style={{
          left,
          width,
          background: step.kind === "unattributed" || isMany ? undefined : categoryColor(step.kind),
        }}
      />
    </>
  );
}

function LineMark({ line, scale }: { line: number | null; scale: number }) {
  if (line === null) return null;
  return (
    <i
      className="absolute -inset-y-px w-[1.5px] bg-load"
      style={{ left: `${(line / scale) * 100}%` }}
      aria-hidden="true"
    />
  );
}

const KIND_WORDS: Record<BlowUp["kind"], string> = {
  "near-line": "near the line",
  compaction: "compaction",
  overflow: "refused",
  jump: "jump",
};

/** The calls in trouble; more jumps than these are on the chart. */
const SHOWN = 8;

/** Each call that was in trouble, one press away. */
function BlowUps({ ledger, cursor }: WaterfallProps) {
  const grave = ledger.blowUps.filter(({ kind }) => kind !== "jump");
  const jumps = ledger.blowUps.filter(({ kind }) => kind === "jump").toSorted((a, b) => b.tokens - a.tokens);
  const shown = [...grave, ...jumps].slice(0, SHOWN).toSorted((a, b) => a.call - b.call);
  if (shown.length === 0) return <p className="text-12 text-ink-3">This session was never in trouble.</p>;
  return (
    <fieldset data-printed className="flex flex-wrap items-center gap-1">
      <legend className="sr-only">Blow-ups</legend>
      {shown.map(({ call, kind, tokens }) => (
        <button
          key={`${kind} ${call}`}
          type="button"
          aria-pressed={call === cursor.call}
          className={chipClass(call === cursor.call)}
          onClick={() => cursor.goToCall(call)}
        >
          Call {call}
          <span className="font-normal text-ink-3">
            {kind === "jump" ? `+${formatTokens(tokens, true)}` : KIND_WORDS[kind]}
          </span>
        </button>
      ))}
    </fieldset>
  );
}
