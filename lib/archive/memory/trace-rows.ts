// Raw traces as events, and back. An event says what a trace did; what only the trace has (its own id, turn and seq, its
// tags, fields that nobody knows) is kept beside the event, so that an agent gets back what it gave.
import { columns, command, query, scalar, type RowOf } from "#db/statement.ts";
import { parseDataUrl } from "#lib/kernel/context/renderers/media.ts";
import type { Attachment } from "#lib/kernel/draft.ts";
import { imagePart, type EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { traceKey, type RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { bodyOfTrace } from "#lib/kernel/memory/trace-events.ts";
import type { Archive } from "../base/archive-type.ts";
import { closedTurns } from "../artifacts/turns.ts";
import type { SessionWriter } from "../import/session-writer.ts";
import { compactionsOf, remembered } from "../base/session-rows.ts";
import { wholeLog, type ContextRow } from "./context-rows.ts";
import { isSummary } from "./cut.ts";
import { tracesOf, type EventTrace } from "./traces.ts";

/** What an event of a trace is known by; a fresh name where the same trace may come twice. */
export type NameOf = (trace: RawTrace) => string;

/** Appends traces. A turn begins with the first trace of each turn id. */
export function writeTraces(
  archive: Archive,
  writer: SessionWriter,
  traces: readonly RawTrace[],
  nameOf: NameOf,
): void {
  const { session } = writer;
  const known = new Set(
    scalar(
      archive.sqlite,
      "event_traces.turn_id",
      "SELECT DISTINCT turn_id FROM event_traces WHERE session_pk = ?",
    ).all(session.pk),
  );
  const insert = command(
    archive.sqlite,
    "INSERT INTO event_traces (session_pk, seq, key, turn_id, part, trace) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (const trace of traces) {
    const { body, attachments } = withPictures(bodyOfTrace(trace, resultText), trace);
    const startsTurn = trace.turnId !== null && !known.has(trace.turnId);
    known.add(trace.turnId);
    const ts = Number.isFinite(trace.ts) ? Math.round(trace.ts * 1000) : null;
    const seq = session.nextSeq;
    const draft = { kind: "event", lane: "", ts, body, attachments, callKey: null, startsTurn } as const;
    writer.append([{ ...draft, recordKey: nameOf(trace) }], { from: "held" });
    const part = partIn(trace, body);
    const rest = part === null ? trace : { ...trace, [part]: undefined };
    insert.run(session.pk, seq, traceKey(trace), trace.turnId, part, JSON.stringify(rest));
  }
}

/** What the user showed, where the trace holds its bytes: addresses and paths stay with the trace alone. */
function withPictures(
  body: EventBody,
  { media }: RawTrace,
): { readonly body: EventBody; readonly attachments: readonly Attachment[] } {
  if (body.type !== "user") return { body, attachments: [] };
  const attachments = (media?.images ?? []).flatMap((url): Attachment[] => {
    const found = /^data:/i.test(url) ? parseDataUrl(url) : null;
    return found === null ? [] : [{ mediaType: found.mimeType, base64: found.base64 }];
  });
  const images = attachments.map(({ mediaType }, attachment) => imagePart.parse({ mediaType, attachment }));
  return { body: images.length === 0 ? body : { ...body, images }, attachments };
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** As an agent was given it: the error, the words, or the value as JSON. */
const resultText = ({ toolResult, toolError }: RawTrace): string =>
  toolError || (typeof toolResult === "string" ? toolResult : isThere(toolResult) ? JSON.stringify(toolResult) : "");

/** The field whose text the event holds whole: it is not kept twice. */
function partIn(trace: RawTrace, body: EventBody): "content" | "toolResult" | null {
  if (body.type === "tool_call") return null;
  if (body.type !== "tool_result") return "content";
  const { toolResult } = trace;
  // A longer one is an artifact, and the event has its head.
  const isWhole = typeof toolResult === "string" && Buffer.byteLength(toolResult) <= LIMITS.artifactBytes;
  return isWhole && body.text === toolResult ? "toolResult" : null;
}

export type KeptTrace = { readonly seq: number; readonly key: string; readonly trace: RawTrace };
export type KeptTraces = { readonly active: readonly KeptTrace[]; readonly archived: readonly KeptTrace[] };

/** Every trace of a session: those that no compaction cut, and those that one did; each in the order of the log. */
export const tracesIn = (archive: Archive, sessionId: string, pk: number): KeptTraces =>
  remembered(archive, "traces", pk, () => readTraces(archive, sessionId, pk));

/** As tracesIn, in a write, where what is read may change before its version does. */
export function readTraces(archive: Archive, sessionId: string, pk: number): KeptTraces {
  const log = wholeLog(archive, pk).filter((row) => !isSummary(row));
  const kept = keptTraces(archive, pk);
  const closed = new Set(closedTurns(archive, sessionId));
  const others = log.filter(({ seq }) => !kept.has(seq));
  const result = placed(tracesOf(others, { isOver: (turn) => closed.has(turn) }));
  const own = log.flatMap((row) => {
    const found = kept.get(row.seq);
    return found === undefined ? [] : [{ position: row.seq, seq: row.seq, key: found.key, trace: traceOf(row, found) }];
  });
  const all = [...result, ...own].toSorted((a, b) => a.position - b.position);
  const last = compactionsOf(archive, pk).findLast(({ kind }) => kind === "full");
  const isActive = ({ seq }: KeptTrace): boolean => last === undefined || seq > last.seq || last.seqs.has(seq);
  return { active: all.filter(isActive), archived: all.filter((one) => !isActive(one)) };
}

const KEPT_ROW_COLUMNS = columns("event_traces", "seq", "key", "part", "trace");
type KeptRow = RowOf<typeof KEPT_ROW_COLUMNS>;

const keptTraces = (archive: Archive, pk: number): Map<number, KeptRow> =>
  new Map(
    query(archive.sqlite, KEPT_ROW_COLUMNS, "FROM event_traces WHERE session_pk = ?")
      .all(pk)
      .map((row) => [row.seq, row]),
  );

function traceOf({ body }: ContextRow, { part, trace }: KeptRow): RawTrace {
  const rest = JSON.parse(trace) as RawTrace;
  return part === null || !("text" in body) ? rest : { ...rest, [part]: body.text };
}

/** What marks a border stands with the event that it belongs to: a step before it, an end behind it. */
function placed(traces: readonly EventTrace[]): (KeptTrace & { readonly position: number })[] {
  let before = 0;
  return traces.map(({ eventSeq, ...trace }, at) => {
    const isStep = eventSeq === null && trace.traceType === "tool_continuation";
    const seq = eventSeq ?? (isStep ? (traces[at + 1]?.eventSeq ?? before) : before);
    before = seq;
    return { position: eventSeq ?? (isStep ? seq - 0.5 : seq + 0.5), seq, key: traceKey(trace), trace };
  });
}
