// The same search without a program: line by line with re2js, whose time is linear in the input. For text in memory,
// and for machines that ripgrep was not built for. About 100 MB/s (ripgrep: several GB/s).
import { closeSync, openSync, readSync } from "node:fs";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GrepLines } from "./grep-lines.ts";
import type { GrepOptions } from "#lib/kernel/grep/grep-options.ts";
import { collect, type GrepTask, type GrepResult } from "./grep-task.ts";
import type { GrepLine } from "./job-types.ts";

export type ScanTask = GrepTask & {
  readonly input: { readonly path: string } | { readonly text: string };
  /** Lines are wanted while they are found. */
  readonly isStreamed: boolean;
};

export type ScanResult = { readonly result: GrepResult } | { readonly refused: string };

const PIECE = 1024 * 1024;
const WINDOW = 64 * 1024;
const WINDOW_OVERLAP = 1024;

/** `give` gets lines as they are found, those of some 1 MB at a time; the end has all of them. */
export function scan(
  { patterns, options, limits, input, isStreamed }: ScanTask,
  give: (lines: readonly GrepLine[]) => void,
): ScanResult {
  const first = compile(patterns.re2);
  const next = patterns.re2Next === undefined ? first : compile(patterns.re2Next);
  if (first === null || next === null) return { refused: "The pattern is too large once its repeats are written out." };
  const found = collect({ options, limits });
  let count = 0;
  const search = searchLines({ first, next }, options, found.lines, limits.lineChars, () => count++);
  const whole = "path" in input ? pieces(input.path) : [Buffer.from(input.text)];
  const source = isStreamed ? giving(whole, found.lines, give) : whole;
  let line = 0;
  try {
    eachLine(source, (bytes) => search(bytes, ++line));
  } catch (error) {
    if (error instanceof Done) return { result: found.result(options.count ? count : null) };
    if (error instanceof LongLine)
      return {
        refused: `The artifact has a line of more than ${LIMITS.lineBytes} bytes. Read a part with artifact_read.`,
      };
    throw error;
  }
  return { result: found.result(options.count ? count : null) };
}

/** A line's first match, and those after it: the same but with -w, where the word before may be looked at again. */
type Patterns = { readonly first: RE2JS; readonly next: RE2JS };

class Done extends Error {}
class LongLine extends Error {}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern, RE2JS.MULTILINE);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
    throw error;
  }
}

/** The pieces, and after each the lines that were found in it. */
function* giving(
  source: Iterable<Buffer>,
  lines: GrepLines,
  give: (lines: readonly GrepLine[]) => void,
): Generator<Buffer> {
  for (const piece of source) {
    yield piece;
    const part = lines.take();
    if (part.length > 0) give(part);
  }
}

function* pieces(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    for (;;) {
      // New each time: lines before a match are kept as parts of it.
      const buffer = Buffer.allocUnsafeSlow(PIECE);
      const length = readSync(file, buffer);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

function eachLine(source: Iterable<Buffer>, use: (line: Buffer) => void): void {
  let open: Buffer[] = [];
  let openBytes = 0;
  for (const piece of source) {
    let at = 0;
    for (let newline = piece.indexOf(10); newline !== -1; newline = piece.indexOf(10, at)) {
      const part = piece.subarray(at, newline);
      use(openBytes === 0 ? part : Buffer.concat([...open, part]));
      open = [];
      openBytes = 0;
      at = newline + 1;
    }
    if (at === piece.length) continue;
    open.push(piece.subarray(at));
    openBytes += piece.length - at;
    if (openBytes > LIMITS.lineBytes) throw new LongLine();
  }
  if (openBytes > 0) use(Buffer.concat(open));
}

function searchLines(
  patterns: Patterns,
  options: GrepOptions,
  lines: GrepLines,
  lineChars: number,
  countOne: () => void,
): (bytes: Buffer, line: number) => void {
  const before: { bytes: Buffer; line: number }[] = [];
  let contextUntil = 0;
  let counted = 0;
  const give = (bytes: Buffer, line: number, isMatch: boolean, matchAt: number | null): void => {
    if (lines.begin({ line, isMatch, matchAt })) {
      lines.add(bytes);
      lines.end();
    }
    if (lines.isDone) throw new Done();
  };
  return (bytes, line) => {
    if (options.count) {
      if (counted === options.most) throw new Done();
      if (patterns.first.test(bytes) === options.invert) return;
      countOne();
      counted++;
      return;
    }
    if (lines.isDone) throw new Done();
    if (patterns.first.test(bytes) === options.invert) {
      if (line <= contextUntil) give(bytes, line, false, null);
      else if (options.before > 0) {
        before.push({ bytes, line });
        if (before.length > options.before) before.shift();
      }
      return;
    }
    for (const one of before.splice(0)) give(one.bytes, one.line, false, null);
    contextUntil = line + options.after;
    if (options.only)
      for (const [from, to] of matchesIn(patterns, bytes, options)) give(bytes.subarray(from, to), line, true, 0);
    else
      give(bytes, line, true, options.invert || bytes.length <= lineChars ? null : offsetIn(patterns, bytes, options));
  };
}

/**
 * About where a long line matches, so that this part is shown. Finding the exact position takes over 200 ns a byte for some
 * patterns, 2 s in a line of 10 MB; testing takes 7 ns. So pieces are tested, and the position is sought in one.
 */
function offsetIn(patterns: Patterns, bytes: Buffer, options: GrepOptions): number | null {
  for (let at = 0; at < bytes.length; at += WINDOW - WINDOW_OVERLAP) {
    const window = bytes.subarray(at, at + WINDOW);
    if (!patterns.first.test(window)) continue;
    const [match] = matchesIn(patterns, window, options);
    return at + (match?.[0] ?? 0);
  }
  return null;
}

/** From and to of each match (bytes), the empty ones too. */
function* matchesIn(
  { first, next }: Patterns,
  bytes: Buffer,
  { word, line }: GrepOptions,
): Generator<readonly [from: number, to: number]> {
  // With -w the neighbours belong to what is found, and the word is its group; the next one may use them again.
  const isWord = word && !line;
  const part = isWord ? 1 : 0;
  let matcher = first.matcher(bytes);
  let at = 0;
  while (at <= bytes.length && matcher.find(isWord ? beforeChar(bytes, at) : at)) {
    const [from, to] = [matcher.start(part), matcher.end(part)];
    yield [from, to];
    at = to > from ? to : afterChar(bytes, to);
    if (isWord && matcher.pattern() !== next) matcher = next.matcher(bytes);
  }
}

/** Where the character before begins. */
function beforeChar(bytes: Buffer, at: number): number {
  let before = Math.max(0, at - 1);
  while (before > 0 && (bytes[before]! & 0xc0) === 0x80) before--;
  return before;
}

/** Where the next character begins. */
function afterChar(bytes: Buffer, at: number): number {
  let next = at + 1;
  while ((bytes[next]! & 0xc0) === 0x80) next++;
  return next;
}
