// Ten thousand small artifacts from eight writers: through the library, over HTTP, and as plain files, the floor.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { systemHost } from "#bin/host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { median } from "./table.ts";

export type PutsTold = { readonly ms: number; readonly medianMs: number; readonly p99Ms: number };
export type PutsWish = {
  readonly dir: string;
  readonly count: number;
  readonly bytes: number;
  readonly writers: number;
  readonly url?: string;
  readonly token?: string;
};

/** Different bytes for each number. */
const contentOf = (i: number, bytes: number): Buffer => Buffer.alloc(bytes, `artifact ${i} of many, a line of text\n`);

export const PUT_TASKS = {
  async "library-puts"(wish: PutsWish): Promise<PutsTold> {
    const archive = await openArchive({ dir: wish.dir, host: systemHost() });
    const { id } = await createSession(archive, { id: "puts" });
    try {
      return await inTurns(wish, (i) => storeArtifact(archive, { session: id }, contentOf(i, wish.bytes)));
    } finally {
      await closeArchive(archive);
    }
  },

  async "http-puts"(wish: PutsWish): Promise<PutsTold> {
    const agent = new Agent({ keepAlive: true, maxSockets: wish.writers });
    return inTurns(wish, (i) => post(agent, wish, contentOf(i, wish.bytes)));
  },

  /** What eight programs do that write files and are sure of them: write, fsync, rename, fsync of the folder. */
  async "plain-puts"(wish: PutsWish): Promise<PutsTold> {
    const told = Array.from(
      { length: wish.writers },
      (_, writer) =>
        new Promise<{ ready: () => void; done: Promise<number[]> }>((ready, failed) => {
          const thread = new Worker(import.meta.filename, { workerData: { ...wish, writer } });
          const done = new Promise<number[]>((resolve, reject) => {
            thread.once("error", reject);
            thread.on("message", (message: "ready" | number[]) => {
              if (message !== "ready") return resolve(message);
              ready({ ready: () => thread.postMessage("go"), done });
            });
          });
          done.catch(failed);
        }),
    );
    const threads = await Promise.all(told);
    const startedAt = performance.now();
    for (const thread of threads) thread.ready();
    const took = (await Promise.all(threads.map((thread) => thread.done))).flat();
    return toldOf(performance.now() - startedAt, took);
  },
};

async function inTurns({ count, writers }: PutsWish, put: (i: number) => Promise<unknown>): Promise<PutsTold> {
  const took: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let i = writer; i < count; i += writers) {
        const from = performance.now();
        await put(i);
        took.push(performance.now() - from);
      }
    }),
  );
  return toldOf(performance.now() - startedAt, took);
}

const toldOf = (ms: number, took: readonly number[]): PutsTold => ({
  ms,
  medianMs: median(took),
  p99Ms: took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)]!,
});

function post(agent: Agent, { url, token }: PutsWish, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/octet-stream",
      "content-length": bytes.length,
    };
    const sent = request(url!, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === 201 ? resolve() : reject(new Error(`A put was answered with ${response.statusCode}.`)),
      );
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
}

if (!isMainThread && (workerData as PutsWish | null)?.writers !== undefined) {
  const wish = workerData as PutsWish & { writer: number };
  const folder = join(wish.dir, String(wish.writer));
  mkdirSync(folder, { recursive: true });
  parentPort!.once("message", () => {
    const took: number[] = [];
    for (let i = wish.writer; i < wish.count; i += wish.writers) {
      const from = performance.now();
      writePlain(folder, i, contentOf(i, wish.bytes));
      took.push(performance.now() - from);
    }
    parentPort!.postMessage(took);
  });
  parentPort!.postMessage("ready");
}

function writePlain(folder: string, i: number, bytes: Buffer): void {
  const temporary = join(folder, `.tmp-${i}`);
  const file = openSync(temporary, "wx", 0o600);
  writeSync(file, bytes);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, join(folder, String(i)));
  const at = openSync(folder, "r");
  fsyncSync(at);
  closeSync(at);
}
