// Compactions of Zed's agent: a summary, or what a provider made itself, stands in place of all before but the last words of the person.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asObject, asText } from "../json.ts";
import { eventOf, type Entry } from "../qwen/qwen-drafts.ts";

/** A message of the person, by the end of its key, and its length in bytes. */
export type UserLength = readonly [position: string, bytes: number];

/** Of the person's messages so many bytes stay. */
const KEPT_BYTES = 80_000;
const MESSAGES = 40;

const TEXT = new TextEncoder();

export function noteUser(users: readonly UserLength[], key: string, text: string): readonly UserLength[] {
  const all = [...users, [key.slice(key.lastIndexOf("/") + 1), TEXT.encode(text).length] as const];
  return all.slice(-MESSAGES);
}

export function compactionDrafts(info: unknown, entry: Entry, users: readonly UserLength[]): Draft[] {
  const summary = asText(asObject(info)["Summary"]);
  const provider = asText(asObject(asObject(info)["ProviderNative"])["provider"]);
  const nothing = { tokensBefore: null, tokensAfter: null };
  const preserved = summary === null ? [] : keptKeys(entry.key ?? "", users);
  const body: EventBody = {
    ...{ type: "compaction", kind: "full", trigger: provider, ...nothing, text: summary ?? "" },
    ...(preserved.length > 0 && { preserved }),
  };
  return [
    eventOf(entry, body),
    ...(summary === null ? [] : [eventOf(entry, { type: "user", text: summary, injected: "summary" })]),
  ];
}

/** The last messages that fit. The one before them is cut: it counts as kept where more than a half of it stays. */
function keptKeys(key: string, users: readonly UserLength[]): string[] {
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  const kept: string[] = [];
  let left = KEPT_BYTES;
  for (const [position, bytes] of users.toReversed()) {
    if (left < bytes / 2) break;
    kept.unshift(folder + position);
    left -= bytes;
  }
  return kept;
}
