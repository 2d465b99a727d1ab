// The tasks that run in a process of their own. Started as `node tasks.ts <task> <wish>`; prints one JSON value.
import { createHash } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { zstdCompressSync } from "node:zlib";
import { openPromise } from "yauzl";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { COMPACTION_TASKS } from "./compaction-tasks.ts";
import { sessionLines } from "./generate-sessions.ts";
import { LOAD_TASKS, type LoadInput } from "./load-tasks.ts";
import { PUT_TASKS, type PutsInput } from "./put-tasks.ts";
import { SAID_TASKS } from "./compaction-said.ts";
import { HELD_TASKS } from "./recall-held.ts";
import { READER_TASKS } from "./reader-rows.ts";
import { RECALL_TASKS } from "./recall-tasks.ts";

export type ParseResult = {
  readonly ms: number;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly lines: number;
};
export type ImportResult = {
  readonly ms: number;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly events: number;
  /** Of the text that events show. */
  readonly shownBytes: number;
  readonly againMs: number;
  readonly closeMs: number;
  readonly peakBytes: number;
  /** [bytes, milliseconds of the processor] along the way: a busy machine does not bend these. */
  readonly progress: readonly (readonly [number, number])[];
};
export type AppendResult = { readonly ms: readonly number[]; readonly events: number };
export type PackResult = {
  readonly ms: number;
  readonly cpuMs: number;
  readonly packedBytes: number;
  readonly digest: string;
};
export type StoreResult = { readonly ms: number };

type Params = {
  readonly paths: readonly string[];
  readonly dir: string;
  readonly seed?: number;
  readonly sessionId?: string;
  readonly count?: number;
};

const open = (dir: string): Promise<Archive> => openArchive({ dir, host: systemHost() });
const cpu = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

const TASKS: Readonly<Record<string, (input: Params & PutsInput & LoadInput) => Promise<unknown>>> = {
  ...PUT_TASKS,
  ...LOAD_TASKS,
  ...COMPACTION_TASKS,
  ...SAID_TASKS,
  ...HELD_TASKS,
  ...READER_TASKS,
  ...RECALL_TASKS,

  /** The floor of every import: each line read and parsed, nothing kept. */
  async parse({ paths }): Promise<ParseResult> {
    const files = paths.flatMap(filesBelow);
    let bytes = 0;
    let lines = 0;
    const usedBefore = process.cpuUsage();
    const startedAt = performance.now();
    for (const file of files) {
      const read = readFileSync(file);
      bytes += read.length;
      for (const line of read.toString("utf8").split("\n")) {
        if (line === "") continue;
        lines++;
        try {
          JSON.parse(line);
        } catch {
          // Some collected files are broken on purpose; the attempt has cost its time.
        }
      }
    }
    return { ms: performance.now() - startedAt, cpuMs: cpu(usedBefore), bytes, lines };
  },

  /** The floor of an import of a zip: each entry unpacked, read and parsed. */
  async parseZip({ paths: [path] }): Promise<ParseResult> {
    let [bytes, lines] = [0, 0];
    const usedBefore = process.cpuUsage();
    const startedAt = performance.now();
    const zip = await openPromise(path!, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      const read = await buffer(await zip.openReadStreamPromise(entry));
      bytes += read.length;
      lines++;
      JSON.parse(read.toString("utf8"));
    }
    return { ms: performance.now() - startedAt, cpuMs: cpu(usedBefore), bytes, lines };
  },

  /** The floor of whatever stores a file or sends it: its bytes read, digested and packed as the archive packs them. */
  async pack({ paths: [path] }): Promise<PackResult> {
    const usedBefore = process.cpuUsage();
    const startedAt = performance.now();
    const digest = createHash("sha256");
    let packedBytes = 0;
    const file = openSync(path!, "r");
    const piece = Buffer.alloc(LIMITS.rawBlockBytes);
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const bytes = piece.subarray(0, read);
      digest.update(bytes);
      packedBytes += zstdCompressSync(bytes).length;
    }
    closeSync(file);
    return { ms: performance.now() - startedAt, cpuMs: cpu(usedBefore), packedBytes, digest: digest.digest("hex") };
  },

  async import({ paths, dir }): Promise<ImportResult> {
    const archive = await open(dir);
    const progress: [number, number][] = [];
    const usedBefore = process.cpuUsage();
    const startedAt = performance.now();
    const answer = await importPaths(archive, paths, {
      onProgress: ({ bytesDone }) => progress.push([bytesDone, cpu(usedBefore)]),
    });
    const took = performance.now() - startedAt;
    const cpuMs = cpu(usedBefore);
    const again = await importPaths(archive, paths);
    const shownBytes = archive.sqlite.prepare("SELECT coalesce(sum(bytes), 0) FROM events").pluck().get() as number;
    const closedAt = performance.now();
    await closeArchive(archive);
    return {
      ms: took,
      cpuMs,
      bytes: answer.totals.bytes,
      events: answer.totals.events,
      shownBytes,
      againMs: again.totals.ms,
      closeMs: performance.now() - closedAt,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      progress,
    };
  },

  /** Lines appended one by one to a session that was imported whole: what each costs until it is durable. */
  async append({ paths: [path], dir, seed = 1, sessionId = "", count = 15 }): Promise<AppendResult> {
    const archive = await open(dir);
    const first = await importPaths(archive, [path!]);
    const lines = sessionLines({ seed: seed + 1, sessionId, startAt: Date.UTC(2026, 6, 1) });
    const took: number[] = [];
    for (let i = 0; i < count; i++) {
      appendFileSync(path!, lines.next().value as string);
      const startedAt = performance.now();
      const { totals } = await importPaths(archive, [path!]);
      took.push(performance.now() - startedAt);
      if (totals.events < 1) throw new Error(`An appended line was not read: ${JSON.stringify(totals)}`);
    }
    await closeArchive(archive);
    return { ms: took, events: first.totals.events };
  },

  /** A file streamed into the blob store, durable. */
  async store({ paths: [path], dir }): Promise<StoreResult> {
    mkdirSync(dir, { recursive: true });
    const archive = await open(dir);
    const { createReadStream } = await import("node:fs");
    const startedAt = performance.now();
    await archive.blobs.stageStream(createReadStream(path!, { highWaterMark: 1024 * 1024 }));
    await archive.blobs.flush();
    const took = performance.now() - startedAt;
    await closeArchive(archive);
    return { ms: took };
  },
};

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return (readdirSync(path, { recursive: true }) as string[])
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .map((name) => join(path, name));
}

if (import.meta.main) {
  const [task, input] = process.argv.slice(2);
  console.log(JSON.stringify(await TASKS[task!]!(JSON.parse(input!) as Params & PutsInput & LoadInput)));
}
