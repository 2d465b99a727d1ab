// A cost in words: what is known, whether it is more, and how it came about.
import { promptTokens, type Usage } from "../draft.ts";
import { dollars, leastUsd, NO_PRICE } from "./load-labels.ts";
import { exactly } from "../exactly.ts";

type Spend = { readonly usd: number | null; readonly calls: number; readonly atLeast: readonly string[] };
type Cost = Spend & {
  readonly origin: "list" | "set" | "counted" | "reported";
  readonly unpriced: number;
  readonly notes: readonly string[];
  readonly inherited: Spend | null;
  readonly reported: {
    readonly usd: number | null;
    readonly telemetry: boolean;
    readonly beyond: { readonly usd: number | null; readonly usage: Usage } | null;
    readonly differences: readonly string[];
  } | null;
};

const ORIGINS = {
  list: "list price",
  set: "your prices",
  counted: "list price of counted tokens",
  reported: "reported",
} as const satisfies Record<Cost["origin"], string>;

export const originWords = ({ origin }: Pick<Cost, "origin">): string => ORIGINS[origin];

/** A session's own dollars, or those that it inherited. */
export const spendWords = ({ usd, atLeast }: Pick<Spend, "usd" | "atLeast">): string | null =>
  leastUsd(usd, atLeast.length > 0);

/** `132 calls unpriced`; null where all have a price. */
export const unpricedWords = ({ unpriced }: Pick<Cost, "unpriced">): string | null =>
  unpriced === 0 ? null : `${exactly(unpriced)} ${unpriced === 1 ? "call" : "calls"} unpriced`;

/** `+ $103.57 inherited`; null for a session that inherits nothing. */
export function inheritedWords({ inherited }: Pick<Cost, "inherited">): string | null {
  const spent = inherited === null ? null : spendWords(inherited);
  return spent === null ? null : `+ ${spent} inherited`;
}

/** `+ $0.20 in no call`; null where the agent counts no more than its calls. */
export function beyondWords({ reported }: Pick<Cost, "reported">): string | null {
  const { usd = null, usage } = reported?.beyond ?? {};
  return usage === undefined || usd === null || usd === 0 ? null : `+ ${dollars(usd)} in no call`;
}

/** What the agent counts beside its calls, a sentence each; its dollars where no list price is known. */
export function reportedNotes({ usd, reported }: Pick<Cost, "usd" | "reported">): readonly string[] {
  if (reported === null) return [];
  const { beyond, differences, telemetry } = reported;
  const tokens = beyond === null ? 0 : promptTokens(beyond.usage) + beyond.usage.output;
  return [
    usd === null && reported.usd !== null && `The agent itself counts ${dollars(reported.usd)}.`,
    tokens > 0 &&
      `${exactly(tokens)} tokens (${leastUsd(beyond!.usd, false) ?? NO_PRICE}) were reported by the agent, in no call of the file.`,
    ...differences,
    telemetry && "The agent's telemetry was received.",
  ].filter(Boolean) as string[];
}

/** All that is to be known of a cost, a sentence each. */
export const costNotes = (cost: Cost): readonly string[] => [
  `${sentence(originWords(cost))}.`,
  ...(cost.atLeast.length === 0 ? [] : ["The true cost is more:", ...cost.atLeast]),
  ...cost.notes,
  ...(cost.inherited === null
    ? []
    : [
        `${exactly(cost.inherited.calls)} inherited calls were paid in the session they were copied from.`,
        ...cost.inherited.atLeast.map((why) => `Inherited: ${why}`),
      ]),
  ...reportedNotes(cost),
];

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
