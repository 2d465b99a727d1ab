// The index that recall asks, of one session: its artifacts by their names, their calls and their beginnings, and each call as
// a use of what it names. Kept in memory and grown with the session: an FTS5 table would hold every text a second time.
import { columns, query, scalar, type Columns, type RowOf } from "#db/statement.ts";
import { setImmediate as nextRound } from "node:timers/promises";
import { ARTIFACT_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { callFacts } from "#lib/kernel/memory/extractive/call-facts.ts";
import { RecallIndex } from "#lib/kernel/memory/recall/recall-index.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { eventRowId, rowRange, seqOfRow } from "../base/row-keys.ts";
import { isOffloaded, storedHead } from "../artifacts/stored-text.ts";
import { subjectsOf, type CallSubjects } from "./recall-subjects.ts";

type Held = {
  readonly index: RecallIndex;
  version: number;
  /** Up to where rows are in the index. */
  artifactPk: number;
  artifacts: number;
  seq: number;
  checksum: number;
  readPk: number;
  position: number;
  readonly subjectOf: Map<string, string>;
  /** How the text of an offloaded output begins, by pointer: its event has only the envelope. */
  readonly beginnings: Map<string, string>;
};

/** Indexes that are kept; one of 10,000 artifacts takes some 100 MB. */
const KEPT = 8;
/** Rows between two rounds of the event loop: 10,000 artifacts take some 3 s to index, and others are served meanwhile. */
const ROUND = 50;

const kept = perArchive(() => new Map<number, Promise<Held>>());

/** The index of a session as it is now. */
export async function recallIndexOf(archive: Archive, pk: number): Promise<Pick<Held, "index" | "beginnings">> {
  const indexes = kept(archive);
  // One after the other: who comes while an index grows waits for it.
  const before = indexes.get(pk) ?? Promise.resolve(null);
  const held = before.catch(() => null).then((old) => current(archive, pk, old));
  indexes.delete(pk);
  indexes.set(pk, held);
  if (indexes.size > KEPT) indexes.delete(indexes.keys().next().value!);
  return held;
}

async function current(archive: Archive, pk: number, old: Held | null): Promise<Held> {
  const version = scalar(archive.sqlite, "sessions.version", "FROM sessions WHERE pk = ?").get(pk)!;
  if (old?.version === version) return old;
  const held = old !== null && hasOnlyGrown(archive, pk, old) ? old : newIndex();
  const isWhole = await grow(archive, pk, held);
  held.version = version;
  return isWhole ? held : current(archive, pk, null);
}

const newIndex = (): Held => ({
  index: new RecallIndex(),
  version: -1,
  artifactPk: 0,
  artifacts: 0,
  seq: 0,
  checksum: 0,
  readPk: 0,
  position: 0,
  subjectOf: new Map(),
  beginnings: new Map(),
});

/** A session whose file was changed is written anew: its rows have other keys then, or its last event is another. */
function hasOnlyGrown(archive: Archive, pk: number, { artifactPk, artifacts, seq, checksum }: Held): boolean {
  const { sqlite } = archive;
  const count = scalar(sqlite, "integer", "SELECT count(*) FROM artifacts WHERE session_pk = ? AND pk <= ?").get(
    pk,
    artifactPk,
  );
  return count === artifacts && checksumAt(archive, pk, seq) === checksum;
}

const checksumAt = (archive: Archive, pk: number, seq: number): number =>
  scalar(archive.sqlite, "events.checksum", "FROM events WHERE id = ?").get(eventRowId(pk, seq)) ?? 0;

const ARTIFACT_ROW_COLUMNS = {
  ...columns("artifacts", "pk", "pointer", "seq", "digest", "description", "preview"),
  contentId: "artifacts.content_id",
  name: "text?",
  toolName: "artifacts.tool_name",
  isText: "integer",
  createdAt: "artifacts.created_at",
  body: "events.body?",
  callTool: "events.tool_name",
  call: "events.body?",
} as const satisfies Columns;
type ArtifactRow = RowOf<typeof ARTIFACT_ROW_COLUMNS>;

// A name that was made of tool and call says nothing: beside it the file's own name would not count.
const NEW_ARTIFACTS = `
  SELECT a.pk, a.pointer, a.seq, a.digest, a.content_id AS contentId, 
    iif(a.name = a.tool_name || '_' || a.tool_call_id, NULL, a.name) AS name, a.tool_name AS toolName, a.line_count IS NOT NULL AS isText,
    a.description, a.preview, a.created_at AS createdAt, e.body, c.tool_name AS callTool, c.body AS call
  FROM artifacts a
  LEFT JOIN events e ON e.id = @base + a.seq
  LEFT JOIN tool_interactions i ON i.session_pk = a.session_pk AND i.result_seq = a.seq
  LEFT JOIN events c ON c.id = @base + i.call_seq
  WHERE a.session_pk = @pk AND a.pk > @after ORDER BY a.pk`;

const CALL_ROW_COLUMNS = {
  ...columns("events", "id", "body"),
  toolName: "events.tool_name!",
} as const satisfies Columns;
const READ_ROW_COLUMNS = columns("artifact_reads", "pk", "pointer", "at");

/** Adds what came since; false when that stands before what is there, so that all has to be put in order anew. */
async function grow(archive: Archive, pk: number, held: Held): Promise<boolean> {
  const { sqlite } = archive;
  const cwd = scalar(sqlite, "sessions.cwd", "FROM sessions WHERE pk = ?").get(pk) ?? null;
  const lastSeq = scalar(sqlite, "integer", "SELECT next_seq - 1 FROM sessions WHERE pk = ?").get(pk)!;
  const artifacts = placed(
    archive,
    pk,
    held.position,
    query(sqlite, ARTIFACT_ROW_COLUMNS, NEW_ARTIFACTS).all({ base: eventRowId(pk, 0), pk, after: held.artifactPk }),
  );
  if (artifacts.some(({ position }) => position < held.position)) return false;
  const calls = query(
    sqlite,
    CALL_ROW_COLUMNS,
    "FROM events WHERE id BETWEEN ? AND ? AND type = 'tool_call' ORDER BY id",
  ).all(...rowRange(pk, held.seq + 1, lastSeq));
  const reads = query(
    sqlite,
    READ_ROW_COLUMNS,
    `SELECT r.pk, r.pointer, r.at FROM artifact_reads r JOIN artifacts a ON a.pointer = r.pointer
     WHERE a.session_pk = ? AND r.pk > ? AND r.is_error = 0 ORDER BY r.pk`,
  ).all(pk, held.readPk);
  let done = 0;
  for (const { row, position } of artifacts) {
    addDoc(held, row, position, cwd, await storedBeginning(archive, row));
    if (++done % ROUND === 0) await nextRound();
  }
  for (const { id, toolName, body } of calls) {
    addUses(held, seqOfRow(id), toolName, subjectsOfCall(toolName, body, cwd), body);
    if (++done % ROUND === 0) await nextRound();
  }
  for (const { pk: readPk, pointer, at } of reads) {
    const subject = held.subjectOf.get(pointer);
    if (subject !== undefined) held.index.use(subject, seqAt(archive, pk, at));
    held.readPk = readPk;
  }
  held.artifactPk = artifacts.reduce((last, { row }) => Math.max(last, row.pk), held.artifactPk);
  held.artifacts += artifacts.length;
  held.seq = Math.max(held.seq, lastSeq);
  held.checksum = checksumAt(archive, pk, held.seq);
  held.position = artifacts.at(-1)?.position ?? held.position;
  return true;
}

/** Artifacts in the order of the log. One that is no event's result stands where it was stored. */
function placed(
  archive: Archive,
  pk: number,
  from: number,
  rows: readonly ArtifactRow[],
): { row: ArtifactRow; position: number }[] {
  let last = from;
  return rows
    .map((row) => ({ row, position: row.seq ?? (last = Math.max(last, seqAt(archive, pk, row.createdAt))) }))
    .toSorted((a, b) => a.position - b.position || a.row.pk - b.row.pk);
}

const seqAt = (archive: Archive, pk: number, at: number): number => {
  const id = scalar(
    archive.sqlite,
    "events.id",
    "FROM events WHERE id BETWEEN ? AND ? AND ts <= ? ORDER BY id DESC LIMIT 1",
  ).get(...rowRange(pk), at);
  return id === undefined ? 0 : seqOfRow(id);
};

/** What is shown of it (characters). */
const SAID_CHARS = 400;

/** The first stored text of an output that was offloaded: as much as an event keeps of one that was not. */
async function storedBeginning(archive: Archive, { body, pointer }: ArtifactRow): Promise<string | null> {
  if (body === null || !isOffloaded(JSON.parse(body) as EventBody, pointer)) return null;
  return storedHead(archive, pointer, LIMITS.previewBytes);
}

function addDoc(held: Held, row: ArtifactRow, position: number, cwd: string | null, stored: string | null): void {
  const subjects = row.call === null ? null : subjectsOfCall(row.callTool ?? "", row.call, cwd);
  // What is no text is no copy of a file that can be read again: each stands for itself.
  const subject = (row.isText === 1 ? subjects?.main : null) ?? row.pointer;
  const artifactId = row.contentId ?? `art_${row.digest.slice(0, 16)}`;
  const request = subjects?.path == null ? (subjects?.input ?? "") : "";
  held.index.add({
    pointer: row.pointer,
    artifactId,
    position,
    subject,
    name: row.name,
    toolName: row.toolName,
    path: subjects?.path ?? null,
    text: `${request} ${row.description ?? ""} ${stored ?? beginningOf(row)}`,
  });
  if (stored !== null) held.beginnings.set(row.pointer, stored.slice(0, SAID_CHARS));
  held.subjectOf.set(row.pointer, subject);
  held.subjectOf.set(artifactId, subject);
}

/** How it begins: what the event shows of it, else the preview that was kept. */
export function beginningOf({ body, preview, isText }: Pick<ArtifactRow, "body" | "preview" | "isText">): string {
  if (isText === 0) return "";
  const event = body === null ? null : (JSON.parse(body) as EventBody);
  return event?.type === "tool_result" ? event.text : (preview ?? "");
}

function subjectsOfCall(toolName: string, body: string, cwd: string | null): CallSubjects {
  const { input } = JSON.parse(body) as { input?: unknown };
  return subjectsOf(toolName, input, callFacts(toolName, input), cwd);
}

function addUses(held: Held, seq: number, toolName: string, { uses }: CallSubjects, body: string): void {
  for (const subject of uses) held.index.use(subject, seq);
  if (!ARTIFACT_TOOLS.has(toolName)) return;
  const { input } = JSON.parse(body) as { input?: unknown };
  for (const value of Object.values(typeof input === "object" && input !== null ? input : {})) {
    const subject = typeof value === "string" ? held.subjectOf.get(value) : undefined;
    if (subject !== undefined) held.index.use(subject, seq);
  }
}
