// The rows that a context is made of: of a long log only what stands in it, found by the last compaction before the
// event, never by going through what that compaction cut.
import { columns, query, scalar, select, type RowOf } from "#db/statement.ts";
import type { CompactionSeqs, ContextEvent } from "#lib/kernel/context/from-events.ts";
import type { Origin } from "#lib/wire/common-schema.ts";
import { eventsInContext } from "#lib/kernel/context/from-events.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { departuresIn } from "../base/rewind-rows.ts";
import { eventRowId, rowRange, seqOfRow } from "../base/row-keys.ts";
import { weightsOf, type Weights } from "../load/event-weights.ts";
import { allCompactionsOf, epochStarts, remembered, undoneSeqs, type CompactionRow } from "../base/session-rows.ts";

export type ContextRow = ContextEvent & {
  readonly turn: number;
  readonly ts: number | null;
  readonly startsTurn: boolean;
  readonly toolName: string | null;
  readonly artifact: string | null;
  readonly key: Uint8Array | null;
  readonly label: string;
  readonly bytes: number;
  /** It is put before a model; what is not (errors, notes of the client) weighs nothing. */
  readonly isSent: boolean;
  /** What it weighs, on every page. */
  readonly tokens: number;
  readonly origin: Origin;
  /** What a tokenizer alone counts of its text. */
  readonly textTokens: number;
  /** It left without a word in the log: the prompts show that it is not sent any more. */
  readonly hasLeft: boolean;
};

/** What a row takes of the prompt. */
export const presentTokens = ({ tokens, hasLeft }: Pick<ContextRow, "tokens" | "hasLeft">): number =>
  hasLeft ? 0 : tokens;

export type ContextLog = {
  /** In the order of the context; what stands here and is not sent (errors, notes of the client) among them. */
  readonly rows: readonly ContextRow[];
  /** In the order of the log: what `rows` were chosen from. */
  readonly log: readonly ContextRow[];
  readonly compactions: readonly CompactionSeqs[];
  /** The full compactions before the event, those that were undone and their undoing too, and one: it never goes back. */
  readonly epoch: number;
  readonly upTo: number;
  /** Another agent wrote it: what it sent stands in it. Ours render what the log holds. */
  readonly asSent: boolean;
};

/** The last event of a session; 0 when it has none. */
export const lastSeqOf = (archive: Archive, pk: number): number =>
  scalar(archive.sqlite, "integer", "SELECT next_seq - 1 FROM sessions WHERE pk = ?").get(pk) ?? 0;

/** An event that a request names, or the last one. */
export function requireSeq(archive: Archive, pk: number, at: number | undefined): number {
  const last = lastSeqOf(archive, pk);
  if (at !== undefined && at > last)
    fail(
      "not_found",
      last === 0 ? "This session has no events yet." : `This session has no event ${at}: its last is ${last}.`,
    );
  return at ?? last;
}

/** The context right after the event `upTo`. What its rows weigh is worked out when somebody asks. */
export function contextLog(archive: Archive, pk: number, upTo: number, given?: Weights): ContextLog {
  const weighing = { upTo, weights: lazily(() => given ?? weightsOf(archive, pk)) };
  const compactions = remembered(archive, "compactions", pk, () => allCompactionsOf(archive, pk));
  // What is undone later was still in force here.
  const undone = undoneSeqs(compactions, upTo);
  const before = compactions.filter(({ seq }) => seq <= upTo && !undone.has(seq));
  const last = before.findLast(({ kind }) => kind === "full");
  const rewinds = remembered(archive, "rewinds", pk, () => departuresIn(archive, pk)).filter(
    ({ seq, undoneBy = Number.POSITIVE_INFINITY }) => seq <= upTo && undoneBy > upTo,
  );
  const cuts = [...before, ...rewinds];
  const log: ContextRow[] = [];
  const add = (rows: readonly DbRow[]): void => {
    for (const row of rows) if (!undone.has(seqOfRow(row.id))) log.push(contextRow(row, weighing));
  };
  if (last !== undefined) add(coveredRows(archive, pk, last));
  add(rowsBetween(archive, pk, last?.seq ?? 0, upTo));
  const asSent = scalar(
    archive.sqlite,
    "integer",
    "SELECT held = 0 AND format <> 'autobyteus' FROM sessions WHERE pk = ?",
  );
  return {
    rows: eventsInContext(log, upTo, { compactions: cuts }),
    log,
    compactions: cuts,
    epoch: epochStarts(compactions).filter((seq) => seq <= upTo).length + 1,
    upTo,
    asSent: asSent.get(pk) === 1,
  };
}

type Weighing = { readonly upTo: number; readonly weights: () => Weights };

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The whole log, without compactions that were undone. */
export function wholeLog(archive: Archive, pk: number): ContextRow[] {
  const undone = undoneSeqs(allCompactionsOf(archive, pk));
  const rows = rowsBetween(archive, pk, 0, lastSeqOf(archive, pk));
  const weighing = { upTo: Number.POSITIVE_INFINITY, weights: lazily(() => weightsOf(archive, pk)) };
  return rows.filter(({ id }) => !undone.has(seqOfRow(id))).map((row) => contextRow(row, weighing));
}

const DB_ROW_COLUMNS = columns(
  "events",
  "id",
  "call",
  "turn",
  "ts",
  "starts_turn",
  "tool_name",
  "artifact",
  "record_key",
  "keyed",
  "category",
  "label",
  "synthetic",
  "body",
  "bytes",
);
type DbRow = RowOf<typeof DB_ROW_COLUMNS>;

const COLUMNS = `e.id, e.call, e.turn, e.ts, e.starts_turn, e.tool_name, e.artifact, e.record_key, e.keyed, e.category, e.label,
  e.synthetic, e.body, e.bytes`;

function rowsBetween(archive: Archive, pk: number, from: number, to: number): DbRow[] {
  return query(
    archive.sqlite,
    DB_ROW_COLUMNS,
    `SELECT ${COLUMNS} FROM events e WHERE e.id BETWEEN ? AND ? ORDER BY e.id`,
  ).all(...rowRange(pk, from, to));
}

/** Of what a compaction covers: what it kept, the instructions, and the last event that it cut, which says where it stands. */
function coveredRows(archive: Archive, pk: number, { seq, seqs }: CompactionRow): DbRow[] {
  const { sqlite } = archive;
  const system = scalar(
    sqlite,
    "events.id",
    "FROM events WHERE id BETWEEN ? AND ? AND type = 'system' AND category IS NOT NULL",
  ).all(...rowRange(pk, 0, seq - 1));
  const wanted = new Set([...system.map(seqOfRow), ...[...seqs].filter((kept) => kept < seq)]);
  const cut = select(
    sqlite,
    "events",
    ["id"],
    "WHERE id BETWEEN ? AND ? AND category IS NOT NULL AND type <> 'system' ORDER BY id DESC",
  ).iterate(...rowRange(pk, 0, seq - 1));
  for (const { id } of cut)
    if (!seqs.has(seqOfRow(id))) {
      wanted.add(seqOfRow(id));
      break;
    }
  const one = query(sqlite, DB_ROW_COLUMNS, `SELECT ${COLUMNS} FROM events e WHERE e.id = ?`);
  return [...wanted].toSorted((a, b) => a - b).flatMap((kept) => one.get(eventRowId(pk, kept)) ?? []);
}

function contextRow(row: DbRow, { upTo, weights }: Weighing): ContextRow {
  const seq = seqOfRow(row.id);
  return {
    seq,
    call: row.call,
    body: JSON.parse(row.body) as EventBody,
    recordKey: null,
    synthetic: row.synthetic === 1,
    turn: row.turn,
    ts: row.ts,
    startsTurn: row.starts_turn === 1,
    toolName: row.tool_name,
    artifact: row.artifact,
    key: row.keyed === 1 ? row.record_key : null,
    label: row.label,
    bytes: row.bytes,
    isSent: row.category !== null,
    get tokens() {
      return weights().of(seq).tokens;
    },
    get origin() {
      return weights().of(seq).origin;
    },
    get textTokens() {
      return weights().of(seq).textTokens;
    },
    get hasLeft() {
      return weights().hasLeft(seq, upTo);
    },
  };
}
