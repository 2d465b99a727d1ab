// What is interrupted: each scenario prepares an archive, and then does one thing while it is killed. It tells the journal
// what it asks for before, and what was acknowledged after.
import { closeTurn, createSession } from "#lib/archive/artifacts/create-session.ts";
import { deleteArtifact } from "#lib/archive/artifacts/delete-artifact.ts";
import { collect } from "#lib/archive/artifacts/gc.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { saveRetention } from "#lib/archive/artifacts/retention.ts";
import { storeArtifact, type StoreInput } from "#lib/archive/artifacts/store-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { compactWork, undoWork, type FolderWork } from "#lib/agent-dirs/autobyteus/testing-kill.ts";
import { rebuild } from "#lib/archive/upkeep/rebuild-archive.ts";
import { compactSession, undoCompaction } from "#lib/archive/memory/compact.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { request } from "#lib/archive/memory/testing-run.ts";
import { crashTurn } from "./inspect-memory.ts";
import { CRASH_SESSION, type Journal } from "./crash-journal.ts";

type ArchiveScenario = {
  readonly name: string;
  prepare(archive: Archive, journal: Journal): Promise<void>;
  run(archive: Archive, journal: Journal): Promise<void>;
};

/** What is done to a folder of another program, without an archive; it says itself what must hold after. */
type FolderScenario = { readonly name: string; readonly folder: FolderWork };

export type Scenario = ArchiveScenario | FolderScenario;

/** Bytes that a number gives, the same in every process. */
function bytesOf(seed: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = seed * 2654435761 + 1;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[at] = at % 61 === 60 ? 0x0a : 0x20 + ((state >>> 24) % 95);
  }
  return bytes;
}

async function* pieces(bytes: Uint8Array, size = 40_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const SESSION = CRASH_SESSION;

async function put(
  archive: Archive,
  journal: Journal,
  bytes: Buffer,
  input: Partial<StoreInput> & { streamed?: boolean } = {},
): Promise<string> {
  const { streamed = false, ...rest } = input;
  const stored = await storeArtifact(archive, { session: SESSION, ...rest }, streamed ? pieces(bytes) : bytes);
  journal.acked({ put: stored.pointer, digest: stored.digest, size: stored.sizeBytes, name: input.name ?? null });
  return stored.pointer;
}

async function remove(archive: Archive, journal: Journal, pointer: string): Promise<void> {
  journal.requested({ delete: pointer });
  await deleteArtifact(archive, pointer);
  journal.acked({ delete: pointer });
}

const begin = async (archive: Archive): Promise<void> => {
  await createSession(archive, { id: "crash", title: "A run that is killed", policy: "window" });
};

async function tell(archive: Archive, journal: Journal, n: number): Promise<void> {
  const records = crashTurn(n);
  const { seqs } = await ingest(archive, SESSION, records);
  const result = records.flatMap(({ uuid }, i) => (typeof uuid === "string" ? [[uuid, seqs[i]!] as const] : []));
  journal.acked({ ingested: Object.fromEntries(result) });
}

/** The turns that the scenarios of memory tell, in the order in which they do. */
export const CRASH_TURNS = 9;

async function compact(archive: Archive, journal: Journal): Promise<string> {
  const { id } = await compactSession(archive, SESSION, request({ tail: 1 }));
  journal.acked({ compact: id });
  return id!;
}

async function undo(archive: Archive, journal: Journal, id: string): Promise<void> {
  journal.requested({ undo: id });
  await undoCompaction(archive, id);
  journal.acked({ undo: id });
}

/** No grace: what nothing names goes at once. */
const SWEEP = { graceMs: -60_000 };

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "session",
    prepare: async () => undefined,
    async run(archive, journal) {
      await begin(archive);
      await put(archive, journal, bytesOf(1, 100));
    },
  },
  {
    name: "put small",
    prepare: begin,
    async run(archive, journal) {
      await put(archive, journal, bytesOf(1, 100));
      await put(archive, journal, bytesOf(2, 0));
      await Promise.all([3, 4, 5].map((seed) => put(archive, journal, bytesOf(seed, 5000))));
    },
  },
  {
    name: "put streamed",
    prepare: begin,
    async run(archive, journal) {
      await put(archive, journal, bytesOf(1, 300_000), { streamed: true });
      await Promise.all([2, 3].map((seed) => put(archive, journal, bytesOf(seed, 90_000), { streamed: true })));
    },
  },
  {
    name: "put duplicate",
    async prepare(archive, journal) {
      await begin(archive);
      await put(archive, journal, bytesOf(1, 5000));
    },
    async run(archive, journal) {
      await put(archive, journal, bytesOf(1, 5000));
      await Promise.all([1, 2, 2].map((seed) => put(archive, journal, bytesOf(seed, 5000))));
      await put(archive, journal, bytesOf(2, 5000), { streamed: true });
    },
  },
  {
    name: "put named",
    async prepare(archive, journal) {
      await begin(archive);
      await put(archive, journal, bytesOf(1, 100), { name: "notes" });
    },
    async run(archive, journal) {
      await put(archive, journal, bytesOf(2, 100), { name: "notes" });
      await put(archive, journal, bytesOf(3, 100), { name: "other" });
    },
  },
  {
    name: "output",
    prepare: begin,
    async run(archive, journal) {
      const input = { session: SESSION, toolName: "bash", isError: false } as const;
      for (const [i, size] of [20, 40_000, 200_000].entries()) {
        const bytes = bytesOf(10 + i, size);
        const { artifact } = await recordOutput(archive, { ...input, toolCallId: `c${i}`, turn: 1 }, pieces(bytes));
        if (artifact !== null)
          journal.acked({ put: artifact.pointer, digest: artifact.digest, size: artifact.sizeBytes, name: null });
      }
      await closeTurn(archive, SESSION, 1);
    },
  },
  {
    name: "delete",
    async prepare(archive, journal) {
      await begin(archive);
      for (const seed of [1, 1, 2, 3]) journal.remember(await put(archive, journal, bytesOf(seed, 3000)));
    },
    async run(archive, journal) {
      const [a, , c] = journal.remembered();
      await remove(archive, journal, a!);
      await remove(archive, journal, c!);
      await put(archive, journal, bytesOf(2, 3000));
    },
  },
  {
    name: "sweep",
    async prepare(archive, journal) {
      await begin(archive);
      for (const seed of [1, 2]) journal.expires(await put(archive, journal, bytesOf(seed, 3000), { ttlSeconds: 1 }));
      await put(archive, journal, bytesOf(2, 3000));
      await put(archive, journal, bytesOf(3, 3000), { name: "kept" });
      await remove(archive, journal, await put(archive, journal, bytesOf(4, 3000)));
      archive.blobs.stage(bytesOf(5, 3000));
      await archive.blobs.flush();
      await saveRetention(archive, {
        maxAgeDays: null,
        maxBytes: 1e9,
        sessionBytes: null,
        archiveBytes: null,
        keepNamed: true,
      });
    },
    async run(archive, journal) {
      journal.requested({ sweep: true });
      await collect(archive, SWEEP);
      journal.acked({ sweep: true });
    },
  },
  {
    name: "rebuild",
    async prepare(archive, journal) {
      await begin(archive);
      for (const seed of [1, 2, 3]) await put(archive, journal, bytesOf(seed, 3000), { name: `n${seed}` });
      await remove(archive, journal, await put(archive, journal, bytesOf(4, 3000)));
      archive.sqlite.exec("DELETE FROM artifacts WHERE pk % 2 = 1; DELETE FROM artifact_names WHERE pk = 2");
      journal.loses();
    },
    async run(archive, journal) {
      // Where a row could not be written its answer says so: then nothing was promised.
      const { ok } = await rebuild(archive);
      if (ok) journal.acked({ rebuilt: true });
    },
  },
  {
    name: "compact",
    async prepare(archive, journal) {
      await begin(archive);
      for (let n = 1; n <= 5; n++) await tell(archive, journal, n);
    },
    async run(archive, journal) {
      await tell(archive, journal, 6);
      await undo(archive, journal, await compact(archive, journal));
      await tell(archive, journal, 7);
      await compact(archive, journal);
      await Promise.all([tell(archive, journal, 8), compact(archive, journal).catch(() => "nothing more to cut")]);
      await tell(archive, journal, CRASH_TURNS);
    },
  },
  { name: "autobyteus-compact gen 1", folder: compactWork(1) },
  { name: "autobyteus-compact gen 2", folder: compactWork(2) },
  { name: "autobyteus-undo gen 1", folder: undoWork(1) },
  { name: "autobyteus-undo gen 2", folder: undoWork(2) },
];
