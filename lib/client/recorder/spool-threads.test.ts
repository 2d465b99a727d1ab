// Threads of one process have one process id, and nothing else in common: none takes the file that another one writes.
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { adoptSpools, closeSpool, createSpool } from "./spool-folder.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-spools-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs a line in another thread, with the functions of the spool folder; what it answers. */
async function inThread(line: string): Promise<unknown> {
  const folder = pathToFileURL(join(import.meta.dirname, "spool-folder.ts")).href;
  const program = `
    import(${JSON.stringify(folder)}).then(({ adoptSpools, createSpool }) => {
      const dir = ${JSON.stringify(dir)};
      require("node:worker_threads").parentPort.postMessage(${line});
    });`;
  const worker = new Worker(program, { eval: true, execArgv: [] });
  const [answer] = (await once(worker, "message")) as [unknown];
  await worker.terminate();
  return answer;
}

test("a file that this thread writes is not taken by another, and what that one left is taken when it is old", async () => {
  const own = createSpool(dir, "run", {});
  expect(await inThread("adoptSpools(dir).length")).toBe(0);
  expect(readdirSync(dir)).toEqual([own.path.slice(dir.length + 1)]);

  const path = (await inThread('createSpool(dir, "other", {}).path')) as string;
  expect(adoptSpools(dir)).toEqual([]);
  utimesSync(path, 0, 0);
  const [left, ...rest] = adoptSpools(dir);
  expect([left?.header.id, rest]).toEqual(["other", []]);
  for (const one of [own, left!]) closeSpool(one);
});
