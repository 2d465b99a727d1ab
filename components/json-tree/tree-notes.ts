// What a reader must know of a document, in sentences.
import type { JsonState } from "#lib/wire/json-tree-schema.ts";
import { formatBytes, formatCount } from "../ui/format.ts";

const number = (value: number): string => value.toLocaleString("en-US");

export function notesOf({
  isWhole,
  readBytes,
  sizeBytes,
  isStream,
  values,
  broken,
  counters,
  isTallied,
}: JsonState): string[] {
  if (!isWhole) return [`Read ${formatBytes(readBytes)} of ${formatBytes(sizeBytes)} …`];
  const notes: string[] = [];
  if (isStream && counters.brokenLines === 0) notes.push(formatCount(values, "JSON value"));
  if (broken !== null && counters.brokenLines === 0)
    notes.push(
      `It stops being JSON at line ${number(broken.line)}, column ${number(broken.column)} (byte ${number(broken.byte)}); the part before it is shown`,
    );
  if (broken !== null && counters.brokenLines > 0)
    notes.push(
      `${formatCount(values, "JSON line")}, ${number(counters.brokenLines)} invalid (${counters.brokenLines === 1 ? "" : "first: "}line ${number(broken.line)}, column ${number(broken.column)})`,
    );
  const odd = [
    [counters.sameKey, "object has the same key twice", "objects have the same key twice"],
    [counters.inexact, "number is not exact as a double", "numbers are not exact as doubles"],
    [counters.notUtf8, "string is not valid UTF-8", "strings are not valid UTF-8"],
    [counters.loneSurrogate, "string has half of a character", "strings have half of a character"],
  ] as const;
  const least = isTallied ? "" : "at least ";
  for (const [count, one, many] of odd) if (count > 0) notes.push(`${least}${formatCount(count, one, many)}`);
  return notes;
}

export const MARK_WORDS = {
  sameKey: ["same key twice", "Duplicate key; jq and most programs keep the last"],
  inexact: ["inexact", "A double, as JavaScript and many programs read it, is another number"],
  notUtf8: ["not UTF-8", "Some bytes of it are no UTF-8; they are shown as \uFFFD"],
  loneSurrogate: ["half a character", "Contains half of a surrogate pair"],
  cutOff: ["breaks off", "The rest is not JSON"],
  broken: ["not JSON", "Not JSON; shown as stored"],
  deep: ["depth > 512, collapsed", "Nested deeper than 512 levels: not expanded here, complete in the download"],
} as const;
