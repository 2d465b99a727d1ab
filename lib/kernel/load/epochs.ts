// What left a context without a word in the log: it was cleared, rewound to an earlier prompt, or emptied of old results.
// Only the prompt's fall and the provider's cache tell. A cache holds the start of a prompt as it was: what a call read
// from it had not changed, so the edit lies behind it.
import type { Entry } from "./entries.ts";
import { promptOf } from "./prompt-size.ts";
import type { LedgerCallInput } from "./ledger-types.ts";

/** A fall beyond 8,000 tokens and a fifth of the prompt is another context, not an error of the estimate. */
export const cutsAt = ({ tokens, before }: Fall): boolean => tokens > Math.max(8000, 0.2 * promptOf(before));

/** A smaller fall may be the estimates': of 13 silent clearings in collected sessions the least took out 10,000 tokens. */
const LEAST_CLEARED = 5000;
/** Old items are taken to have left together when less than this share of them would have had room. */
const CLEARED = 0.15;
/** What came in unexplained and left again is told by its size, within this share of it. */
const SAME_SIZE = 0.1;
/** All but this share of what was sent before is read from the cache, when nothing of it was edited. */
const ALL_READ = 0.9;

export type Fall = {
  readonly call: LedgerCallInput;
  readonly before: LedgerCallInput;
  /** Tokens of the fall that nothing in the log explains, above 0. */
  readonly tokens: number;
  /** What came in at the call, by the estimates. */
  readonly came: number;
  /** A person's prompt was among it. */
  readonly isTurn: boolean;
};

/** False where the cache held more than could be left of the prompt before: then nothing was taken out of it. */
export function wasEdited({ call, before, tokens }: Fall): boolean {
  const isCached = before.cacheRead + before.cacheWrite + call.cacheRead > 0;
  return isCached ? call.cacheRead < promptOf(before) - tokens / 2 : false;
}

/** A fall too small for another context, large enough for a clearing, and one that the cache confirms. */
export const clearsAt = (fall: Fall): boolean => fall.tokens >= LEAST_CLEARED && wasEdited(fall);

/** The cache's word against another context: all that was sent before was read from it. */
export const isUncut = (fall: Fall): boolean =>
  fall.before.cacheRead + fall.before.cacheWrite > 0 && fall.call.cacheRead > 0 && !wasEdited(fall);

/** The newest item that came in unexplained and is as large as the fall: what came without a word leaves without one. */
export const sameSize = <Hidden extends { readonly tokens: number }>(
  hidden: readonly Hidden[],
  { tokens }: Fall,
): Hidden | undefined =>
  hidden.findLast((item) => item.tokens > 0 && Math.abs(item.tokens - tokens) <= SAME_SIZE * item.tokens);

/** Resident entries that the fall took out: the newest where all that is left was read from the cache, else the oldest results. */
export function goneBy(fall: Fall, resident: readonly Entry[], k: number): ReadonlySet<Entry> {
  const free = resident.filter(({ to, namedUntil }) => to > k && k >= namedUntil);
  const isNewest = endOf(fall) === "newest";
  const gone = new Set<Entry>();
  let over = fall.tokens;
  for (const entry of isNewest ? free.toReversed() : free.filter(({ kind }) => kind === "result")) {
    if (over <= 0) break;
    // Twice the whole fall cannot have left; twice the rest of it is nearer left out, and nothing beyond it went.
    if (entry.whole > 2 * fall.tokens && !isNewest) continue;
    if (entry.whole > 2 * over) break;
    gone.add(entry);
    over -= entry.whole;
  }
  return gone;
}

/** The same for another context: what could not have had room in it is gone as well. */
export function keptAfter(
  fall: Fall,
  resident: readonly Entry[],
  k: number,
  { prompt, prefix }: { readonly prompt: number; readonly prefix: number },
): ReadonlySet<Entry> {
  const old = sum(resident);
  const room = prompt - prefix - fall.came;
  if (room >= old * 0.95) return new Set(resident);
  const named = resident.filter(({ namedUntil }) => k < namedUntil);
  if (room < old * CLEARED) return new Set(named);
  const gone = goneBy({ ...fall, tokens: old - room }, resident, k);
  return new Set(resident.filter((entry) => !gone.has(entry)));
}

/** Without a cache to ask, a person's prompt was written again in place of an earlier one; else old results were cleared. */
function endOf({ call, before, came, isTurn }: Fall): "newest" | "oldest" {
  if (before.cacheRead + before.cacheWrite + call.cacheRead === 0) return isTurn ? "newest" : "oldest";
  return call.cacheRead > 0 && call.cacheRead >= ALL_READ * (promptOf(call) - came) ? "newest" : "oldest";
}

const sum = (entries: readonly Entry[]): number => entries.reduce((all, { whole }) => all + whole, 0);
