import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FolderWatches } from "./folder-watches.ts";

// An agent's first session makes `projects`, and in the same moment its own folder in it: that one was watched by nobody, and its
// file was found a minute later.
test.skipIf(process.platform !== "linux")(
  "a folder that is made while its parent is listed is not missed",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "plimsoll-folders-"));
    const stop = new AbortController();
    const hints: string[] = [];
    const watches = new FolderWatches((path) => hints.push(path), stop.signal);
    try {
      const parent = join(root, "projects");
      mkdirSync(parent);
      const adding = watches.add(parent);
      // Another thread lists it meanwhile; its answer is read after the folder is there.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      mkdirSync(join(parent, "one"));
      await adding;
      await expect.poll(() => hints, { timeout: 2000 }).toContain(join(parent, "one"));
    } finally {
      stop.abort();
      watches.close();
      rmSync(root, { recursive: true });
    }
  },
);

/** Runs with watches of an empty folder, and gives what they hinted at. */
async function withWatches(run: (watches: FolderWatches, root: string, hints: string[]) => Promise<void>) {
  const root = mkdtempSync(join(tmpdir(), "plimsoll-folders-"));
  const stop = new AbortController();
  const hints: string[] = [];
  const watches = new FolderWatches((path) => hints.push(path), stop.signal);
  try {
    await run(watches, root, hints);
  } finally {
    stop.abort();
    watches.close();
    rmSync(root, { recursive: true });
  }
}

const linuxTest = test.skipIf(process.platform !== "linux");

linuxTest("a folder that is added while the roots are listed stays watched", () =>
  withWatches(async (watches, root, hints) => {
    for (let n = 0; n < 200; n++) mkdirSync(join(root, `${n}`));
    const covering = watches.cover([root]);
    // The root is listed by then, its folders are not.
    await expect.poll(() => watches.remove(join(root, "150")), { interval: 0, timeout: 2000 }).toBe(true);
    const folder = join(root, "new");
    mkdirSync(folder);
    await watches.add(folder);
    await covering;
    writeFileSync(join(folder, "session.jsonl"), "{}\n");
    await expect.poll(() => hints, { timeout: 2000 }).toContain(join(folder, "session.jsonl"));
  }),
);
