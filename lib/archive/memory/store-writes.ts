// The writes of a session that an agent uses as its memory: traces and items added, a compaction carried out and taken
// back, the context kept. Nothing leaves the log: what a compaction takes away is what its event covers.
import { columns, command, query, scalar } from "#db/statement.ts";
import { hash } from "node:crypto";
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
import { settleFigures } from "../import/session-stats.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { compactionsOf } from "../base/session-rows.ts";
import { addCompaction, touch } from "./add-compaction.ts";
import { presentTokens, contextLog, lastSeqOf } from "./context-rows.ts";
import { insertItem, itemById, newItemId, type NewItem } from "./item-rows.ts";
import { readTraces, writeTraces } from "./trace-rows.ts";
import { compactionById, undoCompaction } from "./undo-compaction.ts";
import { defineWrite } from "../base/write.ts";

type GivenItem = EpisodicItem | SemanticItem;

export type AddMemoryInput = { readonly sessionId: string; readonly items: readonly MemoryItem[] };

export function addMemory(archive: Archive, batch: Batch, { sessionId, items }: AddMemoryInput): void {
  const session = heldSession(archive, sessionId);
  const traces = items.filter((item) => memoryTypeOf(item) === "raw_trace") as RawTrace[];
  if (traces.length > 0) {
    const writer = new SessionWriter(archive, batch, session);
    writeTraces(archive, writer, traces);
    writer.save(batch.now);
    settleFigures(archive, session.pk);
  }
  for (const item of items)
    if (memoryTypeOf(item) !== "raw_trace") addGiven(archive, session.pk, null, item as GivenItem, batch.now);
  if (traces.length === 0 && items.length > 0) touch(archive, session.pk);
}

/** An item as its agent gave it. Two agents may give theirs the same id: then its row has another one. */
export function addGiven(
  archive: Archive,
  pk: number,
  compactionPk: number | null,
  given: GivenItem,
  now: number,
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
    id: isFree ? given.id : newItemId(kind),
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
  insertItem(archive, pk, compactionPk, item, now, JSON.stringify(given));
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

/** The compaction that a run of an agent became: a name that doors take. */
const compactionOfRun = (sessionId: string, runId: string): string =>
  `cmp_${hash("sha256", `${sessionId}\n${runId}`, "hex").slice(0, 16)}`;

/** Asked for the same run again, also for one that was undone, it does nothing. */
export function compactTraces(archive: Archive, batch: Batch, input: ChangeInput): void {
  const { sessionId, episodic, semantic, snapshot } = input;
  const { pk } = heldSession(archive, sessionId);
  const id = compactionOfRun(sessionId, input.runId);
  if (compactionById(archive, id) !== undefined) return;
  const at = lastSeqOf(archive, pk);
  if (at === 0) fail("conflict", "There is nothing in this memory yet that could be compacted.");
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
    options: { runId: input.runId },
    summarizer: "agent",
    tokensBefore: sum(rows),
    tokensAfter: stays + weights.ofText("summary", estimateTokens(Buffer.byteLength(summary))),
    origin: "estimated",
    summary,
    lines: [],
    kept: NOTHING_TOLD,
    dropped: [],
    items: [],
    snapshot: "[]",
    startedAt: batch.now,
  });
  const { pk: compactionPk } = compactionById(archive, id)!;
  for (const item of [...episodic, ...semantic]) addGiven(archive, pk, compactionPk, item, batch.now);
  if (snapshot === null) command(archive.sqlite, "DELETE FROM snapshots WHERE compaction_pk = ?").run(compactionPk);
  else
    command(archive.sqlite, "UPDATE snapshots SET messages = ?, about = ? WHERE compaction_pk = ?").run(
      ...columnsOf(snapshot),
      compactionPk,
    );
}

const NONE = { kept: 0, total: 0 } as const;
const NOTHING_TOLD = { files: NONE, commands: NONE, errors: NONE, userMessages: NONE, decisions: NONE };

export function undoTraces(archive: Archive, batch: Batch, input: { sessionId: string; runId: string }): void {
  const { sessionId, runId } = input;
  const id = compactionOfRun(sessionId, runId);
  const row = compactionById(archive, id) ?? fail("not_found", `No compaction ${runId} of this memory is kept.`);
  const { isNews } = undoCompaction(archive, batch, { id, sessionId });
  if (!isNews) return;
  const epoch = scalar(
    archive.sqlite,
    "snapshots.epoch",
    "FROM snapshots WHERE compaction_pk = ? AND about IS NOT NULL",
  ).get(row.pk);
  const now = newestSnapshot(archive, row.session_pk);
  const before = epoch === undefined ? null : newestSnapshot(archive, row.session_pk, epoch);
  if (before === null || now === null) return;
  // Epochs never go back: a usage of the epoch that is undone is to be known as old.
  insertSnapshot(archive, batch, row.session_pk, { ...before.snapshot, epochId: now.snapshot.epochId + 1 });
}

export type SaveSnapshotInput = { readonly sessionId: string; readonly snapshot: MemorySnapshot };

/** The context of the epoch that is there grows in its row; another epoch gets its own. */
export function saveSnapshot(archive: Archive, batch: Batch, { sessionId, snapshot }: SaveSnapshotInput): void {
  const { pk } = heldSession(archive, sessionId);
  const now = newestSnapshot(archive, pk);
  if (now === null || now.snapshot.epochId !== snapshot.epochId) insertSnapshot(archive, batch, pk, snapshot);
  else
    command(archive.sqlite, "UPDATE snapshots SET messages = ?, about = ? WHERE session_pk = ? AND epoch = ?").run(
      ...columnsOf(snapshot),
      pk,
      now.epoch,
    );
}

function insertSnapshot(archive: Archive, batch: Batch, pk: number, snapshot: MemorySnapshot): void {
  const last = scalar(
    archive.sqlite,
    "integer",
    "SELECT coalesce(max(epoch), 0) FROM snapshots WHERE session_pk = ?",
  ).get(pk)!;
  command(
    archive.sqlite,
    "INSERT INTO snapshots (session_pk, epoch, messages, about, created_at) VALUES (?, ?, ?, ?, ?)",
  ).run(pk, last + 1, ...columnsOf(snapshot), batch.now);
}

const columnsOf = ({ messages, ...about }: MemorySnapshot): [string, string] => [
  JSON.stringify(messages),
  JSON.stringify(about),
];

/** The context that an agent kept last, or last before an epoch. */
export function newestSnapshot(
  archive: Archive,
  pk: number,
  before = Number.MAX_SAFE_INTEGER,
): { readonly epoch: number; readonly snapshot: MemorySnapshot } | null {
  const row = query(
    archive.sqlite,
    { ...columns("snapshots", "epoch", "messages"), about: "snapshots.about!" },
    "FROM snapshots WHERE session_pk = ? AND about IS NOT NULL AND epoch < ? ORDER BY epoch DESC LIMIT 1",
  ).get(pk, before);
  if (row === undefined) return null;
  const about = JSON.parse(row.about) as Omit<MemorySnapshot, "messages">;
  return { epoch: row.epoch, snapshot: { ...about, messages: JSON.parse(row.messages) as MemorySnapshot["messages"] } };
}

export const addMemoryWrite = defineWrite("addMemory", addMemory);
export const compactTracesWrite = defineWrite("compactTraces", compactTraces);
export const saveSnapshotWrite = defineWrite("saveSnapshot", saveSnapshot);
export const undoTracesWrite = defineWrite("undoTraces", undoTraces);
