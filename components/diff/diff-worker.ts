// The worker of a comparison: fetches both sides, finds what differs, and gives the page the rows that it shows.
import { LIMITS } from "#lib/kernel/limits.ts";
import { answerPage } from "../table/worker-talk.ts";
import { DiffRows } from "./diff-rows.ts";
import { LINE_CHARS, type Questions, type SideLine, type SideSource } from "./diff-words.ts";
import { diffLines, type Run } from "./line-diff.ts";
import { comparedSides, type ReadSide } from "./sides.ts";
import { wordMarks, type Marks } from "./word-marks.ts";

/** Of a long line, before its first difference (characters). */
const CHARS_BEFORE = 40;

let left: string[] = [];
let right: string[] = [];
let runs: Run[] = [];
let shown = new DiffRows([], "split", new Set(), false);

answerPage<Questions>(
  {
    async compare(ask) {
      const [readLeft, readRight] = await Promise.all([
        read(ask.left, "The left side"),
        read(ask.right, "The right side"),
      ]);
      const sides = comparedSides(readLeft, readRight, ask.layout);
      const [a, b] = [split(sides.left), split(sides.right)];
      const startedAt = performance.now();
      left = a.lines;
      right = b.lines;
      const found = diffLines(left, right, LIMITS.diffMs);
      runs = found.runs;
      const ends = a.endsInLine === b.endsInLine ? [] : ["Only one side ends with a newline."];
      return {
        added: found.added,
        removed: found.removed,
        leftLines: left.length,
        rightLines: right.length,
        longest: Math.min(LINE_CHARS, Math.max(longestOf(left), longestOf(right))),
        isFewest: found.isFewest,
        notes: [...readLeft.notes, ...readRight.notes, ...sides.notes, ...ends],
        ms: performance.now() - startedAt,
      };
    },
    arrange({ mode, opened, isAllOpen }) {
      shown = new DiffRows(runs, mode, new Set(opened), isAllOpen);
      return { count: shown.count, changes: shown.changes };
    },
    rows({ from, to }) {
      const rows = shown.window(from, to).map((position, i) => {
        if (position.kind === "fold") return position;
        const pair = position.isSame ? null : shown.partner(Math.max(0, from) + i);
        const marks = pair === null ? null : wordMarks(left[pair.left] ?? "", right[pair.right] ?? "");
        return {
          kind: "line" as const,
          left: position.left === null ? null : sideLine(left, position.left, marks?.left ?? []),
          right: position.right === null ? null : sideLine(right, position.right, marks?.right ?? []),
          isSame: position.isSame,
        };
      });
      return { from: Math.max(0, from), rows };
    },
  },
  () => {},
);

/** What is shown of a long line has its first difference in it. */
function sideLine(lines: readonly string[], at: number, marks: Marks): SideLine {
  const text = lines[at] ?? "";
  const first = marks[0]?.[0] ?? 0;
  const before = text.length > LINE_CHARS && first > LINE_CHARS / 2 ? first - CHARS_BEFORE : 0;
  return {
    number: at + 1,
    text: text.slice(before, before + LINE_CHARS),
    before,
    more: Math.max(0, text.length - before - LINE_CHARS),
    marks: before === 0 ? marks : marks.map(([from, to]) => [Math.max(0, from - before), to - before] as const),
  };
}

const longestOf = (lines: readonly string[]): number => {
  let longest = 0;
  for (const { length } of lines) if (length > longest) longest = length;
  return longest;
};

async function read(source: SideSource, name: string): Promise<ReadSide & { notes: string[] }> {
  if ("text" in source) return { text: source.text, json: null, isCut: false, notes: [] };
  const { url, bytes, json } = source;
  const isCut = bytes > LIMITS.diffBytes;
  const headers: Record<string, string> = isCut ? { range: `bytes=0-${LIMITS.diffBytes - 1}` } : {};
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${name} could not be read: the server answered ${response.status}.`);
  const text = await response.text();
  if (!isCut) return { text, json, isCut, notes: [] };
  const megabytes = `${LIMITS.diffBytes / 1e6} MB`;
  return {
    // The line that was cut would differ for that alone.
    text: text.slice(0, text.lastIndexOf("\n") + 1) || text,
    json,
    isCut,
    notes: [`${name} is compared as far as its first ${megabytes}; the download has all of it.`],
  };
}

function split(text: string): { lines: string[]; endsInLine: boolean } {
  const lines = text.split("\n");
  const endsInLine = lines.at(-1) === "";
  if (endsInLine) lines.pop();
  return { lines, endsInLine };
}
