// Memory folders of running agents as sessions: attached once, and looked at again when they changed.
import type { AttachedAnswer, AttachedList, DetachedAnswer } from "#lib/wire/attached-schema.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import { attachedOf, attachedRows, type AttachedRow } from "./attached-rows.ts";
import { look, memoryFolder } from "./read-directory.ts";
import { detachFolderWrite, syncAttachedWrite } from "./sync-directory.ts";

/** Shows a memory folder as a session. Asked again, it looks at the folder again. Writes nothing into it. */
export async function attachDirectory(archive: Archive, given: string): Promise<AttachedAnswer> {
  return follow(archive, memoryFolder(given), null);
}

export async function refreshAttached(archive: Archive, name: string): Promise<AttachedAnswer> {
  const attached = attachedOf(archive, findSession(archive, name));
  if (attached === null) return notAttached(name);
  return follow(archive, memoryFolder(attached.path), attached.sessionId);
}

/** Follows a folder no more. What was read of it stays; nothing is written into the folder. */
export async function detachDirectory(archive: Archive, name: string): Promise<DetachedAnswer> {
  const attached = attachedOf(archive, findSession(archive, name));
  if (attached === null) return notAttached(name);
  const { sessionId } = attached;
  return { sessionId, ...(await write(archive, detachFolderWrite, { sessionId })) };
}

export async function listAttached(archive: Archive): Promise<AttachedList> {
  return { attached: attachedRows(archive).map(viewOf) };
}

/**
 * The folder of a session as it is now, or null when the session is none. Where the archive is only read it is what was
 * seen last.
 */
export async function lookAgain(archive: Archive, pk: number): Promise<AttachedRow | null> {
  const attached = attachedOf(archive, pk);
  if (attached === null || archive.mode === "read") return attached;
  const { path, sessionId } = attached;
  await write(archive, syncAttachedWrite, { seen: look(memoryFolder(path)), sessionId });
  return attachedOf(archive, pk);
}

const notAttached = (name: string): never =>
  fail("not_found", `Session ${name.slice(0, 80)} is not an attached memory folder.`);

async function follow(archive: Archive, path: string, of: string | null): Promise<AttachedAnswer> {
  const seen = look(path);
  const { sessionId, created, added } =
    (await write(archive, syncAttachedWrite, { seen, sessionId: of })) ?? notAttached(of!);
  const row = attachedOf(archive, findSession(archive, sessionId))!;
  return { ...viewOf(row), created, added, warnings: [...seen.warnings] };
}

const viewOf = (row: AttachedRow): AttachedList["attached"][number] => ({
  sessionId: row.sessionId,
  nativeId: row.nativeId,
  path: row.path,
  generation: row.generation,
  refuses: row.refuses,
  events: row.events,
  attachedAt: iso(row.attachedAt) ?? "",
  readAt: iso(row.readAt) ?? "",
});
