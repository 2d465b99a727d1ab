import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scalar } from "#db/statement.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { check } from "../upkeep/check-archive.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { families, plansFor, type FamilyFile, type Piece } from "./testing-families.ts";
import { importPaths } from "./import-paths.ts";
import { removeSource } from "./remove-source.ts";

const RUNS = Number(process.env["PLIMSOLL_RUNS"] ?? 80);

const story = (files: readonly FamilyFile[], plan: readonly Piece[]): string =>
  [
    ...files.map(
      ({ name, lines }, i) => `${i}: ${name} (${lines.length} lines, ${Buffer.byteLength(lines.join(""))} bytes)`,
    ),
    ...plan.map(({ file, bytes, as }) => `${file} up to ${bytes}${as === undefined ? "" : ` of ${as}`}`),
  ].join("\n");

/** Says the smallest family that fails in a few lines; the files themselves are long. */
function assertStory(out: fc.RunDetails<[{ files: FamilyFile[]; plan: Piece[] }]>): void {
  if (!out.failed) return;
  const [{ files, plan }] = out.counterexample!;
  const cause = out.errorInstance as Error;
  throw new Error(`{ seed: ${out.seed}, path: "${out.counterexamplePath}" }\n${story(files, plan)}\n${cause.message}`, {
    cause,
  });
}

// What settles at once elsewhere settles in pieces here.
const PIECES = { settledEvents: 5, settledCalls: 3 };
const WHOLE = { ...LIMITS };

test("whatever the order and the pieces in which files come, the same sessions, lineage and sums stand in the archive", async () => {
  const cases = families.chain((files) => plansFor(files).map((plan) => ({ files, plan })));
  await fc.assert(
    fc.asyncProperty(cases, async ({ files, plan }) => {
      await inFolder(async (dir) => {
        const logs = join(dir, "logs");
        const wholes = files.map(({ lines }) => Buffer.from(lines.join("")));
        const paths = files.map(({ name }) => put(logs, name, ""));
        Object.assign(LIMITS, PIECES);
        const grown = await withArchive(join(dir, "grown"), async (archive) => {
          for (const { file, bytes, as = file } of plan) {
            writeFileSync(paths[file]!, wholes[as]!.subarray(0, bytes));
            const { files: found } = await importPaths(archive, [paths[file]!], { final: false });
            expect(found[0]?.status).not.toBe("failed");
          }
          await importPaths(archive, [logs]);
          // An older copy of a file that was replaced is read again when it is next looked at.
          await importPaths(archive, [logs]);
          expect((await check(archive)).problems).toEqual([]);
          return dumpOf(archive, dir);
        });
        Object.assign(LIMITS, WHOLE);
        const fresh = await withArchive(join(dir, "fresh"), async (archive) => {
          await importPaths(archive, [logs]);
          return dumpOf(archive, dir);
        });
        for (const table of Object.keys(fresh)) expect(grown[table], table).toEqual(fresh[table]);
      });
    }),
    { numRuns: RUNS, asyncReporter: async (out) => assertStory(out) },
  );
});

test("what a file that is taken out had as its own is that of the first others that hold it", async () => {
  const cases = families.chain((files) =>
    fc.record({ files: fc.constant(files), gone: fc.shuffledSubarray([...files.keys()], { minLength: 1 }) }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ({ files, gone }) => {
      // Of two files with one name the second keeps its own when the first goes.
      fc.pre(new Set(files.map(({ name }) => basename(name))).size === files.length);
      await inFolder(async (dir) => {
        const logs = join(dir, "logs");
        const paths = files.map(({ name, lines }) => put(logs, name, lines.join("")));
        const owned = (archive: Archive): unknown[][] => [
          archive.sqlite
            .prepare(
              `SELECT s.native_id, hex(e.record_key), e.inherited FROM events e JOIN sessions s ON s.pk = e.id / 4294967296
                 WHERE e.keyed = 1 ORDER BY 1, e.id`,
            )
            .all(),
          archive.sqlite
            .prepare(
              "SELECT s.native_id, c.key, c.inherited FROM model_calls c JOIN sessions s ON s.pk = c.session_pk ORDER BY 1, 2",
            )
            .all(),
          archive.sqlite.prepare("SELECT native_id, relation, round(usd, 9) AS usd FROM sessions ORDER BY 1").all(),
        ];
        const left = await withArchive(join(dir, "left"), async (archive) => {
          await importPaths(archive, [logs]);
          const batch = new Batch(archive);
          batch.begin();
          for (const file of gone) removeSource(archive, batch, paths[file]!);
          await batch.commit();
          // A copy goes with its file: what is not here is not there.
          const kept = scalar(archive.sqlite, "sources.path", "FROM sources").all();
          for (const path of paths) if (!kept.includes(path)) rmSync(path);
          await importPaths(archive, [logs]);
          expect((await check(archive)).problems).toEqual([]);
          return owned(archive);
        });
        const fresh = await withArchive(join(dir, "fresh"), async (archive) => {
          await importPaths(archive, [logs]);
          return owned(archive);
        });
        expect(left).toEqual(fresh);
      });
    }),
    {
      numRuns: RUNS,
      asyncReporter: async ({ failed, counterexample, errorInstance }) => {
        if (!failed) return;
        const [{ files, gone }] = counterexample!;
        throw new Error(`${story(files, [])}\nwithout ${gone.join(", ")}`, { cause: errorInstance });
      },
    },
  );
});

test("each record and each model call belongs to exactly one session, and the sums of what is own are the whole", async () => {
  await fc.assert(
    fc.asyncProperty(families, (files) =>
      inArchive(async (archive, logs) => {
        for (const { name, lines } of files) put(logs, name, lines.join(""));
        await importPaths(archive, [logs]);
        const rows = (sql: string): unknown[] => archive.sqlite.prepare(sql).all();
        expect(
          rows(
            `SELECT record_key, count(DISTINCT id / 4294967296) AS owners FROM events WHERE keyed = 1 AND inherited = 0
             GROUP BY record_key HAVING owners <> 1`,
          ),
        ).toEqual([]);
        expect(
          rows("SELECT record_key FROM events WHERE keyed = 1 GROUP BY record_key HAVING min(inherited) = 1"),
        ).toEqual([]);
        expect(
          rows("SELECT key, sum(1 - inherited) AS owners FROM model_calls GROUP BY key HAVING owners <> 1"),
        ).toEqual([]);
        const [sums] = rows(
          `SELECT sum(tally ->> '$.calls.own') AS own, sum(tally ->> '$.calls.own') + sum(tally ->> '$.calls.inherited') AS told,
             (SELECT count(DISTINCT key) FROM model_calls) AS calls, (SELECT count(*) FROM model_calls) AS kept,
             sum(tally ->> '$.usage.output') AS output, (SELECT sum(output) FROM model_calls WHERE inherited = 0) AS ownOutput FROM sessions`,
        ) as [Record<string, number>];
        expect(sums["own"]).toBe(sums["calls"]);
        expect(sums["told"]).toBe(sums["kept"]);
        expect(sums["output"]).toBe(sums["ownOutput"]);
      }),
    ),
    { numRuns: RUNS },
  );
});
