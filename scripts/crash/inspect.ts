// What must hold after a kill, looked at from outside: digests are computed here, modes and names are read from the folder.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { removeDead, removeOrphans } from "#lib/archive/artifacts/remove-blobs.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { check } from "#lib/archive/upkeep/check-archive.ts";
import { rebuild } from "#lib/archive/upkeep/rebuild-archive.ts";
import { NOW, testHost } from "#lib/archive/testing-archive.ts";
import { again, memoryTrouble } from "./inspect-memory.ts";
import { openJournal } from "./crash-journal.ts";
import { CRASH_TURNS } from "./scenarios.ts";

type State = ReturnType<ReturnType<typeof openJournal>["read"]>;

/** Everything that is wrong with an archive whose writer was killed; nothing when all is well. */
export async function inspect(dir: string): Promise<string[]> {
  const wrong: string[] = [];
  const state = openJournal(join(dir, "..", "journal")).read();
  try {
    await inArchive(dir, async (archive) => {
      wrong.push(...filesAreSound(dir));
      if (!state.mayMiss) wrong.push(...(await rowsAreSound(archive, state, "opened")));
      if (state.ingested.size > 0) {
        wrong.push(...memoryTrouble(archive, state, "opened"));
        wrong.push(...(await again(archive, CRASH_TURNS)));
      }
      await storeArtifact(
        archive,
        { session: (await createSession(archive, { id: "crash" })).id },
        Buffer.from("after"),
      );
      if (state.mayMiss) await rebuild(archive);
      wrong.push(...(await rowsAreSound(archive, state, "written again")));
      await removeDead(archive, { dryRun: false, graceMs: -60_000 });
      await removeOrphans(archive, { dryRun: false, graceMs: -60_000 });
      wrong.push(...(await rowsAreSound(archive, state, "swept")));
      if (archive.sqlite.pragma("integrity_check", { simple: true }) !== "ok") wrong.push("the database is damaged");
    });
    // The strongest promise: what was acknowledged is in blobs and registry alone.
    for (const name of readdirSync(dir)) if (name.startsWith("archive.db")) rmSync(join(dir, name));
    await inArchive(dir, async (archive) => {
      await rebuild(archive);
      wrong.push(...(await rowsAreSound(archive, state, "made again without the database")));
    });
    wrong.push(...filesAreSound(dir));
  } catch (error) {
    wrong.push(`it could not be opened or read: ${error instanceof Error ? error.stack : String(error)}`);
  }
  return wrong;
}

async function inArchive(dir: string, work: (archive: Archive) => Promise<void>): Promise<void> {
  const archive = await openArchive({ dir, host: testHost(() => NOW + 7_200_000) });
  try {
    await work(archive);
  } finally {
    await closeArchive(archive);
  }
}

async function rowsAreSound(archive: Archive, state: State, when: string): Promise<string[]> {
  const wrong: string[] = [];
  const { sqlite } = archive;
  const find = sqlite.prepare("SELECT digest, size, deleted_at FROM artifacts WHERE pointer = ?");
  const named = sqlite.prepare("SELECT 1 FROM artifact_names WHERE pointer = ? AND name = ?");
  for (const { pointer, digest, size, name } of state.puts) {
    const row = find.get(pointer) as { digest: string; size: number; deleted_at: number | null } | undefined;
    if (row === undefined) {
      wrong.push(`${when}: ${pointer} was acknowledged and has no row`);
      continue;
    }
    if (row.digest !== digest || row.size !== size) wrong.push(`${when}: ${pointer} is another content now`);
    if (state.deleted.has(pointer)) {
      if (row.deleted_at === null) wrong.push(`${when}: ${pointer} was deleted and is back`);
      continue;
    }
    if (row.deleted_at !== null) {
      if (!state.maybeDeleted.has(pointer)) wrong.push(`${when}: ${pointer} is gone, and nobody asked for it`);
      continue;
    }
    const trouble = blobTrouble(archive, digest, size);
    if (trouble !== null) wrong.push(`${when}: ${pointer} ${trouble}`);
    if (name !== null && named.get(pointer, name) === undefined) wrong.push(`${when}: ${pointer} lost its name`);
  }
  const rows = sqlite.prepare("SELECT pointer, digest, size FROM artifacts WHERE deleted_at IS NULL").all() as {
    pointer: string;
    digest: string;
    size: number;
  }[];
  for (const { pointer, digest, size } of rows) {
    const trouble = blobTrouble(archive, digest, size);
    if (trouble !== null) wrong.push(`${when}: the row ${pointer} ${trouble}`);
  }
  const { ok, problems } = await check(archive);
  if (!ok) wrong.push(`${when}: check found ${JSON.stringify(problems.slice(0, 3))}`);
  return wrong;
}

function blobTrouble(archive: Archive, digest: string, size: number): string | null {
  try {
    const bytes = readFileSync(archive.blobs.path!(digest));
    if (bytes.length !== size) return `has ${bytes.length} of ${size} bytes`;
    return sha256(bytes) === digest ? null : "has other bytes";
  } catch {
    return "has no bytes";
  }
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Names, modes and digests of all files: no torn blob is visible, nothing is left half written, nothing is outside. */
function filesAreSound(dir: string): string[] {
  const wrong: string[] = [];
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const mode = lstatSync(path).mode & 0o777;
    if (entry.isDirectory() ? mode !== 0o700 : mode !== 0o600) wrong.push(`${path} has mode ${mode.toString(8)}`);
    if (/^\.(tmp|staging)-/.test(entry.name)) wrong.push(`${path} was left behind`);
    if (/^[0-9a-f]{64}$/.test(entry.name) && sha256(readFileSync(path)) !== entry.name) wrong.push(`${path} is torn`);
  }
  const around = readdirSync(dirname(dir)).filter((name) => name !== "journal" && name !== basename(dir));
  if (around.length > 0) wrong.push(`outside of the archive there is ${around.join(", ")}`);
  return wrong;
}
