// What a file is known by whose first line is gone: rotated, split, or cut by `tail`. Each of its first records can be one of the format's,
// and one of them can be no other's.
import { isObject, type Json } from "./json.ts";
import { firstLineValue } from "./json-parts.ts";

const LOOKED_AT = 20;
const known = new WeakMap<Uint8Array, readonly Json[]>();

/** First records of a file, as far as its head has them whole. Many formats ask the same head. */
export function firstRecords(head: Uint8Array): readonly Json[] {
  const read = known.get(head) ?? readRecords(head);
  known.set(head, read);
  return read;
}

/**
 * `fits`: it can be a record of the format. `isSign`: it can be one of no other. Behind damage a first line may still come, so a file is
 * known by what is behind it (readable-head.ts).
 */
export function areRecordsOf(head: Uint8Array, fits: (one: Json) => boolean, isSign: (one: Json) => boolean): boolean {
  const records = firstRecords(head);
  return isObject(firstLineValue(head)) && records.every(fits) && records.some(isSign);
}

/** The keys under which other agents name their records' session, or wrap what the record says. */
export const hasNone = (record: Json, keys: readonly string[]): boolean => !keys.some((key) => key in record);

function readRecords(head: Uint8Array): Json[] {
  const lines = new TextDecoder().decode(head).split("\n", LOOKED_AT);
  return lines.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
