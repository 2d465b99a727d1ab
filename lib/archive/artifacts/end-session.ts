// The end of a session that Plimsoll holds: all its artifacts become tombstones. Its events stay, and say what was there.
import { query, scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { EndAnswer, EndPreview } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { write } from "../base/write.ts";
import { endArtifactsWrite } from "./tombstone.ts";

/** Artifacts that end in one write. */
const CHUNK = 500;
/** Names that are listed; all of them are counted. */
const NAMES = 50;

/** Deletes all artifacts of a session that Plimsoll holds; how many it were. Asked again, it deletes none. */
export async function deleteSessionArtifacts(archive: Archive, session: string): Promise<EndAnswer> {
  const { id: sessionId } = endableSession(archive, session);
  let removed = 0;
  for (let ended = CHUNK; ended === CHUNK; removed += ended)
    ({ ended } = await write(archive, endArtifactsWrite, { sessionId, limit: CHUNK }));
  return { sessionId, removed };
}

/** What it would delete now; changes nothing. */
export function endPreview(archive: Archive, session: string): EndPreview {
  const { sqlite } = archive;
  const { pk, id, title } = endableSession(archive, session);
  const sums = query(
    sqlite,
    { artifacts: "integer", sizeBytes: "integer" },
    "SELECT count(*) AS artifacts, coalesce(sum(size), 0) AS sizeBytes FROM artifacts WHERE session_pk = ? AND deleted_at IS NULL",
  ).get(pk)!;
  const freedBytes = scalar(
    sqlite,
    "integer",
    `SELECT coalesce(sum(size), 0) FROM (
         SELECT DISTINCT digest, size FROM artifacts a WHERE session_pk = @pk AND deleted_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM artifacts o WHERE o.digest = a.digest AND o.session_pk <> @pk AND o.deleted_at IS NULL
             AND (o.expires_at IS NULL OR o.expires_at > @now)))`,
  ).get({ pk, now: archive.host.now() })!;
  const isNamed = `FROM artifacts a WHERE a.session_pk = ? AND a.deleted_at IS NULL AND a.name IS NOT NULL
    AND EXISTS (SELECT 1 FROM artifact_names n WHERE n.pointer = a.pointer)`;
  const named = query(
    sqlite,
    { pointer: "artifacts.pointer", name: "artifacts.name!", sizeBytes: "artifacts.size" },
    `SELECT a.pointer, a.name, a.size AS sizeBytes ${isNamed} ORDER BY a.name, a.pk LIMIT ?`,
  ).all(pk, NAMES);
  const namedTotal = scalar(sqlite, "integer", `SELECT count(*) ${isNamed}`).get(pk)!;
  return { sessionId: id, title, ...sums, freedBytes, namedTotal, named };
}

/** Fails for a session whose log stands in another program's file: an import would tell of its outputs again. */
function endableSession(archive: Archive, name: string): { pk: number; id: string; title: string } {
  const pk = findSession(archive, name);
  const row = select(archive.sqlite, "sessions", ["pk", "id", "title", "held"], "WHERE pk = ?").get(pk)!;
  if (row.held === 0)
    fail(
      "conflict",
      `Session ${row.id} is not held by Plimsoll: it was imported and is read-only. Delete its artifacts one by one on the Artifacts page.`,
    );
  return row;
}
