// Every real session file that is read is given back byte for byte. The files are not part of the project.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { importPaths } from "../import/import-paths.ts";
import { inFolder, withArchive } from "../testing-archive.ts";
import { restoreSession } from "./restore-session.ts";

const DATA = join(import.meta.dirname, "../../../../shared/data");

test(
  "each file of the shared data is restored as the same bytes, at the same time of change",
  { timeout: 300_000 },
  () =>
    inFolder(async (dir) => {
      if (!existsSync(DATA)) return console.warn(`SKIPPED: no real sessions at ${DATA}: nothing was restored.`);
      const paths = readdirSync(DATA, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .toSorted();
      let [restored, bytes, unread] = [0, 0, 0];
      for (const [at, path] of paths.entries())
        await withArchive(join(dir, `archive-${at}`), async (archive) => {
          const { files } = await importPaths(archive, [path]);
          const session = files[0]?.sessions[0];
          if (session === undefined) return void unread++;
          const to = join(dir, `to-${at}`);
          const answer = await restoreSession(archive, { session, to, roots: [] });
          const written = join(to, basename(path));
          expect([path, readFileSync(written).equals(readFileSync(path))]).toEqual([path, true]);
          expect(Math.round(statSync(written).mtimeMs)).toBe(Math.round(statSync(path).mtimeMs));
          expect(answer.missing.filter(({ reason }) => reason.includes("were not read"))).toEqual([]);
          restored++;
          bytes += statSync(path).size;
        });
      console.log(
        `${restored} files, ${bytes} bytes: all equal. ${unread} files are of no format that is read from files.`,
      );
      expect(restored).toBeGreaterThan(0);
    }),
);
