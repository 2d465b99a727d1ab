// The write of ingest.
import { columns, command, query, type RowOf } from "#db/statement.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { fail } from "#lib/kernel/errors.ts";
import { recordDrafts } from "#lib/formats/plimsoll-format.ts";
import type { PlimsollRecord } from "#lib/formats/plimsoll/plimsoll-records.ts";
import type { IngestAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { heldSession } from "../artifacts/held-session.ts";
import { closedTurns } from "../artifacts/turns.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import type { SessionRow } from "../import/session-row.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { digestOf, recordKey, rowRange, seqOfRow } from "../base/row-keys.ts";
import { versionOf } from "../base/session-rows.ts";
import { defineWrite, ofSession } from "../base/write.ts";
import { knownOf, noteBegun } from "./began-here.ts";
import { observePrompt, type ObservedPrompt } from "./gate-rows.ts";

type EventRecord = Extract<PlimsollRecord, { record: "event" }> & { readonly uuid: string };
type CallRecord = Extract<PlimsollRecord, { record: "call" }>;
export type IngestedRecord = EventRecord | CallRecord;

export type AddEventsInput = {
  readonly sessionId: string;
  readonly records: readonly IngestedRecord[];
  /** Epoch of the request that the calls answered; null: of the one under way. */
  readonly epoch: number | null;
  /** What a prompt may have; null where automatic compaction is off. */
  readonly budget: ObservedPrompt["budget"] | null;
};

export function addEvents(archive: Archive, batch: Batch, input: AddEventsInput): IngestAnswer {
  const { sessionId, records, epoch, budget } = input;
  const session = heldSession(archive, sessionId);
  // Exported keys stand for uuids that nobody said.
  const isPlain = !records.some((one) => one.record === "event" && one.uuid.startsWith("record:"));
  const begun = isPlain ? knownOf(archive, session) : null;
  const known = new KnownRecords(archive, session.pk, begun?.uuids);
  const turns = new OpenTurns(archive, session);
  const writer = new SessionWriter(archive, batch, session, begun?.callIds);
  let uuid: string | null = null;
  let isNews = false;
  const promptTokens = budget === null ? null : newPrompt(archive, session.pk, records);
  const seqs = records.map((one, at) => {
    const drafts = recordDrafts(one);
    if (one.record === "call") {
      writer.append(drafts, { from: "held" });
      isNews = true;
      return null;
    }
    const seq = known.seqOf(one, at);
    if (seq !== null) return seq;
    turns.require(one, at);
    // The blocks of one record stand one after the other.
    writer.append(drafts, { from: "held", continues: uuid === one.uuid });
    uuid = one.uuid;
    isNews = true;
    return session.nextSeq - 1;
  });
  if (isNews) {
    writer.save(batch.now);
    // What a session costs and where its line is hangs on calls and refusals: looking through all its calls for each event
    // of a long one takes as long as the write.
    const isFigure = records.some((one) => one.record === "call" || one.body.type === "error");
    if (isFigure) settleFigures(archive, session.pk);
  }
  if (begun !== null && uuid !== null) noteBegun(archive, session, begun, uuid);
  if (budget !== null && promptTokens !== null)
    observePrompt(archive, session.pk, { promptTokens, epoch, budget }, batch.now);
  return { seqs, version: versionOf(archive, session.pk) };
}

/** The prompt of the last call that was not told before; null where there is none that was counted. */
function newPrompt(archive: Archive, pk: number, records: readonly IngestedRecord[]): number | null {
  const known = command(archive.sqlite, "SELECT 1 FROM model_calls WHERE key = ? AND session_pk = ? AND has_usage = 1");
  const last = records.findLast(
    (one) => one.record === "call" && one.usage !== undefined && known.get(one.key, pk) === undefined,
  ) as CallRecord | undefined;
  if (last?.usage === undefined) return null;
  const { inputUncached, cacheRead, cacheWrite } = last.usage;
  return inputUncached + cacheRead + cacheWrite;
}

const KNOWN_ROW_COLUMNS = columns("events", "id", "type", "digest", "body");
type KnownRow = RowOf<typeof KNOWN_ROW_COLUMNS>;

/**
 * What was told before, by uuid. The blocks of a record come one after the other and in one request: whoever comes back
 * to a uuid says the same again.
 */
class KnownRecords {
  readonly #archive: Archive;
  readonly #range: [number, number];
  #uuid: string | null = null;
  #rows: KnownRow[] | null = null;
  readonly #uuids: Set<string> | undefined;

  /** `uuids`: all that were told, where they are known. It grows. */
  constructor(archive: Archive, pk: number, uuids: Set<string> | undefined) {
    this.#archive = archive;
    this.#range = rowRange(pk);
    this.#uuids = uuids;
  }

  /** The event that a record became earlier, or null when it is new. Fails when it says something else now. */
  seqOf({ uuid, body }: EventRecord, at: number): number | null {
    if (uuid !== this.#uuid) {
      this.#uuid = uuid;
      const rows = this.#uuids?.has(uuid) === false ? [] : this.#stored(uuid);
      this.#rows = rows.length === 0 ? null : rows;
      this.#uuids?.add(uuid);
    }
    if (this.#rows === null) return null;
    const found = this.#rows.findIndex((row) => isSame(row, body));
    if (found < 0)
      fail(
        "conflict",
        `records[${at}]: the record ${JSON.stringify(uuid.slice(0, 80))} exists already with other content. Send a record's blocks in one request, or use a new uuid.`,
      );
    return seqOfRow(this.#rows.splice(found, 1)[0]!.id);
  }

  #stored(uuid: string): KnownRow[] {
    return query(
      this.#archive.sqlite,
      KNOWN_ROW_COLUMNS,
      "FROM events WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ? ORDER BY id",
    ).all(recordKey(uuid, new Uint8Array(0)), ...this.#range);
  }
}

function isSame(row: KnownRow, body: EventBody): boolean {
  const stored = JSON.parse(row.body) as EventBody;
  if (stored.type !== body.type || callIdOf(stored) !== callIdOf(body)) return false;
  const text = eventText(body);
  // A long output is cut in its row: its digest is that of the whole.
  return row.digest === null ? eventText(stored) === text : row.digest.equals(digestOf(text));
}

const callIdOf = (body: EventBody): string | null => ("toolCallId" in body ? body.toolCallId : null);

/** A turn whose writes are closed takes nothing: neither what would go on in it, nor the result of one of its calls. */
class OpenTurns {
  readonly #archive: Archive;
  readonly #session: SessionRow;
  readonly #closed: ReadonlySet<number>;

  constructor(archive: Archive, session: SessionRow) {
    this.#archive = archive;
    this.#session = session;
    this.#closed = new Set(closedTurns(archive, session.id));
  }

  require(one: EventRecord, at: number): void {
    if (this.#closed.size === 0) return;
    const turn = this.#turnOf(one);
    if (!this.#closed.has(turn)) return;
    fail(
      "conflict",
      `records[${at}]: turn ${turn} is closed, so nothing was written. Begin a turn with a user event that has "startsTurn": true.`,
    );
  }

  #turnOf({ body, startsTurn }: EventRecord): number {
    const { pk, turn } = this.#session;
    if (startsTurn === true) return turn + 1;
    if (body.type !== "tool_result" || body.toolCallId === null) return turn;
    const called = query(
      this.#archive.sqlite,
      { turn: "events.turn" },
      `SELECT e.turn FROM tool_interactions t JOIN events e ON e.id = t.session_pk * 4294967296 + t.call_seq
         WHERE t.session_pk = ? AND t.tool_call_id = ? AND t.call_seq IS NOT NULL AND t.result_seq IS NULL ORDER BY t.pk DESC LIMIT 1`,
    ).get(pk, body.toolCallId);
    return called?.turn ?? turn;
  }
}

export const addEventsWrite = defineWrite("addEvents", addEvents, { isAnswer: true, session: ofSession });
