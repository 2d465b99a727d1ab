// What two sessions are compared by. Pure.
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { formatPercent, formatTokens, formatUsd } from "../ui/format.ts";

export type Compared = { readonly session: SessionSummary; readonly ledger: LedgerAnswer };

export type Figure = {
  readonly label: string;
  readonly title?: string;
  readonly of: (one: Compared) => number | null;
  readonly words: (value: number) => string;
  /** A share: its difference is in points, not in percent of itself. */
  readonly isShare?: boolean;
  /** The true value is more. */
  readonly isLowerBound?: (one: Compared) => boolean;
  /** Not what the provider reported. */
  readonly isEstimated?: boolean;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Null as soon as one part has no price. */
const total = (parts: readonly (number | null)[]): number | null =>
  parts.every((part) => part !== null) ? sum(parts) : null;

const prompts = ({ ledger }: Compared): number => sum(ledger.calls.map((call) => call.sum));
const short = (tokens: number): string => formatTokens(tokens, true);
const whole = (count: number): string => formatTokens(count);
const tenths = (share: number): string => `${(share * 100).toFixed(1)}\u2009%`;

const lifetimeOf = (kind: string) => (one: Compared) => {
  const all = prompts(one);
  if (all === 0) return null;
  return sum(one.ledger.items.filter((item) => item.kind === kind).map((item) => item.lifetimeTokens)) / all;
};

export const FIGURES: readonly Figure[] = [
  { label: "Model calls", of: ({ ledger }) => ledger.calls.length, words: whole },
  { label: "Turns", of: ({ session }) => session.turns, words: whole },
  {
    label: "Fullest prompt",
    of: ({ ledger }) => ledger.calls.reduce((most, call) => Math.max(most, call.sum), 0),
    words: whole,
  },
  {
    label: "Of its load line",
    of: ({ ledger }) =>
      ledger.loadLine === null || ledger.loadLine === 0
        ? null
        : ledger.calls.reduce((most, call) => Math.max(most, call.sum), 0) / ledger.loadLine,
    words: formatPercent,
    isShare: true,
  },
  { label: "Compactions", of: ({ session }) => session.compactions, words: whole },
  { label: "Tokens sent", title: "All prompts together", of: prompts, words: short },
  {
    label: "Cost",
    title: "Own calls, output included. Inherited calls count in their original session",
    of: ({ ledger }) => ledger.cost.usd,
    words: formatUsd,
    isLowerBound: ({ ledger }) => ledger.cost.atLeast.length > 0,
  },
  {
    label: "Input cost",
    title: "Of its own calls",
    of: ({ ledger }) => ledger.inputUsd,
    words: formatUsd,
    isLowerBound: ({ ledger }) => ledger.cost.unpriced > 0,
  },
  {
    label: "Inherited cost",
    of: ({ ledger }) => ledger.cost.inherited?.usd ?? null,
    words: formatUsd,
    isLowerBound: ({ ledger }) => (ledger.cost.inherited?.atLeast.length ?? 0) > 0,
  },
  {
    label: "Avoidable",
    title: "Avoidable by fixing all culprits, same turns assumed",
    of: ({ ledger }) => (ledger.culprits.length === 0 ? 0 : ledger.avoidable.usd),
    words: formatUsd,
    isLowerBound: ({ ledger }) => ledger.avoidable.isPartial,
    isEstimated: true,
  },
  {
    label: "Hidden prefix at first",
    title: "System prompt, tool schemas and memory files in its first prompt",
    of: ({ ledger }) => ledger.calls[0]?.prefix ?? null,
    words: whole,
    isEstimated: true,
  },
  { label: "Prefix, of all sent", of: lifetimeOf("prefix"), words: tenths, isShare: true, isEstimated: true },
  {
    label: "Tool results, of all sent",
    of: lifetimeOf("result"),
    words: tenths,
    isShare: true,
    isEstimated: true,
  },
  { label: "Reasoning, of all sent", of: lifetimeOf("reasoning"), words: tenths, isShare: true, isEstimated: true },
  {
    label: "Cache lost",
    title: "Calls at which less than half of the last prompt was read from the cache",
    of: ({ ledger }) => ledger.calls.filter((call) => call.cacheBreak !== null).length,
    words: whole,
  },
  {
    label: "Paid for lost caches",
    of: ({ ledger }) => total(ledger.calls.flatMap((call) => (call.cacheBreak === null ? [] : [call.cacheBreak.usd]))),
    words: formatUsd,
    isEstimated: true,
  },
  {
    label: "Unattributed, of all sent",
    of: ({ ledger }) => ledger.unattributedShare,
    words: tenths,
    isShare: true,
  },
];

/** `+12.3k, +8 %` from the first to the second; points for shares. Null where one is not known. */
export function differenceWords({ of, words, isShare }: Figure, a: Compared, b: Compared): string | null {
  const from = of(a);
  const to = of(b);
  if (from === null || to === null) return null;
  const by = to - from;
  const size = isShare === true ? `${(Math.abs(by) * 100).toFixed(1)} points` : words(Math.abs(by));
  if (by === 0 || size === "0.0 points") return "the same";
  const sign = by > 0 ? "+" : "−";
  return isShare === true || from === 0 ? `${sign}${size}` : `${sign}${size}, ${sign}${percent(Math.abs(by) / from)}`;
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}\u2009%`;
