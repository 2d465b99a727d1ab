// A disk that fails to sync: after that nobody knows what it holds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ArtifactStore } from "./artifact-store.ts";

const disk = vi.hoisted(() => ({ fails: false }));
vi.mock("./shared-sync.ts", () => ({
  SharedSync: class {
    async sync(): Promise<void> {
      if (disk.fails) throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
    }
  },
}));

test("after a failed fsync nothing more is acknowledged until the store is opened again, and reading goes on", async () => {
  const base = mkdtempSync(join(tmpdir(), "plimsoll-sync-"));
  try {
    const store = new ArtifactStore({ base });
    const before = await store.store("s", "before", "t");
    disk.fails = true;
    expect(await store.storeOutcome("s", "during", "t")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("EIO"),
    });
    disk.fails = false;
    const after = await store.storeOutcome("s", "after", "t");
    expect(after).toMatchObject({ status: "failed", reason: expect.stringContaining("read-only after") });
    expect(await store.retrieve(before.artifact_id)).toBe("before");
    expect(await new ArtifactStore({ base }).storeOutcome("s", "after", "t")).toMatchObject({ status: "stored" });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
