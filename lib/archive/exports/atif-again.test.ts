// A session out as ATIF, in again, and out again: what ATIF can hold is the same. Of every format's fixture, written by hand (synthetic).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importPaths } from "../import/import-paths.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { differences } from "../bundle/testing-bundle.ts";
import { atifFacts, atifOf, atifProblems } from "./testing-atif.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");

test("every fixture is the same trajectory after it was exported, imported and exported", { timeout: 120_000 }, () =>
  inFolder((dir) =>
    withArchive(join(dir, "from"), async (from) => {
      await importPaths(
        from,
        readdirSync(FIXTURES).map((name) => put(dir, `logs/${name}/${name}`, readFileSync(join(FIXTURES, name)))),
      );
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
      expect(differing).toEqual([]);
      expect(compared).toBeGreaterThan(30);
    }),
  ),
);
