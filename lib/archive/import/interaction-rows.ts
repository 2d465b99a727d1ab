// The interactions of one session while something is appended to it. Most results follow their call closely: a pair that
// begins and ends between two flushes costs one insert instead of two searches, an insert and an update of four trees.
import type { Rows } from "#db/schema.ts";
import { rowHash } from "#db/row-sums.ts";
import type { SessionRow } from "./session-row.ts";
import type { Statements } from "./statements.ts";

export type Interaction = {
  /** Null while the row is held here. */
  readonly pk: number | null;
  readonly toolCallId: string | null;
  toolName: string;
  callSeq: number | null;
  resultSeq: number | null;
  status: string;
  hosted: boolean;
  inputDigest: Uint8Array | null;
  startedAt: number | null;
  endedAt: number | null;
  durationMs: number | null;
  agentId: string | null;
};

/** Rows held before they are written. */
const HELD = 1000;
/** Ids of which we know that no other row has them, about 10 MB; past that the table is asked for each id. */
const KNOWN = 100_000;

/** Some models number the calls of each answer anew. Of more with one id the older are answered: with all 10,000 read again, each took 1 ms. */
export const SAME_ID = 64;

export class InteractionRows {
  readonly #sql: Statements;
  readonly #session: SessionRow;
  #held: Interaction[] = [];
  readonly #heldById = new Map<string, Interaction[]>();
  /** The ids that the table has, when all of them came through here. */
  #written: Set<string> | null;

  constructor(sql: Statements, session: SessionRow, written: Set<string> | null) {
    this.#sql = sql;
    this.#session = session;
    this.#written = written ?? (session.nextSeq === 1 ? new Set() : null);
  }

  isHeld(toolCallId: string): boolean {
    return this.#heldById.has(toolCallId);
  }

  /** The newest interactions with this id, newest first. */
  find(toolCallId: string): Interaction[] {
    const held = (this.#heldById.get(toolCallId) ?? []).slice(-SAME_ID).toReversed();
    if (held.length === SAME_ID || this.#written?.has(toolCallId) === false) return held;
    const rows = this.#sql.findInteraction.all(this.#session.pk, toolCallId, SAME_ID - held.length);
    return [...held, ...rows.map(interactionOf)];
  }

  add(row: Interaction): void {
    this.#held.push(row);
    if (row.toolCallId !== null) {
      const same = this.#heldById.get(row.toolCallId);
      if (same === undefined) this.#heldById.set(row.toolCallId, [row]);
      else same.push(row);
    }
    if (this.#held.length >= HELD) this.flush();
  }

  /** After the fields of a found row were set. */
  changed(row: Interaction): void {
    if (row.pk === null) return;
    const fields = fieldsOf(row);
    this.#sql.updateInteraction.run(...fields, this.#sum(row, fields), row.pk);
  }

  /** Names the sub-agent that a call started. */
  link(toolCallId: string, agentId: string): void {
    for (const row of this.#heldById.get(toolCallId) ?? []) row.agentId ??= agentId;
    this.#sql.linkAgent.run(agentId, this.#session.pk, toolCallId);
  }

  #sum({ toolCallId }: Interaction, fields: readonly unknown[]): number {
    return rowHash([this.#session.pk, toolCallId, ...fields]);
  }

  /** Writes what is held, in the order in which it came. */
  flush(): void {
    for (const row of this.#held) {
      const fields = fieldsOf(row);
      this.#sql.insertInteraction.run(this.#session.pk, row.toolCallId, ...fields, this.#sum(row, fields));
      if (row.toolCallId !== null) this.#written?.add(row.toolCallId);
    }
    if (this.#written !== null && this.#written.size > KNOWN) this.#written = null;
    this.#held = [];
    this.#heldById.clear();
  }
}

const fieldsOf = (row: Interaction) =>
  [
    row.toolName,
    row.callSeq,
    row.resultSeq,
    row.status,
    row.hosted ? 1 : 0,
    row.inputDigest,
    row.startedAt,
    row.endedAt,
    row.durationMs,
    row.agentId,
  ] as const;

const interactionOf = (row: Rows["tool_interactions"]): Interaction => ({
  pk: row.pk,
  toolCallId: row.tool_call_id,
  toolName: row.tool_name,
  callSeq: row.call_seq,
  resultSeq: row.result_seq,
  status: row.status,
  hosted: row.hosted === 1,
  inputDigest: row.input_digest,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  durationMs: row.duration_ms,
  agentId: row.agent_id,
});
