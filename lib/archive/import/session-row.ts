// The row of a session while something is appended to it: read once, written back with each batch.
import { columns, command, query, scalar, select, type Columns, type RowOf } from "#db/statement.ts";
import type { SessionPatch } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { FIRST_VERSION, keepVersion } from "../base/first-version.ts";
import { publicSessionId } from "../base/row-keys.ts";
import { restoreMemory } from "./keep-memory.ts";
import { readCounters, type SessionCounters } from "./session-counters.ts";

/** `automatic`: compactions that the agent made by itself. */
const COLUMNS = {
  ...columns("sessions", "turn", "records", "calls", "compactions", "automatic", "artifacts", "window"),
  nextSeq: "sessions.next_seq",
  nextCall: "sessions.next_call",
  keyedRecords: "sessions.keyed_records",
  peakTokens: "sessions.peak_tokens",
  peakCall: "sessions.peak_call",
  startedAt: "sessions.started_at",
  endedAt: "sessions.ended_at",
} as const satisfies Columns;

const PATCH_COLUMNS = {
  ...columns("sessions", "relation", "title", "model", "cwd", "branch"),
  parentNative: "sessions.parent_native",
  parentToolCallId: "sessions.parent_tool_call_id",
  titleRank: "sessions.title_rank",
  agentName: "sessions.agent_name",
  agentVersion: "sessions.agent_version",
} as const satisfies Columns;

const ALL_COLUMNS = {
  ...columns("sessions", "pk", "id", "format", "demo", "tally"),
  nativeId: "sessions.native_id",
  ...COLUMNS,
  ...PATCH_COLUMNS,
} as const satisfies Columns;

export type SessionRow = RowOf<typeof COLUMNS> & {
  readonly pk: number;
  id: string;
  nativeId: string;
  readonly format: string;
  lane: string;
  patch: RowOf<typeof PATCH_COLUMNS> & { demo: boolean };
  counters: SessionCounters;
};

/** The sessions of a source by their lanes. Whoever reads a file asks once: to look for each of 2,000 lanes among the others took seconds. */
export const lanesOf = ({ sqlite }: Archive, sourcePk: number): Map<string, number> =>
  new Map(
    select(sqlite, "sessions", ["lane", "pk"], "WHERE source_pk = ?")
      .all(sourcePk)
      .map(({ lane, pk }) => [lane, pk]),
  );

/** The session of one lane of a source: found among those that it has, or made. */
export function loadSession(
  archive: Archive,
  sourcePk: number,
  lanes: ReadonlyMap<string, number>,
  lane: string,
  nativeId: string,
  format: string,
): SessionRow {
  const { sqlite } = archive;
  const find = query(sqlite, ALL_COLUMNS, "FROM sessions WHERE pk = ?");
  const known = lanes.get(lane);
  let row = known === undefined ? undefined : find.get(known);
  if (row === undefined) {
    // Rows that a rebuild made of its registry alone give way to the file itself.
    // Asked for first: a deletion with foreign keys opens a savepoint, for which the search index writes out what it holds.
    const bare = "native_id = ? AND source_pk IS NULL AND held = 0";
    const gone = scalar(sqlite, "sessions.pk", `FROM sessions WHERE ${bare}`).get(nativeId);
    if (gone !== undefined) {
      keepVersion(archive, gone);
      command(sqlite, "DELETE FROM sessions WHERE pk = ?").run(gone);
    }
    const made = command(sqlite, INSERT_SESSION);
    const { lastInsertRowid } = made.run(publicSessionId(nativeId), nativeId, format, sourcePk, lane, sourcePk);
    row = find.get(Number(lastInsertRowid))!;
    restoreMemory(archive, row.pk, nativeId);
  }
  return sessionOfRow(row, lane);
}

const INSERT_SESSION = `INSERT INTO sessions (id, native_id, format, source_pk, lane, earlier, version)
     VALUES (?, ?, ?, ?, ?, (SELECT earlier FROM sources WHERE pk = ?), ${FIRST_VERSION})`;

/** A session that Plimsoll holds, or null when there is none of this id. */
export function loadHeldSession(archive: Archive, id: string): SessionRow | null {
  const row = query(archive.sqlite, ALL_COLUMNS, "FROM sessions WHERE id = ? AND held = 1").get(id);
  return row === undefined ? null : sessionOfRow(row, "");
}

/** SQL of what is a session whose log only we write: one that Plimsoll holds, or a memory folder that is attached. */
export const IS_OWN = "(held = 1 OR EXISTS (SELECT 1 FROM attached WHERE session_pk = sessions.pk))";

export function loadOwnSession(archive: Archive, id: string): SessionRow | null {
  const row = query(archive.sqlite, ALL_COLUMNS, `FROM sessions WHERE id = ? AND ${IS_OWN}`).get(id);
  return row === undefined ? null : sessionOfRow(row, "");
}

function sessionOfRow(
  { pk, id, nativeId, format, demo, tally, ...row }: RowOf<typeof ALL_COLUMNS>,
  lane: string,
): SessionRow {
  const { relation, parentNative, parentToolCallId, title, titleRank, agentName, ...rest } = row;
  const { agentVersion, model, cwd, branch, ...counted } = rest;
  const result = { relation, parentNative, parentToolCallId, title, titleRank, agentName };
  const patch = { ...result, agentVersion, model, cwd, branch, demo: demo === 1 };
  const session: SessionRow = { pk, id, nativeId, format, lane, ...counted, patch, counters: readCounters(tally) };
  read.set(session, valuesOf(session));
  return session;
}

export function saveSession(archive: Archive, session: SessionRow, writtenAt: number): void {
  const now = valuesOf(session);
  const before = read.get(session);
  // What is saved now may be rolled back: who saves again saves all.
  read.delete(session);
  // An index is written again for each of its columns that is set, to the same value too. With only what changed an event
  // that is told alone dirties 6 pages, not 8: its commit is the larger part of what it costs.
  const changed = [...now.keys()].filter((column) => before === undefined || before.get(column) !== now.get(column));
  command(
    archive.sqlite,
    `UPDATE sessions SET ${changed.map((column) => `${column} = ?, `).join("")}written_at = max(coalesce(written_at, 0), ?), version = version + 1 WHERE pk = ?`,
  ).run(...changed.map((column) => now.get(column)), Math.round(writtenAt), session.pk);
}

type Values = ReadonlyMap<string, string | number | null>;

/** What stood in the row of a session when it was read. */
const read = new WeakMap<SessionRow, Values>();

function valuesOf(session: SessionRow): Values {
  const { patch } = session;
  const own = Object.keys(COLUMNS).map(
    (field) => [COLUMNS[field as keyof typeof COLUMNS], session[field as keyof typeof COLUMNS]] as const,
  );
  const result = Object.keys(PATCH_COLUMNS).map(
    (field) =>
      [PATCH_COLUMNS[field as keyof typeof PATCH_COLUMNS], patch[field as keyof typeof PATCH_COLUMNS]] as const,
  );
  const values = new Map<string, string | number | null>(
    [...own, ...result].map(([column, value]) => [column.slice("sessions.".length), value]),
  );
  return values.set("demo", patch.demo ? 1 : 0).set("tally", JSON.stringify(session.counters));
}

/** Takes over what a format learned. A title gives way only to one of a higher rank, or of the same rank above 0. */
export function applyPatch(session: SessionRow, patch: SessionPatch): void {
  const {
    title,
    titleRank = 0,
    startedAt,
    begunAt,
    quality,
    demo,
    relation,
    parent,
    parentToolCallId,
    agentName,
    ...rest
  } = patch;
  const own = session.patch;
  if (title !== undefined && (titleRank > own.titleRank || (titleRank === own.titleRank && titleRank > 0))) {
    own.title = title;
    own.titleRank = titleRank;
  }
  if (startedAt !== undefined) noteTime(session, startedAt);
  if (begunAt !== undefined) {
    session.counters.begunAt = begunAt;
    noteTime(session, begunAt);
  }
  if (quality !== undefined && !session.counters.quality.includes(quality)) session.counters.quality.push(quality);
  if (demo === true) own.demo = true;
  if (relation !== undefined) own.relation = relation;
  if (parent !== undefined) own.parentNative = `${session.nativeId.split(":", 1)[0]}:${parent}`;
  if (parentToolCallId !== undefined) own.parentToolCallId = parentToolCallId;
  if (agentName !== undefined) own.agentName = agentName;
  // The folder where the session began names its project; the other values are the latest.
  if (rest.cwd !== undefined) own.cwd ??= rest.cwd;
  if (rest.branch !== undefined) own.branch = rest.branch;
  if (rest.agentVersion !== undefined) own.agentVersion = rest.agentVersion;
  if (rest.model !== undefined) own.model = rest.model;
}

export function noteTime(session: SessionRow, ts: number): void {
  const isOwn = ts >= (session.counters.begunAt ?? ts);
  if (isOwn && (session.startedAt === null || ts < session.startedAt)) session.startedAt = ts;
  if (session.endedAt === null || ts > session.endedAt) session.endedAt = ts;
}
