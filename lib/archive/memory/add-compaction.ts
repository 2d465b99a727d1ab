// The writes of a compaction. In a session of ours it is a record of the log: the compaction and its summary, its items and
// the context that the new epoch begins with, behind one barrier. Of an imported one it is a row that stands beside it.
import type { Draft } from "#lib/kernel/draft.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { CompactionTrigger } from "#lib/kernel/memory/memory-types.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { ownSession } from "../artifacts/held-session.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { plucked, prepared } from "../base/statement-cache.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { exportedKey, rowRange } from "../base/row-keys.ts";
import { compactionsOf } from "../base/session-rows.ts";
import { beginEpoch } from "./gate-rows.ts";
import { insertItem, type NewItem } from "./item-rows.ts";
import { supersedeFacts } from "./known-facts.ts";
import { compactionUuid, epochStarts, undoneCompactions } from "../base/undone-compactions.ts";
import { defineWrite } from "../base/write.ts";

export type AddCompactionWish = {
  readonly sessionId: string;
  readonly id: string;
  readonly kind: "applied" | "plan";
  readonly trigger: CompactionTrigger;
  readonly unit: "turn" | "block";
  readonly at: number;
  readonly events: readonly [number, number];
  readonly turns: readonly number[];
  /** Events that leave, and those that stay. */
  readonly seqs: readonly number[];
  readonly whole: readonly number[];
  /** The last full compaction when it was planned: another one since, and the plan is of another context. */
  readonly lastCompaction: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly summarizer: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly origin: string;
  readonly summary: string;
  readonly lines: CompactAnswer["lines"];
  readonly kept: CompactAnswer["kept"];
  readonly dropped: CompactAnswer["dropped"];
  readonly items: readonly NewItem[];
  /** The context that the epoch begins with, as JSON. */
  readonly snapshot: string;
  readonly startedAt: number;
};

export function addCompaction(
  archive: Archive,
  batch: Batch,
  wish: AddCompactionWish,
): { readonly eventSeq: number | null } {
  const session = prepared(archive.sqlite, "SELECT pk, turn FROM sessions WHERE id = ?").get(wish.sessionId) as
    | { pk: number; turn: number }
    | undefined;
  if (session === undefined) fail("not_found", `Session ${wish.sessionId} is not there any more. Nothing was written.`);
  const { pk } = session;
  const full = compactionsOf(archive, pk).filter(({ kind }) => kind === "full");
  const standing = wish.kind === "applied" ? full.at(-1) : full.findLast(({ seq }) => seq <= wish.at);
  const lastCompaction = standing?.seq ?? 0;
  if (lastCompaction !== wish.lastCompaction)
    fail("conflict", "Another compaction came while this one was being made. Nothing was written; ask again.");
  const epoch = nextEpoch(archive, pk);
  const eventSeq = wish.kind === "applied" ? append(archive, batch, wish) : null;
  const { lastInsertRowid } = prepared(
    archive.sqlite,
    `INSERT INTO compactions (id, session_pk, kind, status, trigger, unit, at_seq, from_seq, to_seq, turns, seqs, options, summarizer,
       tokens_before, tokens_after, origin, epoch_before, epoch_after, summary, lines, kept, dropped, event_seq, started_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    wish.id,
    pk,
    wish.kind,
    wish.kind === "applied" ? "complete" : "planned",
    wish.trigger,
    wish.unit,
    wish.at,
    ...wish.events,
    JSON.stringify(wish.turns),
    JSON.stringify(wish.seqs),
    JSON.stringify(wish.options),
    wish.summarizer,
    wish.tokensBefore,
    wish.tokensAfter,
    wish.origin,
    epoch - 1,
    eventSeq === null ? null : epoch,
    wish.summary,
    JSON.stringify(wish.lines),
    JSON.stringify(wish.kept),
    JSON.stringify(wish.dropped),
    eventSeq,
    wish.startedAt,
    batch.now,
  );
  const compactionPk = Number(lastInsertRowid);
  if (eventSeq !== null && isHeld(archive, pk)) {
    const facts = wish.items.filter(({ kind }) => kind === "semantic").map(({ text }) => text);
    supersedeFacts(archive, pk, facts, wish.id, batch.now);
    beginEpoch(archive, pk, { trigger: wish.trigger, turn: session.turn }, batch.now);
  }
  for (const item of wish.items) insertItem(archive, pk, compactionPk, item, batch.now);
  if (eventSeq !== null)
    prepared(
      archive.sqlite,
      "INSERT INTO snapshots (session_pk, epoch, compaction_pk, messages, created_at) VALUES (?, ?, ?, ?, ?)",
    ).run(pk, epoch, compactionPk, wish.snapshot, batch.now);
  else touch(archive, pk);
  return { eventSeq };
}

/** The facts of a memory folder are its agent's: it says itself which of them hold. */
const isHeld = (archive: Archive, pk: number): boolean =>
  plucked(archive.sqlite, "SELECT held FROM sessions WHERE pk = ?").get(pk) === 1;

/** Says that there is something new to see of a session whose log did not change. */
export function touch(archive: Archive, pk: number): void {
  prepared(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(pk);
}

/** Epochs never go back, also when a compaction is undone. */
function nextEpoch(archive: Archive, pk: number): number {
  const known = plucked(archive.sqlite, "SELECT max(epoch) FROM snapshots WHERE session_pk = ?").get(pk) as
    | number
    | null;
  const full = compactionsOf(archive, pk).filter(({ kind }) => kind === "full");
  return Math.max(known ?? 1, epochStarts(full, undoneCompactions(archive, pk)).length + 1) + 1;
}

/** Appends the compaction and its summary. What was told since the plan was made stays as it is. */
function append(archive: Archive, batch: Batch, wish: AddCompactionWish): number {
  const session = ownSession(archive, wish.sessionId);
  const body = {
    type: "compaction" as const,
    kind: "full" as const,
    trigger: wish.trigger,
    tokensBefore: wish.tokensBefore,
    tokensAfter: wish.tokensAfter,
    text: `Compacted by Plimsoll (${wish.id}): events ${wish.events[0]} to ${wish.events[1]} are summarised.`,
    preserved: keysOf(archive, session.pk, wish),
  };
  const common = {
    kind: "event",
    lane: "",
    ts: batch.now,
    recordKey: compactionUuid(wish.id),
    callKey: null,
    startsTurn: false,
  } as const;
  const drafts: Draft[] = [
    { ...common, body },
    { ...common, body: { type: "user", text: wish.summary, injected: "summary" } },
  ];
  const writer = new SessionWriter(archive, batch, session);
  const eventSeq = session.nextSeq;
  writer.append(drafts, { from: "held" });
  writer.save(batch.now);
  settleFigures(archive, session.pk);
  return eventSeq;
}

/** Keys of the records that stay: those of the plan, and all that came after it. */
function keysOf(archive: Archive, pk: number, { whole, at }: AddCompactionWish): string[] {
  const rows = prepared(
    archive.sqlite,
    `SELECT record_key AS key FROM events WHERE id BETWEEN @from AND @to AND keyed = 1 AND record_key IS NOT NULL
       AND (id > @at OR id - @from IN (SELECT value FROM json_each(@whole)))
       AND (category IS NOT NULL OR EXISTS (SELECT 1 FROM event_traces WHERE session_pk = @pk AND seq = id - @from))
       ORDER BY id`,
  ).all({ pk, from: rowRange(pk)[0], to: rowRange(pk)[1], at: rowRange(pk, at)[0], whole: JSON.stringify(whole) }) as {
    key: Uint8Array;
  }[];
  return [...new Set(rows.map(({ key }) => exportedKey(key)))];
}

export const addCompactionWrite = defineWrite("addCompaction", addCompaction);
