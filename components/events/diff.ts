// Lines of an edit: from the hunks that the agent kept, from an old and a new text, or from the patch
// language of `apply_patch`. Pure.

export type DiffLine = {
  readonly kind: "same" | "add" | "del" | "gap" | "file";
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
  /** The part that differs from the paired line, as [from, to) in the text. */
  readonly changed: readonly [number, number] | null;
};

export type Hunk = { readonly oldStart: number; readonly newStart: number; readonly lines: readonly string[] };

/** A table of 1.5 million cells takes about 15 ms; above it all old lines are removed and all new ones added. */
const MOST_CELLS = 1_500_000;

export function diffOfHunks(hunks: readonly Hunk[]): DiffLine[] {
  const lines: DiffLine[] = [];
  hunks.forEach((hunk, i) => {
    if (i > 0) lines.push({ kind: "gap", old: null, new: null, text: "", changed: null });
    let old = hunk.oldStart;
    let now = hunk.newStart;
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith("-")) lines.push({ kind: "del", old: old++, new: null, text, changed: null });
      else if (line.startsWith("+")) lines.push({ kind: "add", old: null, new: now++, text, changed: null });
      else if (!line.startsWith("\\")) lines.push({ kind: "same", old: old++, new: now++, text, changed: null });
    }
  });
  return markChanges(lines);
}

/** The shortest edit from one text to another, line by line. Numbers count from 1: where in the file is not known. */
export function diffOfTexts(before: string, after: string): DiffLine[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = pairs(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const lines: DiffLine[] = [];
  let old = 1;
  let now = 1;
  const same = (text: string) => lines.push({ kind: "same", old: old++, new: now++, text, changed: null });
  for (const text of a.slice(0, head)) same(text);
  for (const step of middle) {
    if (step.kind === "same") same(step.text);
    else if (step.kind === "del") lines.push({ kind: "del", old: old++, new: null, text: step.text, changed: null });
    else lines.push({ kind: "add", old: null, new: now++, text: step.text, changed: null });
  }
  for (const text of tail === 0 ? [] : a.slice(-tail)) same(text);
  return markChanges(lines);
}

/** `*** Update File: …` and its hunks, as Codex's apply_patch writes them. */
export function diffOfPatch(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  const push = (kind: DiffLine["kind"], text: string) =>
    lines.push({ kind, old: null, new: null, text, changed: null });
  for (const line of patch.split("\n")) {
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/u.exec(line);
    if (file) push("file", line.slice(4));
    else if (line.startsWith("*** Move to: ")) push("file", line.slice(4));
    else if (line.startsWith("*** ")) continue;
    else if (line.startsWith("@@")) push("gap", line.slice(2).trim());
    else if (line.startsWith("+")) push("add", line.slice(1));
    else if (line.startsWith("-")) push("del", line.slice(1));
    else push("same", line.startsWith(" ") ? line.slice(1) : line);
  }
  while (lines.at(-1)?.kind === "same" && lines.at(-1)?.text === "") lines.pop();
  return markChanges(lines);
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "add").length,
    removed: lines.filter((line) => line.kind === "del").length,
  };
}

/** Unchanged stretches longer than twice `context` shrink to a gap that says how long it was. */
export function foldSame(lines: readonly DiffLine[], context: number): DiffLine[] {
  const folded: DiffLine[] = [];
  let i = 0;
  while (i < lines.length) {
    let end = i;
    while (end < lines.length && lines[end]?.kind === "same") end++;
    if (end === i) {
      folded.push(lines[i] as DiffLine);
      i++;
      continue;
    }
    const keepHead = i === 0 ? 0 : context;
    const keepTail = end === lines.length ? 0 : context;
    const skipped = end - i - keepHead - keepTail;
    if (skipped <= 1) folded.push(...lines.slice(i, end));
    else {
      folded.push(...lines.slice(i, i + keepHead));
      folded.push({ kind: "gap", old: null, new: null, text: `${skipped} unchanged lines`, changed: null });
      folded.push(...lines.slice(end - keepTail, end));
    }
    i = end;
  }
  return folded;
}

type Step = { readonly kind: "same" | "add" | "del"; readonly text: string };

function pairs(a: readonly string[], b: readonly string[]): Step[] {
  const width = b.length + 1;
  if (a.length * b.length > MOST_CELLS)
    return [...a.map((text): Step => ({ kind: "del", text })), ...b.map((text): Step => ({ kind: "add", text }))];
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      steps.push({ kind: "same", text: a[i] as string });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(longest, i + 1, j, width) >= at(longest, i, j + 1, width)))
      steps.push({ kind: "del", text: a[i++] as string });
    else steps.push({ kind: "add", text: b[j++] as string });
  }
  return steps;
}

const at = (table: Uint32Array, i: number, j: number, width: number): number => table[i * width + j] ?? 0;

/** Pairs the k-th removed line of a block with its k-th added one and marks what differs between them. */
function markChanges(lines: DiffLine[]): DiffLine[] {
  const marked = lines.slice();
  let i = 0;
  while (i < lines.length) {
    const dels = run(lines, i, "del");
    const adds = run(lines, i + dels, "add");
    for (let k = 0; k < Math.min(dels, adds); k++) {
      const del = lines[i + k] as DiffLine;
      const add = lines[i + dels + k] as DiffLine;
      const [was, is] = changedParts(del.text, add.text);
      marked[i + k] = { ...del, changed: was };
      marked[i + dels + k] = { ...add, changed: is };
    }
    i += Math.max(dels + adds, 1);
  }
  return marked;
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return end - from;
}

type Part = readonly [number, number] | null;

function changedParts(a: string, b: string): [Part, Part] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  // Lines that share less than a third are different lines: underlining all of them says nothing.
  const shared = a.slice(0, head).trim().length + a.slice(a.length - tail).trim().length;
  if (shared * 3 < Math.max(a.trim().length, b.trim().length)) return [null, null];
  const part = (text: string): Part => (text.length - tail > head ? [head, text.length - tail] : null);
  return [part(a), part(b)];
}
