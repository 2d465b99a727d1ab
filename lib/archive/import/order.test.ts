import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dumpOf, inFolder, put, withArchive } from "../testing.ts";
import { families, plansFor, type FamilyFile, type Piece } from "./testing-families.ts";
import { importPaths } from "./import-paths.ts";

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

test("whatever the order and the pieces in which files come, the same sessions, lineage and sums stand in the archive", async () => {
  const cases = families.chain((files) => plansFor(files).map((plan) => ({ files, plan })));
  await fc.assert(
    fc.asyncProperty(cases, async ({ files, plan }) => {
      await inFolder(async (dir) => {
        const logs = join(dir, "logs");
        const wholes = files.map(({ lines }) => Buffer.from(lines.join("")));
        const paths = files.map(({ name }) => put(logs, name, ""));
        const grown = await withArchive(join(dir, "grown"), async (archive) => {
          for (const { file, bytes, as = file } of plan) {
            writeFileSync(paths[file]!, wholes[as]!.subarray(0, bytes));
            const { files: found } = await importPaths(archive, [paths[file]!], { final: false });
            expect(found[0]?.status).not.toBe("failed");
          }
          await importPaths(archive, [logs]);
          // An older copy of a file that was replaced is read again when it is next looked at.
          await importPaths(archive, [logs]);
          return dumpOf(archive, dir);
        });
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
