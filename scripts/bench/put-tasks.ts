// Ten thousand small artifacts from eight writers: through the library, over HTTP, and as plain files, the floor.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { median } from "./table.ts";

export type PutsResult = {
  readonly ms: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** How long syncing the files took after the last answer, where that comes later. */
  readonly settledMs?: number;
};
export type PutsInput = {
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
  async "library-puts"(input: PutsInput): Promise<PutsResult> {
    const archive = await openArchive({ dir: input.dir, host: systemHost() });
    const { id } = await createSession(archive, { id: "puts" });
    try {
      const result = await inTurns(input, (i) => storeArtifact(archive, { session: id }, contentOf(i, input.bytes)));
      const from = performance.now();
      await archive.journal.settle();
      return { ...result, settledMs: performance.now() - from };
    } finally {
      await closeArchive(archive);
    }
  },

  async "http-puts"(input: PutsInput): Promise<PutsResult> {
    const posts = await Promise.all(Array.from({ length: input.writers }, () => poster(input)));
    try {
      return await inTurns(input, (i) => posts[i % input.writers]!.post(contentOf(i, input.bytes)));
    } finally {
      for (const { end } of posts) end();
    }
  },

  /** What eight programs do that write files and are sure of them: write, fsync, rename, fsync of the folder. */
  async "plain-puts"(input: PutsInput): Promise<PutsResult> {
    const result = Array.from(
      { length: input.writers },
      (_, writer) =>
        new Promise<{ ready: () => void; done: Promise<number[]> }>((ready, failed) => {
          const thread = new Worker(import.meta.filename, { workerData: { ...input, writer } });
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
    const threads = await Promise.all(result);
    const startedAt = performance.now();
    for (const thread of threads) thread.ready();
    const took = (await Promise.all(threads.map((thread) => thread.done))).flat();
    return resultOf(performance.now() - startedAt, took);
  },
};

async function inTurns({ count, writers }: PutsInput, put: (i: number) => Promise<unknown>): Promise<PutsResult> {
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
  return resultOf(performance.now() - startedAt, took);
}

const resultOf = (ms: number, took: readonly number[]): PutsResult => ({
  ms,
  medianMs: median(took),
  p99Ms: took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)]!,
});

/**
 * One writer's connection. It says just what HTTP needs: Node's client takes as long for a small put as the server does, and
 * both share the processors.
 */
async function poster({ url, token, bytes }: PutsInput) {
  const { hostname, port, pathname } = new URL(url!);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  const head = Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/octet-stream\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  let waiting: { resolve(): void; reject(error: Error): void } | null = null;
  let said = "";
  const refuse = (why: string): void => waiting?.reject(new Error(`A put was answered with ${why}.`));
  socket.on("error", (error) => waiting?.reject(error));
  socket.on("close", () => refuse("the end of its connection"));
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    said += text;
    const end = said.indexOf("\r\n\r\n");
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(said)?.[1];
    if (end < 0 || length === undefined || said.length < end + 4 + Number(length)) return;
    if (said.startsWith("HTTP/1.1 201 ")) waiting?.resolve();
    else refuse(said.slice(0, 300));
    said = "";
  });
  return {
    post: (content: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(Buffer.concat([head, content]));
      }),
    end: () => void socket.destroy(),
  };
}

if (!isMainThread && (workerData as PutsInput | null)?.writers !== undefined) {
  const input = workerData as PutsInput & { writer: number };
  const folder = join(input.dir, String(input.writer));
  mkdirSync(folder, { recursive: true });
  parentPort!.once("message", () => {
    const took: number[] = [];
    for (let i = input.writer; i < input.count; i += input.writers) {
      const from = performance.now();
      writePlain(folder, i, contentOf(i, input.bytes));
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
