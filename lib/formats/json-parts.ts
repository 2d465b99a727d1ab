// A JSON document by its bytes: the elements of its long lists with the range of each, so that every event has the bytes that it
// was read from, and what stands before a damage is read. And the head of a document, as far as it goes: what it is known by.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { isObject, type Json } from "./json.ts";

export type JsonRange = { readonly from: number; readonly to: number };

export type ScannedJson = {
  readonly root: "object" | "array" | null;
  /** The document with the named lists emptied; null where it is damaged. Of an array: null. */
  readonly header: Json | null;
  /** Elements of the named lists of an object, by key; of an array under "". */
  readonly lists: ReadonlyMap<string, readonly JsonRange[]>;
  /** Behind the document; where it is damaged, behind the last whole element. */
  readonly end: number;
  readonly isWhole: boolean;
};

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c];
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Scans the document that begins at `start` (or behind blanks there). Reads each byte once. */
export function scanJson(bytes: Uint8Array, keys: readonly string[], start = 0): ScannedJson {
  const lists = new Map<string, JsonRange[]>();
  /** What stands between the lists. */
  const kept: JsonRange[] = [];
  let at = start;
  while (at < bytes.length && (bytes[at]! <= 0x20 || bytes[at] === 0xef || bytes[at] === 0xbb || bytes[at] === 0xbf))
    at++;
  const first = bytes[at];
  const root = first === OPEN ? "object" : first === OPEN_LIST ? "array" : null;
  if (root === null) return { root, header: null, lists, end: start, isWhole: false };
  const inner = root === "array" ? 1 : 2;
  let [depth, elementFrom, keptFrom, end, key] = [0, -1, at, start, ""];
  let list: JsonRange[] | null = null;
  const closeElement = (to: number): void => {
    if (list === null || elementFrom < 0) return;
    let last = to;
    while (last > elementFrom && bytes[last - 1]! <= 0x20) last--;
    if (last > elementFrom) list.push({ from: elementFrom, to: last });
    elementFrom = -1;
    end = last;
  };
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte <= 0x20) continue;
    if (list !== null && depth === inner && elementFrom < 0 && byte !== COMMA && byte !== CLOSE_LIST) elementFrom = at;
    if (byte === QUOTE) {
      const to = endOfText(bytes, at);
      if (depth === 1 && root === "object") key = utf8.decode(bytes.subarray(at + 1, Math.min(to, at + 80)));
      at = to;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      depth++;
      const isList = byte === OPEN_LIST && depth === inner && list === null;
      const name = root === "array" ? "" : key;
      if (isList && (root === "array" || keys.includes(name)) && !lists.has(name)) {
        list = [];
        lists.set(name, list);
        kept.push({ from: keptFrom, to: at + 1 });
      }
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      // Whatever bracket it is that closes it: a damaged part is a part.
      if (list !== null && depth === inner) {
        closeElement(at);
        list = null;
        keptFrom = at;
      }
      depth--;
      if (depth <= 0) {
        kept.push({ from: keptFrom, to: at + 1 });
        return { root, header: headerOf(bytes, root, kept), lists, end: at + 1, isWhole: true };
      }
    } else if (byte === COMMA && list !== null && depth === inner) closeElement(at);
  }
  // The last part may be whole, with the end behind it missing.
  if (depth === inner && endsWithBracket(bytes)) closeElement(bytes.length);
  return { root, header: null, lists, end, isWhole: false };
}

function endsWithBracket(bytes: Uint8Array): boolean {
  const last = bytes.findLast((byte) => byte > 0x20);
  return last === CLOSE || last === CLOSE_LIST;
}

function headerOf(bytes: Uint8Array, root: "object" | "array", kept: readonly JsonRange[]): Json | null {
  if (root === "array") return null;
  const value = parseJson(kept.map(({ from, to }) => utf8.decode(bytes.subarray(from, to))).join(""));
  return isObject(value) ? value : null;
}

/** Where the text that begins here has its closing quote. */
export function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
}

/** The members of an object that are objects themselves. */
export function objectMembers(bytes: Uint8Array): (JsonRange & { readonly key: string })[] {
  const members: (JsonRange & { readonly key: string })[] = [];
  let [depth, from, key] = [0, -1, ""];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const to = endOfText(bytes, at);
      if (depth === 1) key = utf8.decode(bytes.subarray(at + 1, Math.min(to, at + 80)));
      at = to;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      if (depth === 1 && byte === OPEN) from = at;
      depth++;
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth--;
      if (depth === 1 && byte === CLOSE && from >= 0) members.push({ key, from, to: at + 1 });
      if (depth === 1) from = -1;
      if (depth <= 0) break;
    }
  }
  return members;
}

/** The value of a range; undefined where it is not JSON. */
export const valueAt = (bytes: Uint8Array, { from, to }: JsonRange): unknown =>
  parseJson(utf8.decode(bytes.subarray(from, to)));

export type JsonElement = { readonly range: JsonRange; readonly value: unknown };

/** The same one by one: each value is parsed when it is asked for, and nothing holds it. */
export function* elementsIn(bytes: Uint8Array, ranges: readonly JsonRange[] = []): Generator<JsonElement> {
  for (const range of ranges) yield { range, value: valueAt(bytes, range) };
}

export const elementsOf = (bytes: Uint8Array, ranges: readonly JsonRange[] = []): JsonElement[] => [
  ...elementsIn(bytes, ranges),
];

/** The first byte that is no blank. */
export function firstWord(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return at;
}

/** What stands behind the last that was read of a document, where it was cut off or goes on otherwise. */
export function restOfDocument(
  { bytes, byteStart, byteEnd, line }: SourceRecord,
  { end, isWhole }: Pick<ScannedJson, "end" | "isWhole">,
): Draft[] {
  const rest = firstWord(bytes, end);
  if (isWhole && rest >= bytes.length) return [];
  const reason = "The document ends too early or is damaged. What was before is read.";
  return [{ kind: "problem", line, byteStart: byteStart + Math.min(rest, bytes.length - 1), byteEnd, reason }];
}

/** Names of the elements of a document's list, by what they say; null where it cannot be read to its end. */
export function elementNames(
  bytes: Uint8Array,
  key: string,
  name: (element: Json, index: number) => string,
): string[] | null {
  const { lists, isWhole } = scanJson(bytes, [key]);
  if (!isWhole) return null;
  return elementsOf(bytes, lists.get(key)).map(({ value }, i) => (isObject(value) ? name(value, i) : `#${i}`));
}

/** JSON, also with the NaN and Infinity that Python writes: they are null. Undefined where it is neither. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (!/NaN|Infinity/.test(text)) return undefined;
  }
  try {
    const without = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs, (found) =>
      found.startsWith('"') ? found : "null",
    );
    return JSON.parse(without) as unknown;
  } catch {
    return undefined;
  }
}

const heads = new WeakMap<Uint8Array, unknown>();

/** The first value of a file as far as its head goes: what is open at the end of the head is closed. Undefined where it is no JSON. */
export function headValue(head: Uint8Array): unknown {
  if (!heads.has(head)) heads.set(head, closedValue(new TextDecoder().decode(head)));
  return heads.get(head);
}

/** True when the first line is a whole value: such a file has a value a line. */
export function hasWholeLine(head: Uint8Array): boolean {
  const newline = head.indexOf(0x0a);
  if (newline < 0) return false;
  const scanned = scanJson(head.subarray(0, newline), []);
  return scanned.isWhole;
}

function closedValue(given: string): unknown {
  const text = given.trimStart();
  if (text[0] !== "{" && text[0] !== "[") return undefined;
  const open: ("}" | "]")[] = [];
  /** Where the value could be closed. What is open has not changed since. */
  let safe = 0;
  /** A key of an object comes next, not a value. */
  let isKey = false;
  const closers = (): string => open.toReversed().join("");
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      const from = at;
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
      if (at >= text.length) {
        if (isKey || open.length === 0) break;
        const cut = text.slice(from).replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "");
        return tryParse(`${text.slice(0, from)}${cut}"${closers()}`) ?? tryParse(text.slice(0, safe) + closers());
      }
      if (!isKey) safe = at + 1;
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      isKey = char === "{";
      safe = at + 1;
    } else if (char === "}" || char === "]") {
      open.pop();
      isKey = false;
      safe = at + 1;
      if (open.length === 0) break;
    } else if (char === ",") {
      // What stands before a comma is whole.
      safe = at;
      isKey = open.at(-1) === "}";
    } else if (char === ":") isKey = false;
  }
  return tryParse(text.slice(0, safe) + closers());
}

const tryParse = (text: string): unknown => parseJson(text);

/** The first line of a head, or as much of it as is there. */
export function firstLine(head: Uint8Array): Uint8Array {
  const end = head.indexOf(10);
  return end < 0 ? head : head.subarray(0, end);
}

const firstValues = new WeakMap<Uint8Array, unknown>();

/** The value of the first line of a head; undefined where it is none. Many formats ask the same head. */
export function firstLineValue(head: Uint8Array): unknown {
  if (!firstValues.has(head)) firstValues.set(head, lineValue(firstLine(head)));
  return firstValues.get(head);
}

function lineValue(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line)) as unknown;
  } catch {
    return undefined;
  }
}
