// A small value read again: where it ends, how many children and lines it has. Checks all of it, since a line of a
// stream may be no JSON, and follows nesting without recursion.
import { LEVELS } from "./json-index.ts";
import * as tokens from "./json-lexer.ts";

export type Extent = { end: number; count: number; lines: number };

const kinds = new Uint8Array(64 * 1024);

/**
 * Reads the value at a byte into `extent`; false when none that is whole stands there before `limit`. `depth` is that of
 * the value: containers below LEVELS are one line. `isLines`: it may not go on in the next line.
 */
export function measure(
  bytes: Uint8Array,
  at: number,
  limit: number,
  { depth, isLines }: { readonly depth: number; readonly isLines: boolean },
  extent: Extent,
): boolean {
  let open = 0;
  let lines = 0;
  let count = 0;
  let expects: "value" | "first value" | "key" | "first key" | "after" = "value";
  let isEmpty = false;
  for (let to = at; ;) {
    while (to < limit && tokens.isSpace(bytes[to])) {
      if (isLines && bytes[to] === tokens.NEWLINE) return false;
      to++;
    }
    if (to >= limit) return false;
    const byte = bytes[to]!;
    const isKnown = depth + open <= LEVELS + 1;
    if (
      open > 0 &&
      (expects === "after" || expects.startsWith("first")) &&
      byte === (kinds[open] === 0 ? tokens.CLOSE_OBJECT : tokens.CLOSE_ARRAY)
    ) {
      isEmpty = expects !== "after";
      open--;
      to++;
      // A container in a container takes a line where it begins and one where it ends; an empty one takes one.
      if (depth + open <= LEVELS) lines += isEmpty ? 1 : 2;
      else if (depth + open === LEVELS + 1) lines += 1;
      expects = "after";
    } else if (expects === "after") {
      if (byte !== tokens.COMMA) return false;
      to++;
      expects = kinds[open] === 0 ? "key" : "value";
      continue;
    } else if (expects === "key" || expects === "first key") {
      const end = byte === tokens.QUOTE ? tokens.stringEnd(bytes, to, limit) : -1;
      if (end < 0) return false;
      const colon = tokens.afterSpace(bytes, end, limit);
      if (colon >= limit || bytes[colon] !== tokens.COLON) return false;
      if (isLines && bytes.subarray(end, colon).includes(tokens.NEWLINE)) return false;
      to = colon + 1;
      if (open === 1) count++;
      expects = "value";
      continue;
    } else {
      if (open === 1 && kinds[1] === 1) count++;
      if (byte === tokens.OPEN_OBJECT || byte === tokens.OPEN_ARRAY) {
        if (++open >= kinds.length) return false;
        kinds[open] = byte === tokens.OPEN_OBJECT ? 0 : 1;
        expects = kinds[open] === 0 ? "first key" : "first value";
        to++;
        continue;
      }
      const end = byte === tokens.QUOTE ? tokens.stringEnd(bytes, to, limit) : tokens.scalarEnd(bytes, to, limit);
      if (end < 0) return false;
      to = end;
      if (isKnown) lines++;
      expects = "after";
    }
    if (open > 0) continue;
    extent.end = to;
    extent.count = count;
    extent.lines = lines;
    return true;
  }
}
