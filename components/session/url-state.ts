"use client";
// What the reader chose on the session page, as it stands in the URL.
import {
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryState,
  useQueryStates,
} from "nuqs";

export const TABS = ["transcript", "load", "tools", "artifacts"] as const;
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

export const useChartSpans = () =>
  useQueryStates({ range: parseAsString, zoom: parseAsString }, { history: "replace", throttleMs: 200 });

export const TOOL_FILTERS = ["all", "pending", "error", "orphan", "repeated"] as const;
const TOOL_SORTS = ["order", "duration", "bytes", "tokens", "resident", "lifetime"] as const;
export type ToolSort = (typeof TOOL_SORTS)[number];

export const useToolsState = () =>
  useQueryStates(
    {
      show: parseAsStringLiteral(TOOL_FILTERS).withDefault("all"),
      tool: parseAsString,
      sort: parseAsStringLiteral(TOOL_SORTS).withDefault("order"),
    },
    { history: "replace" },
  );
