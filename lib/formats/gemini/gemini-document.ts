// A chat as one JSON document: its messages are found by their bytes, so that each event has the bytes of its own, and those before
// a damage are read.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { asObject, isObject, type Json } from "../json.ts";
import { messageDrafts } from "./gemini-messages.ts";
import { headerDrafts } from "./gemini-records.ts";
import type { GeminiState } from "./gemini-state.ts";

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function documentDrafts(source: SourceRecord, state: GeminiState): Draft[] {
  const { bytes, byteStart, byteEnd, line } = source;
  const { messages, header, end } = partsOfDocument(bytes);
  const drafts: Draft[] = headerDrafts(header ?? headerBefore(bytes), state);
  for (const [from, to] of messages) {
    const range = { byteStart: byteStart + from, byteEnd: byteStart + to };
    const value = parsed(bytes.subarray(from, to));
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

type Parts = {
  readonly messages: (readonly [number, number])[];
  /** The document without its messages; null where it is damaged. */
  readonly header: Json | null;
  /** Behind the last whole message. */
  readonly end: number;
};

function partsOfDocument(bytes: Uint8Array): Parts {
  const messages: (readonly [number, number])[] = [];
  let [depth, from, listFrom, listTo, key] = [0, 0, -1, -1, ""];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const to = endOfText(bytes, at);
      if (depth === 1) key = utf8.decode(bytes.subarray(at + 1, Math.min(to, at + 20)));
      at = to;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      if (depth === 1 && byte === OPEN_LIST && key === "messages" && listFrom < 0) listFrom = at;
      if (depth === 2 && listFrom >= 0 && listTo < 0) from = at;
      depth++;
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--;
      if (depth === 2 && listFrom >= 0 && listTo < 0) messages.push([from, at + 1]);
      if (depth === 1 && listFrom >= 0 && listTo < 0) listTo = at;
    }
  }
  const end = messages.at(-1)?.[1] ?? 0;
  if (listTo < 0) return { messages, header: null, end };
  const rest = utf8.decode(bytes.subarray(0, listFrom + 1)) + utf8.decode(bytes.subarray(listTo));
  const header = parsed(new TextEncoder().encode(rest));
  return { messages, header: isObject(header) ? header : null, end };
}

/** Where the text that begins here has its closing quote. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
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

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** The names of a document's messages; null where it cannot be read to its end. */
export function messageIds(bytes: Uint8Array): string[] | null {
  const { messages, header } = partsOfDocument(bytes);
  if (header === null) return null;
  return messages.map(([from, to], i) => {
    const { id } = asObject(parsed(bytes.subarray(from, to)));
    return typeof id === "string" ? id : `#${i}`;
  });
}
