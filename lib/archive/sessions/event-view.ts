// Events as the transcript and the command line show them: the row, its other half, and what is stored beside it.
import type { Rows } from "#db/schema.ts";
import { columns, query, scalar, select } from "#db/statement.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import { eventText } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { EventView } from "#lib/wire/events-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { stateOf } from "../artifacts/resolve.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import type { Weights } from "../load/event-weights.ts";
import { iso } from "../base/iso.ts";
import { hookedPointer } from "./hooked-output.ts";

export type EventDbRow = Rows["events"];

/** Rows of a session from one seq to another, in order, at most `limit`, of certain types only if some are named. */
export function eventRows(
  archive: Archive,
  pk: number,
  range: { from: number; to: number; limit: number; types: readonly string[] },
): EventDbRow[] {
  const typed = range.types.length === 0 ? "" : `AND type IN (${range.types.map(() => "?").join(", ")})`;
  return query(
    archive.sqlite,
    { "*": "events.*" },
    `FROM events WHERE id BETWEEN ? AND ? ${typed} ORDER BY id LIMIT ?`,
  ).all(...rowRange(pk, range.from, range.to), ...range.types, range.limit);
}

type CompactionSizes = ReadonlyMap<number, NonNullable<EventView["sizes"]>>;

export type ViewContext = {
  readonly pk: number;
  readonly file: string;
  readonly weights: Weights;
  readonly sizes: CompactionSizes;
  /** Compactions that were undone, with the event that did. */
  readonly undoneBy: ReadonlyMap<number, number>;
  /** What rewinds took out. */
  readonly rewound: ReadonlyMap<number, NonNullable<EventView["rewound"]>>;
};

/** One event's view. `whole` gives the text that was kept apart back to the body. */
export function eventViewOf(archive: Archive, context: ViewContext, row: EventDbRow, whole: string | null): EventView {
  const { sqlite } = archive;
  const seq = seqOfRow(row.id);
  let body = JSON.parse(row.body) as EventBody;
  if (whole !== null && "text" in body) body = { ...body, text: whole };
  const text = eventText(body);
  const isCut =
    whole === null &&
    (text.length > LIMITS.listTextChars || (row.artifact !== null && "saw" in body && body.saw === "full"));
  const shown = whole === null ? cutBody(body) : body;
  const pair =
    row.type === "tool_call" || row.type === "tool_result" ? pairOf(archive, context.pk, seq, row.type) : undefined;
  const weight = context.weights.of(seq);
  const weighs = row.category !== null;
  const stay = row.type === "tool_result" ? weight : null;
  const hooked =
    row.type === "tool_result" && row.artifact === null
      ? hookedPointer(archive, context.pk, row.tool_call_id, text)
      : null;
  const pointer = row.artifact ?? hooked;
  return {
    seq,
    type: row.type,
    ts: iso(row.ts),
    turn: row.turn,
    call: row.call,
    toolCallId: row.tool_call_id,
    toolName: row.tool_name,
    text: "text" in shown ? shown.text : eventText(shown),
    saw: hooked !== null ? "preview" : body.type === "tool_result" ? body.saw : null,
    artifact: pointer,
    bytes: row.bytes,
    tokens: weighs ? weight.tokens : null,
    origin: weighs ? weight.origin : null,
    textTokens: weighs ? weight.textTokens : null,
    synthetic: row.synthetic === 1,
    inherited: row.inherited === 1,
    raw: { file: context.file, byteStart: row.byte_start, byteEnd: row.byte_end },
    body: shown,
    textCut: isCut,
    startsTurn: row.starts_turn === 1,
    pairSeq: (row.type === "tool_call" ? pair?.result_seq : pair?.call_seq) ?? null,
    status: pair?.status ?? null,
    durationMs: pair?.duration_ms ?? null,
    childSession: row.type === "tool_call" ? childOf() : null,
    sizes: row.type === "compaction" || row.type === "rewind" ? (context.sizes.get(seq) ?? null) : null,
    ...(context.undoneBy.has(seq) && { undoneBy: context.undoneBy.get(seq)! }),
    ...(row.type === "rewind" && { rewound: context.rewound.get(seq) ?? null }),
    stored: pointer === null ? null : storedOf(archive, pointer, row, context.weights),
    enteredAt: stay?.enteredAt ?? null,
    callsResident: stay?.callsResident ?? null,
  };

  function childOf(): string | null {
    const id = scalar(
      sqlite,
      "sessions.id",
      "FROM sessions WHERE parent_pk = ? AND parent_tool_call_seq = ? ORDER BY pk LIMIT 1",
    ).get(context.pk, seq);
    return id ?? null;
  }
}

function pairOf(archive: Archive, pk: number, seq: number, type: string) {
  const column = type === "tool_call" ? "call_seq" : "result_seq";
  return select(
    archive.sqlite,
    "tool_interactions",
    ["call_seq", "result_seq", "status", "duration_ms"],
    `WHERE session_pk = ? AND ${column} = ? LIMIT 1`,
  ).get(pk, seq);
}

function storedOf(archive: Archive, pointer: string, row: EventDbRow, weights: Weights): EventView["stored"] {
  const found = query(
    archive.sqlite,
    {
      ...columns("artifacts", "digest", "name", "saw", "expires_at", "deleted_at", "deleted_why"),
      contentType: "artifacts.content_type",
      sizeBytes: "artifacts.size",
      lineCount: "artifacts.line_count",
    },
    "FROM artifacts WHERE pointer = ?",
  ).get(pointer);
  if (found === undefined) return null;
  const { saw, expires_at, deleted_at, deleted_why, ...stored } = found;
  const isSame = saw === "full" && row.digest !== null;
  const { tokens, origin } = weights.of(seqOfRow(row.id));
  return {
    pointer,
    ...stored,
    tokens: isSame ? tokens : weights.ofText("result", estimateTokens(found.sizeBytes)),
    origin: isSame ? origin : "estimated",
    head: null,
    state: stateOf({ expires_at, deleted_at, deleted_why }, archive.host.now()),
  };
}

/** Long texts are cut for lists; what is cut says so with `textCut`, and is whole in the event itself. */
function cutBody(body: EventBody): EventBody {
  const limit = LIMITS.listTextChars;
  if (body.type === "tool_call") {
    const json = JSON.stringify(body.input ?? null);
    return json.length <= limit * 4 ? body : { ...body, input: cutInput(body.input, limit) };
  }
  return body.text.length <= limit ? body : { ...body, text: wellFormed(body.text.slice(0, limit)) };
}

function cutInput(input: unknown, limit: number): unknown {
  if (typeof input === "string") return input.length <= limit ? input : wellFormed(input.slice(0, limit));
  if (typeof input !== "object" || input === null) return input;
  const json = JSON.stringify(input);
  if (Array.isArray(input)) return json.length <= limit ? input : wellFormed(json.slice(0, limit));
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      JSON.stringify(value ?? null).length <= limit ? value : cutInput(value, limit),
    ]),
  );
}

const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());
