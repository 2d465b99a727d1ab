// Readings whose lines, or bytes, had been in the context before: what each repeats, and how much of it.
import type { SessionLoadFacts } from "./culprit-types.ts";
import { lastBefore, outputsOf, writesOf, type Output } from "./outputs.ts";
import { charsOf } from "../seen-lines.ts";

export type Again = {
  readonly output: Output;
  /** The reading that showed most of it first. */
  readonly first: Output;
  /** The same bytes. */
  readonly isSame: boolean;
  /** Share of it that was there, 0 to 1. */
  readonly share: number;
};

/**
 * With less of it known it was reading on, not reading again. Of 60 readings that were looked at by hand those about one half
 * could be told either way (re-read-labels.test.ts).
 */
const LEAST_SHARE = 0.65;
/** Earlier outputs with one line that are looked at, the newest. */
const HOLDERS = 12;

/**
 * Readings in order, each that repeats what `had` says was there before it. A file that was changed between the two was read
 * for a reason; changes up to `since` are none, where what was there is gone with them.
 */
export function readAgain(session: SessionLoadFacts, had: Had, since = -1): readonly Again[] {
  const writes = [...writesOf(session)].map(([file, seqs]) => ({ file, seqs }));
  const changedBefore = (output: Output): number => {
    // What shows several files was there only where none of them was touched since.
    const changes = writes.filter(({ file }) => output.path === null || isOneFile(file, output.path));
    const changed = changes.reduce((last, { seqs }) => Math.max(last, lastBefore(seqs, output.seq)), -1);
    return changed > since ? changed : -1;
  };
  const holders = new Map<number, Output[]>();
  const answers = new Map<string, Output[]>();
  const found: Again[] = [];
  for (const output of outputsOf(session)) {
    if (output.reading === null || output.isError || output.writes) continue;
    const again = sameBytes(output, answers, had) ?? sameLines(output, holders, had, changedBefore(output));
    if (again !== null) found.push(again);
    for (const line of output.lines?.keys() ?? []) append(holders, line, output);
    if (output.outputKey !== null) append(answers, output.outputKey, output);
  }
  return found;
}

function append<Key>(map: Map<Key, Output[]>, key: Key, output: Output): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [output]);
  else known.push(output);
}

type Had = (earlier: Output, now: Output) => boolean;

/** The same bytes from the same file, or to the same question: "No files found" to two questions is two answers. */
function sameBytes(output: Output, answers: ReadonlyMap<string, Output[]>, had: Had): Again | null {
  const alike = answers.get(output.outputKey ?? "") ?? [];
  // The oldest copy that is still there is the one to keep.
  const first = alike.find(
    (one) =>
      (one.inputKey === output.inputKey || (output.lines !== null && one.path !== null && one.path === output.path)) &&
      had(one, output),
  );
  return first === undefined ? null : { output, first, isSame: true, share: 1 };
}

function sameLines(output: Output, holders: ReadonlyMap<number, Output[]>, had: Had, changed: number): Again | null {
  if (output.reading !== "lines" || output.lines === null || output.lines.size === 0) return null;
  const shown = new Map<Output, number>();
  let there = 0;
  for (const [line, chars] of output.lines) {
    const first = holders
      .get(line)
      ?.slice(-HOLDERS)
      .find((one) => isOfOneFile(one, output) && one.seq > changed && had(one, output));
    if (first === undefined) continue;
    there += chars;
    shown.set(first, (shown.get(first) ?? 0) + chars);
  }
  const share = there / Math.max(1, charsOf(output.lines));
  if (share < LEAST_SHARE) return null;
  const [first] = [...shown].toSorted(([a, most], [b, other]) => other - most || a.seq - b.seq)[0]!;
  return { output, first, isSame: false, share };
}

/** Two files may have lines in common; a search or a command that shows several files is of each. */
const isOfOneFile = ({ path: a }: Output, { path: b }: Output): boolean => a === null || b === null || isOneFile(a, b);

/** Agents name one file from its root and from where they stand. */
const isOneFile = (a: string, b: string): boolean => isEndOf(a, b) || isEndOf(b, a);

const isEndOf = (path: string, end: string): boolean =>
  path.endsWith(end) && (path.length === end.length || /[\\/]/.test(path[path.length - end.length - 1]!));
