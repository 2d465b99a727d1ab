// Where the provider's cache was lost, why as far as the log says, and what it cost to send again what had been sent.
import type { SessionLoadFacts } from "./culprits/culprit-types.ts";
import { lostAt } from "./cure.ts";
import { frameOf } from "./prompt-frame.ts";
import { freshRate } from "./rates.ts";
import type { LedgerCall } from "./ledger-types.ts";
import { exactly } from "../exactly.ts";

/**
 * `turn`: the agent built the conversation anew when a prompt came. `prefix`: tools, skills or instructions changed. Of 119 breaks that
 * ended within the prefix 106 came at a prompt, and nobody had touched the tools.
 */
export const CACHE_BREAK_CAUSES = ["idle", "model", "turn", "prefix", "edited", "unknown"] as const;
export type CacheBreakCause = (typeof CACHE_BREAK_CAUSES)[number];

export type CacheBreak = {
  /** Index of the call. */
  readonly call: number;
  readonly cause: CacheBreakCause;
  readonly text: string;
  /** Tokens that the call before had sent, and that were not read. */
  readonly tokens: number;
  readonly usd: number | null;
};

/** A smaller prompt is not worth a cache, and providers do not keep one under 1,024 to 2,048 tokens. */
const LEAST_PROMPT = 2000;
const MINUTE = 60_000;
/** Providers keep a cache for five minutes after its last use, or for an hour when that was paid for. */
const FIVE_MINUTES = 5 * MINUTE;
const ONE_HOUR = 60 * MINUTE;

export function cacheBreaksOf(session: SessionLoadFacts): readonly CacheBreak[] {
  const frame = frameOf(session);
  return brokenCalls(frame.calls).map((k): CacheBreak => {
    const tokens = lostAt(frame, k);
    const rates = frame.rates[k]!;
    return {
      call: k,
      ...causeOf(session, k),
      tokens,
      usd: rates === null ? null : tokens * Math.max(0, freshRate(frame.calls[k]!, rates) - rates.read),
    };
  });
}

/** Indexes of the calls at which the cache was lost. Without a single read there is no cache to lose. */
export function brokenCalls(calls: readonly LedgerCall[]): readonly number[] {
  if (!calls.some(({ hasUsage, cacheRead }) => hasUsage && cacheRead > 0)) return [];
  return calls.flatMap((call, k) => (isCacheBreak(call, calls[k - 1]) ? [k] : []));
}

/**
 * True when less than half of the last prompt was read from the cache although the context went on. A prompt under half of
 * the last one is another conversation, and had nothing to read; nor had what a rewind took back.
 */
const isCacheBreak = (call: LedgerCall, before: LedgerCall | undefined): boolean =>
  call.isRewound !== true && follows(call, before) && call.cacheRead < 0.5 * before.sum && call.sum >= 0.5 * before.sum;

/** What the life of a cache is told from. */
type CachedCall = Pick<
  LedgerCall,
  "cacheRead" | "cacheWrite" | "cacheWrite1h" | "epoch" | "hasUsage" | "model" | "sum" | "ts"
>;

const follows = <Call extends CachedCall>(call: CachedCall, before: Call | undefined): before is Call =>
  before !== undefined && call.hasUsage && before.hasUsage && call.epoch === before.epoch && before.sum > LEAST_PROMPT;

const gapOf = (call: CachedCall, before: CachedCall): number | null =>
  call.ts === null || before.ts === null ? null : call.ts - before.ts;

/**
 * Milliseconds after its last use that the cache was kept which a call could have read: an hour where the last call before it
 * that wrote to this model's cache wrote for an hour, else five minutes. In 2,925 pairs of calls of collected sessions no
 * five-minute cache was read 6 minutes later, and no one-hour cache 60. A provider that caches unasked reports no writes
 * and promises no time: there it is the longest gap after which this session did read it.
 */
export function cacheLifetimeMs(calls: readonly CachedCall[], k: number): number {
  const model = calls[k]?.model ?? null;
  for (let at = Math.min(k, calls.length) - 1; at >= 0; at--) {
    const { hasUsage, cacheWrite, cacheWrite1h, model: other } = calls[at]!;
    if (hasUsage && cacheWrite > 0 && other === model) return cacheWrite1h > 0 ? ONE_HOUR : FIVE_MINUTES;
  }
  return calls.some(({ hasUsage, cacheWrite }) => hasUsage && cacheWrite > 0) ? FIVE_MINUTES : heldFor(calls);
}

/** The longest gap after which the cache was read, between five minutes and an hour. */
function heldFor(calls: readonly CachedCall[]): number {
  const held = calls.map((call, k) => {
    const before = calls[k - 1];
    const isHeld = follows(call, before) && call.cacheRead >= 0.5 * before.sum;
    return isHeld ? (gapOf(call, before) ?? 0) : 0;
  });
  return Math.min(
    ONE_HOUR,
    held.reduce((most, gap) => Math.max(most, gap), FIVE_MINUTES),
  );
}

function causeOf(session: SessionLoadFacts, k: number): { cause: CacheBreakCause; text: string } {
  const { calls } = session.ledger;
  const [before, call] = [calls[k - 1]!, calls[k]!];
  if (call.model !== before.model && call.model !== null && before.model !== null)
    return {
      cause: "model",
      text: `The model changed from ${before.model} to ${call.model}. Each model has its own cache.`,
    };
  const gap = gapOf(call, before);
  const lifetime = cacheLifetimeMs(calls, k);
  if (gap !== null && gap > lifetime)
    return { cause: "idle", text: `No call for ${spell(gap)}: the ${NAMES[lifetime] ?? "cache"} had expired.` };
  const clearing = session.compactions.some(
    ({ kind, seq }) => kind === "micro" && seq > before.firstSeq && seq < call.firstSeq,
  );
  if (clearing || call.cleared > 0 || call.unattributed < before.unattributed - LEAST_PROMPT)
    return {
      cause: "edited",
      text: "Old content was removed just before, so all that follows was sent again.",
    };
  const read = `${exactly(call.cacheRead)} of ${exactly(before.sum)} tokens were read`;
  const came = session.ledger.items.filter(({ from, seq }) => from === k && seq !== null);
  if (came.some(({ itemClass }) => itemClass === "listing"))
    return { cause: "prefix", text: `Only ${read}: tools, skills or instructions changed.` };
  if (came.some(({ kind, itemClass }) => kind === "user" && itemClass === "user"))
    return { cause: "turn", text: `Only ${read}: the agent rebuilt the conversation at a new prompt.` };
  return { cause: "unknown", text: `Only ${read}; the file does not say why.` };
}

const NAMES: Readonly<Record<number, string>> = { [FIVE_MINUTES]: "5-minute cache", [ONE_HOUR]: "1-hour cache" };

function spell(gap: number): string {
  const minutes = Math.round(gap / MINUTE);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
