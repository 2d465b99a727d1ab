// A session as one JSON document: the records of its list are found by their bytes, so that each event has the bytes of its own, and
// those before a damage are read. The list is that of a key, or the document itself.
import { isObject, type Json } from "./json.ts";

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export type DocumentParts = {
  /** Where each record of the list lies. */
  readonly records: (readonly [number, number])[];
  /** The document without them; null where it is damaged. A document that is a list has nothing else. */
  readonly header: Json | null;
  /** Behind the last whole record. */
  readonly end: number;
};

/** The records of the list that `key` names at the top of the document; of a document that is a list, its own. */
export function partsOfDocument(bytes: Uint8Array, key: string): DocumentParts {
  const records: (readonly [number, number])[] = [];
  const first = bytes.findIndex((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  // How deep the list itself stands.
  const level = bytes[first] === OPEN_LIST ? 0 : 1;
  let [depth, from, listFrom, listTo, name] = [0, 0, -1, -1, level === 0 ? key : ""];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const to = endOfText(bytes, at);
      if (depth === 1 && level === 1) name = utf8.decode(bytes.subarray(at + 1, Math.min(to, at + 20)));
      at = to;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      if (depth === level && byte === OPEN_LIST && name === key && listFrom < 0) listFrom = at;
      if (depth === level + 1 && listFrom >= 0 && listTo < 0) from = at;
      depth++;
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--;
      if (depth === level + 1 && listFrom >= 0 && listTo < 0) records.push([from, at + 1]);
      if (depth === level && listFrom >= 0 && listTo < 0) listTo = at;
    }
  }
  const end = records.at(-1)?.[1] ?? 0;
  if (listTo < 0) return { records, header: null, end };
  const rest = utf8.decode(bytes.subarray(0, listFrom + 1)) + utf8.decode(bytes.subarray(listTo));
  const header = parsedJson(new TextEncoder().encode(rest));
  return { records, header: isObject(header) ? header : level === 0 && Array.isArray(header) ? {} : null, end };
}

/** Where the text that begins here has its closing quote. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}

/** The value of these bytes; undefined where they are no JSON. */
export function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
