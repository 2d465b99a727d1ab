// The gate of a held session as a row: whether its next request is compacted first. It is set in the write that tells of a
// prompt over the budget and cleared in the write that begins the next epoch, so that no end of the process is between.
import { columns, command, query } from "#db/statement.ts";
import { CompactionGate, type GateRun } from "#lib/kernel/memory/compaction-gate.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { heldSession } from "../artifacts/held-session.ts";
import { allCompactionsOf, epochStarts } from "../base/session-rows.ts";
import { defineWrite, ofSession } from "../base/write.ts";

const GATE_ROW_COLUMNS = columns("held_compaction", "required", "prompt_tokens", "last");

export function readGate(archive: Archive, pk: number): CompactionGate {
  const row = query(archive.sqlite, GATE_ROW_COLUMNS, "FROM held_compaction WHERE session_pk = ?").get(pk);
  if (row === undefined) return new CompactionGate();
  const last = row.last === null ? null : (JSON.parse(row.last) as GateRun);
  return CompactionGate.restore({ required: row.required, promptTokens: row.prompt_tokens, last });
}

function saveGate(archive: Archive, pk: number, { state }: CompactionGate, now: number): void {
  command(
    archive.sqlite,
    `INSERT INTO held_compaction (session_pk, required, requested_at, prompt_tokens, last) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (session_pk) DO UPDATE SET required = excluded.required, prompt_tokens = excluded.prompt_tokens, last = excluded.last,
         requested_at = CASE WHEN excluded.required IS NULL THEN NULL ELSE coalesce(requested_at, excluded.requested_at) END`,
  ).run(
    pk,
    state.required,
    state.required === null ? null : now,
    state.promptTokens,
    state.last === null ? null : JSON.stringify(state.last),
  );
}

/** The epoch that a session's next request is of. */
export const epochOf = (archive: Archive, pk: number): number => epochStarts(allCompactionsOf(archive, pk)).length + 1;

/** What an ingest says of the prompt that was counted last. */
export type ObservedPrompt = {
  readonly promptTokens: number;
  /** Epoch of the request; null: of the one under way. */
  readonly epoch: number | null;
  readonly budget: { readonly inputBudget: number; readonly compactionRatio: number };
};

/** In the write of an ingest. A count of an older epoch says nothing of this one. */
export function observePrompt(archive: Archive, pk: number, prompt: ObservedPrompt, now: number): void {
  const gate = readGate(archive, pk);
  const epoch = epochOf(archive, pk);
  const usage = { promptTokens: prompt.promptTokens, epochId: prompt.epoch ?? epoch };
  if (gate.observe(usage, epoch, prompt.budget, new CompactionPolicy()) !== "stale") saveGate(archive, pk, gate, now);
}

/** In the write of a compaction that begins an epoch, whoever asked for it. */
export function beginEpoch(archive: Archive, pk: number, run: { trigger: string; turn: number }, now: number): void {
  const gate = readGate(archive, pk);
  if (run.trigger !== "manual") gate.ran(String(run.turn), gate.promptTokens, null);
  gate.beginEpoch();
  saveGate(archive, pk, gate, now);
}

export type GateOutcome = {
  readonly sessionId: string;
  readonly turn: number;
  /** Why it failed; null: there was nothing to compact. */
  readonly failure: string | null;
};

/** An automatic compaction changed nothing. One that failed stays due: the next turn tries it again. */
function noteOutcome(archive: Archive, batch: Batch, { sessionId, turn, failure }: GateOutcome): void {
  const { pk } = heldSession(archive, sessionId);
  const gate = readGate(archive, pk);
  if (failure === null) gate.clear();
  else gate.ran(String(turn), gate.promptTokens, failure);
  saveGate(archive, pk, gate, batch.now);
}

export const noteCompactionOutcomeWrite = defineWrite("noteCompactionOutcome", noteOutcome, { session: ofSession });
