// A session's load written down by hand: items with their stays, calls whose prompts are what was there. For tests that want
// to say exactly what a detector sees.
import {
  NO_FACTS,
  type CompactionFacts,
  type EventFacts,
  type SessionLoadFacts,
  type ToolSchema,
} from "./culprits/culprit-types.ts";
import type { Ledger, LedgerCall, LedgerItem, Rates } from "./ledger-types.ts";
import { completeRates, PAID } from "./rates.ts";

export type ItemSpec = Partial<Pick<LedgerItem, "kind" | "toolName" | "label" | "grade" | "itemClass" | "plusMinus">> &
  Pick<LedgerItem, "tokens" | "from"> & { readonly seq?: number | null; readonly to?: number };

type CallSpec = {
  /** Tokens that the cache held; absent: all that the call before sent. */
  readonly read?: number;
  readonly minutes?: number;
  readonly model?: string;
  readonly epoch?: number;
  readonly hasUsage?: boolean;
  readonly inherited?: boolean;
  /** 0: its usage names no prompt. */
  readonly prompt?: 0;
  /** Share of what it wrote to the cache that is for one hour. */
  readonly write1h?: number;
};

export type LoadSpec = {
  readonly calls: number;
  readonly prefix?: number;
  readonly write1h?: number;
  readonly items?: readonly ItemSpec[];
  /** By index. */
  readonly at?: Readonly<Record<number, CallSpec>>;
  readonly facts?: readonly (Partial<EventFacts> & { readonly seq: number })[];
  readonly compactions?: readonly (Partial<CompactionFacts> & { readonly seq: number })[];
  readonly overflows?: readonly number[];
  readonly schemas?: readonly ToolSchema[];
  readonly loadLine?: number | null;
  readonly rates?: Rates | null;
  /** False: the provider caches unasked, and what the cache did not hold is uncached. */
  readonly writes?: boolean;
};

/** $5 a million fresh, $6.25 written, $10 for an hour, $0.50 read. */
export const RATES: Rates = completeRates({ uncached: 5e-6, read: 0.5e-6, write: 6.25e-6, output: 25e-6 });

/** Events of call index k are numbered from 100 × (k + 1): its first is that, and items entering at k come before it. */
export const firstSeqOf = (k: number): number => 100 * (k + 1);

export function loadOf(spec: LoadSpec): SessionLoadFacts {
  const { calls: count, prefix = 10_000, items: given = [], at = {} } = spec;
  const items = [prefixItem(prefix, count), ...given.map((item, i) => itemOf(item, i, count))]
    .filter(({ tokens }) => tokens !== 0)
    .toSorted((a, b) => a.from - b.from);
  const calls: LedgerCall[] = [];
  let now = 1_770_000_000_000;
  for (let k = 0; k < count; k++) {
    const { read, minutes = 1, model = "claude-opus-4-5", epoch, hasUsage = true } = at[k] ?? {};
    const { write1h = spec.write1h ?? 0, inherited = false } = at[k] ?? {};
    now += minutes * 60_000;
    const there = at[k]?.prompt === 0 ? [] : items.filter(({ from, to }) => from <= k && to > k);
    const sumOf = (of: readonly LedgerItem[]): number => of.reduce((sum, { tokens }) => sum + tokens, 0);
    const sum = sumOf(there);
    const before = calls[k - 1];
    const cacheRead = Math.min(sum, read ?? before?.sum ?? 0);
    const cacheWrite = spec.writes === false ? 0 : sum - cacheRead;
    const hidden = there.filter(({ isHidden }) => isHidden);
    calls.push({
      call: k + 1,
      firstSeq: firstSeqOf(k),
      model,
      ts: now,
      uncached: spec.writes === false ? sum - cacheRead : 0,
      cacheRead,
      cacheWrite,
      cacheWrite1h: Math.round(cacheWrite * write1h),
      output: 100,
      reasoning: 0,
      webSearches: 0,
      inherited,
      outputLowerBound: false,
      hasUsage,
      epoch: epoch ?? before?.epoch ?? 1,
      family: "claude-4",
      reported: hasUsage ? sum : null,
      sum,
      prefix: sumOf(hidden.filter(({ kind }) => kind === "prefix")),
      visible: sumOf(there.filter(({ isHidden }) => !isHidden)),
      unattributed: sumOf(hidden.filter(({ kind }) => kind === "unattributed")),
      growthReported: null,
      growthEstimated: null,
      growthLeft: null,
      cleared: 0,
    });
  }
  const { rates = RATES } = spec;
  const ledger: Ledger = { calls, items };
  return {
    ledger,
    facts: new Map(spec.facts?.map((facts) => [facts.seq, { ...NO_FACTS, ...facts }])),
    compactions: (spec.compactions ?? []).map((compaction) => ({ ...NO_COMPACTION, ...compaction })),
    overflows: spec.overflows ?? [],
    schemas: spec.schemas ?? [],
    loadLine: spec.loadLine === undefined ? 160_000 : spec.loadLine,
    ratesOf: ({ inherited }) => (inherited ? PAID : rates),
  };
}

const NO_COMPACTION: CompactionFacts = {
  seq: 0,
  kind: "full",
  trigger: "auto",
  tokensBefore: null,
  tokensAfter: null,
  cleared: new Set(),
};

const prefixItem = (tokens: number, calls: number): LedgerItem => ({
  ...itemOf({ tokens, from: 0, kind: "prefix", label: "System prompt, tools and memory files", seq: null }, 0, calls),
  isHidden: true,
});

function itemOf(spec: ItemSpec, i: number, calls: number): LedgerItem {
  const { kind = "result", tokens, from, to = calls, seq = firstSeqOf(from) - 90 + i } = spec;
  return {
    seq,
    kind,
    itemClass: spec.itemClass === undefined ? (kind === "result" ? "result" : null) : spec.itemClass,
    toolName: spec.toolName === undefined ? (kind === "result" ? "Read" : null) : spec.toolName,
    label: spec.label ?? `item ${seq}`,
    from,
    to,
    estimated: tokens,
    tokens,
    basis: "counted",
    grade: spec.grade ?? "tight",
    plusMinus: spec.plusMinus ?? Math.ceil(Math.abs(tokens) / 10),
    isHidden: seq === null,
  };
}
