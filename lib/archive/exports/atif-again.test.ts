// A session out as ATIF, in again, and out again: what ATIF can hold is the same. Of every format's fixture, written by hand (synthetic),
// and of every real session that is at hand.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { differences } from "../bundle/testing-bundle.ts";
import { atifFacts, atifOf, atifProblems } from "./testing-atif.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
const DATA = join(import.meta.dirname, "../../../../shared/data");
if (!existsSync(DATA)) console.warn(`SKIPPED: ATIF of real sessions. There are none at ${DATA}.`);

/** Each session that is no sub-agent's, exported, imported into an empty archive, and exported. */
async function outAndIn(from: Archive, dir: string): Promise<{ compared: number; differing: string[] }> {
  const ids = from.sqlite
    .prepare("SELECT id FROM sessions WHERE relation IS NOT 'subagent' ORDER BY id")
    .pluck()
    .all() as string[];
  const differing: string[] = [];
  let compared = 0;
  for (const id of ids) {
    const first = await atifOf(from, id, { mask: "none", outputs: "whole" });
    if (first === null) continue;
    expect(atifProblems(first)).toEqual([]);
    const path = put(dir, `atif/${id}.json`, JSON.stringify(first));
    await withArchive(join(dir, "to", id), async (to) => {
      const { files } = await importPaths(to, [path]);
      expect([id, files[0]!.format, files[0]!.errors]).toEqual([id, "atif", []]);
      const again = await atifOf(to, files[0]!.sessions[0]!, { mask: "none", outputs: "whole" });
      differing.push(...differences(atifFacts(first), atifFacts(again!), id));
    });
    compared++;
  }
  return { compared, differing };
}

test("every fixture is the same trajectory after it was exported, imported and exported", { timeout: 120_000 }, () =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (from) => {
      await importPaths(
        from,
        readdirSync(FIXTURES).map((name) => put(dir, `logs/${name}/${name}`, readFileSync(join(FIXTURES, name)))),
      );
      const { compared, differing } = await outAndIn(from, dir);
      expect(differing).toEqual([]);
      expect(compared).toBeGreaterThan(30);
    }),
  ),
);

test.skipIf(!existsSync(DATA))("every real session is, too", { timeout: 600_000 }, () =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (from) => {
      await importPaths(from, [DATA]);
      const { compared, differing } = await outAndIn(from, dir);
      console.log(`${compared} real sessions out as ATIF and in again, ${differing.length} differences.`);
      expect(differing).toEqual([]);
      expect(compared).toBeGreaterThan(50);
    }),
  ),
);
