// The writes of a compaction. In a session of ours it is a record of the log: the compaction and its summary, its items and
// the context that the new epoch begins with, behind one barrier. Of an imported one it is a row that stands beside it.
import { command, query, scalar, select } from "#db/statement.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { CompactionTrigger } from "#lib/kernel/memory/memory-types.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { ownSession } from "../artifacts/held-session.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { recordsDigest } from "../base/beside-rows.ts";
import { exportedKey, rowRange } from "../base/row-keys.ts";
import { compactionsOf } from "../base/session-rows.ts";
import { beginEpoch, epochOf } from "./gate-rows.ts";
import { insertItem, type NewItem } from "./item-rows.ts";
import { supersedeFacts } from "./known-facts.ts";
import { compactionUuid } from "../base/undone-compactions.ts";
import { defineWrite, ofSession } from "../base/write.ts";

export type AddCompactionInput = {
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
  /** How the events of an imported session were numbered then; null for one of ours. */
  readonly numbers: EventNumbers | null;
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

/** Which record each event is of, up to the last there was. */
export type EventNumbers = { readonly last: number; readonly records: string };

const NONE = { kept: 0, total: 0 } as const;
/** Of a compaction that nobody judged. */
export const NOTHING_KEPT: CompactAnswer["kept"] = {
  files: NONE,
  commands: NONE,
  errors: NONE,
  userMessages: NONE,
  decisions: NONE,
};

export function addCompaction(
  archive: Archive,
  batch: Batch,
  input: AddCompactionInput,
): { readonly eventSeq: number | null } {
  const session = select(archive.sqlite, "sessions", ["pk", "turn"], "WHERE id = ?").get(input.sessionId);
  if (session === undefined) fail("not_found", `Session ${input.sessionId} no longer exists. Nothing was written.`);
  const { pk } = session;
  const full = compactionsOf(archive, pk).filter(({ kind }) => kind === "full");
  const standing = input.kind === "applied" ? full.at(-1) : full.findLast(({ seq }) => seq <= input.at);
  const lastCompaction = standing?.seq ?? 0;
  if (lastCompaction !== input.lastCompaction)
    fail("conflict", "Another compaction finished first. Nothing was written; compact again.");
  const { numbers = null } = input;
  if (numbers !== null && recordsDigest(archive, pk, numbers.last) !== numbers.records)
    fail("conflict", "The session was imported again meanwhile. Nothing was written; compact again.");
  const epoch = nextEpoch(archive, pk);
  const eventSeq = input.kind === "applied" ? append(archive, batch, input) : null;
  const { lastInsertRowid } = command(
    archive.sqlite,
    `INSERT INTO compactions (id, session_pk, kind, status, trigger, unit, at_seq, from_seq, to_seq, turns, seqs, options, summarizer,
       tokens_before, tokens_after, origin, epoch_before, epoch_after, summary, lines, kept, dropped, event_seq, started_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    input.id,
    pk,
    input.kind,
    input.kind === "applied" ? "complete" : "planned",
    input.trigger,
    input.unit,
    input.at,
    ...input.events,
    JSON.stringify(input.turns),
    JSON.stringify(input.seqs),
    JSON.stringify(input.options),
    input.summarizer,
    input.tokensBefore,
    input.tokensAfter,
    input.origin,
    epoch - 1,
    eventSeq === null ? null : epoch,
    input.summary,
    JSON.stringify(input.lines),
    JSON.stringify(input.kept),
    JSON.stringify(input.dropped),
    eventSeq,
    input.startedAt,
    batch.now,
  );
  const compactionPk = Number(lastInsertRowid);
  if (eventSeq !== null && isHeld(archive, pk)) {
    const facts = input.items.filter(({ kind }) => kind === "semantic").map(({ text }) => text);
    supersedeFacts(archive, pk, facts, input.id, batch.now);
    beginEpoch(archive, pk, { trigger: input.trigger, turn: session.turn }, batch.now);
  }
  for (const item of input.items) insertItem(archive, pk, compactionPk, item, batch.now);
  if (eventSeq !== null)
    command(
      archive.sqlite,
      "INSERT INTO snapshots (session_pk, epoch, compaction_pk, messages, created_at) VALUES (?, ?, ?, ?, ?)",
    ).run(pk, epoch, compactionPk, input.snapshot, batch.now);
  else touch(archive, pk);
  return { eventSeq };
}

/** The facts of a memory folder are its agent's: it says itself which of them hold. */
const isHeld = (archive: Archive, pk: number): boolean =>
  scalar(archive.sqlite, "sessions.held", "FROM sessions WHERE pk = ?").get(pk) === 1;

/** Says that there is something new to see of a session whose log did not change. */
export function touch(archive: Archive, pk: number): void {
  command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(pk);
}

/** Epochs never go back, also when a compaction is undone. */
function nextEpoch(archive: Archive, pk: number): number {
  const known =
    scalar(archive.sqlite, "integer?", "SELECT max(epoch) FROM snapshots WHERE session_pk = ?").get(pk) ?? null;
  return Math.max(known ?? 1, epochOf(archive, pk)) + 1;
}

/** Appends the compaction and its summary. What was told since the plan was made stays as it is. */
function append(archive: Archive, batch: Batch, input: AddCompactionInput): number {
  const session = ownSession(archive, input.sessionId);
  const body = {
    type: "compaction" as const,
    kind: "full" as const,
    trigger: input.trigger,
    tokensBefore: input.tokensBefore,
    tokensAfter: input.tokensAfter,
    text: `Compacted by Plimsoll (${input.id}): events ${input.events[0]} to ${input.events[1]} are summarised.`,
    preserved: keysOf(archive, session.pk, input),
  };
  const common = {
    kind: "event",
    lane: "",
    ts: batch.now,
    recordKey: compactionUuid(input.id),
    callKey: null,
    startsTurn: false,
  } as const;
  const drafts: Draft[] = [
    { ...common, body },
    { ...common, body: { type: "user", text: input.summary, injected: "summary" } },
  ];
  const writer = new SessionWriter(archive, batch, session);
  const eventSeq = session.nextSeq;
  writer.append(drafts, { from: "held" });
  writer.save(batch.now);
  settleFigures(archive, session.pk);
  return eventSeq;
}

/** Keys of the records that stay: those of the plan, and all that came after it. */
function keysOf(archive: Archive, pk: number, { whole, at }: AddCompactionInput): string[] {
  const rows = query(
    archive.sqlite,
    { key: "events.record_key!" },
    `FROM events WHERE id BETWEEN @from AND @to AND keyed = 1 AND record_key IS NOT NULL
       AND (id > @at OR id - @from IN (SELECT value FROM json_each(@whole)))
       AND (category IS NOT NULL OR EXISTS (SELECT 1 FROM event_traces WHERE session_pk = @pk AND seq = id - @from))
       ORDER BY id`,
  ).all({ pk, from: rowRange(pk)[0], to: rowRange(pk)[1], at: rowRange(pk, at)[0], whole: JSON.stringify(whole) });
  return [...new Set(rows.map(({ key }) => exportedKey(key)))];
}

export const addCompactionWrite = defineWrite("addCompaction", addCompaction, {
  isWhole: true,
  session: ofSession,
  isBeside: true,
});
