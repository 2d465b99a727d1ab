import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { createWorkerPool } from "./worker-pool.ts";

test("a pool that is closed while its first thread is made ready leaves none behind", async () => {
  const begun: Worker[] = [];
  const onWorker = (worker: Worker): void => void begun.push(worker);
  process.on("worker", onWorker);
  const request = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<unknown>();
  const pool = createWorkerPool({
    entry: new URL("./shape-worker.ts", import.meta.url),
    size: 1,
    workerData: () => (request.resolve(), ready.promise),
  });
  const result = pool.run({}, { deadlineMs: 1000 });
  const refused = expect(result).rejects.toMatchObject({ code: "conflict" });
  await request.promise;
  await pool.close();
  ready.resolve(null);
  await refused;
  await new Promise((resolve) => setImmediate(resolve));
  process.off("worker", onWorker);
  expect(begun.filter(({ threadId }) => threadId !== -1)).toEqual([]);
});

test("a pool whose data could not be read once reads it again", async () => {
  let tries = 0;
  const pool = createWorkerPool({
    entry: new URL("./jq-worker.ts", import.meta.url),
    size: 1,
    workerData: async () => {
      if (++tries === 1) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return { module: null };
    },
  });
  await expect(pool.run({}, { deadlineMs: 5000 })).rejects.toThrow("too many open files");
  expect(await pool.run({}, { deadlineMs: 5000 })).toMatchObject({ kind: "crash" });
  expect(tries).toBe(2);
  await pool.close();
});

test("the threads see nothing of the environment", async () => {
  process.env["PLIMSOLL_SYNTHETIC_SECRET"] = "hidden";
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-env-"));
  try {
    const entry = join(dir, "entry.mjs");
    writeFileSync(
      entry,
      `import { parentPort } from "node:worker_threads";
       parentPort.on("message", () => parentPort.postMessage({ kind: "answer", answer: Object.keys(process.env), isSpent: false }));
       parentPort.postMessage({ kind: "ready" });`,
    );
    const pool = createWorkerPool<object, string[]>({ entry: pathToFileURL(entry), size: 1 });
    expect(await pool.run({}, { deadlineMs: 5000 })).toMatchObject({ kind: "answer", answer: [] });
    await pool.close();
  } finally {
    delete process.env["PLIMSOLL_SYNTHETIC_SECRET"];
    rmSync(dir, { recursive: true, force: true });
  }
});
