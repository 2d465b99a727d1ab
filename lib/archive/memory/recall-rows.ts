// Every recall is kept: what was asked at which event, and what the agent was reminded of.
import { columns, command, query, type Columns } from "#db/statement.ts";
import type { RecallItem, RecallRun } from "#lib/kernel/memory/recall/recall-run.ts";
import type { MemoryAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { iso } from "../base/iso.ts";
import { defineWrite } from "../base/write.ts";

export type RecallsInput = { readonly recalls: readonly { readonly sessionId: string; readonly run: RecallRun }[] };

/** The write of recalls. A session that is gone has none. */
export function addRecall(archive: Archive, _: Batch, { recalls }: RecallsInput): void {
  const insert = command(
    archive.sqlite,
    `INSERT INTO recall_runs (session_pk, turn, at_seq, query, budget, items, chars, omitted, created_at)
     SELECT pk, ?, ?, ?, ?, ?, ?, ?, ? FROM sessions WHERE id = ?`,
  );
  for (const { sessionId, run } of recalls)
    insert.run(
      run.turn,
      run.at,
      run.query,
      JSON.stringify(run.budget),
      JSON.stringify(run.items),
      run.chars,
      run.omitted,
      run.createdAt,
      sessionId,
    );
}

const ROW_COLUMNS = {
  ...columns("recall_runs", "turn", "query", "items", "chars", "omitted"),
  at: "recall_runs.at_seq",
  createdAt: "recall_runs.created_at",
} as const satisfies Columns;

/** Recalls of a session that are shown. */
const SHOWN = 500;

/** The recalls of a session, newest first. */
export function recallsOf(archive: Archive, pk: number): MemoryAnswer["recalls"] {
  const rows = query(
    archive.sqlite,
    ROW_COLUMNS,
    `FROM recall_runs
     WHERE session_pk = ? ORDER BY pk DESC LIMIT ${SHOWN}`,
  ).all(pk);
  return rows.map(({ items, createdAt, ...row }) => ({
    ...row,
    items: (JSON.parse(items) as RecallItem[]).map(({ artifactId, pointer, summary = null }) => ({
      artifactId,
      pointer,
      summary,
    })),
    createdAt: iso(createdAt) ?? "",
  }));
}

export const addRecallWrite = defineWrite("addRecall", addRecall);
