import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { clip } from "./json.ts";
import { eventOf, type Entry } from "./qwen/qwen-drafts.ts";

/** A line that is none of the agent's records. */
export const unknownLine = (
  value: unknown,
  reason = "A line that is not a record of a session.",
  entry: Entry = { ts: null, key: null },
): Draft => eventOf(entry, { type: "unknown", reason, text: clip(jsonText(value ?? null), 1000) });
