// The tasks of `--only load` that run in a process of their own, as those of tasks.ts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { countSession } from "#lib/archive/load/count-tokens.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { judgeSession } from "#lib/archive/load/compute-verdict.ts";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { whatIfOf } from "#lib/archive/load/replay-session.ts";
import { plantedRates, type PlantedRates } from "#lib/kernel/load/testing-planted.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { whatIfRequest } from "#lib/wire/what-if-schema.ts";
import { growthOf, NO_GROWTH, type Growth } from "./load-growth.ts";
import { writeVaried, type Varied } from "./load-vary.ts";

export type LoadInput = {
  readonly paths: readonly string[];
  readonly dir: string;
  readonly count?: number;
  readonly seed?: number;
};

/** One session's figures, and the file that it came from. */
export type LedgerResult = {
  readonly id: string;
  readonly path: string;
  readonly calls: number;
  /** Calls whose usage was reported: those that must be met. */
  readonly reported: number;
  /** Calls at which prefix + visible + unattributed, or the sum of all resident items, is not what was reported. */
  readonly missed: number;
  readonly promptTokens: number;
  /** Σ over calls of what the calls' unattributed items come to, positive and negative against each other. */
  readonly unattributed: number;
  /** The same with every item counted as positive. */
  readonly moved: number;
  readonly growth: Growth;
  readonly clearings: LedgerAnswer["clearings"];
};

export type SpeedResult = { readonly ms: readonly number[]; readonly sessionId: string };
export type JudgeResult = { readonly ms: number; readonly sessions: number };

const open = (dir: string, mode: "read" | "write" = "write"): Promise<Archive> =>
  openArchive({ dir, host: systemHost(), mode });

const rowsOf = ({ sqlite }: Archive): { pk: number; id: string; path: string }[] =>
  sqlite
    .prepare(
      "SELECT s.pk, s.id, coalesce(f.path, '') AS path FROM sessions s LEFT JOIN sources f ON f.pk = s.source_pk ORDER BY s.pk",
    )
    .all() as { pk: number; id: string; path: string }[];

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

export const LOAD_TASKS = {
  /** Imports and counts everything, and looks at every call of every ledger. */
  async "load-ledgers"({ paths, dir }: LoadInput): Promise<LedgerResult[]> {
    const archive = await open(dir);
    try {
      await importPaths(archive, paths);
      const rows = rowsOf(archive);
      for (const { pk } of rows) await countSession(archive, pk);
      const growth = await growthOf(
        archive,
        rows.map(({ pk }) => pk),
      );
      const result: LedgerResult[] = [];
      for (const { pk, id, path } of rows)
        result.push(ledgerResult(await sessionLedger(archive, id), path, growth.get(pk) ?? NO_GROWTH));
      return result;
    } finally {
      await closeArchive(archive);
    }
  },

  async "load-planted"({ count, seed }: LoadInput): Promise<PlantedRates> {
    return plantedRates(count!, seed!);
  },

  /** From a file to its verdict, each time in a new archive; the process is warm, as a server is. */
  async "load-import"({ paths, dir, count = 20 }: LoadInput): Promise<SpeedResult> {
    const took: number[] = [];
    let sessionId = "";
    for (let run = -1; run < count; run++) {
      const folder = join(dir, String(run));
      mkdirSync(folder, { recursive: true });
      const archive = await open(folder);
      const one = await timed(async () => {
        await importPaths(archive, paths);
        sessionId = rowsOf(archive)[0]!.id;
        said(await sessionLedger(archive, sessionId, { counted: true }));
      });
      await closeArchive(archive);
      // The first loads the vocabulary and compiles: a server has done both.
      if (run >= 0) took.push(one);
    }
    return { ms: took, sessionId };
  },

  /** From an archive that has it, counted and opened anew each time, to the verdict. */
  async "load-archive"({ paths, dir, count = 20 }: LoadInput): Promise<SpeedResult> {
    const first = await open(dir);
    await importPaths(first, paths);
    const { pk, id } = rowsOf(first)[0]!;
    await countSession(first, pk);
    await closeArchive(first);
    const took: number[] = [];
    for (let run = -1; run < count; run++) {
      let archive: Archive | null = null;
      const one = await timed(async () => {
        archive = await open(dir, "read");
        said(await sessionLedger(archive, id));
      });
      await closeArchive(archive!);
      if (run >= 0) took.push(one);
    }
    return { ms: took, sessionId: id };
  },

  /** One threshold after another, as a hand on a slider gives them; the ledger is in memory, as the page left it. */
  async "load-what-if"({ dir, count = 20 }: LoadInput): Promise<SpeedResult> {
    const archive = await open(dir, "read");
    const { id } = rowsOf(archive)[0]!;
    await sessionLedger(archive, id);
    const took: number[] = [];
    const peaks = new Set<number>();
    for (let run = 0; run < count; run++) {
      const policy = whatIfRequest.parse({ offload: 250 * (run + 1), reread: (run % 3) / 2 });
      took.push(await timed(async () => peaks.add((await whatIfOf(archive, id, policy)).predicted.expected.peak)));
    }
    await closeArchive(archive);
    if (peaks.size < 3) throw new Error(`${count} thresholds gave ${peaks.size} peaks: nothing was replayed.`);
    return { ms: took, sessionId: id };
  },

  async "load-vary"({ paths, dir, count }: LoadInput): Promise<Varied> {
    return writeVaried(paths, dir, count!);
  },

  /** All sessions judged once more, everything counted: what of the background work is not counting. */
  async "load-judge"({ dir }: LoadInput): Promise<JudgeResult> {
    const archive = await open(dir);
    try {
      archive.sqlite.exec("UPDATE sessions SET judged_version = NULL");
      const rows = rowsOf(archive);
      const ms = await timed(async () => {
        for (const { pk } of rows) if (!(await judgeSession(archive, pk))) throw new Error(`${pk} was not judged.`);
      });
      return { ms, sessions: rows.length };
    } finally {
      await closeArchive(archive);
    }
  },
};

function said({ verdict, counting }: LedgerAnswer): void {
  if (verdict === "" || counting) throw new Error("The ledger has no verdict, or is not counted.");
}

function ledgerResult(
  { sessionId, calls, items, clearings }: LedgerAnswer,
  path: string,
  growth: Growth,
): LedgerResult {
  const at = new Map(calls.map(({ call }, k) => [call, k]));
  const sums = new Float64Array(calls.length + 1);
  const moved = new Float64Array(calls.length + 1);
  for (const { enteredAt, leftAt, tokens, kind } of items) {
    const [from, to] = [at.get(enteredAt)!, leftAt === null ? calls.length : at.get(leftAt)!];
    sums[from]! += tokens;
    sums[to]! -= tokens;
    if (kind !== "unattributed") continue;
    moved[from]! += Math.abs(tokens);
    moved[to]! -= Math.abs(tokens);
  }
  const result = { reported: 0, missed: 0, promptTokens: 0, unattributed: 0, moved: 0 };
  let [resident, over] = [0, 0];
  for (const [k, call] of calls.entries()) {
    resident += sums[k]!;
    over += moved[k]!;
    if (call.reported === null) continue;
    result.reported++;
    result.promptTokens += call.reported;
    result.unattributed += Math.abs(call.unattributed);
    result.moved += call.reported === 0 ? 0 : over;
    const parts = call.prefix + call.visible + call.unattributed;
    // A prompt of no tokens holds nothing, whatever the items around it say.
    if (parts !== call.reported || call.sum !== call.reported || (call.reported > 0 && resident !== call.reported))
      result.missed++;
  }
  return { id: sessionId, path, calls: calls.length, ...result, growth, clearings };
}
