// A chat as one JSON document: its messages are found by their bytes, so that each event has the bytes of its own, and those before
// a damage are read.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { parsedJson, partsOfDocument } from "../document-parts.ts";
import { asObject, type Json } from "../json.ts";
import { messageDrafts } from "./gemini-messages.ts";
import { headerDrafts } from "./gemini-records.ts";
import type { GeminiState } from "./gemini-state.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function documentDrafts(source: SourceRecord, state: GeminiState): Draft[] {
  const { bytes, byteStart, byteEnd, line } = source;
  const { records: messages, header, end } = partsOfDocument(bytes, "messages");
  const drafts: Draft[] = headerDrafts(header ?? headerBefore(bytes), state);
  for (const [from, to] of messages) {
    const range = { byteStart: byteStart + from, byteEnd: byteStart + to };
    const value = parsedJson(bytes.subarray(from, to));
    const own =
      value === undefined
        ? [{ kind: "problem" as const, line, ...range, reason: "A message that is not JSON." }]
        : messageDrafts(asObject(value), state);
    for (const draft of own) drafts.push(draft.kind === "event" ? { ...draft, ...range } : draft);
  }
  if (header === null && end < bytes.length) {
    const reason = "The document ends too early or is damaged. What was before is read.";
    drafts.push({ kind: "problem", line, byteStart: byteStart + end, byteEnd, reason });
  }
  return drafts;
}

/** What stands before the messages of a damaged document. */
function headerBefore(bytes: Uint8Array): Json {
  const text = utf8.decode(bytes.subarray(0, 4096));
  const of = (key: string, found: RegExpExecArray | null): [string, string][] =>
    found === null ? [] : [[key, found[1]!]];
  return Object.fromEntries([
    ...of("sessionId", /"sessionId"\s*:\s*"([^"\\]{1,100})"/.exec(text)),
    ...of("startTime", /"startTime"\s*:\s*"([^"\\]{1,40})"/.exec(text)),
  ]);
}

/** The names of a document's messages; null where it cannot be read to its end. */
export function messageIds(bytes: Uint8Array): string[] | null {
  const { records: messages, header } = partsOfDocument(bytes, "messages");
  if (header === null) return null;
  return messages.map(([from, to], i) => {
    const { id } = asObject(parsedJson(bytes.subarray(from, to)));
    return typeof id === "string" ? id : `#${i}`;
  });
}
