// Takes the tool results of an OpenClaw transcript out into artifacts. Everything is on the disk before the transcript is
// replaced: artifacts, registry, a copy of the transcript; so a crash leaves the old one or the new one, and a second
// run ends what a first one began. Lines that need no change keep every byte, and of a changed line only the content,
// the details and the version change.
import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { createFile, readRegular, replaceFile } from "../private-files.ts";
import type { ReadFile } from "../private-files.ts";
import { storePayloads } from "./tool-payloads.ts";
import type { BadRegistryLine } from "./artifact-registry.ts";
import { planMigration } from "./transcript.ts";

export type MigrateOptions = {
  readonly sessionFile: string;
  /** The folder `artifacts` beside the transcript when absent. */
  readonly artifactsDir?: string;
  readonly sessionKey?: string;
  readonly host: { now(): number };
};

export type MigrationReport = {
  readonly migrated: boolean;
  /** Artifacts that the transcript now refers to because of this run. Equal results share one. */
  readonly createdArtifacts: number;
  readonly updatedEntries: number;
  readonly backupPath?: string;
  /** Why nothing was migrated. */
  readonly reason?: string;
  /** Lines of the registry that could not be read; they were skipped. */
  readonly badRegistryLines?: readonly BadRegistryLine[];
};

const refused = (reason: string): MigrationReport => ({
  migrated: false,
  createdArtifacts: 0,
  updatedEntries: 0,
  reason,
});

/** Migrates a transcript in place. Never throws for what a file may be: the report says why nothing was done. */
export async function migrateSession(options: MigrateOptions): Promise<MigrationReport> {
  const { sessionFile, sessionKey, host } = options;
  const artifactsDir = options.artifactsDir ?? join(dirname(sessionFile), "artifacts");
  try {
    const read = sessionFile.trim() === "" ? null : await readRegular(sessionFile);
    if (read === null) return refused("missing session file");
    const plan = planMigration(read.bytes, host.now());
    if (typeof plan === "string") return refused(plan);
    if (plan.results.length === 0 && plan.hasVersion) return refused("already migrated");

    const { refs, bad } = await storePayloads(artifactsDir, plan.results, { sessionKey, sessionId: plan.sessionId });
    const backupPath = await replaceTranscript(sessionFile, read, plan.rewritten(refs), host.now());
    return {
      migrated: true,
      createdArtifacts: new Set(refs.map((ref) => ref.id)).size,
      updatedEntries: refs.length,
      backupPath,
      ...(bad.length === 0 ? {} : { badRegistryLines: bad }),
    };
  } catch (error) {
    return refused(`migration failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function replaceTranscript(path: string, read: ReadFile, bytes: Uint8Array, now: number): Promise<string> {
  const mode = read.stat.mode & 0o777;
  const backup = await createBackup(path, read.bytes, mode, now);
  try {
    // An agent that writes meanwhile would lose what it wrote.
    await replaceFile(path, bytes, mode, async () => {
      const found = await lstat(path);
      const { ino, size, mtimeMs } = read.stat;
      if (found.ino !== ino || found.size !== size || found.mtimeMs !== mtimeMs)
        fail("conflict", "the session file changed during the migration. Stop its agent, then try again");
    });
  } catch (error) {
    await rm(backup, { force: true });
    throw error;
  }
  return backup;
}

async function createBackup(path: string, bytes: Uint8Array, mode: number, now: number): Promise<string> {
  for (let ms = now; ; ms++) {
    const backup = `${path}.bak-${process.pid}-${ms}`;
    try {
      await createFile(backup, bytes, mode);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
