// The sweep as it is asked for: from the command line, and of a server, whose writing thread does it.
import type { WorkProgress } from "#lib/archive/base/work-options.ts";
import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import { deleteArtifact } from "#lib/archive/artifacts/delete-artifact.ts";
import { storeArtifact } from "#lib/archive/artifacts/store-artifact.ts";
import { askSweep } from "#lib/archive/artifacts/sweep.ts";
import { readText } from "#lib/archive/artifacts/whole-text.ts";
import { inFolder, withArchive } from "#lib/archive/testing-archive.ts";
import { createChanges } from "#lib/http/changes.ts";
import { withDoors, type DoorServer } from "#lib/http/testing-http.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { systemHost } from "./system-host.ts";
import { createImports } from "./server-imports.ts";
import { entryOf } from "../scripts/bundle.mjs";

function run(dir: string, ...words: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), ...words], {
    encoding: "utf8",
    env: { ...process.env, HOME: join(dir, "home"), PLIMSOLL_ARCHIVE: join(dir, "archive") },
  });
  return { status, out: stdout, err: stderr };
}

/** One artifact that lives, one that was deleted and whose bytes are older than the grace. */
async function filled(archive: Archive): Promise<{ live: string; digest: string }> {
  const { id } = await createSession(archive, { id: "s" });
  const live = await storeArtifact(archive, { session: id }, Buffer.from("it stays"));
  const gone = await storeArtifact(archive, { session: id }, Buffer.from("it goes"));
  await deleteArtifact(archive, gone.pointer);
  const old = new Date(Date.now() - LIMITS.gcGraceMs - 60_000);
  utimesSync(archive.blobs.path!(gone.digest), old, old);
  return { live: live.pointer, digest: gone.digest };
}

test("plimsoll gc counts first and frees then", () =>
  inFolder(async (dir) => {
    const { digest } = await withArchive(join(dir, "archive"), filled, systemHost());
    const dry = run(dir, "gc", "--dry-run", "--json");
    expect(dry).toMatchObject({ status: 0, err: "" });
    expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, blobs: 1, bytes: 7, cancelled: false });
    const swept = run(dir, "gc", "--json");
    expect(swept).toMatchObject({ status: 0, err: "" });
    expect(JSON.parse(swept.out)).toMatchObject({ dryRun: false, blobs: 1, bytes: 7 });
    expect(run(dir, "gc").out).toContain("Freed 0 B: 0 unused blobs");
    await withArchive(join(dir, "archive"), async (archive) => {
      expect(await archive.blobs.verify(digest)).toBe("missing");
    });
  }));

test(
  "a server sweeps, checks and rebuilds in the thread that writes, and can be told to stop",
  { timeout: 60_000 },
  () =>
    inFolder(async (dir) => {
      const logs = join(dir, "logs");
      mkdirSync(logs);
      await withArchive(
        join(dir, "archive"),
        async (archive) => {
          const { live, digest } = await filled(archive);
          const imports = await createImports({ archive, changes: createChanges("0"), sources: [logs] });
          try {
            const result: WorkProgress[] = [];
            const dry = await askSweep(archive, { dryRun: true, walk: true });
            expect(dry).toMatchObject({ dryRun: true, blobs: 1 });
            const swept = await askSweep(
              archive,
              { dryRun: false, walk: true },
              { onProgress: (progress) => result.push(progress), signal: new AbortController().signal },
            );
            expect(swept).toMatchObject({ blobs: 1, bytes: 7, cancelled: false });
            expect(result.length).toBeGreaterThan(0);
            expect(await archive.blobs.verify(digest)).toBe("missing");
            expect(await readText(archive, live)).toBe("it stays");
            // Writes come in between, and the command of a second process is answered by the same thread.
            const command = (server: DoorServer, name: string, json: object) =>
              server.ask("POST", `/api/commands/${name}`, { json }).then((answer) => answer.json());
            const [stored, checked, counted, unknown] = await withDoors(
              archive,
              (server) =>
                Promise.all([
                  storeArtifact(archive, { session: "plimsoll:s" }, Buffer.from("while it works")),
                  command(server, "check", { rebuild: true }),
                  command(server, "gc", { dryRun: true }),
                  command(server, "nothing", {}),
                ]),
              imports,
            );
            expect(checked).toMatchObject({ ok: true, rebuilt: { artifacts: 0 } });
            expect(counted).toMatchObject({ dryRun: true });
            expect(await readText(archive, stored.pointer)).toBe("while it works");
            const stop = new AbortController();
            // Enough before it that the word to stop comes in time.
            const first = Promise.all(
              Array.from({ length: 20 }, () => askSweep(archive, { dryRun: true, walk: true })),
            );
            const second = askSweep(archive, { dryRun: false, walk: true }, { signal: stop.signal });
            stop.abort();
            await expect(second).rejects.toMatchObject({ code: "timeout" });
            await first;
            expect(unknown).toMatchObject({ error: { code: "unsupported" } });
          } finally {
            await imports.close();
          }
        },
        systemHost(),
      );
    }),
);
