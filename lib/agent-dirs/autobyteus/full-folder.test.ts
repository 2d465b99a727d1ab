// A memory folder on a full disk, and two programs that want it in the same moment: nothing half, and one writer.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendBytes, appendLines, stampOf, swapFile } from "./files.ts";

function onSmallDisk(run: (disk: string) => void): void {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-small-"));
  const disk = join(dir, "disk");
  mkdirSync(disk);
  try {
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]).status !== 0)
      return console.log("SKIPPED: a small disk cannot be mounted here (that takes root).");
    run(disk);
  } finally {
    spawnSync("umount", ["-l", disk]);
    rmSync(dir, { recursive: true, force: true });
  }
}

const LINE = '{"id":"rt_1","content":"Moor the ship."}\n';
const LARGE = Buffer.from(`${JSON.stringify({ id: "rt_2", content: "x".repeat(40_000) })}\n`);

test.each([
  ["lines", (path: string) => appendLines(path, LARGE, stampOf(path))],
  ["bytes", (path: string) => appendBytes(path, LARGE)],
  ["whole files", (path: string) => swapFile(path, LARGE)],
])("%s that do not fit leave no part of them", (_, append) =>
  onSmallDisk((disk) => {
    const path = join(disk, "raw_traces.jsonl");
    writeFileSync(path, LINE);
    expect(() => append(path)).toThrow(/ENOSPC/);
    expect(readFileSync(path, "utf8")).toBe(LINE);
    const fresh = join(disk, "episodic.jsonl");
    expect(() => append(fresh)).toThrow(/ENOSPC/);
    expect(readdirSync(disk)).toEqual(["raw_traces.jsonl"]);
  }),
);
