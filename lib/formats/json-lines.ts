// One line of a JSON-lines file, as the values that it really holds. Two processes that append
// without a lock glue objects together (`{…}{…}`), cut one off inside the next (`{"a":"tr{"type":…}`) and leave
// runs of NUL; a complete record after such damage is recovered, and what is lost is named by byte range.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { isUtf8 } from "#lib/kernel/json-index/token-bytes.ts";
import { JsonReader } from "#lib/kernel/json-reader.ts";
import { NOBODY } from "#lib/kernel/json-sink.ts";

export type LineValue = { readonly value: unknown; readonly byteStart: number; readonly byteEnd: number };
export type LineProblem = { readonly byteStart: number; readonly byteEnd: number; readonly reason: string };
export type Line = { readonly values: readonly LineValue[]; readonly problems: readonly LineProblem[] };

const [OPEN, OPEN_LIST] = [0x7b, 0x5b];
const QUOTE = 0x22;
const [COMMA, CLOSE, CLOSE_LIST, LF, DOLLAR] = [0x2c, 0x7d, 0x5d, 0x0a, 0x24];

const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Values and problems of one line. `isRecord` tells a whole record from a piece of a broken one. */
export function readValues(record: SourceRecord, isRecord: (value: unknown) => boolean = isLargeObject): Line {
  const { bytes, byteStart, byteEnd } = record;
  const text = lossy.decode(bytes);
  try {
    const values = [{ value: JSON.parse(text) as unknown, byteStart, byteEnd }];
    return { values, problems: text.includes("\uFFFD") ? invalidUtf8(bytes, byteStart, byteEnd) : [] };
  } catch {
    return recover(bytes, byteStart, isRecord);
  }
}

/** Drafts of each value of a line, and its problems. Of a value that has the line to itself the events have the whole line. */
export function draftsOfLine(
  record: SourceRecord,
  isRecord: (value: unknown) => boolean,
  draftsOf: (value: unknown) => readonly Draft[],
): Draft[] {
  if (record.oversized === true) return [];
  const { values, problems } = readValues(record, isRecord);
  const drafts: Draft[] = [];
  const isAlone = values.length === 1 && problems.length === 0;
  for (const { value, byteStart, byteEnd } of values)
    for (const draft of draftsOf(value))
      drafts.push(draft.kind === "event" && !isAlone ? { ...draft, byteStart, byteEnd } : draft);
  for (const problem of problems) drafts.push({ kind: "problem", line: record.line, ...problem });
  return drafts;
}

/** True for text that stands for an object with at least two keys: smaller pieces occur inside any record. */
function isLargeObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length >= 2;
}

/**
 * A line whose records are documents: each value in it is read as a record of its own, and what is broken between them is said. A line
 * that is one value, whole or not, is read as it is; so is a document of many lines. With `wholeOnly` a damaged line among others is none.
 */
export function* splitPieces(
  record: SourceRecord,
  read: (record: SourceRecord) => Iterable<readonly Draft[]>,
  wholeOnly = false,
): Generator<readonly Draft[]> {
  const { bytes, byteStart, byteEnd, line } = record;
  if (record.oversized === true || bytes.includes(LF)) return yield* read(record);
  const { ranges, problems } = rangesIn(record);
  const first = bytes.findIndex((byte) => byte > 0x20);
  const own = (from: number, to: number): SourceRecord => ({
    ...{ bytes: bytes.subarray(from - byteStart, to - byteStart), byteStart: from, byteEnd: to, line },
  });
  const said = problems.map((problem): Draft => ({ kind: "problem", line, ...problem }));
  if (ranges.length === 0 && wholeOnly && line > 1 && !isList(bytes, first)) return yield said;
  if (ranges.length === 0) return yield* read(first > 0 ? own(byteStart + first, byteEnd) : record);
  if (ranges.length === 1 && problems.length === 0) return yield* read(record);
  for (const [from, to] of ranges) yield* read(own(from, to));
  yield said;
}

/** Where the values lie; the values themselves are let go of. */
function rangesIn(record: SourceRecord) {
  if (isOneValue(record.bytes)) return { ranges: [[record.byteStart, record.byteEnd] as const], problems: [] };
  const { values, problems } = readValues(record, () => false);
  return { ranges: values.map(({ byteStart, byteEnd }) => [byteStart, byteEnd] as const), problems };
}

/** True for the text of one object or list. A document of 64 MB would take 300 MB more as a value, and as long again. */
function isOneValue(bytes: Uint8Array): boolean {
  const start = bytes.findIndex(isText);
  if ((bytes[start] !== OPEN && bytes[start] !== OPEN_LIST) || !isUtf8(bytes, 0, bytes.length)) return false;
  const reader = new JsonReader(NOBODY, true);
  reader.reset(start);
  reader.add(bytes, start);
  return reader.roots === 1 && !bytes.subarray(reader.rootEnd).some(isText);
}

/** No blank of JSON's. */
const isText = (byte: number): boolean => byte !== 0x20 && byte !== 0x09 && byte !== LF && byte !== 0x0d;

/** Behind a run of NUL. */
const isList = (bytes: Uint8Array, first: number): boolean => bytes[first] === OPEN_LIST;

function invalidUtf8(bytes: Uint8Array, byteStart: number, byteEnd: number): LineProblem[] {
  try {
    strict.decode(bytes);
    return []; // The text itself holds U+FFFD.
  } catch {
    return [
      { byteStart, byteEnd, reason: "The line is not valid UTF-8. It is shown with U+FFFD; its bytes are stored." },
    ];
  }
}

function recover(bytes: Uint8Array, base: number, isRecord: (value: unknown) => boolean): Line {
  const values: LineValue[] = [];
  const problems: LineProblem[] = [];
  let lostFrom = 0;
  let at = 0;
  const lost = (end: number): void => {
    let from = lostFrom;
    while (from < end && (bytes[from]! <= 0x20 || bytes[from] === 0)) from++;
    if (from < end)
      problems.push({ byteStart: base + from, byteEnd: base + end, reason: reasonFor(bytes.subarray(from, end)) });
    else if (end > lostFrom && bytes.subarray(lostFrom, end).includes(0))
      problems.push({ byteStart: base + lostFrom, byteEnd: base + end, reason: "A run of NUL bytes." });
  };
  const reader = new JsonReader(NOBODY, true);
  /** The byte that could not stand in what was begun before: there the next writer began. */
  let brokenAt = -1;
  // A failed try may cost a pass over the rest of the line, so a line of noise is given up after 64.
  for (let tries = 0; at < bytes.length && tries < 64;) {
    const start = bytes.indexOf(OPEN, at);
    if (start < 0) break;
    reader.reset(start);
    reader.add(bytes, start);
    const end = reader.rootEnd;
    const value = reader.roots === 0 ? undefined : (JSON.parse(lossy.decode(bytes.subarray(start, end))) as unknown);
    const isOwn = (): boolean => {
      if (isBlank(bytes, lostFrom, start)) return true;
      const [isBehind, isPart] = [isBehindBreak(bytes, brokenAt, start), isInside(bytes, end)];
      if (isBehind && !isPart) return true;
      // A part of a broken record stands between brackets of it.
      return isRecord(value) && (isBehind || !isPart || !bytes.subarray(lostFrom, start).includes(OPEN));
    };
    if (value !== undefined && isOwn()) {
      lost(start);
      values.push({ value, byteStart: base + start, byteEnd: base + end });
      at = lostFrom = end;
    } else if (value !== undefined) {
      // A whole part of a broken record: what stands in it is none either.
      at = nextStart(bytes, end);
    } else {
      tries++;
      brokenAt = reader.failedAt ?? brokenAt;
      at = nextStart(bytes, start + 1);
    }
  }
  lost(bytes.length);
  if (values.length > 1) {
    const reason = `${values.length} records on one line, without a newline between them. All were read.`;
    problems.push({ byteStart: base, byteEnd: base + bytes.length, reason });
  }
  return { values, problems };
}

const isBlank = (bytes: Uint8Array, from: number, to: number): boolean =>
  bytes.subarray(from, to).every((byte) => byte <= 0x20);

/** A text that was cut off goes on to the first quote of the next record, and breaks behind it; or at the NUL before it. */
const isBehindBreak = (bytes: Uint8Array, brokenAt: number, start: number): boolean =>
  brokenAt >= 0 &&
  brokenAt <= start + 2 &&
  bytes.subarray(brokenAt, start).every((byte) => byte <= 0x20 || byte === OPEN || byte === QUOTE);

/** The object that ends here is a part of another one, which goes on. */
function isInside(bytes: Uint8Array, end: number): boolean {
  const next = bytes.subarray(end).find((byte) => byte > 0x20);
  return next === COMMA || next === CLOSE || next === CLOSE_LIST;
}

function reasonFor(bytes: Uint8Array): string {
  if (bytes[0] === 0xff || bytes[0] === 0xfe) return "Not UTF-8 text (a UTF-16 byte order mark?).";
  return bytes[0] === OPEN ? "An unfinished JSON object." : "Not JSON.";
}

function startsRecord(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at + 2] ?? 0;
  return (
    bytes[at + 1] === QUOTE &&
    ((first >= 0x61 && first <= 0x7a) || (first >= 0x41 && first <= 0x5a) || first === 0x5f || first === DOLLAR)
  );
}

function nextStart(bytes: Uint8Array, from: number): number {
  for (let i = bytes.indexOf(OPEN, from); i >= 0; i = bytes.indexOf(OPEN, i + 1)) if (startsRecord(bytes, i)) return i;
  return bytes.length;
}
