// A session in our own format, line by line, with every output and image inside: what comes out is all that an empty
// archive needs to show the same session, and to export the same bytes again.
import { usageOfRow } from "../base/usage-of-row.ts";
import { query, scalar, select } from "#db/statement.ts";
import { plimsoll } from "#lib/formats/plimsoll-format.ts";
import { RELATIONS, VERSION, type HeaderRecord, type PlimsollRecord } from "#lib/formats/plimsoll/plimsoll-records.ts";
import { eventBody, type EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { exportedKey, recordKey, rowRange, seqOfRow } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";
import { whileSame } from "../base/unchanged-rows.ts";
import { attachmentsOf, bytesOf, withoutPointers } from "./export-attachments.ts";
import { marksOf } from "../settings/marks.ts";
import { labelOf } from "../import/format-label.ts";
import { countersOf } from "../import/session-counters.ts";

export type { HeaderRecord, PlimsollRecord };

/** Events read at once: their rows hold at most what the model saw, outputs are fetched one by one. */
const AT_ONCE = 200;
/** A whole output that would take its line over the reader's limit stays out; its size stays in the event (bytes). */
const WHOLE_BYTES = LIMITS.lineBytes / 2;

/** The lines of one session as it is now; each ends in a newline. Fails at once where there is no such session. */
export function exportSession(archive: Archive, name: string): AsyncIterable<string> {
  const pk = findSession(archive, name);
  const session = query(archive.sqlite, { "*": "sessions.*" }, "FROM sessions WHERE pk = ?").get(pk)!;
  return whileSame(archive, pk, linesOf(archive, pk, session, lastRow(archive, pk), callLines(archive, pk, session)));
}

/** The name of the file: folders are searched for this ending. */
export function exportName(archive: Archive, name: string): string {
  const pk = findSession(archive, name);
  const id = sessionIdOf(archive, pk)!;
  return `${id}.plimsoll.jsonl`;
}

/** Where the events end now: those that come while the lines are written have calls that are not among them. */
function lastRow(archive: Archive, pk: number): number {
  const [from, to] = rowRange(pk);
  const last = scalar(archive.sqlite, "integer?", "SELECT max(id) FROM events WHERE id > ? AND id <= ?").get(from, to);
  return last ?? from;
}

async function* linesOf(
  archive: Archive,
  pk: number,
  session: SessionDbRow,
  last: number,
  calls: ReturnType<typeof callLines>,
): AsyncIterable<string> {
  const marks = marksOf(archive, pk);
  yield line({ ...headerOf(session), ...(marks.length > 0 && { marks }) });
  const links = linksOf(archive, pk);
  const { gaps, reported } = countersOf(session);
  const lostAt = (seq: number): string[] =>
    gaps.filter(([at]) => at === seq).map(([, usage]) => line({ record: "lost", usage }));
  yield* lostAt(0);
  let next = 0;
  for await (const { seq, record } of eventRecords(archive, pk, last, calls.keys)) {
    while (next < calls.lines.length && calls.lines[next]!.at <= seq) yield line(calls.lines[next++]!.record);
    yield line(record);
    for (const agentId of links.get(seq) ?? [])
      yield line({ record: "link", toolCallId: toolCallIdOf(record), agentId });
    yield* lostAt(seq);
  }
  for (const { record } of calls.lines.slice(next)) yield line(record);
  if (reported !== null) {
    const { at, usd, usage } = reported;
    const ts = at === session.ended_at ? null : iso(at);
    yield line({ record: "reported", ...(ts !== null && { ts }), usd, usage });
  }
}

const line = (value: HeaderRecord | PlimsollRecord): string => `${JSON.stringify(value)}\n`;

type SessionDbRow = {
  native_id: string;
  format: string;
  title: string;
  title_rank: number;
  agent_name: string | null;
  agent_version: string | null;
  model: string | null;
  cwd: string | null;
  branch: string | null;
  relation: string;
  parent_native: string | null;
  parent_tool_call_id: string | null;
  started_at: number | null;
  ended_at: number | null;
  demo: number;
  window: number | null;
  tally: string;
};

/** The name without our own prefix; a session of another format keeps its format in front: `codex/<id>`. */
function exportedId(nativeId: string): string {
  const at = nativeId.indexOf(":");
  const own = nativeId.slice(0, at) === plimsoll.id;
  return own ? nativeId.slice(at + 1) : `${nativeId.slice(0, at)}/${nativeId.slice(at + 1)}`;
}

function headerOf(row: SessionDbRow): HeaderRecord {
  const rank = ([0, 1, 2] as const).find((known) => known === row.title_rank);
  const { quality, begunAt = null } = countersOf(row);
  return {
    plimsoll: VERSION,
    id: exportedId(row.native_id),
    ...(rank !== undefined && { title: row.title, titleRank: rank }),
    ...some({
      // Read again, it is a file of another format: the agent is named where its own format did that.
      agent: row.agent_name ?? (row.format === plimsoll.id ? null : labelOf(row.format)),
      agentVersion: row.agent_version,
      model: row.model,
      cwd: row.cwd,
      branch: row.branch,
      relation: RELATIONS.find((known) => known === row.relation && known !== "root") ?? null,
      parent: row.parent_native === null ? null : exportedId(row.parent_native),
      parentToolCallId: row.parent_tool_call_id,
      startedAt: iso(row.started_at),
      begunAt: iso(begunAt),
      endedAt: iso(row.ended_at),
    }),
    ...(row.demo === 1 && { demo: true }),
    ...(quality.length > 0 && { quality }),
  };
}

/** The fields that have a value. */
function some<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

type CallRecord = Extract<PlimsollRecord, { record: "call" }>;

/**
 * The model calls in the order of their numbers, each with the event that it stands before. A call that was told after
 * a later one stands after that one too: its events name it before it is told, and its first event is found by that.
 */
function callLines(archive: Archive, pk: number, session: SessionDbRow) {
  const rows = query(
    archive.sqlite,
    { "*": "model_calls.*" },
    "FROM model_calls WHERE session_pk = ? ORDER BY call",
  ).all(pk);
  const origin = countersOf(session).counted > 0 ? ("counted" as const) : ("reported" as const);
  let at = 0;
  const lines = rows.map((row): { at: number; record: CallRecord } => {
    at = Math.max(at, row.first_seq);
    const usage = { ...usageOfRow(row), origin };
    const record: CallRecord = {
      record: "call",
      key: row.key,
      ...some({ ts: iso(row.ts), model: row.model }),
      ...(row.has_usage === 1 && { usage }),
      ...(row.output_lower_bound === 1 && { outputLowerBound: true }),
      ...(row.window !== null && row.window > 0 && { window: row.window }),
    };
    return { at, record };
  });
  // A window that was told beside the calls rides on the last one: the last that is told is the session's.
  const result = lines.findLast(({ record }) => record.window !== undefined)?.record.window ?? null;
  if (session.window !== null && session.window !== result && lines.length > 0)
    lines.at(-1)!.record.window = session.window;
  return { lines, keys: new Map(rows.map((row) => [row.call, row.key])) };
}

/** Sub-agents by the call that started them (or its result, when the call is lost), where the result does not say it. */
function linksOf(archive: Archive, pk: number): Map<number, string[]> {
  const rows = query(
    archive.sqlite,
    { seq: "integer", agentId: "tool_interactions.agent_id!" },
    `SELECT coalesce(t.call_seq, t.result_seq) AS seq, t.agent_id AS agentId FROM tool_interactions t
       LEFT JOIN events r ON r.id = t.session_pk * 4294967296 + t.result_seq
       WHERE t.session_pk = ? AND t.tool_call_id IS NOT NULL AND t.agent_id IS NOT NULL
         AND t.agent_id NOT LIKE '!%' AND t.agent_id IS NOT json_extract(r.body, '$.detail.agentId') ORDER BY t.pk`,
  ).all(pk);
  const links = new Map<number, string[]>();
  for (const { seq, agentId } of rows) links.set(seq, [...(links.get(seq) ?? []), agentId]);
  return links;
}

const toolCallIdOf = (record: EventRecord): string =>
  ("toolCallId" in record.body ? record.body.toolCallId : null) ?? "";

type EventRecord = Extract<PlimsollRecord, { record: "event" }>;
type EventDbRow = {
  id: number;
  ts: number | null;
  call: number | null;
  record_key: Buffer | null;
  keyed: number;
  bytes: number;
  artifact: string | null;
  starts_turn: number;
  synthetic: number;
  body: string;
};

async function* eventRecords(
  archive: Archive,
  pk: number,
  last: number,
  callKeys: ReadonlyMap<number, string>,
): AsyncIterable<{ seq: number; record: EventRecord }> {
  const page = query(archive.sqlite, { "*": "events.*" }, "FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?");
  let [from] = rowRange(pk);
  for (;;) {
    const rows = page.all(from, last, AT_ONCE);
    if (rows.length === 0) return;
    for (const row of rows) yield { seq: seqOfRow(row.id), record: await recordOf(archive, row, callKeys) };
    from = rows.at(-1)!.id;
  }
}

async function recordOf(
  archive: Archive,
  row: EventDbRow,
  callKeys: ReadonlyMap<number, string>,
): Promise<EventRecord> {
  const kept = checkedBody(row.body);
  const { body, full } = await wholeBody(archive, row, kept);
  const images = "images" in kept ? kept.images : undefined;
  const call = row.call === null ? undefined : callKeys.get(row.call);
  return {
    record: "event",
    ...(row.keyed === 1 && row.record_key !== null && { uuid: exportedKey(row.record_key) }),
    ...some({ ts: iso(row.ts) }),
    ...(call !== undefined && { call }),
    ...(row.starts_turn === 1 && { startsTurn: true }),
    ...(row.synthetic === 1 && { synthetic: true }),
    body: withoutPointers(body, images),
    ...(images !== undefined && images.length > 0 && { attachments: await attachmentsOf(archive, images) }),
    ...(full !== null && { full }),
  };
}

/** A stored body as today's schema has it: an old row may hold what a client said of a result in another shape. */
function checkedBody(stored: string): EventBody {
  const value = JSON.parse(stored) as Record<string, unknown>;
  const { detail: _detail, ...plain } = value;
  for (const attempt of [value, plain]) {
    const read = eventBody.safeParse(attempt);
    if (read.success) return read.data;
  }
  return { type: "unknown", reason: "An event that does not match the schema.", text: stored };
}

/** The body with its text whole again, and the output that was kept beside a shorter text. */
async function wholeBody(
  archive: Archive,
  row: EventDbRow,
  body: EventBody,
): Promise<{ body: EventBody; full: string | null }> {
  if (body.type === "compaction") return { body: exportedPreserved(body), full: null };
  if (body.type === "rewind" && body.after !== null) return { body: { ...body, after: named(body.after) }, full: null };
  if (row.artifact === null || body.type !== "tool_result") return { body, full: null };
  const artifact = select(
    archive.sqlite,
    "artifacts",
    ["digest", "size"],
    "WHERE pointer = ? AND deleted_at IS NULL",
  ).get(row.artifact);
  // What was deleted is not exported: of its event the beginning is there.
  if (artifact === undefined || (body.saw === "preview" && artifact.size > WHOLE_BYTES)) return { body, full: null };
  const text = (await bytesOf(archive, artifact.digest)).toString("utf8");
  if (body.saw === "full") return { body: { ...body, text }, full: null };
  // Of a preview over the limit the importer keeps the preview itself, when there is no whole output.
  return { body, full: text === body.text && row.bytes > LIMITS.artifactBytes ? null : text };
}

const named = (key: string): string => exportedKey(recordKey(key, new Uint8Array()));

/** The records that a compaction left in place, under the names that they have in the exported file. */
function exportedPreserved(body: Extract<EventBody, { type: "compaction" }>): EventBody {
  return {
    ...body,
    ...(body.preserved !== undefined && { preserved: body.preserved.map(named) }),
    ...(body.order !== undefined && { order: body.order.map((key) => key && named(key)) }),
    ...(body.keptFrom !== undefined && { keptFrom: named(body.keptFrom) }),
  };
}
