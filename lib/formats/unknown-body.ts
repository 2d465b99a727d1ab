import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { clip } from "./json.ts";

/** A block or a part of a message, or an event of a stream, that no reader knows, as its JSON, cut after `chars`. */
export const unknownBody = (
  what: "block" | "part" | "event",
  type: string,
  value: unknown,
  chars = 1000,
): EventBody => ({
  type: "unknown",
  reason: `A ${what} of type "${clip(type, 60)}", which is not known.`,
  text: clip(jsonText(value ?? null), chars),
});
