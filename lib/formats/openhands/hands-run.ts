// What is known of a run of OpenHands while its events are read.
import type { Usage } from "#lib/kernel/draft.ts";
import { asTime } from "../json.ts";
import type { Pairing } from "../messages/call-pairing.ts";

export type HandsRun = {
  readonly lane: string;
  model: string | null;
  hasTitle: boolean;
  readonly pairing: Pairing;
  /** The last actions by their ids, with the calls that they made. */
  calls: readonly (readonly [string, string])[];
  /** Usage of answers that stands elsewhere than in their events. */
  responses: readonly (readonly [string, Usage])[];
  /** The call whose tokens were counted last, until the event of its answer comes. */
  counted: string | null;
  /** Sums that were counted last, by what the model was used for. */
  spent: Record<string, Spent>;
  /** The same as they were before the first event, where the file begins in the middle of a run: they belong to what is not in it. */
  earlier: Record<string, Spent & { readonly usd: number }>;
  /** True once an event says that the file has the run from its beginning, false once one says that it has not; null before. */
  hasStart: boolean | null;
  /** The event that the next one follows, unless it says otherwise. */
  head: string | null;
  /** The file has the run's totals beside its events. */
  hasTotals: boolean;
};

export type Spent = {
  prompt: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
};

/** Remembered at most. */
const CALLS = 40;

export function remember(run: HandsRun, action: string | null, toolCallId: string | null): void {
  if (action !== null && toolCallId !== null) run.calls = [...run.calls, [action, toolCallId] as const].slice(-CALLS);
}

/** Times have no zone: they are taken as UTC. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== "string") return asTime(value);
  return asTime(/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`);
}
