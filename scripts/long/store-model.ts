// The artifact store against a model of it in memory: whatever is stored, named, ended, swept, imported, reopened or made
// again without its database, a pointer leads to its exact bytes or to a tombstone, and each content is there once.
import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { deleteArtifact } from "#lib/archive/artifacts/delete-artifact.ts";
import { collect } from "#lib/archive/artifacts/gc.ts";
import { recordOutput } from "#lib/archive/artifacts/record-output.ts";
import { resolveArtifact, stateOf } from "#lib/archive/artifacts/resolve.ts";
import { readStats } from "#lib/archive/artifacts/stats.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { check } from "#lib/archive/upkeep/check-archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { rebuild } from "#lib/archive/upkeep/rebuild-archive.ts";
import { NOW, testHost } from "#lib/archive/testing-archive.ts";

type Kept = {
  readonly digest: string;
  readonly bytes: Buffer;
  readonly expiresAt: number | null;
  gone: "deleted" | "expired" | null;
};
type Model = { readonly artifacts: Map<string, Kept>; names: Map<string, string>; imported: number };

/** The real thing. `archive` changes when it is opened again. */
class Real {
  readonly dir: string;
  readonly logs: string;
  now = NOW;
  archive!: Archive;

  constructor() {
    const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-model-"));
    this.dir = join(root, "archive");
    this.logs = join(root, "logs");
    mkdirSync(this.logs);
  }

  async open(): Promise<this> {
    this.archive = await openArchive({ dir: this.dir, host: testHost(() => this.now) });
    await createSession(this.archive, { id: "model" });
    return this;
  }

  async close(): Promise<void> {
    await closeArchive(this.archive);
  }

  remove(): void {
    rmSync(join(this.dir, ".."), { recursive: true, force: true });
  }
}

const SESSION = "plimsoll:model";
const NO_GRACE = { graceMs: -60_000 };

class Failed extends Error {}
function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Failed(what);
}

type Command = fc.AsyncCommand<Model, Real>;

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      await holds(model, real);
    },
    toString: () => name,
  };
}

/** What is true after each step. */
async function holds(model: Model, { archive, now }: Real): Promise<void> {
  const live = new Map<string, number>();
  let logical = 0;
  for (const [pointer, kept] of model.artifacts) {
    if (kept.gone === null && kept.expiresAt !== null && kept.expiresAt <= now) kept.gone = "expired";
    const row = resolveArtifact(archive, pointer);
    const state = stateOf(row, now);
    must(state === (kept.gone ?? "live"), `${pointer} is ${state}, and should be ${kept.gone ?? "live"}`);
    must(row.digest === kept.digest && row.size === kept.bytes.length, `${pointer} forgot what it was`);
    if (state !== "live") continue;
    live.set(kept.digest, kept.bytes.length);
    logical += kept.bytes.length;
    const pieces: Uint8Array[] = [];
    for await (const piece of archive.blobs.read(row.digest)) pieces.push(piece);
    must(Buffer.concat(pieces).equals(kept.bytes), `${pointer} has other bytes`);
  }
  for (const [name, pointer] of model.names) {
    const latest = archive.sqlite
      .prepare("SELECT pointer FROM artifact_names WHERE name = ? ORDER BY pk DESC LIMIT 1")
      .pluck()
      .get(name);
    must(latest === pointer, `the name ${name} leads to ${String(latest)}, not to ${pointer}`);
  }
  const stats = await readStats(archive);
  must(stats.blobs === live.size, `${stats.blobs} blobs are counted, and ${live.size} contents are alive`);
  must(stats.logicalBytes === logical, `${stats.logicalBytes} logical bytes are counted of ${logical}`);
  const physical = [...live.values()].reduce((sum, size) => sum + size, 0);
  must(stats.physicalBytes - stats.waiting.bytes === physical, `${stats.physicalBytes} physical bytes of ${physical}`);
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const keep = (model: Model, pointer: string, bytes: Buffer, expiresAt: number | null): void =>
  void model.artifacts.set(pointer, { digest: hash("sha256", bytes, "hex"), bytes, expiresAt, gone: null });

/** Few contents, so that they meet again; each with something that is easily lost on the way. */
const CONTENTS: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from("\uFEFFwith a mark\r\nand \r alone\u0000\n"),
  Buffer.from('{"a":[1,2.50,1e400,"\\ud800"],"a":2}'),
  Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]),
  Buffer.alloc(70_000, "a line of a long log\n"),
  Buffer.alloc(300_000, "é wide and long\r\n"),
];
const content = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...CONTENTS) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
);

const commands: fc.Arbitrary<Command>[] = [
  fc
    .record({
      bytes: content,
      ttl: fc.constantFrom(null, null, 10, 1000),
      piece: fc.constantFrom(0, 1000, 65_536),
      name: fc.constantFrom(null, null, "log", "notes"),
    })
    .map(({ bytes, ttl, piece, name }) =>
      command(`put ${bytes.length} ttl ${ttl} piece ${piece} name ${name}`, async (model, real) => {
        const stored = await storeArtifact(
          real.archive,
          { session: SESSION, ...(ttl !== null && { ttlSeconds: ttl }), ...(name !== null && { name }) },
          piece === 0 ? bytes : pieces(bytes, piece),
        );
        keep(model, stored.pointer, bytes, ttl === null ? null : real.now + ttl * 1000);
        if (name !== null) model.names.set(name, stored.pointer);
      }),
    ),
  fc.array(content, { minLength: 2, maxLength: 5 }).map((all) =>
    command(`put ${all.length} at once`, async (model, { archive }) => {
      const stored = await Promise.all(
        all.map((bytes, i) =>
          storeArtifact(archive, { session: SESSION }, i % 2 === 0 ? bytes : pieces(bytes, 50_000)),
        ),
      );
      for (const [i, { pointer }] of stored.entries()) keep(model, pointer, all[i]!, null);
    }),
  ),
  fc.constantFrom(10, 9000, 100_000).map((size) =>
    command(`output ${size}`, async (model, { archive }) => {
      const bytes = Buffer.alloc(size, "what a tool returned\n");
      const { artifact } = await recordOutput(
        archive,
        { session: SESSION, toolName: "bash", isError: false },
        pieces(bytes, 30_000),
      );
      if (artifact !== null) keep(model, artifact.pointer, bytes, null);
    }),
  ),
  fc.nat(50).map((nth) =>
    command(`delete ${nth}`, async (model, { archive }) => {
      const pointers = [...model.artifacts.keys()];
      if (pointers.length === 0) return;
      const pointer = pointers[nth % pointers.length]!;
      await deleteArtifact(archive, pointer);
      const kept = model.artifacts.get(pointer)!;
      // What had expired may be ended by hand before it is swept: then it is deleted.
      if (kept.gone !== "expired" || stateOf(resolveArtifact(archive, pointer), NOW) === "deleted")
        kept.gone = "deleted";
    }),
  ),
  fc.constantFrom(1000, 60_000, 2_000_000).map((ms) =>
    command(`wait ${ms}`, async (_, real) => {
      real.now += ms;
    }),
  ),
  fc.constant(
    command("sweep", async (_, { archive }) => {
      await collect(archive, NO_GRACE);
    }),
  ),
  fc.constant(
    command("reopen", async (_, real) => {
      await real.close();
      await real.open();
    }),
  ),
  fc.constant(
    command("import", async (model, real) => {
      writeFileSync(join(real.logs, "session.jsonl"), transcript(model.imported++));
      await importPaths(real.archive, [real.logs]);
      for (const row of real.archive.sqlite
        .prepare("SELECT pointer, digest FROM artifacts WHERE origin = 'imported'")
        .all() as { pointer: string; digest: string }[])
        if (!model.artifacts.has(row.pointer)) {
          const bytes = OUTPUTS.find((text) => hash("sha256", text, "hex") === row.digest);
          must(bytes !== undefined, "an output was imported that stands in no file");
          keep(model, row.pointer, Buffer.from(bytes), null);
        }
    }),
  ),
  fc.constant(
    command("check", async (_, { archive }) => {
      const { ok, problems } = await check(archive);
      must(ok, `check found ${JSON.stringify(problems.slice(0, 3))}`);
    }),
  ),
  fc.constant(
    command("lose the database", async (_, real) => {
      await real.close();
      for (const name of readdirSync(real.dir)) if (name.startsWith("archive.db")) rmSync(join(real.dir, name));
      await real.open();
      // A sweep before the rebuild takes nothing away.
      await collect(real.archive, NO_GRACE);
      const { ok, problems } = await rebuild(real.archive);
      must(ok, `rebuild left ${JSON.stringify(problems.slice(0, 3))}`);
    }),
  ),
];

const OUTPUTS = Array.from({ length: 6 }, (_, i) =>
  `output ${i} of a tool that was read from a file\n`.repeat(120 + i),
);

/** A transcript in the format of Plimsoll's own: one call and one large output for each import so far. */
function transcript(imports: number): string {
  const ts = "2026-05-01T00:00:01.000Z";
  const events = OUTPUTS.slice(0, imports + 1).flatMap((text, i) => [
    { type: "tool_call", toolCallId: `c${i}`, toolName: "read", input: {} },
    { type: "tool_result", toolCallId: `c${i}`, text, isError: false, saw: "full" },
  ]);
  const lines: unknown[] = [
    { plimsoll: 1, id: "imported-model", agent: "tide", startedAt: ts },
    ...events.map((body, i) => ({ record: "event", uuid: `e${i}`, ts, body })),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** The property; `most` commands a run. */
export const storeModel = (most: number): fc.IAsyncProperty<[Iterable<Command>]> =>
  fc.asyncProperty(fc.commands(commands, { maxCommands: most }), async (list) => {
    const real = await new Real().open();
    try {
      await fc.asyncModelRun(() => ({ model: { artifacts: new Map(), names: new Map(), imported: 0 }, real }), list);
    } finally {
      await real.close();
      real.remove();
    }
  }) as unknown as fc.IAsyncProperty<[Iterable<Command>]>;
