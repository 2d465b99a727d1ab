// Mending what check found. Artifact rows come back from the registries; sessions are read again from their source's kept
// bytes, with the parser of today.
import { readRegistry } from "#lib/blobs/registry.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { CheckAnswer } from "#lib/wire/check.ts";
import type { Archive } from "./archive.ts";
import { eventRowId } from "./keys.ts";
import { check, registryIds } from "./check.ts";
import { artifactChecksum, type ArtifactFields } from "./import/artifact-writer.ts";
import { Batch } from "./import/batch.ts";
import { reparse } from "./import/import-file.ts";
import { rawBytes } from "./import/raw-writer.ts";
import { isRowSound, type ArtifactDbRow } from "./show-artifact.ts";

type RegistryValue = ArtifactFields & { saw?: string; offloadedBy?: string | null; width?: number; height?: number };

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
  const add = sqlite.prepare(
    `INSERT INTO artifacts (pointer, session_pk, seq, digest, name, tool_name, tool_call_id, content_type, size, line_count, width, height,
       saw, offloaded_by, created_at, expires_at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)`,
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
        add.run(
          line.pointer,
          pk,
          line.seq,
          line.digest,
          line.name,
          line.toolName,
          line.toolCallId,
          line.contentType,
          line.sizeBytes,
          line.lineCount,
          line.width ?? null,
          line.height ?? null,
          line.saw ?? "full",
          line.offloadedBy ?? null,
          line.createdAt,
          artifactChecksum(line),
        );
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
