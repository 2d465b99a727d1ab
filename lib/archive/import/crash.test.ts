// Kill -9 at any time while importing: what was committed is whole, and importing again makes the state that an
// undisturbed import makes (reliability I1, I2, I4, I8).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readRegistry } from "#lib/blobs/session-registry.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { dumpOf, inFolder, put, withArchive } from "../testing-archive.ts";
import { families } from "./testing-families.ts";
import { importPaths } from "./import-paths.ts";
import { useSmallBatches } from "./testing-import-crash.ts";

const CHILD = join(import.meta.dirname, "testing-import-crash.ts");
const KILLS = 10;

/** Starts an import and kills it so many milliseconds after it opened the archive; true when it was killed in time. */
async function killedImport(dir: string, logs: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, dir, logs], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  await Promise.race([once(child.stdout, "data"), exited]);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const [code, signal] = await exited;
  clearTimeout(timer);
  expect(signal === "SIGKILL" || code === 0).toBe(true);
  return signal === "SIGKILL";
}

/** What must hold after every fault: rows, registry and blobs agree, and the database is sound. */
async function expectSound(archive: Archive): Promise<void> {
  const { sqlite, blobs, dir } = archive;
  expect(sqlite.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(sqlite.pragma("foreign_key_check")).toEqual([]);
  expect((await check(archive)).problems).toEqual([]);
  const rows = sqlite
    .prepare("SELECT a.pointer, a.digest, a.size, s.id FROM artifacts a JOIN sessions s ON s.pk = a.session_pk")
    .all() as { pointer: string; digest: string; size: number; id: string }[];
  const named = new Set<string>();
  for (const id of listed(join(dir, "sessions")))
    for await (const { value } of readRegistry(dir, id))
      if (value !== null) named.add(`${id} ${String(value["pointer"])}`);
  for (const row of rows) {
    expect(await blobs.size(row.digest)).toBe(row.size);
    expect(named).toContain(`${row.id} ${row.pointer}`);
  }
  for (const path of listed(join(dir, "blobs"))) {
    const name = basename(path);
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    expect(
      createHash("sha256")
        .update(readFileSync(join(dir, "blobs", path)))
        .digest("hex"),
    ).toBe(name);
  }
}

/** Everything below a folder of a folder; nothing when the kill came before it was made. */
const listed = (dir: string): string[] =>
  existsSync(dir) ? readdirSync(dir, { recursive: !dir.endsWith("sessions"), encoding: "utf8" }) : [];

test(
  "an import that is killed at any time, again and again, ends as one that was left alone",
  { timeout: 180_000 },
  async () => {
    const family = fc.sample(families, { numRuns: 40, seed: 7 }).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]!;
    await inFolder(async (dir) => {
      const logs = join(dir, "logs");
      for (const { name, lines } of family) put(logs, name, lines.join(""));
      const restore = useSmallBatches();
      try {
        const startedAt = performance.now();
        const fresh = await withArchive(join(dir, "fresh"), async (archive) => {
          await importPaths(archive, [logs]);
          return dumpOf(archive, dir);
        });
        // Measured while other tests may have had the processor: one that ends in time shows that it is shorter.
        let wholeMs = performance.now() - startedAt;
        let [kills, targets] = [0, 0];
        for (let round = 0; kills < KILLS && round < KILLS * 3; round++) {
          const target = join(dir, `killed${targets}`);
          const wasKilled = await killedImport(target, logs, wholeMs * ((round * 0.37) % 0.9));
          await withArchive(target, expectSound);
          if (wasKilled) kills++;
          else wholeMs *= 0.8;
          // Of an archive that has all of it the next import would end at once.
          if (!wasKilled || kills % 4 === 0) targets++;
        }
        expect(kills).toBeGreaterThanOrEqual(KILLS / 2);
        for (const target of readdirSync(dir).filter((name) => name.startsWith("killed")))
          await withArchive(join(dir, target), async (archive) => {
            await importPaths(archive, [logs]);
            await expectSound(archive);
            const after = dumpOf(archive, dir);
            for (const table of Object.keys(fresh)) expect(after[table], `${target} ${table}`).toEqual(fresh[table]);
          });
      } finally {
        restore();
      }
    });
  },
);

const sizeOf = (files: readonly { lines: readonly string[] }[]): number =>
  files.reduce((sum, { lines }) => sum + lines.join("").length, 0);
