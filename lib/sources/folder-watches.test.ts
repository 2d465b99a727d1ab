import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
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
