// Mending what check found. Artifact rows come back from the registries; sessions are read again from their source's kept
// bytes, with the parser of today.
import { readRegistry } from "#lib/blobs/registry.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { CheckAnswer } from "#lib/wire/check.ts";
import type { Archive } from "./archive.ts";
import { eventRowId } from "./keys.ts";
import { check, registryIds } from "./check.ts";
import { insertArtifactRow, isRowSound, type ArtifactDbRow, type NewArtifact } from "./artifacts/artifact-row.ts";
import { Batch } from "./import/batch.ts";
import { reparse } from "./import/import-file.ts";
import { rawBytes } from "./import/raw-writer.ts";

type RegistryValue = NewArtifact;

/** Mends what can be mended, and says what was. */
export async function rebuild(archive: Archive): Promise<CheckAnswer> {
  const before = await check(archive);
  const artifacts = await rebuildArtifacts(archive);
  let sessions = 0;
  let events = 0;
  const sources = new Set<number>();
  for (const pk of before.badSessions) {
    const source = archive.sqlite.prepare("SELECT source_pk FROM sessions WHERE pk = ?").pluck().get(pk) as
      | number
      | null
      | undefined;
    if (typeof source === "number") sources.add(source);
  }
  for (const pk of sources) {
    const outcome = await rebuildSource(archive, pk);
    sessions += outcome.sessions;
    events += outcome.events;
  }
  const { badSessions: _before, ...after } = await check(archive);
  return { ...after, rebuilt: { artifacts, sessions, events } };
}

async function rebuildArtifacts(archive: Archive): Promise<number> {
  const { sqlite } = archive;
  const sessionPk = sqlite.prepare("SELECT pk FROM sessions WHERE id = ?").pluck();
  const find = sqlite.prepare("SELECT * FROM artifacts WHERE pointer = ?");
  const drop = sqlite.prepare("DELETE FROM artifacts WHERE pointer = ?");
  const addBlob = sqlite.prepare(
    "INSERT OR IGNORE INTO blobs (digest, size, line_count, created_at) VALUES (?, ?, ?, ?)",
  );
  let count = 0;
  for (const id of registryIds(archive)) {
    const pk = sessionPk.get(id) as number | undefined;
    if (pk === undefined) continue;
    for await (const { value } of readRegistry(archive.dir, id)) {
      if (value === null) continue;
      const line = value as unknown as RegistryValue;
      const row = find.get(line.pointer) as ArtifactDbRow | undefined;
      if (row !== undefined && isRowSound(row)) continue;
      // A line without its event is of a log that was replaced since.
      if (row === undefined && !isNamed(archive, pk, line)) continue;
      if ((await archive.blobs.verify(line.digest)) === "missing") continue;
      sqlite.transaction(() => {
        drop.run(line.pointer);
        addBlob.run(line.digest, line.sizeBytes, line.lineCount, archive.host.now());
        insertArtifactRow(archive, pk, { ...line, saw: line.saw ?? "full", offloadedBy: line.offloadedBy ?? null });
      })();
      count++;
    }
  }
  return count;
}

function isNamed(archive: Archive, pk: number, line: RegistryValue): boolean {
  const event = archive.sqlite
    .prepare("SELECT artifact, body FROM events WHERE id = ?")
    .get(eventRowId(pk, line.seq ?? 0)) as { artifact: string | null; body: string } | undefined;
  return event !== undefined && (event.artifact === line.pointer || event.body.includes(line.pointer));
}

async function rebuildSource(archive: Archive, sourcePk: number): Promise<{ sessions: number; events: number }> {
  const batch = new Batch(archive);
  batch.begin();
  try {
    const outcome = await reparse(archive, batch, sourcePk, rawHandle(archive, sourcePk));
    await batch.commit();
    return { sessions: outcome.sessions.length, events: outcome.events };
  } catch (error) {
    await batch.rollback();
    throw error;
  }
}

/** The kept bytes of a source as a file to read. */
function rawHandle(archive: Archive, sourcePk: number): SourceHandle {
  const row = archive.sqlite
    .prepare(
      "SELECT path, dev, ino, mtime_ms AS mtimeMs, (SELECT max(byte_end) FROM raw_blocks WHERE source_pk = pk) AS size FROM sources WHERE pk = ?",
    )
    .get(sourcePk) as { path: string; dev: string; ino: string; mtimeMs: number; size: number | null };
  return {
    ...row,
    size: row.size ?? 0,
    fd: -1,
    read: async (start, length) => Buffer.concat([...rawBytes(archive, sourcePk, start, start + length)]),
    close: async () => undefined,
  };
}
