// Where a context was cut without a word in the log: cleared, rewound to an earlier prompt, or emptied of old results.
import type { Entry } from "./entries.ts";

/** A fall beyond 8,000 tokens and a fifth of the prompt is another context, not an error of the estimate. */
export const cutsAt = (unexplained: number, before: number): boolean => unexplained < -Math.max(8000, 0.2 * before);

/** Old items are taken to have left together when less than this share of them would have had room. */
const CLEARED = 0.15;

/** The old items that can still be in a prompt of this size, over a prefix as large as it was. */
export function keptAfter(
  resident: readonly Entry[],
  came: readonly Entry[],
  prompt: number,
  prefix: number,
): readonly Entry[] {
  const old = sum(resident);
  const room = prompt - prefix - came.reduce((all, { tokens }) => all + tokens, 0);
  if (room >= old * 0.95) return resident;
  if (room < old * CLEARED) return [];
  // At a prompt of the person the newest went: an earlier prompt was written again. Else the oldest results did.
  if (came.some(({ kind }) => kind === "user")) return within(resident, room);
  let over = old - room;
  const gone = new Set<Entry>();
  for (const entry of resident) {
    if (over <= 0) break;
    if (entry.kind !== "result") continue;
    gone.add(entry);
    over -= entry.whole;
  }
  return resident.filter((entry) => !gone.has(entry));
}

function within(resident: readonly Entry[], room: number): readonly Entry[] {
  let left = room;
  const end = resident.findIndex(({ whole }) => (left -= whole) < 0);
  return end < 0 ? resident : resident.slice(0, end);
}

const sum = (entries: readonly Entry[]): number => entries.reduce((all, { whole }) => all + whole, 0);
