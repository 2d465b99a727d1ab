// System prompt and tools of a session whose file holds its requests: which events they are, and where another shape ends some.
// Copied records stand before the first shape: what their calls were sent, the session says that they were copied from.
import type { CompactionPosition } from "#lib/kernel/load/residency.ts";
import type { Archive } from "./archive-type.ts";
import { copiedFrames, type CopiedFrame } from "./copied-frames.ts";
import { shapesOf } from "./frame-shapes.ts";

type FramePart = {
  readonly seq: number;
  readonly part: string;
  /** Where it is sent from: its own position, or one before it where copied calls had it already. */
  readonly since: number;
};

/** A part that only copied calls were sent: the row of its event in the other session, and its stay in this log. */
type Borrowed = { readonly row: number; readonly since: number; readonly until: number | null };

export type FrameParts = {
  readonly parts: readonly FramePart[];
  readonly ends: readonly CompactionPosition[];
  readonly borrowed: readonly Borrowed[];
};

/** System prompt and tools of a session whose file holds them, and where some of them are not sent any more. */
export function framePartsOf(archive: Archive, pk: number): FrameParts {
  const shapes = shapesOf(archive, pk);
  const first = shapes[0];
  const copied = copiedFrames(archive, pk, first?.seq ?? null);
  const parts = shapes.flatMap(({ came }) => came.map(([part, seq]) => ({ seq, part, since: seq })));
  const ends = shapes.flatMap(({ seq, gone }): CompactionPosition[] =>
    gone.length === 0 ? [] : [{ seq, kind: "micro", seqs: new Set(gone) }],
  );
  if (copied.length === 0) return { parts, ends, borrowed: [] };
  const own = new Set(first?.came.map(([part]) => part));
  const sinceOf = new Map([...own].map((part) => [part, sinceOfCopied(copied, part)]));
  return {
    parts: parts.map((one) => {
      const since = first?.came.some(([, seq]) => seq === one.seq) === true ? sinceOf.get(one.part) : null;
      return since == null ? one : { ...one, since };
    }),
    ends,
    borrowed: borrowedOf(copied, sinceOf, first?.seq ?? null),
  };
}

/** The position before the first of the last copied calls that were all sent a part; null where the last one was not. */
function sinceOfCopied(copied: readonly CopiedFrame[], part: string): number | null {
  const without = copied.findLastIndex(({ parts }) => !parts.has(part));
  const first = copied[without + 1];
  return first === undefined ? null : first.firstSeq - 1;
}

/** Stays of parts that no event of this log has. */
function borrowedOf(
  copied: readonly CopiedFrame[],
  sinceOf: ReadonlyMap<string, number | null>,
  end: number | null,
): Borrowed[] {
  const all = new Set(copied.flatMap(({ parts }) => [...parts.keys()]));
  return [...all].flatMap((part): Borrowed[] => {
    const own = sinceOf.get(part) ?? null;
    const stays: { row: number; since: number; until: number | null }[] = [];
    let open: (typeof stays)[number] | undefined;
    for (const { firstSeq, parts } of copied) {
      const row = own !== null && firstSeq > own ? undefined : parts.get(part);
      if (row === undefined) {
        if (open !== undefined) open.until = firstSeq - 1;
        open = undefined;
      } else if (open === undefined) stays.push((open = { row, since: firstSeq - 1, until: end }));
    }
    return stays;
  });
}

/** Every position where a prompt of the session came to hold less: compactions, and parts of its frame that ended. */
export const promptPositions = (
  { ends }: FrameParts,
  compactions: readonly CompactionPosition[],
): CompactionPosition[] => [...compactions, ...ends].toSorted((a, b) => a.seq - b.seq);
