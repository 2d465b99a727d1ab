// Rows of artifacts, names and sessions of ours from their registry and their blobs. What is there and sound is left as it
// is. Bytes are read before the transaction; inside of it nothing is waited for.
import { columns, command, query, scalar, select } from "#db/statement.ts";
import { sumSessions } from "#db/session-sums.ts";
import { ContentScan, type ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import { hasRegistry } from "#lib/blobs/session-registry.ts";
import { CHUNK_BYTES } from "#lib/kernel/artifacts/line-index.ts";
import { previewOf } from "#lib/kernel/artifacts/preview.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { insertArtifactRow, isRowSound, type NewArtifact } from "../base/artifact-row.ts";
import { policyOfSession, saveHeldCompaction } from "../artifacts/held-session.ts";
import { newCounters, readCounters } from "../import/session-counters.ts";
import { FIRST_VERSION } from "../base/first-version.ts";
import { eventRowId, publicSessionId, rowRange } from "../base/row-keys.ts";
import type { Folded } from "../artifacts/registry-fold.ts";

/** Said of a session whose rows came from its registry alone. */
export const LOST_EVENTS = "Rebuilt from the registry: session and artifacts. Its events are lost with the database.";

export type Rebuilt = { artifacts: number; names: number; sessions: number };

type Found = {
  readonly artifact: NewArtifact;
  readonly state: "ok" | "missing" | "corrupt";
  readonly facts: ContentFacts | null;
};

/** Makes what the registry tells of and the database does not have. */
export async function rebuildRows(archive: Archive, folded: Folded): Promise<Rebuilt> {
  const { sqlite } = archive;
  const wanted = missing(archive, folded);
  const found: Found[] = [];
  for (const artifact of wanted) found.push(await lookAt(archive, artifact));
  await archive.turn.take();
  try {
    // Its session was removed while its bytes were read.
    if (!hasRegistry(archive.dir, folded.id)) return { artifacts: 0, names: 0, sessions: 0 };
    return sqlite.transaction(() => {
      const rebuilt = apply(archive, folded, found);
      sumSessions(sqlite);
      return rebuilt;
    })();
  } finally {
    archive.turn.give();
  }
}

/** Artifacts without a sound row, in the order of their lines. */
function missing(archive: Archive, { id, artifacts }: Folded): NewArtifact[] {
  const find = query(archive.sqlite, { "*": "artifacts.*" }, "FROM artifacts WHERE pointer = ?");
  const session = select(archive.sqlite, "sessions", ["pk", "held", "source_pk"], "WHERE id = ?").get(id);
  return [...artifacts.values()].filter((line) => {
    const row = find.get(line.pointer);
    if (row !== undefined) return !isRowSound(row);
    // Of a log that was replaced since, when no event shows it.
    return session === undefined || session.source_pk === null || isShown(archive, session.pk, line);
  });
}

type SessionKeys = { readonly pk: number; readonly held: number; readonly source_pk: number | null };

function isShown(archive: Archive, pk: number, line: NewArtifact): boolean {
  const event = select(archive.sqlite, "events", ["artifact", "body"], "WHERE id = ?").get(
    eventRowId(pk, line.seq ?? 0),
  );
  return event !== undefined && (event.artifact === line.pointer || event.body.includes(line.pointer));
}

/** What is behind a line. The facts of a session of ours are told by its bytes, as when they came in. */
async function lookAt(archive: Archive, artifact: NewArtifact): Promise<Found> {
  const state = await archive.blobs.verify(artifact.digest);
  const isOurs = (artifact.origin ?? "imported") !== "imported";
  if (state !== "ok" || !isOurs) return { artifact, state, facts: null };
  const scan = new ContentScan();
  try {
    for await (const piece of archive.blobs.read(artifact.digest)) scan.add(piece);
  } catch (error) {
    if (isAppError(error)) return { artifact, state: "corrupt", facts: null };
    throw error;
  }
  return { artifact, state, facts: scan.end() };
}

function apply(archive: Archive, folded: Folded, found: readonly Found[]): Rebuilt {
  const { sqlite } = archive;
  const rebuilt: Rebuilt = { artifacts: 0, names: 0, sessions: 0 };
  addDeletedPointers(archive, folded);
  let session = select(sqlite, "sessions", ["pk", "held", "source_pk"], "WHERE id = ?").get(folded.id);
  const kept = found.filter(({ artifact, state }) => state !== "missing" || (artifact.deletedAt ?? null) !== null);
  if (session === undefined) {
    if (!deservesRow(archive, folded, kept)) return rebuilt;
    session = makeSession(archive, folded);
    rebuilt.sessions = 1;
  }
  for (const one of kept) {
    if (!putArtifact(archive, session, folded.id, one)) continue;
    rebuilt.artifacts++;
  }
  if (session.held === 1) rebuilt.names = putNames(archive, session.pk, folded);
  if (session.source_pk === null) {
    command(
      sqlite,
      `UPDATE sessions SET artifacts = (SELECT count(*) FROM artifacts WHERE session_pk = sessions.pk),
           next_seq = max(next_seq, 1 + coalesce((SELECT max(seq) FROM artifacts WHERE session_pk = sessions.pk), 0)) WHERE pk = ?`,
    ).run(session.pk);
    sayWhatIsLost(archive, session.pk);
  }
  if (session.held === 1) closeTurns(archive, session.pk, folded.closedTurns);
  return rebuilt;
}

/** A session of ours always; one that was imported when its registry still tells of artifacts that no other row has. */
function deservesRow(archive: Archive, folded: Folded, kept: readonly Found[]): boolean {
  if (folded.nativeId === null || publicSessionId(folded.nativeId) !== folded.id) return false;
  if (isOurs(folded)) return true;
  const isElsewhere = command(archive.sqlite, "SELECT 1 FROM artifacts WHERE pointer = ?");
  return kept.some(({ artifact }) => isElsewhere.get(artifact.pointer) === undefined);
}

/** Its own line says so; where that was lost, what was stored in it does. The name does not: our own files are imported too. */
const isOurs = ({ session, artifacts }: Folded): boolean =>
  session !== null || [...artifacts.values()].some(({ origin = "imported" }) => origin !== "imported");

function makeSession(archive: Archive, folded: Folded): SessionKeys {
  const { sqlite } = archive;
  const { id, nativeId, session } = folded;
  const native = nativeId ?? "";
  const isHeld = isOurs(folded);
  const format = native.slice(0, native.indexOf(":"));
  const { lastInsertRowid } = command(
    sqlite,
    `INSERT INTO sessions (id, native_id, format, held, policy, window, title, title_rank, model, agent_name, started_at, ended_at, written_at, tally, version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${FIRST_VERSION})`,
  ).run(
    id,
    native,
    format,
    isHeld ? 1 : 0,
    session?.policy == null ? null : JSON.stringify(session.policy),
    session?.window ?? null,
    session?.title ?? native.slice(format.length + 1),
    session?.titleRank ?? 0,
    session?.model ?? null,
    session?.agentName ?? null,
    session?.createdAt ?? null,
    session?.createdAt ?? null,
    session?.createdAt ?? null,
    JSON.stringify({ ...newCounters(), quality: [LOST_EVENTS] }),
  );
  saveHeldCompaction(archive, Number(lastInsertRowid), session?.compaction ?? null);
  return { pk: Number(lastInsertRowid), held: isHeld ? 1 : 0, source_pk: null };
}

function putArtifact(archive: Archive, session: SessionKeys, id: string, { artifact, state, facts }: Found): boolean {
  const { sqlite } = archive;
  const row = query(sqlite, { "*": "artifacts.*" }, "FROM artifacts WHERE pointer = ?").get(artifact.pointer);
  // Somebody wrote it meanwhile, or it belongs to another session now.
  if (row !== undefined && (isRowSound(row) || row.session_pk !== session.pk)) return false;
  command(sqlite, "DELETE FROM artifacts WHERE pointer = ?").run(artifact.pointer);
  putBlobRow(archive, artifact, state, facts);
  const isGone = (artifact.deletedAt ?? null) !== null;
  const preview =
    facts === null || isGone
      ? null
      : facts.isText
        ? previewOf(facts.head, policyOfSession(archive, id).preview_chars, facts.chars ?? undefined)
        : "";
  insertArtifactRow(archive, session.pk, {
    ...artifact,
    saw: artifact.saw ?? "full",
    offloadedBy: artifact.offloadedBy ?? null,
    preview,
  });
  return true;
}

function putBlobRow(archive: Archive, artifact: NewArtifact, state: Found["state"], facts: ContentFacts | null): void {
  const { sqlite } = archive;
  const removedAt = state === "missing" ? (artifact.deletedAt ?? archive.host.now()) : null;
  command(
    sqlite,
    `INSERT INTO blobs (digest, size, line_count, created_at, chars, shape, removed_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET chars = coalesce(excluded.chars, chars), shape = coalesce(excluded.shape, shape)`,
  ).run(
    artifact.digest,
    artifact.sizeBytes,
    artifact.lineCount,
    artifact.createdAt,
    facts?.chars ?? null,
    facts === null ? null : JSON.stringify(facts.shape),
    removedAt,
  );
  if (facts !== null && facts.isText && facts.sizeBytes > CHUNK_BYTES)
    command(sqlite, "INSERT OR IGNORE INTO blob_lines (digest, line_index) VALUES (?, ?)").run(
      artifact.digest,
      facts.index.encode(),
    );
}

function addDeletedPointers(archive: Archive, { deleted }: Folded): void {
  const add = command(archive.sqlite, "INSERT OR IGNORE INTO deleted_pointers (pointer, at, why) VALUES (?, ?, ?)");
  for (const [pointer, { at, why }] of deleted) add.run(pointer, at, why);
}

/** The names of a session, all anew when one is missing: which is the latest is told by their order. */
function putNames(archive: Archive, pk: number, { names }: Folded): number {
  const { sqlite } = archive;
  type Row = Folded["names"][number];
  const rows = query(
    sqlite,
    { ...columns("artifact_names", "name", "pointer"), at: "artifact_names.bound_at" },
    "FROM artifact_names WHERE session_pk = ? ORDER BY pk",
  ).all(pk);
  const key = ({ name, pointer, at }: Row): string => JSON.stringify([name, pointer, at]);
  const known = new Set(rows.map(key));
  const added = names.filter((row) => !known.has(key(row)));
  if (added.length === 0) return 0;
  // A row whose line was lost stays too, at its time.
  const listed = new Set(names.map(key));
  const all = [...names, ...rows.filter((row) => !listed.has(key(row)))].toSorted((a, b) => a.at - b.at);
  command(sqlite, "DELETE FROM artifact_names WHERE session_pk = ?").run(pk);
  const add = command(sqlite, "INSERT INTO artifact_names (session_pk, name, pointer, bound_at) VALUES (?, ?, ?, ?)");
  for (const { name, pointer, at } of all) add.run(pk, name, pointer, at);
  return added.length;
}

/** A session that somebody made anew before its rows came back has fewer events than its artifacts tell of. */
function sayWhatIsLost(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  const row = query(
    sqlite,
    { tally: "sessions.tally", wanted: "integer", found: "integer" },
    "SELECT tally, next_seq - 1 AS wanted, (SELECT count(*) FROM events WHERE id BETWEEN ? AND ?) AS found FROM sessions WHERE pk = ?",
  ).get(...rowRange(pk), pk)!;
  const counters = readCounters(row.tally);
  if (row.found === row.wanted || counters.quality.includes(LOST_EVENTS)) return;
  counters.quality.push(LOST_EVENTS);
  command(sqlite, "UPDATE sessions SET tally = ? WHERE pk = ?").run(JSON.stringify(counters), pk);
}

function closeTurns(archive: Archive, pk: number, closed: readonly number[]): void {
  const { sqlite } = archive;
  const before = JSON.parse(scalar(sqlite, "sessions.closed_turns", "FROM sessions WHERE pk = ?").get(pk)!) as number[];
  const all = [...closed, ...before.filter((turn) => !closed.includes(turn))];
  command(sqlite, "UPDATE sessions SET closed_turns = ? WHERE pk = ?").run(JSON.stringify(all), pk);
}
