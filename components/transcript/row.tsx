"use client";
import { createContext, memo, useContext } from "react";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import { ORIGINS, type Category } from "#lib/wire/common-schema.ts";
import type { EventView } from "#lib/wire/events-schema.ts";
import type { Mark } from "#lib/wire/marks-schema.ts";
import type { CulpritMark } from "../shared/culprit-marks.ts";
import { EventHead } from "../events/event-parts.tsx";
import { EventBody } from "../events/event-body.tsx";
import { barCategory, wholeTokens } from "../events/view.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { categoryColor } from "../ui/swatch.tsx";
import { ForkLine } from "./fork-line.tsx";
import { CulpritBadge } from "./culprit-badge.tsx";
import { RowMarks } from "./row-marks.tsx";
import { RawRecord } from "../events/raw-record.tsx";
import { barPx, wholeBarPx, type Rows } from "../shared/transcript-rows.ts";

export type RowContext = {
  readonly rows: Rows;
  readonly raw: boolean;
  readonly toggle: (seq: number) => void;
  readonly select: (seq: number) => void;
  /** By event. */
  readonly culprits: ReadonlyMap<number, CulpritMark>;
  /** By event. */
  readonly marks: ReadonlyMap<number, readonly Mark[]>;
};
export const RowContextOf = createContext<RowContext | null>(null);

type RowProps = {
  /** Index into the outline's columns. */
  i: number;
  event: EventView | null;
  result: EventView | null;
  open: boolean;
  selected: boolean;
};

/** `seq | what happened | what it weighs`. */
export const Row = memo(function Row({ i, event, result, open, selected }: RowProps) {
  const context = useContext(RowContextOf);
  if (!context) return null;
  const { rows, raw, toggle, select, marks } = context;
  const { outline } = rows;
  const seq = outline.seq[i] ?? 0;
  const type = outline.types[outline.type[i] ?? 0] ?? "unknown";
  const run = rows.forks.runs.get(i);
  const pair = outline.pair[i] ?? 0;
  const own = [...(marks.get(seq) ?? []), ...(pair === seq ? [] : (marks.get(pair) ?? []))];
  const isOutside = rows.filterKey !== "" && rows.outside === i;
  return (
    <div
      className="grid grid-cols-[48px_minmax(0,1fr)_104px] gap-x-3 border-b border-line py-2 pr-6 group/row data-selected:bg-select data-turn:border-line-strong data-turn:py-2.5 max-[900px]:grid-cols-[40px_minmax(0,1fr)_76px] max-[900px]:pr-4"
      data-turn={rows.turnAt.has(seq) || undefined}
      data-selected={selected || undefined}
    >
      <div className="text-right text-12/5 text-ink-3 tabular-nums" data-beside>
        <button
          type="button"
          data-number=""
          aria-label={`Event ${seq}${selected ? ", chosen" : ""}`}
          title={`Inspect event ${seq} (i)`}
          onClick={() => select(seq)}
        >
          {seq}
        </button>
      </div>
      <div className="min-w-0">
        {isOutside && (
          <p className="text-12 text-ink-3" data-beside>
            Outside the filter
          </p>
        )}
        {run !== undefined && <ForkLine seq={seq} run={run} origin={ORIGINS[outline.origins[i] ?? 2] ?? "estimated"} />}
        <RowMarks marks={own} />
        {event === null ? (
          <Pending type={type} label={outline.labels[i] ?? ""} />
        ) : raw ? (
          <RawRecord event={event} result={result} />
        ) : (
          <EventBody event={event} result={result} open={open} toggle={() => toggle(event.seq)} />
        )}
      </div>
      <Weight i={i} event={event} result={result} />
    </div>
  );
});

/** A row whose body has not come: what the outline knows of it. */
function Pending({ type, label }: { type: string; label: string }) {
  return (
    <EventHead isPartial>
      <span className="truncate">
        {label === "" ? type.replaceAll("_", " ") : <SafeText text={label.slice(0, 200)} />}
      </span>
    </EventHead>
  );
}

type WeightProps = { i: number; event: EventView | null; result: EventView | null };

function Weight({ i, event, result }: WeightProps) {
  const context = useContext(RowContextOf);
  if (!context) return null;
  const { rows, culprits } = context;
  const { outline } = rows;
  const culprit = culprits.get(outline.seq[i] ?? 0) ?? culprits.get(outline.pair[i] ?? 0) ?? null;
  const tokens = outline.tokens[i] ?? 0;
  const type = outline.types[outline.type[i] ?? 0] ?? "unknown";
  const category = barCategory(event, result, type);
  const original = wholeTokens(result ?? event);
  const isInherited = ((outline.flags[i] ?? 0) & ROW_FLAG.inherited) !== 0;
  return (
    <div className="num relative text-12/5 text-ink-2 normal-nums" data-beside>
      {isInherited && (
        <span
          className="absolute left-0 text-11 text-ink-3"
          title="Copied from the session that this one came from, and counted there"
        >
          inherited
        </span>
      )}
      {tokens > 0 && <Tokens i={i} rows={rows} category={category} textTokens={textTokensOf(event, result)} />}
      {original !== null && (
        <>
          <WholeBar i={i} rows={rows} tokens={original.tokens} />
          <div className="mt-5 text-ink-3" title="What the whole output would have weighed">
            of <Num value={original.tokens} origin={original.origin} short />
          </div>
        </>
      )}
      <CulpritBadge mark={culprit} />
    </div>
  );
}

type WholeBarProps = { i: number; rows: Rows; tokens: number };

/** Dotted, on the scale of the bar above it. One that is longer than its column goes on past its open end. */
function WholeBar({ i, rows, tokens }: WholeBarProps) {
  const { px, isCut } = wholeBarPx(rows, i, tokens);
  return (
    <i
      className="absolute top-7 right-0 h-2 rounded-[2px] border border-dotted border-c-result data-cut:rounded-l-none data-cut:border-l-0 data-cut:[mask:linear-gradient(to_right,transparent,#000_24px)] max-[900px]:max-w-19"
      data-bar="whole"
      data-cut={isCut || undefined}
      style={{ width: px }}
      title={isCut ? "Longer than this column: more than the largest item of the epoch" : undefined}
    />
  );
}

/** What a tokenizer alone counts of a call and its result; null before both are there. */
function textTokensOf(event: EventView | null, result: EventView | null): number | null {
  if (event === null || (event.pairSeq !== null && event.type === "tool_call" && result === null)) return null;
  return (event.textTokens ?? 0) + (result?.textTokens ?? 0);
}

type TokensProps = { i: number; rows: Rows; category: Category | null; textTokens: number | null };

function Tokens({ i, rows, category, textTokens }: TokensProps) {
  return (
    <>
      <Num
        value={rows.outline.tokens[i] ?? 0}
        origin={ORIGINS[rows.outline.origins[i] ?? 2] ?? "estimated"}
        textTokens={textTokens}
      />
      <i
        className="absolute top-[21px] right-0 h-[3px] rounded-[1px] max-[900px]:max-w-19"
        data-bar="weight"
        style={{ width: barPx(rows, i), background: category ? categoryColor(category) : "var(--ink-3)" }}
      />
    </>
  );
}
