// Ledgers for tests, written by hand or by chance: what comes in with each call, and where the context was cut.
import type { CompactionFacts, EventFacts, ToolSchema } from "../culprits/culprit-types.ts";
import type { LedgerCall, LedgerItem, Rates } from "../ledger-types.ts";
import type { WhatIfInput } from "./what-if-plan.ts";
import { completeRates } from "../rates.ts";

export type Coming = {
  readonly kind: "result" | "call" | "assistant" | "user" | "reasoning" | "unattributed";
  readonly tokens: number;
  /** Equal numbers are equal bytes. */
  readonly bytes?: number;
  readonly tool?: string;
};

export type Step = {
  readonly comes: readonly Coming[];
  /** Before this call the context was cut. */
  readonly cut?: "auto" | "manual" | "silent" | undefined;
  /** Tokens that stay of what the cache could have held; all by default. */
  readonly cached?: number;
  /** Oldest results that a micro compaction blanked before this call. */
  readonly clears?: number;
  readonly usage?: "none" | "zero" | undefined;
  /** Share of its cache writes that is for one hour. */
  readonly write1h?: number | undefined;
};

export const RATES: Rates = completeRates({ uncached: 5e-6, read: 0.5e-6, write: 6.25e-6, output: 25e-6 });

export type Scenario = {
  readonly steps: readonly Step[];
  readonly prefix?: number;
  /** Tokens of the summary and of what the agent attached again after a cut. */
  readonly summary?: number;
  readonly attached?: number;
  readonly schemas?: readonly ToolSchema[];
  readonly loadLine?: number | null;
  readonly hasCache?: boolean;
};

type Open = { -readonly [K in keyof LedgerItem]: LedgerItem[K] };

/** Seqs are 100 a call: the call's first event is 100 × its index + 50, what it was sent lies below. */
export function inputOf(result: Scenario): WhatIfInput {
  const { steps, prefix = 10_000, summary = 3000, attached = 5000, hasCache = true } = result;
  const items: Open[] = [];
  const calls: LedgerCall[] = [];
  const facts = new Map<number, EventFacts>();
  const compactions: CompactionFacts[] = [];
  const turnStarts = new Set<number>();
  let epoch = 1;
  let last = 0;
  let live: Open[] = [];
  const come = (item: Parameters<typeof made>[0]): void => {
    items.push(made(item));
    live.push(items.at(-1)!);
  };
  const go = (k: number, gone: (item: Open) => boolean): void => {
    for (const item of live) if (gone(item)) item.to = k;
    live = live.filter((item) => item.to > k);
  };
  for (const [k, step] of steps.entries()) {
    let seq = 100 * k;
    const isCut = k > 0 && step.cut !== undefined;
    if (isCut) {
      epoch += 1;
      go(k, () => true);
      if (step.cut !== "silent")
        compactions.push({ ...NO_COMPACTION, seq: seq - 1, trigger: step.cut === "manual" ? "manual" : "auto" });
    }
    const oldest = new Set(live.filter(({ kind }) => kind === "result").slice(0, step.clears ?? 0));
    go(k, (item) => oldest.has(item));
    if (k === 0 || isCut) {
      come({ kind: "prefix", from: k, tokens: prefix + (isCut ? attached : 0), isHidden: true });
      if (isCut && step.cut !== "silent")
        come({ kind: "memory", itemClass: "summary", from: k, tokens: summary, seq: seq++ });
    }
    for (const { kind, tokens, bytes, tool = null } of step.comes) {
      const isHidden = kind === "unattributed";
      const own = isHidden ? null : seq++;
      come({ kind, itemClass: isHidden ? null : kind, from: k, tokens, seq: own, toolName: tool, isHidden });
      if (kind === "user" && own !== null) turnStarts.add(own);
      if (bytes !== undefined && own !== null) facts.set(own, { ...NO_FACTS, seq: own, outputKey: `bytes ${bytes}` });
    }
    // No recorded prompt is smaller than its prefix: what was taken out was there.
    const under = sumOf(live.filter(({ kind }) => kind !== "prefix"));
    if (under < 0) come({ kind: "unattributed", from: k, tokens: -under, isHidden: true });
    const sum = sumOf(live);
    const entered = sumOf(live.filter((item) => item.from === k));
    const couldRead = !hasCache || k === 0 ? 0 : isCut ? prefix : Math.min(last, Math.max(0, sum - entered));
    const cacheRead = Math.max(0, Math.min(sum, Math.floor(couldRead * (step.cached ?? 1))));
    const uncached = hasCache ? Math.min(7, sum - cacheRead) : sum;
    calls.push({
      ...NO_CALL,
      call: k + 1,
      firstSeq: 100 * k + 50,
      ts: k * 1000,
      epoch,
      hasUsage: step.usage !== "none",
      uncached: step.usage === "zero" ? 0 : uncached,
      cacheRead: step.usage === "zero" ? 0 : cacheRead,
      cacheWrite: step.usage === "zero" ? 0 : sum - cacheRead - uncached,
      cacheWrite1h: step.usage === "zero" ? 0 : Math.floor((sum - cacheRead - uncached) * (step.write1h ?? 0)),
      reported: step.usage === "none" ? null : step.usage === "zero" ? 0 : sum,
      sum: step.usage === "zero" ? 0 : sum,
      prefix: sumOf(live.filter(({ kind }) => kind === "prefix")),
    });
    last = sum;
  }
  for (const item of items) item.to = Math.min(item.to, steps.length);
  return {
    ledger: { calls, items },
    facts,
    compactions,
    schemas: result.schemas ?? [],
    loadLine: result.loadLine ?? null,
    ratesOf: () => RATES,
    turnStarts,
  };
}

const sumOf = (items: readonly Open[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0);

const made = (item: Partial<Open> & Pick<Open, "kind" | "from" | "tokens">): Open => ({
  seq: null,
  itemClass: null,
  toolName: null,
  label: item.kind,
  to: Infinity,
  estimated: item.tokens,
  basis: "counted",
  grade: "tight",
  plusMinus: 0,
  isHidden: false,
  ...item,
});

const NO_COMPACTION = { kind: "full", tokensBefore: null, tokensAfter: null, cleared: new Set<number>() } as const;

const NO_FACTS: Omit<EventFacts, "seq" | "outputKey"> = {
  path: null,
  range: null,
  command: null,
  inputKey: null,
  isError: false,
  pairSeq: null,
  writes: false,
  patches: [],
  reading: null,
  lines: null,
  lastUsed: null,
};

const NO_CALL = {
  model: "claude-opus-4-5",
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  webSearches: 0,
  inherited: false,
  outputLowerBound: false,
  family: "claude-4",
  visible: 0,
  unattributed: 0,
  growthReported: null,
  growthEstimated: null,
  growthLeft: null,
  cleared: 0,
} as const;
