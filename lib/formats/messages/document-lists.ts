// A document that lists documents: conversations of a data set, or requests with their answers. Each is a session, as one on a line is.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { isObject } from "../json.ts";
import { firstWord, scanJson } from "../json-parts.ts";
import { messageLists } from "./message-lists.ts";

/** The key of the list; "" for a list alone, null for a document that is none. */
export function listOfDocuments(value: unknown): string | null {
  if (messageLists(value) !== null) return null;
  if (Array.isArray(value)) return areDocuments(value) ? "" : null;
  return isObject(value) ? (Object.keys(value).find((key) => areDocuments(value[key])) ?? null) : null;
}

function areDocuments(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  // The head of a file may end inside an element.
  const first = list.slice(0, 4).filter((one) => !isObject(one) || Object.keys(one).length > 0);
  return first.length > 0 && first.every((one) => messageLists(one)?.isMessage === false);
}

/** The documents with their bytes, and what is damaged behind them. */
export function documentsIn(record: SourceRecord, key: string): { ranges: SourceRecord[]; problems: Draft[] } {
  const { bytes, byteStart, byteEnd, line } = record;
  const { lists, end } = scanJson(bytes, [key]);
  const ranges = (lists.get(key) ?? []).map(({ from, to }): SourceRecord => ({
    ...{ bytes: bytes.subarray(from, to), byteStart: byteStart + from, byteEnd: byteStart + to, line },
  }));
  const rest = firstWord(bytes, end);
  if (rest >= bytes.length) return { ranges, problems: [] };
  const reason = "The list ends too early or is damaged. What was before is read.";
  return { ranges, problems: [{ kind: "problem", line, byteStart: byteStart + rest, byteEnd, reason }] };
}
