// The writes of a session that an agent uses as its memory: traces and items added, a compaction carried out. Nothing leaves the log: what a compaction takes away is what its event covers.
import { command, query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import {
  memoryTypeOf,
  type EpisodicItem,
  type MemoryItem,
  type MemorySnapshot,
} from "#lib/kernel/memory/memory-types.ts";
import type { RawTrace, SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { freshWeightsOf } from "../load/event-weights.ts";
import { heldSession } from "../artifacts/held-session.ts";
import type { Batch } from "../base/batch.ts";
import { compactionIdOf } from "../base/row-keys.ts";
import { settleFigures } from "../import/session-stats.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { compactionsOf } from "../base/session-rows.ts";
import { addCompaction, NOTHING_KEPT, touch } from "./add-compaction.ts";
import { presentTokens, contextLog, lastSeqOf } from "./context-rows.ts";
import { insertItem, itemById, newItemId, type NewItem } from "./item-rows.ts";
import { readTraces, writeTraces } from "./trace-rows.ts";
import { snapshotColumns } from "./snapshot-rows.ts";
import { compactionById } from "./undo-compaction.ts";
import { defineWrite, ofSession } from "../base/write.ts";

type GivenItem = EpisodicItem | SemanticItem;

export type AddMemoryInput = { readonly sessionId: string; readonly items: readonly MemoryItem[] };

export function addMemory(archive: Archive, batch: Batch, { sessionId, items }: AddMemoryInput): void {
  const session = heldSession(archive, sessionId);
  const traces = items.filter((item) => memoryTypeOf(item) === "raw_trace") as RawTrace[];
  if (traces.length > 0) {
    const writer = new SessionWriter(archive, batch, session);
    // A fresh name: the same trace may come twice.
    writeTraces(archive, writer, traces, () => `trace:${batch.newId()}`);
    writer.save(batch.now);
    settleFigures(archive, session.pk);
  }
  for (const item of items)
    if (memoryTypeOf(item) !== "raw_trace") addGiven(archive, session.pk, null, item as GivenItem, batch);
  if (traces.length === 0 && items.length > 0) touch(archive, session.pk);
}

/** An item as its agent gave it. Two agents may give theirs the same id: then its row has another one. */
export function addGiven(
  archive: Archive,
  pk: number,
  compactionPk: number | null,
  given: GivenItem,
  batch: Pick<Batch, "now" | "newId">,
): void {
  const isSemantic = "fact" in given;
  const kind = isSemantic ? "semantic" : "episodic";
  const isFree = PLAIN_ID.test(given.id) && itemById(archive, given.id) === null;
  const turnIds = isSemantic ? [] : given.turnIds;
  const of = query(
    archive.sqlite,
    { seq: "event_traces.seq", turn: "events.turn" },
    `SELECT t.seq, e.turn FROM event_traces t JOIN events e ON e.id = t.session_pk * 4294967296 + t.seq
       WHERE t.session_pk = ? AND t.turn_id IN (SELECT value FROM json_each(?)) ORDER BY t.seq`,
  ).all(pk, JSON.stringify(turnIds));
  const item: NewItem = {
    id: isFree ? given.id : newItemId(kind, batch.newId()),
    kind,
    text: isSemantic ? given.fact : given.summary,
    category: isSemantic ? (given.category ?? null) : null,
    salience: given.salience,
    confidence: isSemantic ? (given.confidence ?? null) : null,
    tags: given.tags ?? [],
    turns: [...new Set(of.map(({ turn }) => turn))],
    seqs: of.map(({ seq }) => seq),
    madeBy: compactionPk === null ? "agent" : "compaction",
  };
  insertItem(archive, pk, compactionPk, item, batch.now, JSON.stringify(given));
}

/** What may stand in an address: ids of agents are what they like. */
const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/;

export type ChangeInput = {
  readonly sessionId: string;
  readonly runId: string;
  readonly episodic: readonly EpisodicItem[];
  readonly semantic: readonly SemanticItem[];
  readonly remove: readonly string[];
  readonly snapshot: MemorySnapshot | null;
};

/** Asked for the same run again, also for one that was undone, it does nothing. */
export function compactTraces(archive: Archive, batch: Batch, input: ChangeInput): void {
  const { sessionId, episodic, semantic, snapshot } = input;
  const { pk } = heldSession(archive, sessionId);
  const id = compactionIdOf(sessionId, input.runId);
  if (compactionById(archive, id) !== undefined) return;
  const at = lastSeqOf(archive, pk);
  if (at === 0) fail("conflict", "This memory has nothing to compact yet.");
  const remove = new Set(input.remove);
  const { active } = readTraces(archive, sessionId, pk);
  const gone = active.filter(({ key }) => remove.has(key)).map(({ seq }) => seq);
  const seqs = [...new Set(gone)];
  const leaves = new Set(seqs);
  const whole = [...new Set(active.map(({ seq }) => seq))].filter((seq) => !leaves.has(seq));
  const weights = freshWeightsOf(archive, pk);
  const { rows } = contextLog(archive, pk, at, weights);
  const summary = episodic.map((item) => item.summary).join("\n\n");
  const sum = (of: typeof rows): number => of.reduce((total, row) => total + presentTokens(row), 0);
  const stays = sum(rows.filter(({ seq }) => !leaves.has(seq)));
  addCompaction(archive, batch, {
    sessionId,
    id,
    kind: "applied",
    trigger: "manual",
    unit: "turn",
    at,
    events: seqs.length === 0 ? [at, at] : [Math.min(...seqs), Math.max(...seqs)],
    turns: [...new Set(rows.filter(({ seq }) => leaves.has(seq)).map(({ turn }) => turn))],
    seqs,
    whole,
    lastCompaction: compactionsOf(archive, pk).findLast(({ kind }) => kind === "full")?.seq ?? 0,
    numbers: null,
    options: { runId: input.runId },
    summarizer: "agent",
    tokensBefore: sum(rows),
    tokensAfter: stays + weights.ofText("summary", estimateTokens(Buffer.byteLength(summary))),
    origin: "estimated",
    summary,
    lines: [],
    kept: NOTHING_KEPT,
    dropped: [],
    items: [],
    snapshot: "[]",
    startedAt: batch.now,
  });
  const { pk: compactionPk } = compactionById(archive, id)!;
  for (const item of [...episodic, ...semantic]) addGiven(archive, pk, compactionPk, item, batch);
  if (snapshot === null) command(archive.sqlite, "DELETE FROM snapshots WHERE compaction_pk = ?").run(compactionPk);
  else
    command(archive.sqlite, "UPDATE snapshots SET messages = ?, about = ? WHERE compaction_pk = ?").run(
      ...snapshotColumns(snapshot),
      compactionPk,
    );
}

export const addMemoryWrite = defineWrite("addMemory", addMemory, { session: ofSession });
export const compactTracesWrite = defineWrite("compactTraces", compactTraces, { session: ofSession });
