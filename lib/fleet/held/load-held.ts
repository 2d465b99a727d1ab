// A session that agents write, brought into this node's archive as the fleet has it: what is packed is imported, and what was
// appended since is carried out again.
import { dropHeldWrite } from "#lib/archive/artifacts/drop-held.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readEntry, withBytes, type ReadEntry } from "#lib/archive/base/held-entry.ts";
import type { KeptAnswer } from "#lib/archive/base/request-key.ts";
import { write } from "#lib/archive/base/write.ts";
import { replayHeldWrite } from "#lib/archive/writes.ts";
import { blobName } from "#lib/blobs/s3.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { fetchFolder, type Bringer } from "../catalogue.ts";
import { familyOf } from "../commits.ts";
import { withBundle } from "../family-bundle.ts";
import type { Fleet } from "../open-fleet.ts";
import type { TakenLease } from "./held-leases.ts";

/** Appends that are read at once. */
const PAGE = 500;
/** Changes of a session are counted from here, times its lease's number: no two copies count alike. */
const VERSIONS = 1_000_000;

export async function loadHeld(
  fleet: Fleet,
  { archive, importBundle }: Bringer,
  session: string,
  { project, fence, last, packed, commit }: TakenLease,
): Promise<void> {
  await write(archive, dropHeldWrite, { sessionId: session });
  if (commit !== null) {
    const family = familyOf(await packedFamily(fleet, project, session, commit));
    await withBundle(fleet, archive, family, fetchFolder(archive), importBundle);
  }
  let keys = await keysOf(fleet, session);
  for (let from = packed; from < last;) {
    const { sql } = fleet;
    const rows = await fleet.ask(
      () => sql<{ seq: number; body: string }[]>`SELECT seq, body FROM live_log
        WHERE session = ${session} AND seq > ${from} AND seq <= ${last} ORDER BY seq LIMIT ${PAGE}`,
    );
    if (rows.length === 0 || rows.some(({ seq }, n) => seq !== from + n + 1))
      fail("conflict", `The log of session ${session} has no entry ${from + 1}. Run plimsoll fleet check.`);
    const entries: ReadEntry[] = [];
    for (const { body } of rows) entries.push(await withOutput(fleet, archive, readEntry(body)));
    await write(archive, replayHeldWrite, { sessionId: session, entries, keys, version: 0 });
    keys = [];
    from += rows.length;
  }
  await write(archive, replayHeldWrite, { sessionId: session, entries: [], keys, version: fence * VERSIONS });
}

async function packedFamily(
  { sql, ask }: Fleet,
  project: string,
  session: string,
  commit: string,
): Promise<SentFamily> {
  const [row] = await ask(
    () => sql<{ body: SentFamily }[]>`SELECT body FROM commits WHERE project = ${project} AND id = ${commit}
      UNION ALL SELECT body FROM families WHERE project = ${project} AND id = ${session} AND commit_id = ${commit} LIMIT 1`,
  );
  return row?.body ?? fail("conflict", `The packed part of session ${session} is gone. Run plimsoll fleet check.`);
}

async function keysOf({ sql, ask }: Fleet, session: string): Promise<{ kept: KeptAnswer; at: number }[]> {
  const rows = await ask(
    () => sql<{ kept: string }[]>`SELECT kept FROM held_keys WHERE session = ${session} ORDER BY at`,
  );
  return rows.map((row) => {
    const { at, ...kept } = JSON.parse(row.kept) as KeptAnswer & { at: number };
    return { kept, at };
  });
}

/** With the bytes that it names: few come with it, others are in this archive's store then. */
async function withOutput(fleet: Fleet, archive: Archive, entry: ReadEntry): Promise<ReadEntry> {
  if (entry.needs === null) return entry;
  const { digest, isSmall } = entry.needs;
  const name = blobName(digest);
  if (isSmall) return withBytes(entry, await fleet.objects.get(name));
  if (await archive.blobs.has(digest)) return entry;
  await archive.blobs.stageStream(fleet.objects.read(name), { expect: digest, claim: true });
  try {
    await archive.blobs.flush(digest);
  } finally {
    archive.blobs.release(digest);
  }
  return entry;
}
