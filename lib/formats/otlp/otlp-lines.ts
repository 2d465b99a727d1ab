// The records of a file of OTLP/JSON: one request a line, as we and the collector's file exporter write them, or one document.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { asObject, isObject, type Json } from "../json.ts";
import { firstWord, hasWholeLine } from "../json-parts.ts";
import { isOtlp, recordsOf, type OtlpRecord } from "./otlp-records.ts";
import { TRACE_ROWS } from "./span-sql.ts";
import { isAboutModels, ownerOf, type Owner } from "./telemetry-owner.ts";

export type PlacedRecord = OtlpRecord & {
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly owner: Owner | null;
};
export type LineProblem = {
  readonly line: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly reason: string;
};
export type OtlpFile = { readonly records: readonly PlacedRecord[]; readonly problems: readonly LineProblem[] };

const LF = 0x0a;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

type Value = { readonly value: Json; readonly byteStart: number; readonly byteEnd: number };

/** Every record once, whatever the order and however often it came; a record whose trace has a name carries it. */
export function readOtlp({
  bytes,
  byteStart,
  byteEnd,
}: Pick<SourceRecord, "bytes" | "byteStart" | "byteEnd">): OtlpFile {
  // A text of many values is none: to find that out would take it all into memory.
  const whole = hasWholeLine(bytes) && !isBlank(bytes, bytes.indexOf(LF), bytes.length) ? undefined : parsed(bytes);
  const { values, problems } = isOtlp(whole)
    ? { values: [{ value: whole, byteStart, byteEnd }], problems: [] }
    : readLines(bytes, byteStart);
  const records = values.flatMap(({ value, ...range }) =>
    [...recordsOf(value)].map((record) => ({ ...record, ...range, owner: ownerOf(record) })),
  );
  return { records: named(distinct(records)), problems };
}

function readLines(bytes: Uint8Array, base: number): { values: Value[]; problems: LineProblem[] } {
  const values: Value[] = [];
  const problems: LineProblem[] = [];
  for (let from = 0, line = 1; from < bytes.length; line++) {
    const found = bytes.indexOf(LF, from);
    const end = found < 0 ? bytes.length : found;
    const range = { byteStart: base + from, byteEnd: base + end };
    const value = requestIn(parsed(bytes.subarray(from, end)));
    if (isOtlp(value)) values.push({ value, ...range });
    else if (!isBlank(bytes, from, end))
      problems.push({ line, ...range, reason: isObject(value) ? "Not an OTLP request." : "Not JSON." });
    from = end + 1;
  }
  return { values, problems };
}

const isBlank = (bytes: Uint8Array, from: number, to: number): boolean => firstWord(bytes.subarray(0, to), from) >= to;

/** Of a row of a database the request that it holds; anything else as it is. */
export function requestIn(value: unknown): unknown {
  if (!isObject(value) || value["table"] !== TRACE_ROWS) return value;
  return asObject(value["row"])["request"];
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** A span that came twice, whole and cut short, stands as the longer one; of equal ones the text decides, not the order. */
function distinct(records: readonly PlacedRecord[]): PlacedRecord[] {
  // The text is made where it is asked for: of most spans it never is.
  const found = new Map<string, { readonly record: PlacedRecord; readonly text: string }>();
  for (const record of records) {
    const one = withText(record);
    const key = record.kind === "span" && record.spanId !== null ? `${record.traceId} ${record.spanId}` : one.text;
    const known = found.get(key);
    if (known === undefined || isBefore(known.text, one.text)) found.set(key, one);
  }
  return [...found.values()]
    .toSorted(
      (a, b) =>
        (a.record.startMs ?? 0) - (b.record.startMs ?? 0) ||
        (b.record.endMs ?? 0) - (a.record.endMs ?? 0) ||
        (a.text < b.text ? -1 : 1),
    )
    .map(({ record }) => record);
}

function withText(record: PlacedRecord) {
  let made: string | null = null;
  return {
    record,
    get text(): string {
      return (made ??= record.line());
    },
  };
}

const isBefore = (known: string, text: string): boolean =>
  text.length > known.length || (text.length === known.length && text < known);

function named(records: readonly PlacedRecord[]): PlacedRecord[] {
  const names = new Map<string, Owner>();
  for (const { traceId, owner } of records)
    if (traceId !== null && owner?.isNamed === true) names.set(traceId, least(names.get(traceId), owner));
  return records.map((record) =>
    record.owner?.isNamed === true || record.traceId === null
      ? record
      : { ...record, owner: names.get(record.traceId) ?? record.owner },
  );
}

/** One trace of several conversations: its spans without a name go to the first by its name. */
const least = (a: Owner | undefined, b: Owner): Owner => (a !== undefined && a.id <= b.id ? a : b);

/** True when there is something in it to show. */
export const hasSession = (records: readonly PlacedRecord[]): boolean =>
  records.some((record) => record.kind !== "span" || isAboutModels(record));
