// The events of a session as an export for people and other tools has them: which of them make one step, and their texts.
import { query, scalar, select } from "#db/statement.ts";
import { captured } from "#lib/formats/captured.ts";
import { eventText, type EventBody, type EventType } from "#lib/kernel/event.ts";
import type { Outputs } from "#lib/wire/export-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import { eventRowId, rowRange, seqOfRow } from "../base/row-keys.ts";
import { refuseChanged } from "../base/unchanged-rows.ts";
import { usageOfRow } from "../base/usage-of-row.ts";
import { wholeText } from "../artifacts/whole-text.ts";
import { beginningOf } from "./report-parts.ts";

/** One answer of the model with the results of its tools, or one other event. `at`: where it stands in the log. */
export type ExportedStep = {
  readonly at: number;
  readonly kind: "answer" | "orphan" | "event";
  readonly call: number | null;
  readonly seqs: number[];
  readonly results: number[];
};

export type ExportPlan = {
  readonly steps: readonly ExportedStep[];
  /** Events that say nothing of the conversation, by their type. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Tool interactions by the event of the result. */
  readonly interactions: ReadonlyMap<number, Interaction>;
};

export type Interaction = {
  readonly callSeq: number | null;
  readonly status: string;
  readonly durationMs: number | null;
};

const ANSWERS: ReadonlySet<EventType> = new Set(["assistant", "reasoning", "tool_call"]);

/** The steps of a session: an answer stands where its first event does, and has all events of its model call. */
export function planSteps(archive: Archive, pk: number): ExportPlan {
  const interactions = interactionsOf(archive, pk);
  const rows = query(
    archive.sqlite,
    { id: "events.id", type: "events.type", call: "events.call", sent: "integer" },
    `SELECT id, type, call, type <> 'meta' OR json_extract(body, '$.sent') IS NOT NULL AS sent FROM events WHERE id BETWEEN ? AND ? ORDER BY id`,
  );
  const steps: ExportedStep[] = [];
  const leftOut: Record<string, number> = {};
  const ofCall = new Map<number, ExportedStep>();
  const ofEvent = new Map<number, ExportedStep>();
  let loose: ExportedStep | null = null;
  const add = (at: number, kind: ExportedStep["kind"], call: number | null): ExportedStep => {
    const step: ExportedStep = { at, kind, call, seqs: [], results: [] };
    steps.push(step);
    return step;
  };
  for (const { id, type, call, sent } of rows.iterate(...rowRange(pk))) {
    const seq = seqOfRow(id);
    if (type === "unknown" || sent === 0) {
      leftOut[type] = (leftOut[type] ?? 0) + 1;
      continue;
    }
    if (ANSWERS.has(type)) {
      const known: ExportedStep | null = call === null ? loose : (ofCall.get(call) ?? null);
      const step: ExportedStep = known ?? add(seq, "answer", call);
      if (call === null) loose = step;
      else ofCall.set(call, step);
      step.seqs.push(seq);
      ofEvent.set(seq, step);
      continue;
    }
    loose = null;
    const owner = type === "tool_result" ? ofEvent.get(interactions.get(seq)?.callSeq ?? 0) : undefined;
    if (owner !== undefined) owner.results.push(seq);
    else add(seq, type === "tool_result" ? "orphan" : "event", null).seqs.push(seq);
  }
  // A call that left no event was paid for all the same.
  for (const { call, first_seq: first } of select(
    archive.sqlite,
    "model_calls",
    ["call", "first_seq"],
    "WHERE session_pk = ? ORDER BY call",
  ).all(pk))
    if (!ofCall.has(call)) add(first - 0.5, "answer", call);
  return { steps: steps.toSorted((a, b) => a.at - b.at), leftOut, interactions };
}

function interactionsOf(archive: Archive, pk: number): Map<number, Interaction> {
  const rows = select(
    archive.sqlite,
    "tool_interactions",
    ["call_seq", "result_seq", "status", "duration_ms"],
    "WHERE session_pk = ? AND result_seq IS NOT NULL",
  ).all(pk);
  return new Map(
    rows.map(({ call_seq: callSeq, result_seq: seq, status, duration_ms: durationMs }) => [
      seq!,
      { callSeq, status, durationMs },
    ]),
  );
}

export type ExportedEvent = {
  readonly seq: number;
  readonly ts: string | null;
  readonly turn: number;
  readonly startsTurn: boolean;
  readonly synthetic: boolean;
  readonly inherited: boolean;
  readonly body: EventBody;
  /** What is written of its text, and whether that is all that the model saw. */
  readonly text: string;
  readonly isCut: boolean;
  /** Bytes of what the model saw, and of what is stored where that is more. */
  readonly bytes: number;
  readonly storedBytes: number | null;
};

/** Reads one event with as much of an output as is asked for. */
export async function readExported(
  archive: Archive,
  pk: number,
  seq: number,
  outputs: Outputs,
): Promise<ExportedEvent> {
  const row = query(archive.sqlite, { "*": "events.*" }, "FROM events WHERE id = ?").get(eventRowId(pk, seq));
  if (row === undefined) return refuseChanged("The session");
  const body = JSON.parse(row.body) as EventBody;
  const stored = row.artifact === null || body.type !== "tool_result" ? null : storedSize(archive, row.artifact);
  const isWanted = stored !== null && (outputs === "whole" || (body as { saw?: string }).saw === "full");
  const whole = (isWanted ? await wholeText(archive, row.artifact!) : null) ?? eventText(body);
  const text = outputs === "short" && body.type === "tool_result" ? beginningOf(whole) : whole;
  return {
    seq,
    ts: iso(row.ts),
    turn: row.turn,
    startsTurn: row.starts_turn === 1,
    synthetic: row.synthetic === 1,
    inherited: row.inherited === 1,
    body,
    text,
    isCut: text.length < whole.length,
    bytes: row.bytes,
    storedBytes: stored !== null && stored > row.bytes ? stored : null,
  };
}

const storedSize = (archive: Archive, pointer: string): number | null =>
  scalar(archive.sqlite, "artifacts.size", "FROM artifacts WHERE pointer = ? AND deleted_at IS NULL").get(pointer) ??
  null;

export type ExportedCall = {
  readonly model: string | null;
  readonly usage: ReturnType<typeof usageOfRow> | null;
  readonly usd: number | null;
  readonly inherited: boolean;
  readonly ts: string | null;
};

export function readCall(archive: Archive, pk: number, call: number): ExportedCall | null {
  const row = query(archive.sqlite, { "*": "model_calls.*" }, "FROM model_calls WHERE session_pk = ? AND call = ?").get(
    pk,
    call,
  );
  if (row === undefined) return null;
  return {
    model: row.model,
    usage: row.has_usage === 1 ? usageOfRow(row) : null,
    usd: row.usd,
    inherited: row.inherited === 1,
    ts: iso(row.ts),
  };
}

export type SubAgent = {
  readonly pk: number;
  readonly id: string;
  readonly title: string;
  readonly callSeq: number | null;
};

/** Sub-agents of a session, in the order in which they began. */
export function subAgentsOf(archive: Archive, pk: number): SubAgent[] {
  return query(
    archive.sqlite,
    { pk: "sessions.pk", id: "sessions.id", title: "sessions.title", callSeq: "sessions.parent_tool_call_seq" },
    `SELECT pk, id, title, parent_tool_call_seq AS callSeq FROM sessions
       WHERE parent_pk = ? AND earlier IS NULL AND format <> '${captured.id}' ORDER BY started_at, pk`,
  ).all(pk);
}
