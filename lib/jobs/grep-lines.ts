// What is shown of a search: so many lines, so many bytes, and of a long line the part around its match. An artifact of
// one line of 10 MB is common (JSON), and its first 2,000 characters seldom hold what was searched for.
import type { GrepOptions } from "#lib/kernel/grep/grep-options.ts";
import type { GrepLimits, GrepLine } from "./job-types.ts";

export type LineHead = {
  readonly line: number;
  readonly isMatch: boolean;
  /** Where in the line the match begins (bytes from 0), when the engine said so. */
  readonly matchAt: number | null;
};

export type GrepLines = {
  readonly lines: readonly GrepLine[];
  readonly matches: number;
  readonly shownMatches: number;
  /** Begins a line. False when it is not wanted: then there is no need to give its bytes. */
  begin(head: LineHead): boolean;
  /** A piece of the line, without its newline. */
  add(bytes: Uint8Array): void;
  end(): void;
  /** Lines that stand for good and were not taken before. */
  take(): readonly GrepLine[];
  /** True when nothing that comes can change the answer any more. */
  readonly isDone: boolean;
};

type Open = LineHead & {
  readonly isContext: boolean;
  /** The bytes that are kept: from here … */
  readonly from: number;
  kept: Buffer[];
  keptBytes: number;
  sizeBytes: number;
  /** Characters before `from`. */
  charsBefore: number;
  lastByte: number;
};

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function collectLines(options: GrepOptions, limits: GrepLimits): GrepLines {
  const lines: GrepLine[] = [];
  const lead = Math.floor(limits.lineChars / 4);
  // A character has at most four bytes. A match that may be among the first characters needs the line from its start.
  const startBytes = 4 * limits.lineChars;
  const window = 2 * startBytes + 4;
  let matches = 0;
  let shownMatches = 0;
  let matchLines = 0;
  let lastMatch = 0;
  let lastShown = 0;
  let bytesLeft = limits.bytes;
  let isFull = limits.lines === 0;
  let isDone = options.most === 0;
  let open: Open | null = null;
  let taken = 0;

  const show = (line: GrepLine): void => {
    const bytes = Buffer.byteLength(line.text) + 1;
    if (lines.length >= limits.lines || (lines.length > 0 && bytes > bytesLeft)) {
      isFull = true;
      // Lines before a match that is not shown.
      while (lines.at(-1)?.isContext && lines.at(-1)!.line > lastShown + options.after) lines.pop();
      return;
    }
    lines.push(line);
    bytesLeft -= bytes;
    if (line.isContext) return;
    shownMatches++;
    lastShown = line.line;
  };

  return {
    lines,
    get matches() {
      return matches;
    },
    get shownMatches() {
      return shownMatches;
    },
    get isDone() {
      return isDone;
    },
    begin(head) {
      // With -o a match without its position is none: so ripgrep tells of an empty one at the end of the last line.
      if (options.only && head.isMatch && head.matchAt === null) return false;
      let isContext = !head.isMatch;
      const isOver = options.most !== null && matchLines >= options.most;
      // With -o a line comes once for each match.
      if (head.isMatch && head.line !== lastMatch) {
        // After -m lines only the lines around the last one are shown, whether they match or not.
        if (isOver) isContext = true;
        else {
          matchLines++;
          lastMatch = head.line;
        }
      }
      if (isOver && head.line > lastMatch + options.after) isDone = true;
      if (isDone) return false;
      if (!isContext && !options.only) matches++;
      // An empty match of -o is none, which is known at its end.
      if (isFull && (isContext || !options.only)) return false;
      // With -o only the match itself comes.
      const matchAt = options.only ? 0 : head.matchAt;
      const from = matchAt === null || matchAt <= startBytes ? 0 : matchAt - 4 * lead;
      open = { ...head, matchAt, isContext, from, kept: [], keptBytes: 0, sizeBytes: 0, charsBefore: 0, lastByte: -1 };
      return true;
    },
    add(bytes) {
      if (open === null || bytes.length === 0) return;
      const start = Math.max(0, open.from - open.sizeBytes);
      if (start > 0) open.charsBefore += charsIn(bytes.subarray(0, start));
      const part = bytes.subarray(start, start + Math.max(0, window - open.keptBytes));
      if (part.length > 0 && !isFull) {
        // Copied: the engine uses its buffer again.
        open.kept.push(Buffer.from(part));
        open.keptBytes += part.length;
      }
      open.sizeBytes += bytes.length;
      open.lastByte = bytes[bytes.length - 1]!;
    },
    end() {
      if (open === null) return;
      const one = open;
      open = null;
      const sizeBytes = one.lastByte === 13 ? one.sizeBytes - 1 : one.sizeBytes;
      if (options.only && !one.isContext) {
        if (sizeBytes === 0) return;
        matches++;
      }
      if (!isFull) show(lineOf(one, sizeBytes, limits.lineChars, lead));
    },
    take() {
      let end = lines.length;
      // Lines before a match that may not be shown after all.
      while (end > taken && lines[end - 1]!.isContext && lines[end - 1]!.line > lastShown + options.after) end--;
      const part = lines.slice(taken, end);
      taken = end;
      return part;
    },
  };
}

/** The kept part of a line as text: all of it, or the part around the match. */
function lineOf(open: Open, sizeBytes: number, lineChars: number, lead: number): GrepLine {
  let bytes = Buffer.concat(open.kept);
  const { line, isContext } = open;
  const isWhole = open.from + bytes.length >= sizeBytes;
  // Without the \r of \r\n, when that was kept.
  bytes = bytes.subarray(0, Math.max(0, Math.min(bytes.length, sizeBytes - open.from)));
  // The window may begin inside a character, which was counted with the bytes before it.
  let skip = 0;
  if (open.from > 0) while (skip < 3 && skip < bytes.length && isInside(bytes[skip]!)) skip++;
  const chars = [...decoder.decode(bytes.subarray(skip))];
  if (open.from === 0 && isWhole && chars.length <= lineChars)
    return { line, text: chars.join(""), isContext, cut: false, start: 0 };
  const matchAt = charsIn(bytes.subarray(skip, Math.max(skip, (open.matchAt ?? 0) - open.from)));
  const isNear = open.from === 0 && matchAt < lineChars - lead;
  const first = isNear ? 0 : Math.max(0, matchAt - lead);
  return {
    line,
    text: chars.slice(first, first + lineChars).join(""),
    isContext,
    cut: true,
    start: open.charsBefore + first,
  };
}

const isInside = (byte: number): boolean => (byte & 0xc0) === 0x80;

function charsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (!isInside(bytes[i]!)) count++;
  return count;
}
