// The tasks of `--only compaction`, in a process of their own, as those of tasks.ts.
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { evidenceKept, evidenceSought, type Evidence } from "#lib/kernel/memory/extractive/evidence.ts";
import { extract } from "#lib/kernel/memory/extractive/extract.ts";
import type { Piece } from "#lib/kernel/memory/extractive/piece.ts";
import { median } from "./table.ts";
import { bagsOfNames, cutsOf, rawTail } from "./compaction-cuts.ts";

export type CompactionInput = { readonly paths: readonly string[]; readonly dir: string; readonly count?: number };

export type CutResult = {
  readonly name: string;
  readonly isReal: boolean;
  readonly chars: number;
  readonly size: number;
  readonly needed: number;
  readonly own: Evidence | null;
  readonly tail: Evidence;
  /** The best of three orders, in context. */
  readonly bag: Evidence;
  readonly ours: Evidence;
  readonly twice: Evidence;
  /** Ours was longer than its budget, or another when it was made again. */
  readonly isBroken: boolean;
};

export type ExtractSpeed = {
  readonly chars: number;
  /** The first, before anything was compiled. */
  readonly coldMs: number;
  readonly ms: readonly number[];
  readonly largeChars: number;
  readonly largeMs: readonly number[];
};

export const COMPACTION_TASKS = {
  /** Imports everything, and judges summaries at every cut. */
  async "compaction-cuts"({ paths, dir }: CompactionInput): Promise<CutResult[]> {
    const archive = await openArchive({ dir, host: systemHost() });
    try {
      await importPaths(archive, paths);
      return (await cutsOf(archive)).map((cut): CutResult => {
        const sought = evidenceSought(cut.before, cut.after);
        const judge = (summary: string): Evidence => evidenceKept(sought, summary);
        const [once, again, twice] = [cut.size, cut.size, 2 * cut.size].map(
          (budgetChars) => extract(cut.before, { budgetChars }).text,
        ) as [string, string, string];
        const bags = bagsOfNames(cut).map(judge);
        return {
          name: cut.name,
          isReal: cut.isReal,
          chars: cut.before.reduce((sum, { text }) => sum + text.length, 0),
          size: cut.size,
          needed: sought.entities.length,
          own: cut.own === null ? null : judge(cut.own),
          tail: judge(rawTail(cut)),
          bag: bags.reduce((best, bag) => ((bag.contexted ?? 0) > (best.contexted ?? 0) ? bag : best)),
          ours: judge(once),
          twice: judge(twice),
          isBroken: once !== again || once.length > cut.size || twice.length > 2 * cut.size,
        };
      });
    } finally {
      await closeArchive(archive);
    }
  },

  /** The collected sessions one after the other, their first 300,000 characters and their first 3,000,000. */
  async "compaction-speed"({ paths, dir, count = 5 }: CompactionInput): Promise<ExtractSpeed> {
    const archive = await openArchive({ dir, host: systemHost() });
    try {
      await importPaths(archive, paths);
      const log = (await cutsOf(archive)).flatMap(({ before }) => before);
      const [small, large] = [firstOf(log, 300_000), firstOf(log, 3_000_000)];
      const coldMs = timed(small.pieces);
      const [ms, largeMs]: number[][] = [[], []];
      // In turns: a busy machine slows both.
      for (let run = -2; run < count; run++) {
        const [one, ten] = [median(Array.from({ length: 10 }, () => timed(small.pieces))), timed(large.pieces)];
        if (run < 0) continue;
        ms!.push(one);
        largeMs!.push(ten);
      }
      return { chars: small.chars, coldMs, ms: ms!, largeChars: large.chars, largeMs: largeMs! };
    } finally {
      await closeArchive(archive);
    }
  },
};

const BUDGET = 12_000;

function timed(pieces: readonly Piece[]): number {
  const startedAt = performance.now();
  const { text } = extract(pieces, { budgetChars: BUDGET });
  const took = performance.now() - startedAt;
  if (text.length < BUDGET / 2) throw new Error(`A summary of ${text.length} characters: nothing was summarised.`);
  return took;
}

function firstOf(log: readonly Piece[], chars: number): { readonly pieces: Piece[]; readonly chars: number } {
  const pieces: Piece[] = [];
  let sum = 0;
  for (const piece of log) {
    if (sum >= chars) break;
    const text = piece.text.slice(0, chars - sum);
    pieces.push({ ...piece, seq: pieces.length + 1, ref: `event ${pieces.length + 1}`, text });
    sum += text.length;
  }
  return { pieces, chars: sum };
}
