// Families of sessions that share records, whose files grow in any order: an archive that was given a bundle after each piece has what
// one has that was given the last ones alone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { families, plansFor } from "../import/testing-families.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { importBundle } from "./import-bundle.ts";
import { stateOf, writeBundleFile } from "./testing-bundle.ts";
import { planBundle } from "./write-bundle.ts";

const RUNS = Number(process.env["PLIMSOLL_RUNS"] ?? 6);

const idsOf = ({ sqlite }: Archive): string[] =>
  sqlite.prepare("SELECT id FROM sessions ORDER BY id").pluck().all() as string[];

/** Rows as text. Of outputs that several copies of a session have the first to come has the plain pointer: that is left out. */
const rowsOf = (archive: Archive, ids: readonly string[]): string[] =>
  Object.entries(stateOf(archive, ids))
    .flatMap(([table, rows]) =>
      rows.map((row) => `${table} ${JSON.stringify(row).replaceAll(/art:[0-9a-f-]{36}/g, "art")}`),
    )
    .toSorted();

/** A bundle of each family, into other archives. */
async function bringAll(from: Archive, dir: string, into: readonly Archive[]): Promise<void> {
  const seen = new Set<string>();
  for (const id of idsOf(from)) {
    if (seen.has(id)) continue;
    for (const one of planBundle(from, id).manifest.sessions) seen.add(one.id);
    const path = await writeBundleFile(from, id, join(dir, "one.zip"));
    for (const archive of into) await importBundle(archive, path, { isCopy: true });
  }
}

test("what grew in pieces is what came whole", { timeout: 40_000 + RUNS * 20_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      families.chain((files) => plansFor(files).map((plan) => ({ files, plan }))),
      ({ files, plan }) =>
        inFolder((dir) =>
          withArchive(join(dir, "from"), (from) =>
            withArchive(join(dir, "to"), (to) =>
              withArchive(join(dir, "fresh"), async (fresh) => {
                const logs = join(dir, "logs");
                const paths = files.map(({ name }) => put(logs, name, ""));
                const pieces = plan.filter(({ as }) => as === undefined);
                for (const [n, { file, bytes }] of pieces.entries()) {
                  writeFileSync(paths[file]!, Buffer.from(files[file]!.lines.join("")).subarray(0, bytes));
                  await importPaths(from, [paths[file]!], { final: false });
                  const isLast = n === pieces.length - 1;
                  if (isLast) await importPaths(from, [logs]);
                  await bringAll(from, dir, isLast ? [to, fresh] : [to]);
                }
                const ids = idsOf(fresh);
                expect(idsOf(to)).toEqual(ids);
                expect(rowsOf(to, ids)).toEqual(rowsOf(fresh, ids));
                expect((await check(to)).problems).toEqual([]);
              }),
            ),
          ),
        ),
    ),
    {
      numRuns: RUNS,
      // The files themselves are long.
      reporter: ({ failed, seed, counterexamplePath, errorInstance }) => {
        if (failed) throw new Error(`{ seed: ${seed}, path: "${counterexamplePath}" }`, { cause: errorInstance });
      },
    },
  ),
);
