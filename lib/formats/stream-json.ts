// What `claude -p --output-format stream-json` prints, saved to a file: one record a line, or all of them in one list. Qwen Code prints
// the same records, Droid and Gemini CLI some of their own. A session that its agent also wrote to a file of its own is read from there. docs/formats/stream-json.md says what
// is read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { textStart } from "#lib/kernel/text-start.ts";
import { clip, isObject, type Json } from "./json.ts";
import { readValues } from "./json-lines.ts";
import { elementsOf, hasWholeLine, headValue, scanJson, type ScannedJson } from "./json-parts.ts";
import { eventAt, patchOf, type Position } from "./placed-drafts.ts";
import { streamDrafts } from "./stream-json/stream-records.ts";
import { isPrinted, isStreamPart, isStreamRecord, startStream, type StreamState } from "./stream-json/stream-state.ts";

const OPEN_LIST = 0x5b;

export const streamJson: Format<StreamState> = {
  id: "stream-json",
  label: "stream-json",
  signs: "records of a printed session with session_id, the first of type system or init",
  // 3: fast mode is part of a call's model. 5: times in milliseconds, and what the provider's tools gave back.
  // 6: a list behind a blank first line; a block that is not known is no title; answers without usage;
  // failures that Cursor prints behind keys that are not known.
  // 7: costs that stand as texts.
  // 8: a record without content begins no turn. 9: Droid's failed runs.
  version: 9,
  reader: "lines",
  isDocument: ({ head }) => head[0] === OPEN_LIST && !hasWholeLine(head),
  secondHand: "stream",
  sources: () => [],
  wants: () => false,
  detect: ({ head }) => firstRecord(head) !== null || isStreamPart(head),
  start: (file: SourceFile) => startStream(firstRecord(file.head), file.head),
  parse,
  identify: ({ id }) => id,
  owner: ({ agent }) => agent,
};

/** Lines before the first record: warnings that stood on the same output. */
const WARNINGS = 20;

function firstRecord(head: Uint8Array): Json | null {
  const text = new TextDecoder().decode(head);
  if (/^\s*\[/.test(text)) {
    const list = headValue(head);
    return Array.isArray(list) && isStreamRecord(list[0]) ? (list[0] as Json) : null;
  }
  for (const line of text.split("\n").slice(0, WARNINGS)) {
    if (!line.trimStart().startsWith("{")) continue;
    // A first record names every tool and command: it may be longer than the head.
    const value = headValue(new TextEncoder().encode(line));
    if (!isObject(value)) continue;
    return isStreamRecord(value) ? value : null;
  }
  return null;
}

function parse(source: SourceRecord, state: StreamState): Draft[] {
  if (source.oversized === true) return [];
  const list = source.bytes[textStart(source.bytes)] === OPEN_LIST ? scanJson(source.bytes, []) : null;
  if (list !== null && elementsOf(source.bytes, list.lists.get("")).some(({ value }) => isStreamRecord(value)))
    return listDrafts(source, list, state);
  const { values, problems } = readValues(source, isPrinted);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values) drafts.push(...valueDrafts(value, { byteStart, byteEnd }, state));
  return drafts;
}

function listDrafts(
  { bytes, byteStart, byteEnd, line }: SourceRecord,
  { lists, end, isWhole }: ScannedJson,
  state: StreamState,
): Draft[] {
  const drafts = elementsOf(bytes, lists.get("")).flatMap(({ value, range }) =>
    valueDrafts(value, { byteStart: byteStart + range.from, byteEnd: byteStart + range.to }, state),
  );
  const hasRest = bytes.subarray(end).some((byte) => byte > 0x20);
  if (!isWhole || hasRest) {
    const reason = "The list of records ends too early or is damaged. What was before is read.";
    drafts.push({ kind: "problem", line, byteStart: byteStart + Math.min(end, bytes.length - 1), byteEnd, reason });
  }
  // Brackets and commas are of no record.
  return [patchOf("", {}), ...drafts];
}

function valueDrafts(value: unknown, range: Pick<Position, "byteStart" | "byteEnd">, state: StreamState): Draft[] {
  if (isObject(value)) return streamDrafts(value, range, state);
  const text = clip(jsonText(value ?? null), 1000);
  const position: Position = { lane: "", ts: null, key: null, ...range };
  return [eventAt(position, { type: "unknown", reason: "A value that is not a JSON object.", text })];
}
