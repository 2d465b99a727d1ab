// How fast a running session spends tokens: what its calls of the last minutes sent and received, per minute. Pure.
import { promptTokens, type Usage } from "../draft.ts";

/** Long enough for a call of several minutes, short enough to follow a change of pace. */
export const BURN_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

/** A call whose usage was reported; `ts` in ms since 1970. */
export type TimedCall = { readonly ts: number; readonly usage: Usage; readonly isLowerBound: boolean };

export type BurnRate = {
  readonly tokensPerMinute: number;
  /** Prompts and outputs of these calls. */
  readonly tokens: number;
  readonly calls: number;
  /** What the tokens are divided by: at least 1, at most 5. */
  readonly minutes: number;
  /** The output of a call is only the count at the start of its stream. */
  readonly isLowerBound: boolean;
};

/**
 * Of calls since `now` - BURN_MS. A session that is younger is divided by its own age. Null without such a call.
 * `startedAt`: when the session began, in ms.
 */
export function burnRate(calls: readonly TimedCall[], now: number, startedAt: number | null): BurnRate | null {
  const recent = calls.filter(({ ts }) => ts > now - BURN_MS && ts <= now);
  if (recent.length === 0) return null;
  const tokens = recent.reduce((sum, { usage }) => sum + promptTokens(usage) + usage.output, 0);
  const age = startedAt === null ? BURN_MS : now - startedAt;
  const minutes = Math.min(BURN_MS, Math.max(MINUTE_MS, age)) / MINUTE_MS;
  return {
    tokensPerMinute: Math.round(tokens / minutes),
    tokens,
    calls: recent.length,
    minutes,
    isLowerBound: recent.some((call) => call.isLowerBound),
  };
}
