"use client";
// What the reader chose on Compact…, as it stands in the URL: where, by which policy, and by which second one beside it.
import {
  createParser,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from "nuqs";
import type { CompactRequest } from "#lib/wire/memory-schema.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import type { SliderOf } from "../load/slider.tsx";

/** The summarizer without a model. */
export const EXTRACTIVE = "extractive";

export type Policy = {
  /** Turns that stay whole. */
  readonly tail: number;
  /** Characters of the summary. */
  readonly budget: number;
  readonly by: string;
};

/** As the door has it without a word. */
export const FIRST_POLICY: Policy = { tail: 4, budget: 12_000, by: EXTRACTIVE };

const between = (least: number, most: number) =>
  createParser({
    parse: (text) => {
      const value = /^\d{1,7}$/u.test(text) ? Number(text) : -1;
      return value >= least && value <= most ? value : null;
    },
    serialize: String,
  });

// The caps are the door's: what it would refuse is as if it were not there.
const tail = between(0, 1000);
const budget = between(200, 400_000);

export const SUMMARY_VIEWS = ["linked", "text", "difference", "edit"] as const;
export type SummaryView = (typeof SUMMARY_VIEWS)[number];

const parsers = {
  at: parseAsInteger,
  tail: tail.withDefault(FIRST_POLICY.tail),
  budget: budget.withDefault(FIRST_POLICY.budget),
  by: parseAsString.withDefault(FIRST_POLICY.by),
  /** A second policy stands beside the first. */
  beside: parseAsBoolean.withDefault(false),
  tail2: tail.withDefault(FIRST_POLICY.tail),
  budget2: budget.withDefault(FIRST_POLICY.budget),
  by2: parseAsString.withDefault(FIRST_POLICY.by),
  view: parseAsStringLiteral(SUMMARY_VIEWS).withDefault("linked"),
  /** The agent's own summary stands beside this one. */
  own: parseAsBoolean.withDefault(false),
  ownShow: parseAsStringLiteral(["split", "unified"]).withDefault("split"),
  /** The compaction that was made here. */
  done: parseAsString,
  /** In place of the ledger: the new session file with the summary, or without one. */
  show: parseAsStringLiteral(["carry-on", "fork"]),
  /** Large outputs become envelopes; null: as the server has it. */
  envelopes: parseAsBoolean,
  /** The continuation that was written here. */
  written: parseAsString,
};

/** The address follows at once: a link that is followed while an update is still to come would be taken back by it. */
export const useCompactState = () => useQueryStates(parsers, { history: "replace" });
export type CompactState = ReturnType<typeof useCompactState>[0];

export const firstPolicy = ({ tail, budget, by }: CompactState): Policy => ({ tail, budget, by });
export const secondPolicy = (state: CompactState): Policy => ({
  tail: state.tail2,
  budget: state.budget2,
  by: state.by2,
});

export const requestOf = ({ tail, budget, by }: Policy, at: number | null): CompactRequest => ({
  ...(at === null || at < 1 ? {} : { at }),
  summarizer: by,
  budgetChars: budget,
  tail,
  dryRun: true,
});

export const TAIL: SliderOf = {
  label: "Turns kept whole at the end",
  stops: [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30],
  words: (value) => formatCount(Number(value), "turn"),
};

export const BUDGET: SliderOf = {
  label: "Summary, at most",
  stops: [1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 40_000, 80_000],
  words: (value) => `${formatTokens(Number(value))} chars`,
};
