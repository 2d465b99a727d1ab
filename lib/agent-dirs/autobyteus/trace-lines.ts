// Lines of a file of JSON objects, with the bytes that they are. Two writers without a lock glue objects together
// (`{…}{…}`), or cut one off inside the next; a whole object after such damage is read, and every byte keeps its position.

/** Where something stands: bytes from … to (without the newline), lines from 1. */
export type LineRange = {
  readonly file: string;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly line: number;
};

export type JsonObject = { readonly [key: string]: unknown };

type LineRecord = { readonly value: JsonObject; readonly at: LineRange };
export type LineProblem = LineRange & { readonly reason: string };

export type Line = {
  readonly at: LineRange;
  /** As they stand in the file, without the newline. */
  readonly bytes: Buffer;
  readonly records: readonly LineRecord[];
};

export type Lines = {
  readonly file: string;
  readonly bytes: Buffer;
  /** Blank ones too: a rewritten file keeps them. */
  readonly lines: readonly Line[];
  readonly problems: readonly LineProblem[];
};

/** Every line of a file. `isRecord` tells a whole record from a piece of a broken one. */
export function readLines(file: string, bytes: Buffer, isRecord: (value: JsonObject) => boolean = isLarge): Lines {
  const lines: Line[] = [];
  const problems: LineProblem[] = [];
  for (let at = 0, line = 1; at < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline < 0 ? bytes.length : newline;
    const range = { file, byteStart: at, byteEnd: end, line };
    const read = readLine(bytes.subarray(at, end), range, newline < 0, isRecord);
    lines.push({ at: range, bytes: bytes.subarray(at, end), records: read.records });
    problems.push(...read.problems);
    at = end + 1;
  }
  return { file, bytes, lines, problems };
}

/** The objects of a file, whatever they are: bad lines are left out. */
export const readObjects = (bytes: Buffer): JsonObject[] =>
  readLines("", bytes).lines.flatMap(({ records }) => records.map(({ value }) => value));

type Read = { readonly records: readonly LineRecord[]; readonly problems: readonly LineProblem[] };

function readLine(bytes: Buffer, at: LineRange, isLast: boolean, isRecord: (value: JsonObject) => boolean): Read {
  const text = bytes.toString("utf8");
  if (text.trim() === "") return { records: [], problems: [] };
  const value = parse(text);
  if (value === undefined) return recover(bytes, at, isLast, isRecord);
  if (!isObject(value)) return { records: [], problems: [{ ...at, reason: "It is JSON, but not an object." }] };
  return { records: [{ value, at }], problems: [] };
}

/** Objects with two keys or more: smaller ones occur inside any record. */
const isLarge = (value: JsonObject): boolean => Object.keys(value).length >= 2;

/** A line that fails to be read costs a pass for each beginning that is tried; noise is given up after so many. */
const TRIES = 64;

function recover(bytes: Buffer, at: LineRange, isLast: boolean, isRecord: (value: JsonObject) => boolean): Read {
  // One character for each byte: positions in this text are positions in the file.
  const text = bytes.toString("latin1");
  const records: LineRecord[] = [];
  const problems: LineProblem[] = [];
  let lostFrom = 0;
  const lost = (end: number): void => {
    const piece = text.slice(lostFrom, end);
    if (/^[\s\0]*$/.test(piece)) return;
    const from = lostFrom + piece.search(/[^\s\0]/);
    const isTorn = isLast && end === text.length && text[from] === "{";
    problems.push({
      ...at,
      byteStart: at.byteStart + from,
      byteEnd: at.byteStart + end,
      reason: isTorn ? "The last line is cut off." : text[from] === "{" ? "An unfinished object." : "Not JSON.",
    });
  };
  for (let start = text.indexOf("{"), tries = 0; start >= 0 && tries < TRIES;) {
    const end = endOfObject(text, start);
    const value = end < 0 ? undefined : parse(bytes.subarray(start, end).toString("utf8"));
    if (value !== undefined && isObject(value) && (start === lostFrom || isRecord(value))) {
      lost(start);
      records.push({ value, at: { ...at, byteStart: at.byteStart + start, byteEnd: at.byteStart + end } });
      lostFrom = end;
      start = text.indexOf("{", end);
    } else {
      tries++;
      start = text.indexOf('{"', start + 1);
    }
  }
  lost(text.length);
  if (records.length > 1)
    problems.push({
      ...at,
      reason: `${records.length} records on one line, without a newline between them. All were read.`,
    });
  return { records, problems };
}

/** Behind the object that opens at `start`; -1 when it does not close, or another record begins inside of a string. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isText) {
      if (char === "\\") at++;
      else if (char === '"') isText = false;
      else if (char === "{" && text[at + 1] === '"' && /[A-Za-z_]/.test(text[at + 2] ?? "")) return -1;
    } else if (char === '"') isText = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return -1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of a JSON file that holds an object; null for anything else. */
export function readObject(bytes: Buffer): JsonObject | null {
  const value = parse(bytes.toString("utf8"));
  return isObject(value) ? value : null;
}
