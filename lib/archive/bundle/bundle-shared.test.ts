// Every real session that is at hand, out of one archive and into an empty one. Where there are none, it says so.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importPaths } from "../import/import-paths.ts";
import { inFolder, withArchive } from "../testing-archive.ts";
import { importBundle } from "./import-bundle.ts";
import { differences, stateOf, viewsOf, writeBundleFile } from "./testing-bundle.ts";
import { planBundle } from "./write-bundle.ts";

const DATA = join(import.meta.dirname, "../../../../shared/data");
if (!existsSync(DATA)) console.warn(`SKIPPED: bundles of real sessions. There are none at ${DATA}.`);

const sha = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

test.skipIf(!existsSync(DATA))(
  "every real session is the same after a bundle: events, artifacts, memory, ledger",
  { timeout: 600_000 },
  () =>
    inFolder((dir) =>
      withArchive(join(dir, "a"), async (from) => {
        await importPaths(from, [DATA]);
        const ids = from.sqlite.prepare("SELECT id FROM sessions ORDER BY id").pluck().all() as string[];
        const seen = new Set<string>();
        const differing: string[] = [];
        for (const id of ids) {
          if (seen.has(id)) continue;
          const family = planBundle(from, id).manifest.sessions.map((one) => one.id);
          for (const one of family) seen.add(one);
          const path = await writeBundleFile(from, id, join(dir, "one.zip"));
          await inFolder((other) =>
            withArchive(join(other, "b"), async (to) => {
              const answer = await importBundle(to, path);
              expect(answer).toMatchObject({ status: "imported" });
              expect(await importBundle(to, path)).toMatchObject({ status: "unchanged", events: 0 });
              differing.push(...differences(stateOf(from, family), stateOf(to, family), id));
              for (const one of family)
                differing.push(...differences(await viewsOf(from, one), await viewsOf(to, one), one));
              const again = await writeBundleFile(to, id, join(other, "again.zip"));
              if (sha(again) !== sha(path)) differing.push(`${id} bytes`);
            }),
          );
        }
        expect(differing).toEqual([]);
        expect(seen.size).toBe(ids.length);
      }),
    ),
);
