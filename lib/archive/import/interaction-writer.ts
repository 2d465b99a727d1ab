// Tool interactions: a call and its result, paired by id inside one session. A result may come first, may come twice, or
// may have lost its call to a compaction; an id may be used again. The row is a projection: events can rebuild it.
import type { Draft } from "#lib/kernel/draft.ts";
import { labelOf } from "#lib/kernel/load/weigh.ts";
import { digestOf } from "../base/row-keys.ts";
import { InteractionRows, type Interaction } from "./interaction-rows.ts";
import type { SessionRow } from "./session-row.ts";
import type { Statements } from "./statements.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;
type OpenCall = { toolName: string; subject: string | null; label: string };

/** Stands in an orphan's agent column until its call comes: the result was an error. */
const FAILED = "!error";

/** Calls whose name and subject are held for their results. */
const REMEMBERED = 256;

const NEW: Interaction = {
  pk: null,
  toolCallId: null,
  toolName: "unknown",
  callSeq: null,
  resultSeq: null,
  status: "pending",
  hosted: false,
  inputDigest: null,
  startedAt: null,
  endedAt: null,
  durationMs: null,
  agentId: null,
};

export class InteractionWriter {
  readonly #sql: Statements;
  readonly #session: SessionRow;
  readonly #rows: InteractionRows;
  readonly #calls = new Map<string, OpenCall>();

  /** `written`: the ids of calls that the table has, where all of them are known. It grows. */
  constructor(sql: Statements, session: SessionRow, written: Set<string> | null) {
    this.#sql = sql;
    this.#session = session;
    this.#rows = new InteractionRows(sql, session, written);
  }

  link(toolCallId: string, agentId: string): void {
    this.#rows.link(toolCallId, agentId);
  }

  flush(): void {
    this.#rows.flush();
  }

  /** Which tool a result answers, and what it was asked about. */
  callOf(toolCallId: string | null): OpenCall | null {
    if (toolCallId === null) return null;
    const held = this.#calls.get(toolCallId);
    if (held !== undefined) return held;
    if (this.#rows.isHeld(toolCallId)) this.#rows.flush();
    const row = this.#sql.toolOfCall.get(this.#session.pk, toolCallId);
    if (row === undefined) return null;
    // The call was read long ago, or by an earlier reading: its input says the same now.
    const { input } = JSON.parse(row.body) as { input?: unknown };
    return { toolName: row.tool_name, subject: subjectOf(input), label: row.label };
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
    const { counters } = this.#session;
    const hosted = body.hosted === true;
    const rows = body.toolCallId === null ? [] : this.#rows.find(body.toolCallId);
    const isAgain = rows.some((row) => row.callSeq !== null);
    const waiting = rows.find((row) => row.callSeq === null && row.resultSeq !== null);
    const digest = digestOf(`${body.toolName}\n${text}`);
    if (hosted) counters.hostedToolCalls++;
    else if (!isAgain) counters.toolCalls++;
    if (body.toolCallId !== null)
      this.#remember(body.toolCallId, {
        toolName: body.toolName,
        subject: subjectOf(body.input),
        label: labelOf(body),
      });
    const request = { toolName: body.toolName, callSeq: seq, hosted, inputDigest: digest, startedAt: draft.ts };
    if (waiting !== undefined) {
      const status = waiting.agentId === FAILED ? "error" : "success";
      this.#rows.changed(Object.assign(waiting, request, { status }));
      if (!isAgain) counters.resultsWithoutCall--;
      return;
    }
    if (!hosted) counters.pending++;
    const status = hosted ? "success" : "pending";
    const { toolCallId } = body;
    this.#rows.add({ ...NEW, ...request, toolCallId, status });
  }

  #result(draft: EventDraft, body: Extract<EventDraft["body"], { type: "tool_result" }>, seq: number): string | null {
    const { counters } = this.#session;
    const rows = body.toolCallId === null ? [] : this.#rows.find(body.toolCallId);
    const called = rows.filter((row) => row.callSeq !== null);
    const open = called.find((row) => row.resultSeq === null);
    const hosted = called.some((row) => row.hosted);
    const counts = !hosted && draft.synthetic !== true;
    if (counts) counters.toolResults++;
    if (counts && body.isError) counters.toolErrors++;
    const agentId = body.detail?.agentId ?? null;
    const answered = { resultSeq: seq, endedAt: draft.ts };
    if (open !== undefined) {
      const { startedAt } = open;
      const between = startedAt !== null && draft.ts !== null && draft.ts >= startedAt ? draft.ts - startedAt : null;
      const took = body.detail?.durationMs ?? between;
      const durationMs = took === null ? null : Math.round(took);
      const status = body.isError ? "error" : "success";
      this.#rows.changed(Object.assign(open, answered, { status, durationMs, agentId: agentId ?? open.agentId }));
      if (!hosted && draft.synthetic !== true) counters.pending--;
      return open.toolName;
    }
    if (called.length === 0 && counts) counters.resultsWithoutCall++;
    const toolName = called[0]?.toolName ?? null;
    const status = called.length === 0 ? "orphan" : body.isError ? "error" : "success";
    const remark = called.length === 0 && body.isError ? FAILED : agentId;
    const { toolCallId } = body;
    this.#rows.add({ ...NEW, ...answered, toolCallId, toolName: toolName ?? "unknown", status, agentId: remark });
    return toolName;
  }

  #remember(toolCallId: string, request: OpenCall): void {
    this.#calls.set(toolCallId, request);
    if (this.#calls.size > REMEMBERED) this.#calls.delete(this.#calls.keys().next().value!);
  }
}

/** The path, URL or pattern that a call was about: names an artifact better than a number does. */
function subjectOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  for (const key of ["file_path", "notebook_path", "path", "url"]) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === "string" && value !== "") return value.slice(0, 1000);
  }
  return null;
}
