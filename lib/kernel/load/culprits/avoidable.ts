// What the culprits of a session could have saved together.
import { frameOf } from "../prompt-frame.ts";
import type { Culprit, SessionLoadFacts } from "./culprit-types.ts";

export type Avoidable = {
  /** At list price, at most what its calls cost; null where no culprit has a price. */
  readonly usd: number | null;
  /** Over all calls, at most what was sent. */
  readonly tokens: number;
  /** Some culprits have no price, or not a whole one: the true sum of dollars is more. */
  readonly isPartial: boolean;
};

/** Cures may overlap: what they save together is never more than what was spent, or sent. */
export function avoidableOf(session: SessionLoadFacts, culprits: readonly Culprit[]): Avoidable {
  const { callUsd, promptTokens } = frameOf(session);
  const saved = culprits.flatMap(({ avoidableUsd }) => avoidableUsd ?? []);
  return {
    usd: saved.length === 0 ? null : Math.min(sum(saved), sum(callUsd.map((one) => one ?? 0))),
    tokens: Math.min(sum(culprits.map((one) => one.avoidableTokens)), promptTokens),
    isPartial: saved.length > 0 && culprits.some(({ avoidableUsd, isPartial }) => avoidableUsd === null || isPartial),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
