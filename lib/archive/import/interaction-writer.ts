// Tool interactions: a call and its result, paired by id inside one session. A result may come first, may come twice, or
// may have lost its call to a compaction; an id may be used again. The row is a projection: events can rebuild it.
import type { Draft } from "#lib/kernel/draft.ts";
import { labelOf } from "#lib/kernel/load/weigh.ts";
import { digestOf } from "../keys.ts";
import type { SessionRow } from "./session-row.ts";
import type { Statements } from "./statements.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;
type Asked = { toolName: string; subject: string | null; label: string };

/** Stands in an orphan's agent column until its call comes: the result was an error. */
const FAILED = "!error";

/** Calls whose name and subject are held for their results. */
const REMEMBERED = 256;

export class InteractionWriter {
  readonly #sql: Statements;
  readonly #session: SessionRow;
  readonly #asked = new Map<string, Asked>();

  constructor(sql: Statements, session: SessionRow) {
    this.#sql = sql;
    this.#session = session;
  }

  /** Which tool a result answers, and what it was asked about. */
  asked(toolCallId: string | null): Asked | null {
    if (toolCallId === null) return null;
    const held = this.#asked.get(toolCallId);
    if (held !== undefined) return held;
    const row = this.#sql.toolOfCall.get(this.#session.pk, toolCallId);
    return row === undefined
      ? null
      : { toolName: row["tool_name"] as string, subject: null, label: row["label"] as string };
  }

  /** `text` is the event's text, worked out already. */
  write(draft: EventDraft, seq: number, text: string): { toolCallId: string | null; toolName: string | null } {
    const { body } = draft;
    if (body.type === "tool_call") {
      this.#call(draft, body, seq, text);
      return { toolCallId: body.toolCallId, toolName: body.toolName };
    }
    if (body.type !== "tool_result") return { toolCallId: null, toolName: null };
    return { toolCallId: body.toolCallId, toolName: this.#result(draft, body, seq) };
  }

  #call(draft: EventDraft, body: Extract<EventDraft["body"], { type: "tool_call" }>, seq: number, text: string): void {
    const session = this.#session;
    const { tally } = session;
    const hosted = body.hosted === true;
    const rows = body.toolCallId === null ? [] : this.#sql.findInteraction.all(session.pk, body.toolCallId);
    const isAgain = rows.some((row) => row["call_seq"] !== null);
    const waiting = rows.find((row) => row["call_seq"] === null && row["result_seq"] !== null);
    const digest = digestOf(`${body.toolName}\n${text}`);
    if (hosted) tally.hostedToolCalls++;
    else if (!isAgain) tally.toolCalls++;
    if (body.toolCallId !== null)
      this.#remember(body.toolCallId, {
        toolName: body.toolName,
        subject: subjectOf(body.input),
        label: labelOf(body),
      });
    if (waiting !== undefined) {
      const status = waiting["agent_id"] === FAILED ? "error" : "success";
      this.#sql.fillInteraction.run(seq, body.toolName, hosted ? 1 : 0, digest, draft.ts, status, waiting["pk"]);
      if (!isAgain) tally.resultsWithoutCall--;
      return;
    }
    if (!hosted) tally.pending++;
    const status = hosted ? "success" : "pending";
    this.#sql.insertInteraction.run(
      session.pk,
      body.toolCallId,
      body.toolName,
      seq,
      null,
      status,
      hosted ? 1 : 0,
      digest,
      draft.ts,
      null,
      null,
      null,
    );
  }

  #result(draft: EventDraft, body: Extract<EventDraft["body"], { type: "tool_result" }>, seq: number): string | null {
    const session = this.#session;
    const { tally } = session;
    const rows = body.toolCallId === null ? [] : this.#sql.findInteraction.all(session.pk, body.toolCallId);
    const called = rows.filter((row) => row["call_seq"] !== null);
    const open = called.find((row) => row["result_seq"] === null);
    const hosted = called.some((row) => row["hosted"] === 1);
    const counts = !hosted && draft.synthetic !== true;
    if (counts) tally.toolResults++;
    if (counts && body.isError) tally.toolErrors++;
    const agentId = body.detail?.agentId ?? null;
    if (open !== undefined) {
      const startedAt = open["started_at"] as number | null;
      const between = startedAt !== null && draft.ts !== null && draft.ts >= startedAt ? draft.ts - startedAt : null;
      const durationMs = body.detail?.durationMs ?? between;
      const status = body.isError ? "error" : "success";
      this.#sql.closeInteraction.run(
        seq,
        status,
        draft.ts,
        durationMs === null ? null : Math.round(durationMs),
        agentId,
        open["pk"],
      );
      if (!hosted && draft.synthetic !== true) tally.pending--;
      return open["tool_name"] as string;
    }
    if (called.length === 0 && counts) tally.resultsWithoutCall++;
    const toolName = (called[0]?.["tool_name"] as string | undefined) ?? null;
    const status = called.length === 0 ? "orphan" : body.isError ? "error" : "success";
    const remark = called.length === 0 && body.isError ? FAILED : agentId;
    this.#sql.insertInteraction.run(
      session.pk,
      body.toolCallId,
      toolName ?? "unknown",
      null,
      seq,
      status,
      0,
      null,
      null,
      draft.ts,
      null,
      remark,
    );
    return toolName;
  }

  #remember(toolCallId: string, asked: Asked): void {
    this.#asked.set(toolCallId, asked);
    if (this.#asked.size > REMEMBERED) this.#asked.delete(this.#asked.keys().next().value!);
  }
}

/** The path, URL or pattern that a call was about: names an artifact better than a number does. */
export function subjectOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  for (const key of ["file_path", "notebook_path", "path", "url"]) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === "string" && value !== "") return value.slice(0, 1000);
  }
  return null;
}
