// The same thing read again while the first copy still stood in the context. The same bytes are certain waste; lines that
// overlap are waste in part; a file that was changed in between was read again for a reason.
import { frameOf, callAt } from "../frame.ts";
import {
  fixOf,
  lastBefore,
  lastUseOf,
  largestOf,
  outputsOf,
  spanOf,
  sumTokens,
  writesOf,
  type Output,
} from "./outputs.ts";
import type { Detector, Suspect } from "./types.ts";

/** A line of code and its number take about this many tokens: for reads of a part, whose lines are known. */
const LINES_ALL = 2000;
/** Under half of the lines again is reading on, not reading again. */
const OVERLAP = 0.5;

/** Readings of one file that are looked at, the newest: so many of its parts may be in a context. */
const COPIES = 64;

type Again = { readonly output: Output; readonly first: Output; readonly isSame: boolean };

export const reRead: Detector = (session) => {
  const frame = frameOf(session);
  const writes = writesOf(session);
  const seen = new Map<string, Output[]>();
  const groups = new Map<string, Again[]>();
  for (const output of outputsOf(session)) {
    if (output.isError || output.writes) continue;
    const subject = output.path ?? output.inputKey;
    if (subject === null) continue;
    const earlier = (seen.get(subject) ?? []).filter(({ to }) => to > output.from).slice(-COPIES);
    const changed = output.path === null ? -1 : lastBefore(writes.get(output.path) ?? [], output.seq);
    // The oldest copy that is still there is the one to keep.
    const copy = earlier.find((one) => isCopy(output, one, changed));
    seen.set(subject, [...earlier, output]);
    if (copy !== undefined) {
      const isSame = copy.outputKey !== null && copy.outputKey === output.outputKey;
      const key = `${isSame ? "same" : "part"} ${subject}`;
      const again = { output, first: copy, isSame };
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [again]);
      else group.push(again);
    }
  }
  return [...groups.values()].map((group) => suspectOf(group, callAt(frame, group[0]!.first.from)));
};

/** True when `first` says what `output` says. `changed`: when the file was written last. */
function isCopy(output: Output, first: Output, changed: number): boolean {
  if (first.outputKey !== null && first.outputKey === output.outputKey) return true;
  if (output.path === null || first.path !== output.path) return false;
  if (changed > first.seq) return false;
  // Without the lines that were asked for, equal sizes tell the same reading from another one.
  if (output.range === null && first.range === null)
    return Math.abs(output.tokens - first.tokens) < 0.02 * first.tokens;
  return overlap(output, first) >= OVERLAP;
}

/** Share of the lines of `output` that `first` had. */
function overlap(output: Output, first: Output): number {
  const [a, b] = [linesOf(output), linesOf(first)];
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start)) / Math.max(1, a.end - a.start);
}

function linesOf({ range }: Output): { start: number; end: number } {
  const start = range?.start ?? 1;
  return { start, end: start + (range?.lines ?? LINES_ALL) };
}

function suspectOf(group: readonly Again[], firstCall: number): Suspect {
  const outputs = group.map(({ output }) => output);
  const largest = largestOf(outputs);
  const isSame = group.every((one) => one.isSame);
  const times = outputs.length === 1 ? "again" : `again ${outputs.length}×`;
  return {
    detector: "re-read",
    seq: largest.seq,
    seqs: outputs.map(({ seq }) => seq),
    label: `${largest.item.label} ${times}`,
    toolName: largest.item.toolName,
    ...spanOf(outputs),
    tokens: sumTokens(outputs),
    confidence: isSame ? 1 : 0.6,
    lastUsed: lastUseOf(outputs),
    fix: fixOf(
      isSame ? `Same bytes as call ${firstCall}: keep the first` : `Lines of call ${firstCall} again: keep the first`,
    ),
    cure: { do: "omit", seqs: outputs.map(({ seq }) => seq) },
  };
}
