// The writes of the playground: programs that are kept, and runs.
import { randomBytes } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { PastRun, SavedProgram } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { prepared } from "../base/statement-cache.ts";
import { defineWrite } from "../base/write.ts";

export type NewProgram = Omit<SavedProgram, "createdAt">;

/** The write of saveProgram. The same under the same name, or without one, is one row. */
export function addProgram(archive: Archive, batch: Batch, wish: NewProgram): { id: string } {
  const { sqlite } = archive;
  const options = JSON.stringify(wish.options);
  if (wish.name !== null) {
    const known = prepared(
      sqlite,
      "SELECT id, program, options FROM playground_programs WHERE kind = ? AND name = ?",
    ).get(wish.kind, wish.name) as { id: string; program: string; options: string } | undefined;
    if (known?.program === wish.program && known.options === options) return { id: known.id };
    if (known !== undefined)
      fail(
        "conflict",
        `Another ${wish.kind} program is named "${wish.name}" already. Choose another name, or delete that one first.`,
      );
  }
  prepared(
    sqlite,
    `INSERT INTO playground_programs (id, kind, name, program, options, fits, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at`,
  ).run(wish.id, wish.kind, wish.name, wish.program, options, wish.fits, batch.now);
  if (wish.name === null)
    prepared(
      sqlite,
      `DELETE FROM playground_programs WHERE name IS NULL AND pk NOT IN
         (SELECT pk FROM playground_programs WHERE name IS NULL ORDER BY created_at DESC, pk DESC LIMIT ?)`,
    ).run(LIMITS.playgroundPrograms);
  return { id: wish.id };
}

/** The write of deleteProgram. */
export function dropProgram(archive: Archive, _: Batch, wish: { readonly id: string }): { deleted: boolean } {
  const { changes } = prepared(archive.sqlite, "DELETE FROM playground_programs WHERE id = ?").run(wish.id);
  return { deleted: changes > 0 };
}

export type NewRun = Pick<PastRun, "kind" | "program" | "options" | "pasted" | "results" | "ms" | "failure"> & {
  readonly artifacts: readonly string[];
};

/** The write of keepRun. What was just run, run again, is the same row; older ones than the newest 500 go. */
export function addRun(archive: Archive, batch: Batch, wish: NewRun): { id: string } {
  const { sqlite } = archive;
  const [options, artifacts] = [JSON.stringify(wish.options), JSON.stringify(wish.artifacts)];
  const last = prepared(
    sqlite,
    "SELECT pk, id, kind, program, options, artifacts, pasted FROM playground_runs ORDER BY pk DESC LIMIT 1",
  ).get() as { pk: number; id: string } | undefined;
  const asked = { kind: wish.kind, program: wish.program, options, artifacts, pasted: wish.pasted };
  if (last !== undefined && JSON.stringify(last) === JSON.stringify({ pk: last.pk, id: last.id, ...asked })) {
    prepared(sqlite, "UPDATE playground_runs SET results = ?, ms = ?, failure = ?, at = ? WHERE pk = ?").run(
      wish.results,
      wish.ms,
      wish.failure,
      batch.now,
      last.pk,
    );
    return { id: last.id };
  }
  const id = `run_${randomBytes(8).toString("hex")}`;
  prepared(
    sqlite,
    `INSERT INTO playground_runs (id, kind, program, options, artifacts, pasted, results, ms, failure, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, wish.kind, wish.program, options, artifacts, wish.pasted, wish.results, wish.ms, wish.failure, batch.now);
  prepared(
    sqlite,
    "DELETE FROM playground_runs WHERE pk NOT IN (SELECT pk FROM playground_runs ORDER BY pk DESC LIMIT ?)",
  ).run(LIMITS.playgroundRuns);
  return { id };
}

export const saveProgramWrite = defineWrite("saveProgram", addProgram);
export const deleteProgramWrite = defineWrite("deleteProgram", dropProgram);
export const addRunWrite = defineWrite("addRun", addRun);
