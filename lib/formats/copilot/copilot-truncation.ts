// What a truncation takes out of the context. Copilot removes the oldest messages and says how many: so the first ones are known by name,
// up to a limit.
import type { EventBody } from "#lib/kernel/event.ts";
import { asWhole, type Json } from "../json.ts";

const MOST = 20;

/** Record keys of the first messages of the context. Where they are not the whole, later ones are not known. */
export type Oldest = { readonly keys: readonly string[]; readonly isWhole: boolean };

export const NO_MESSAGES: Oldest = { keys: [], isWhole: true };

export function withMessage(oldest: Oldest, key: string | null): Oldest {
  if (key === null || !oldest.isWhole) return oldest;
  return oldest.keys.length < MOST ? { ...oldest, keys: [...oldest.keys, key] } : { ...oldest, isWhole: false };
}

/** Null where more left the context than is known by name. */
export function truncation(data: Json, oldest: Oldest): { readonly body: EventBody; readonly rest: Oldest } | null {
  const removed = asWhole(data["messagesRemovedDuringTruncation"]) ?? 0;
  const keys = oldest.keys.slice(removed);
  if (removed === 0 || keys.length === 0) return null;
  const body: EventBody = {
    type: "compaction",
    kind: "full",
    trigger: "truncation",
    tokensBefore: asWhole(data["preTruncationTokensInMessages"]),
    tokensAfter: asWhole(data["postTruncationTokensInMessages"]),
    text: "",
    keptFrom: keys[0]!,
  };
  return { body, rest: { ...oldest, keys } };
}
