// The writes of the playground: programs that are kept, and runs.
import { command, select } from "#db/statement.ts";
import { randomBytes } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { PastRun, SavedProgram } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { defineWrite } from "../base/write.ts";

export type NewProgram = Omit<SavedProgram, "createdAt">;

/** The write of saveProgram. The same under the same name, or without one, is one row. */
export function addProgram(archive: Archive, batch: Batch, input: NewProgram): { id: string } {
  const { sqlite } = archive;
  const options = JSON.stringify(input.options);
  if (input.name !== null) {
    const known = select(
      sqlite,
      "playground_programs",
      ["id", "program", "options"],
      "WHERE kind = ? AND name = ?",
    ).get(input.kind, input.name);
    if (known?.program === input.program && known.options === options) return { id: known.id };
    if (known !== undefined)
      fail(
        "conflict",
        `Another ${input.kind} program is named "${input.name}" already. Choose another name, or delete that one first.`,
      );
  }
  command(
    sqlite,
    `INSERT INTO playground_programs (id, kind, name, program, options, fits, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at`,
  ).run(input.id, input.kind, input.name, input.program, options, input.fits, batch.now);
  if (input.name === null)
    command(
      sqlite,
      `DELETE FROM playground_programs WHERE name IS NULL AND pk NOT IN
         (SELECT pk FROM playground_programs WHERE name IS NULL ORDER BY created_at DESC, pk DESC LIMIT ?)`,
    ).run(LIMITS.playgroundPrograms);
  return { id: input.id };
}

/** The write of deleteProgram. */
export function dropProgram(archive: Archive, _: Batch, input: { readonly id: string }): { deleted: boolean } {
  const { changes } = command(archive.sqlite, "DELETE FROM playground_programs WHERE id = ?").run(input.id);
  return { deleted: changes > 0 };
}

export type NewRun = Pick<PastRun, "kind" | "program" | "options" | "pasted" | "results" | "ms" | "failure"> & {
  readonly artifacts: readonly string[];
};

/** The write of keepRun. What was just run, run again, is the same row; older ones than the newest 500 go. */
export function addRun(archive: Archive, batch: Batch, input: NewRun): { id: string } {
  const { sqlite } = archive;
  const [options, artifacts] = [JSON.stringify(input.options), JSON.stringify(input.artifacts)];
  const last = select(
    sqlite,
    "playground_runs",
    ["pk", "id", "kind", "program", "options", "artifacts", "pasted"],
    "ORDER BY pk DESC LIMIT 1",
  ).get();
  const request = { kind: input.kind, program: input.program, options, artifacts, pasted: input.pasted };
  if (last !== undefined && JSON.stringify(last) === JSON.stringify({ pk: last.pk, id: last.id, ...request })) {
    command(sqlite, "UPDATE playground_runs SET results = ?, ms = ?, failure = ?, at = ? WHERE pk = ?").run(
      input.results,
      input.ms,
      input.failure,
      batch.now,
      last.pk,
    );
    return { id: last.id };
  }
  const id = `run_${randomBytes(8).toString("hex")}`;
  command(
    sqlite,
    `INSERT INTO playground_runs (id, kind, program, options, artifacts, pasted, results, ms, failure, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    input.kind,
    input.program,
    options,
    artifacts,
    input.pasted,
    input.results,
    input.ms,
    input.failure,
    batch.now,
  );
  command(
    sqlite,
    "DELETE FROM playground_runs WHERE pk NOT IN (SELECT pk FROM playground_runs ORDER BY pk DESC LIMIT ?)",
  ).run(LIMITS.playgroundRuns);
  return { id };
}

export const saveProgramWrite = defineWrite("saveProgram", addProgram, { isWhole: true });
export const deleteProgramWrite = defineWrite("deleteProgram", dropProgram);
export const addRunWrite = defineWrite("addRun", addRun);
