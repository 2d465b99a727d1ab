// Removing an imported session: it leaves lists, search, memory and the bytes that are kept of its file. The file itself is the
// agent's and is not touched; it is read again only when somebody names it. What Plimsoll itself wrote of it goes with it: requests
// that its proxy recorded, and telemetry that came.
import { existsSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { query, scalar } from "#db/statement.ts";
import { captured } from "#lib/formats/captured.ts";
import { CAPTURE_FOLDER } from "#lib/kernel/captured-record.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { RemovedSession, RemovePreview } from "#lib/wire/remove-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { isBundled } from "../base/bundle-path.ts";
import { dropAnswers } from "../base/dropped-answers.ts";
import { findSession } from "../base/find-session.ts";
import { defineWrite, write } from "../base/write.ts";
import { noteRemoved, removeSource } from "../import/remove-source.ts";
import { noteUnread } from "../import/source-row.ts";
import { settleTelemetry, telemetryFolder } from "../import/telemetry-journal.ts";
import { reportFile } from "../import/telemetry-sessions.ts";

const REMOVED = "Removed from Plimsoll. Import this file by its name to read it again.";

/** What would go; changes nothing. */
export function removePreview(archive: Archive, name: string): RemovePreview {
  const { pk, id, title, path, status, source } = removable(archive, name);
  const own = query(
    archive.sqlite,
    { sessions: "integer", events: "integer", calls: "integer", artifacts: "integer" },
    "SELECT count(*) AS sessions, sum(next_seq - 1) AS events, sum(calls) AS calls, sum(artifacts) AS artifacts FROM sessions WHERE source_pk = ?",
  ).get(source)!;
  const inherited = scalar(
    archive.sqlite,
    "integer",
    "SELECT count(DISTINCT other_pk) FROM lineage WHERE session_pk = ?",
  ).get(pk)!;
  const files = ownFiles(archive, source, path).filter((file) => existsSync(file));
  return { sessionId: id, title, path, isOnDisk: status !== "gone", ...own, related: inherited, files };
}

/** Takes out a session with all that its file holds, its sub-agents too. */
export async function removeSession(archive: Archive, name: string): Promise<RemovedSession> {
  // A full disk is no reason to keep it.
  await settleTelemetry(archive).catch(() => undefined);
  return write(archive, removeSessionWrite, { name });
}

function remove(archive: Archive, batch: Batch, { name }: { readonly name: string }): RemovedSession {
  const { id, path, source } = removable(archive, name);
  const sessions = scalar(archive.sqlite, "integer", "SELECT count(*) FROM sessions WHERE source_pk = ?").get(source)!;
  const files = ownFiles(archive, source, path);
  for (const one of removeSource(archive, batch, path)) {
    // Of a bundle no file stands here that an import would find. A node takes out thousands, and noted each of them for good.
    if (isOwn(archive, one) || isBundled(one)) continue;
    noteRemoved(archive, one, true);
    noteUnread(archive, one, "skipped", REMOVED);
  }
  for (const file of files) {
    removeSource(archive, batch, file);
    discard(file);
  }
  dropAnswers(archive);
  return { sessionId: id, path, sessions };
}

/** Before the commit: an answer that it is removed is true. What the file had is in the archive until then, so nothing is half. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    fail(
      "conflict",
      `${file} could not be deleted (${code}). The session stays. Close what uses the file, then retry.`,
    );
  }
}

const isOwn = (archive: Archive, path: string): boolean =>
  [join(archive.dir, CAPTURE_FOLDER), telemetryFolder(archive)].some((folder) => path.startsWith(folder + sep));

/** Files that Plimsoll wrote of the sessions of a source: the source itself, what was captured of them, and what they reported. */
function ownFiles(archive: Archive, source: number, path: string): string[] {
  const { sqlite } = archive;
  const names = scalar(sqlite, "sessions.native_id", "FROM sessions WHERE source_pk = ?").all(source);
  const reports = names.map((name) => reportFile(archive, name)).filter((file) => file !== null);
  const captures = scalar(
    sqlite,
    "sources.path",
    `SELECT f.path FROM sessions c JOIN sessions s ON s.pk = c.parent_pk JOIN sources f ON f.pk = c.source_pk
       WHERE s.source_pk = ? AND c.format = ?`,
  ).all(source, captured.id);
  return [...new Set([path, ...captures, ...reports])].filter((file) => isOwn(archive, file));
}

export const removeSessionWrite = defineWrite("removeSession", remove, { freesRoom: true, isWhole: true });

function removable(archive: Archive, name: string) {
  const pk = findSession(archive, name);
  const row = query(
    archive.sqlite,
    {
      pk: "sessions.pk",
      id: "sessions.id",
      title: "sessions.title",
      held: "sessions.held",
      lane: "sessions.lane",
      earlier: "sessions.earlier",
      source: "sessions.source_pk",
      path: "sources.path?",
      status: "sources.status?",
    },
    `SELECT s.pk, s.id, s.title, s.held, s.lane, s.earlier, s.source_pk AS source, f.path, f.status
       FROM sessions s LEFT JOIN sources f ON f.pk = s.source_pk WHERE s.pk = ?`,
  ).get(pk)!;
  const { path, source, status } = row;
  if (row.held === 1 || path === null || source === null)
    fail(
      "conflict",
      `Session ${row.id} was not imported from a file. plimsoll end deletes the artifacts of one that Plimsoll holds.`,
    );
  if (row.earlier !== null)
    fail(
      "conflict",
      `Session ${row.id} is an earlier version of a file. Remove the session of that file: its versions go with it.`,
    );
  if (row.lane !== "")
    fail(
      "conflict",
      `Session ${row.id} is a sub-agent inside its parent's file. Remove the parent: its sub-agents go with it.`,
    );
  return { ...row, path, source, status };
}
