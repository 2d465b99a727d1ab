// The row of a session while something is appended to it: read once, written back with each batch.
import type { SessionPatch } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { publicSessionId } from "../base/row-keys.ts";
import { restoreMemory } from "./keep-memory.ts";
import { readTally, type Tally } from "./tally.ts";
import { prepared } from "../base/statement-cache.ts";

export type SessionRow = {
  readonly pk: number;
  id: string;
  nativeId: string;
  readonly format: string;
  lane: string;
  nextSeq: number;
  nextCall: number;
  turn: number;
  records: number;
  keyedRecords: number;
  calls: number;
  compactions: number;
  /** Those of them that the agent made by itself. */
  automatic: number;
  artifacts: number;
  peakTokens: number | null;
  peakCall: number | null;
  window: number | null;
  startedAt: number | null;
  endedAt: number | null;
  patch: Patch;
  tally: Tally;
};

type Patch = {
  relation: string;
  parentNative: string | null;
  parentToolCallId: string | null;
  title: string;
  titleRank: number;
  agentName: string | null;
  agentVersion: string | null;
  model: string | null;
  cwd: string | null;
  branch: string | null;
  demo: boolean;
};

const COLUMNS = {
  nextSeq: "next_seq",
  nextCall: "next_call",
  turn: "turn",
  records: "records",
  keyedRecords: "keyed_records",
  calls: "calls",
  compactions: "compactions",
  automatic: "automatic",
  artifacts: "artifacts",
  peakTokens: "peak_tokens",
  peakCall: "peak_call",
  window: "window",
  startedAt: "started_at",
  endedAt: "ended_at",
} as const;

const PATCH_COLUMNS = {
  relation: "relation",
  parentNative: "parent_native",
  parentToolCallId: "parent_tool_call_id",
  title: "title",
  titleRank: "title_rank",
  agentName: "agent_name",
  agentVersion: "agent_version",
  model: "model",
  cwd: "cwd",
  branch: "branch",
} as const;

/** The session of one lane of a source: found, or made. */
export function loadSession(
  archive: Archive,
  sourcePk: number,
  lane: string,
  nativeId: string,
  format: string,
): SessionRow {
  const { sqlite } = archive;
  const find = prepared(sqlite, "SELECT * FROM sessions WHERE source_pk = ? AND lane = ?");
  let row = find.get(sourcePk, lane) as Record<string, unknown> | undefined;
  if (row === undefined) {
    // Rows that a rebuild made of its registry alone give way to the file itself.
    // Asked for first: a deletion with foreign keys opens a savepoint, for which the search index writes out what it holds.
    const bare = "native_id = ? AND source_pk IS NULL AND held = 0";
    if (prepared(sqlite, `SELECT 1 FROM sessions WHERE ${bare}`).get(nativeId) !== undefined)
      prepared(sqlite, `DELETE FROM sessions WHERE ${bare}`).run(nativeId);
    prepared(sqlite, INSERT_SESSION).run(publicSessionId(nativeId), nativeId, format, sourcePk, lane, sourcePk);
    row = find.get(sourcePk, lane) as Record<string, unknown>;
    restoreMemory(archive, row["pk"] as number, nativeId);
  }
  return sessionOfRow(row, lane);
}

const INSERT_SESSION =
  "INSERT INTO sessions (id, native_id, format, source_pk, lane, earlier) VALUES (?, ?, ?, ?, ?, (SELECT earlier FROM sources WHERE pk = ?))";

/** A session that Plimsoll holds, or null when there is none of this id. */
export function loadHeldSession(archive: Archive, id: string): SessionRow | null {
  const row = prepared(archive.sqlite, "SELECT * FROM sessions WHERE id = ? AND held = 1").get(id);
  return row === undefined ? null : sessionOfRow(row as Record<string, unknown>, "");
}

/** SQL of what is a session whose log only we write: one that Plimsoll holds, or a memory folder that is attached. */
export const IS_OWN = "(held = 1 OR EXISTS (SELECT 1 FROM attached WHERE session_pk = sessions.pk))";

export function loadOwnSession(archive: Archive, id: string): SessionRow | null {
  const row = prepared(archive.sqlite, `SELECT * FROM sessions WHERE id = ? AND ${IS_OWN}`).get(id);
  return row === undefined ? null : sessionOfRow(row as Record<string, unknown>, "");
}

function sessionOfRow(row: Record<string, unknown>, lane: string): SessionRow {
  const pick = (columns: Record<string, string>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, row[column]]));
  const session: SessionRow = {
    pk: row["pk"] as number,
    id: row["id"] as string,
    nativeId: row["native_id"] as string,
    format: row["format"] as string,
    lane,
    ...(pick(COLUMNS) as Pick<SessionRow, keyof typeof COLUMNS>),
    patch: { ...(pick(PATCH_COLUMNS) as Omit<Patch, "demo">), demo: row["demo"] === 1 },
    tally: readTally(row["tally"] as string),
  };
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
  prepared(
    archive.sqlite,
    `UPDATE sessions SET ${changed.map((column) => `${column} = ?, `).join("")}written_at = max(coalesce(written_at, 0), ?), version = version + 1 WHERE pk = ?`,
  ).run(...changed.map((column) => now.get(column)), Math.round(writtenAt), session.pk);
}

type Values = ReadonlyMap<string, string | number | null>;

/** What stood in the row of a session when it was read. */
const read = new WeakMap<SessionRow, Values>();

function valuesOf(session: SessionRow): Values {
  const values = new Map<string, string | number | null>();
  for (const [field, column] of Object.entries(COLUMNS)) values.set(column, session[field as keyof typeof COLUMNS]);
  for (const [field, column] of Object.entries(PATCH_COLUMNS))
    values.set(column, session.patch[field as keyof typeof PATCH_COLUMNS]);
  return values.set("demo", session.patch.demo ? 1 : 0).set("tally", JSON.stringify(session.tally));
}

/** Takes over what a format learned. A title gives way only to one of a higher rank, or of the same rank above 0. */
export function applyPatch(session: SessionRow, patch: SessionPatch): void {
  const {
    title,
    titleRank = 0,
    startedAt,
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
  if (quality !== undefined && !session.tally.quality.includes(quality)) session.tally.quality.push(quality);
  if (demo === true) own.demo = true;
  if (relation !== undefined) own.relation = relation;
  if (parent !== undefined) own.parentNative = `${session.format}:${parent}`;
  if (parentToolCallId !== undefined) own.parentToolCallId = parentToolCallId;
  if (agentName !== undefined) own.agentName = agentName;
  // The folder where the session began names its project; the other values are the latest.
  if (rest.cwd !== undefined) own.cwd ??= rest.cwd;
  if (rest.branch !== undefined) own.branch = rest.branch;
  if (rest.agentVersion !== undefined) own.agentVersion = rest.agentVersion;
  if (rest.model !== undefined) own.model = rest.model;
}

export function noteTime(session: SessionRow, ts: number): void {
  if (session.startedAt === null || ts < session.startedAt) session.startedAt = ts;
  if (session.endedAt === null || ts > session.endedAt) session.endedAt = ts;
}
