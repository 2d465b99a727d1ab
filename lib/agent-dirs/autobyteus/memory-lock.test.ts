// Two programs of ours that want a memory folder in the same moment: one has it.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { takeLock, type Lock } from "./lock.ts";

const between = vi.hoisted(() => ({ run: null as (() => void) | null }));
vi.mock(import("node:fs"), async (original) => {
  const fs = await original();
  const writeSync = ((...args: Parameters<typeof fs.writeSync>) => {
    const { run } = between;
    between.run = null;
    run?.();
    return fs.writeSync(...args);
  }) as typeof fs.writeSync;
  return { ...fs, writeSync };
});

function inFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-lock-"));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a lock that is being written is not taken for a dead program's", () =>
  inFolder((folder) => {
    const held: Lock[] = [];
    const refused: unknown[] = [];
    const take = (): void => {
      try {
        held.push(takeLock(folder, "memory"));
      } catch (error) {
        refused.push(error);
      }
    };
    // The other one comes between the making of the file and its text.
    between.run = take;
    take();
    expect([held.length, refused.length]).toEqual([1, 1]);
    expect(refused[0]).toMatchObject({ code: "conflict" });
    held[0]!.release();
    expect(readdirSync(folder)).toEqual([]);
  }));

test("a lock that a killed program left empty is taken over", () =>
  inFolder((folder) => {
    writeFileSync(join(folder, "lock"), "");
    takeLock(folder, "memory").release();
    expect(readdirSync(folder)).toEqual([]);
  }));
