// What a reading tool shows of a stored text: all of it while it is small, else a page that says how to go on. Lines and
// characters are counted as in artifact_read: lines from 1, characters from 0, by code point.
import { utf8Size } from "#lib/kernel/artifacts/pointer.ts";
import { countChars, headOf } from "#lib/kernel/artifacts/preview.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

export type PageStart = {
  readonly start_line?: number | undefined;
  readonly start_char?: number | undefined;
};

export type PageLimits = { readonly bytes: number; readonly lines: number; readonly chars: number };

const LIMITS_OF_A_PAGE: PageLimits = {
  bytes: LIMITS.readWholeBytes,
  lines: LIMITS.readLines,
  chars: LIMITS.readChars,
};

/** Of a page, for the line that says how to go on. */
const ROOM_BYTES = 256;

/** What a tool says of a reference whose target is missing. A long one is not said back whole. */
export const noArtifact = (query: string): string => `[no artifact found for '${clip(query)}']`;
export const clip = (query: string): string => (query.length <= 200 ? query : `${headOf(query, 200)}…`);

/** The text, or the part of it from `start`; never more than `limits.bytes`. */
export function textPage(text: string, start: PageStart = {}, limits: PageLimits = LIMITS_OF_A_PAGE): string {
  const isWhole = start.start_line === undefined && start.start_char === undefined;
  // A unit of UTF-16 is at least one byte: a longer text need not be measured.
  if (isWhole && text.length <= limits.bytes && utf8Size(text) <= limits.bytes) return text;
  const from = start.start_line ?? 1;
  const lineCount = countLines(text);
  if (from > lineCount) return `[artifact has only ${lineCount} lines]`;

  const begin = startOfLine(text, from);
  if (start.start_char !== undefined) return partOfLine(text, from, begin, start.start_char, limits);
  let end = begin;
  let bytes = 0;
  let lines = 0;
  for (; lines < limits.lines && end < text.length; lines++) {
    const newline = text.indexOf("\n", end);
    const next = newline < 0 ? text.length : newline + 1;
    bytes += utf8Size(text.slice(end, next));
    if (bytes > limits.bytes - ROOM_BYTES) break;
    end = next;
  }
  if (lines === 0) return partOfLine(text, from, begin, 0, limits);
  if (end === text.length) return text.slice(begin);
  const last = from + lines - 1;
  return `${text.slice(begin, end)}[lines ${from}–${last} of ${lineCount}; continue with start_line=${last + 1}]`;
}

/** A piece of one line, for a line that is longer than a page. */
function partOfLine(text: string, line: number, begin: number, fromChar: number, limits: PageLimits): string {
  const newline = text.indexOf("\n", begin);
  const whole = text.slice(begin, newline < 0 ? text.length : newline);
  const chars = countChars(whole);
  const rest = whole.slice(headOf(whole, fromChar).length);
  const room = limits.bytes - ROOM_BYTES;
  // No character takes more than four bytes.
  const most = utf8Size(headOf(rest, limits.chars)) <= room ? limits.chars : Math.floor(room / 4);
  const part = headOf(rest, most);
  const to = Math.min(fromChar + most, chars);
  if (fromChar >= chars) return `[line ${line} has only ${chars} characters]`;
  const next = to < chars ? `start_line=${line}, start_char=${to}` : newline < 0 ? null : `start_line=${line + 1}`;
  const message = `[chars ${fromChar}–${to} of ${chars} in line ${line}`;
  return `${part}\n${next === null ? `${message}]` : `${message}; continue with ${next}]`}`;
}

/** Line ends, and one more when the last line has none. */
function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) at = text.indexOf("\n", at) + 1;
  return at;
}
