// What a file is known by whose first line is gone: rotated, split, or cut by `tail`. Each of its first records can be one of the format's,
// and one of them can be no other's.
import { isObject, type Json } from "./json.ts";
import { firstLine, firstLineValue } from "./json-parts.ts";

const LOOKED_AT = 20;
const OPEN = 0x7b;
type FirstLines = { readonly records: readonly Json[]; readonly broken: readonly string[] };
const known = new WeakMap<Uint8Array, FirstLines>();

/** First records of a file, as far as its head has them whole. Many formats ask the same head. */
export const firstRecords = (head: Uint8Array): readonly Json[] => firstLines(head).records;

/** Lines among them that are no JSON: one may be longer than the head. */
export const brokenLines = (head: Uint8Array): readonly string[] => firstLines(head).broken;

function firstLines(head: Uint8Array): FirstLines {
  const read = known.get(head) ?? readLines(head);
  known.set(head, read);
  return read;
}

/**
 * `fits`: it can be a record of the format. `isSign`: it can be one of no other. Behind damage a first line may still come, so a file is
 * known by what is behind it (readable-head.ts).
 */
export function areRecordsOf(head: Uint8Array, fits: (one: Json) => boolean, isSign: (one: Json) => boolean): boolean {
  if (!isObject(firstLineValue(head))) return false;
  const records = firstRecords(head);
  const others = records.filter((one) => !fits(one)).length;
  const signs = records.filter(isSign).length;
  // A field of another type makes no other format of a file.
  return others === 0 ? signs > 0 : signs > 1 && others * 5 <= records.length;
}

/**
 * The same of a format whose first record is like any other, and a plain message at first glance: behind blank lines, and behind a first
 * record that was cut. What is left of that one may be any program's.
 */
export function areMessagesOf(head: Uint8Array, fits: (one: Json) => boolean, isSign: (one: Json) => boolean): boolean {
  const first = head.findIndex((byte) => byte > 0x20);
  const text = first > 0 ? head.subarray(first) : head;
  const isCut = text[0] === OPEN && firstLineValue(text) === undefined;
  return areRecordsOf(isCut ? text.subarray(firstLine(text).length + 1) : text, fits, isSign);
}

/** The keys under which other agents name their records' session, or wrap what the record says. */
export const hasNone = (record: Json, keys: readonly string[]): boolean => !keys.some((key) => key in record);

function readLines(head: Uint8Array): FirstLines {
  const records: Json[] = [];
  const broken: string[] = [];
  for (const line of new TextDecoder().decode(head).split("\n", LOOKED_AT))
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value)) records.push(value);
    } catch {
      broken.push(line);
    }
  return { records, broken };
}
