"use client";
// What the reader chose on the session page, as it stands in the URL.
import {
  createParser,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryState,
  useQueryStates,
} from "nuqs";
import { useCallback, useMemo } from "react";
import { ROW_MARKS, ROW_TYPES, type RowFilter } from "#lib/kernel/log/row-filter.ts";
import { CONTEXT_FORMS } from "#lib/wire/memory-schema.ts";
import { FIRST_POLICY, OFF, type OrOff } from "./policy-state.ts";

export const TABS = ["transcript", "load", "tools", "memory", "context", "artifacts"] as const;
export type Tab = (typeof TABS)[number];

export const useTab = () =>
  useQueryState("tab", parseAsStringLiteral(TABS).withDefault("transcript").withOptions({ history: "push" }));

/** The event that the reader stands on, by its seq. */
export const useEventParam = () => useQueryState("event", parseAsInteger.withOptions({ history: "replace" }));

export const useTranscriptState = () =>
  useQueryStates(
    {
      raw: parseAsBoolean.withDefault(false),
      hidden: parseAsBoolean.withDefault(false),
      find: parseAsString.withDefault(""),
    },
    { history: "replace", throttleMs: 200 },
  );

/** Which rows of the transcript are shown. */
export function useRowFilter(): {
  readonly filter: RowFilter;
  readonly setFilter: (filter: RowFilter) => void;
} {
  const [{ type, tools, is }, setState] = useQueryStates(
    {
      type: parseAsArrayOf(parseAsStringLiteral(ROW_TYPES)).withDefault([]),
      tools: parseAsArrayOf(parseAsString).withDefault([]),
      is: parseAsArrayOf(parseAsStringLiteral(ROW_MARKS)).withDefault([]),
    },
    { history: "replace", throttleMs: 200 },
  );
  const filter = useMemo(() => ({ types: type, tools, marks: is }), [type, tools, is]);
  const setFilter = useCallback(
    ({ types, tools: names, marks }: RowFilter) =>
      void setState({
        type: types.length === 0 ? null : [...types],
        tools: names.length === 0 ? null : [...names],
        is: marks.length === 0 ? null : [...marks],
      }),
    [setState],
  );
  return { filter, setFilter };
}

export const useChartSpans = () =>
  useQueryStates(
    {
      range: parseAsString,
      zoom: parseAsString,
      /** What the y-axis ends at: the load line, or the largest prompt that is shown. */
      axis: parseAsStringLiteral(["line", "peak"] as const).withDefault("line"),
    },
    { history: "replace", throttleMs: 200 },
  );

export const TOOL_FILTERS = ["all", "pending", "error", "orphan", "repeated"] as const;
const TOOL_SORTS = ["order", "tool", "duration", "bytes", "tokens", "resident", "lifetime"] as const;
export type ToolSort = (typeof TOOL_SORTS)[number];

export const useToolsState = () =>
  useQueryStates(
    {
      show: parseAsStringLiteral(TOOL_FILTERS).withDefault("all"),
      tool: parseAsString,
      sort: parseAsStringLiteral(TOOL_SORTS).withDefault("order"),
      reverse: parseAsBoolean.withDefault(false),
    },
    { history: "replace" },
  );

export const LOAD_PANELS = ["culprits", "waterfall", "treemap", "settings"] as const;
export type LoadPanel = (typeof LOAD_PANELS)[number];

export const useLoadState = () =>
  useQueryStates(
    {
      panel: parseAsStringLiteral(LOAD_PANELS).withDefault("culprits"),
      by: parseAsStringLiteral(["cost", "peak"] as const).withDefault("cost"),
      culprit: parseAsString,
    },
    { history: "replace" },
  );

export const useContextState = () =>
  useQueryStates(
    {
      as: parseAsStringLiteral(CONTEXT_FORMS).withDefault("sent"),
      change: parseAsStringLiteral(["all", "new", "left"] as const).withDefault("all"),
      pane: parseAsStringLiteral(["messages", "payload"] as const).withDefault("messages"),
      /** A compaction or a plan: the context that it leaves. */
      plan: parseAsString,
    },
    { history: "replace" },
  );

export const MEMORY_KINDS = ["all", "episodic", "semantic", "pinned", "deleted"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

export const useMemoryState = () =>
  useQueryStates(
    {
      items: parseAsStringLiteral(MEMORY_KINDS).withDefault("all"),
      /** A compaction: the items that it made. */
      from: parseAsString,
      /** A turn: the items made from it, and what was recalled into it. */
      turn: parseAsInteger,
      item: parseAsString,
    },
    { history: "replace" },
  );

/** A call that a link names; the event wins where both stand. */
export const useCallParam = () => useQueryState("call", parseAsInteger.withOptions({ history: "replace" }));

const most = (max: number) => ({
  parse: (text: string) => (/^\d{1,8}(?:\.\d{1,4})?$/u.test(text) && Number(text) <= max ? Number(text) : null),
  serialize: String,
});
const upTo = (max: number) => createParser(most(max));
const orOff = (max: number) =>
  createParser<OrOff>({ parse: (text) => (text === OFF ? OFF : most(max).parse(text)), serialize: String });

// The caps are the door's: what it would refuse is as if it were not there.
const policyParsers = {
  offload: orOff(10_000_000).withDefault(FIRST_POLICY.offload),
  envelope: upTo(10_000_000).withDefault(FIRST_POLICY.envelope),
  reread: upTo(1).withDefault(FIRST_POLICY.reread),
  mask: orOff(100_000).withDefault(FIRST_POLICY.mask),
  hysteresis: upTo(10_000_000).withDefault(FIRST_POLICY.hysteresis),
  trigger: orOff(10_000_000).withDefault(FIRST_POLICY.trigger),
  free: orOff(10_000_000).withDefault(FIRST_POLICY.free),
  keep: parseAsArrayOf(parseAsString).withDefault([]),
  since: upTo(10_000_000).withDefault(FIRST_POLICY.since),
  drop: parseAsArrayOf(parseAsString).withDefault([]),
  dedupe: parseAsBoolean.withDefault(FIRST_POLICY.dedupe),
  ratio: orOff(1).withDefault(FIRST_POLICY.ratio),
  tail: upTo(1000).withDefault(FIRST_POLICY.tail),
  summary: upTo(10_000_000).withDefault(FIRST_POLICY.summary),
};

/** The what-if policy, as the sliders and the curve have it. The address follows 200 ms behind a hand that drags. */
export const usePolicy = () => useQueryStates(policyParsers, { history: "replace", throttleMs: 200 });
