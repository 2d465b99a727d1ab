// What the context is after a compaction: what memory says and the turns that stayed, as one text; then, word for word,
// the messages of the turn under way and the calls that still wait, so that a result that comes later finds its call.
import type { Message } from "../context/message.ts";
import { traceKey, type RawTrace } from "./types.ts";
import { openCallEntries, type ContextEntry } from "./working-context.ts";

export type Epoch = {
  /** Everything that stays as messages. */
  readonly carried: readonly ContextEntry[];
  /** What stays as text. */
  readonly tail: readonly RawTrace[];
};

export type EpochFacts = {
  readonly entries: readonly ContextEntry[];
  /** Active traces that the compaction does not take. */
  readonly kept: readonly RawTrace[];
  readonly removed: ReadonlySet<string>;
  readonly currentTurnId: string | null;
  /** traceKey of what the user said and no message says yet: the request that comes next will. */
  readonly pending: ReadonlySet<string>;
};

export function nextEpoch({ entries, kept, removed, currentTurnId, pending }: EpochFacts): Epoch {
  const open = new Set(openCallEntries(entries));
  const carried = entries.filter((entry) => {
    if (open.has(entry)) return true;
    if (currentTurnId === null || entry.turnId !== currentTurnId || entry.message.role === "system") return false;
    return entry.keys.length === 0 || !entry.keys.every((key) => removed.has(key));
  });
  const told = new Set([...carried.flatMap(({ keys }) => keys), ...pending]);
  return { carried, tail: kept.filter((trace) => !told.has(traceKey(trace))) };
}

export const systemTextOf = (entries: readonly ContextEntry[]): string | null => {
  const texts = entries.filter(({ message }) => message.role === "system").map(({ message }) => message.content ?? "");
  return texts.length === 0 ? null : texts.join("\n\n");
};

export const asEntries = (messages: readonly Message[]): ContextEntry[] =>
  messages.map((message) => ({ message, turnId: null, keys: [] }));
