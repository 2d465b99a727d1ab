// Which archive a command works on, and how: reading beside a running server, writing under the lock, or through the server
// that holds it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { spooledFiles, takeSpooled } from "#lib/archive/artifacts/output-spool.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { askCommand } from "#lib/http/running-server.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { systemHost } from "../system-host.ts";
import { archiveDir } from "./archive-dir.ts";
import type { Words } from "./args.ts";

/** Opens the archive for reading while `work` runs. What agents' hooks put aside is taken in before. */
export async function reading<T>(words: Words, work: (archive: Archive) => Promise<T>): Promise<T> {
  await takeWaiting(words);
  const archive = await openArchive({ dir: archiveDir(words), host: systemHost(), mode: "read" });
  try {
    return await work(archive);
  } finally {
    await closeArchive(archive);
  }
}

/** Makes the archive where there is none: an agent's client takes a refusal to list anything for a broken server. */
export async function ensureArchive(words: Words): Promise<void> {
  if (!existsSync(join(archiveDir(words), "archive.db"))) await writingHere(words, async () => undefined);
}

/** Takes in what waits in the spool, here or in the server. Where nobody can, it goes on waiting, and the rest can be read. */
async function takeWaiting(words: Words): Promise<void> {
  if (spooledFiles(archiveDir(words)).length === 0) return;
  await writing(words, "take-spooled", {}, async (archive) => ({ taken: await takeSpooled(archive) })).catch(
    (error: unknown) =>
      console.error(`Outputs of hooks wait: ${error instanceof Error ? error.message : String(error)}`),
  );
}

/** Writes under the lock. Fails with `conflict` where another process holds it. */
export async function writingHere<T>(words: Words, work: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = await openArchive({ dir: archiveDir(words), host: systemHost(), mode: "write" });
  try {
    return await work(archive);
  } finally {
    await closeArchive(archive);
  }
}

/** Writes under the lock; where a server holds it, asks that server to do the same by the command's name. */
export async function writing<T>(
  words: Words,
  command: string,
  body: unknown,
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  const dir = archiveDir(words);
  let archive: Archive;
  try {
    archive = await openArchive({ dir, host: systemHost(), mode: "write" });
  } catch (error) {
    if (!isAppError(error) || error.code !== "conflict") throw error;
    const request = await askCommand(dir, command, body);
    if (request === null) throw error;
    return request.answer as T;
  }
  try {
    return await work(archive);
  } finally {
    await closeArchive(archive);
  }
}
