// A file is met when its agent has written a line or two, which may be any agent's: followed from there, it is read as a whole one is.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Archive } from "../base/archive-type.ts";
import { dumpOf, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
const WATCHED = { isWatched: true, final: false } as const;

const linesOf = (name: string): string[] => readFileSync(join(FIXTURES, name), "utf8").split(/(?<=\n)/);
const isOfLines = (name: string): boolean => name.endsWith(".jsonl") && !/-(?:database|store)\.jsonl$/.test(name);

test.each(readdirSync(FIXTURES).filter(isOfLines))("%s", (name) =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    const [first = "", second = "", third = "", ...rest] = linesOf(name);
    const path = put(logs, name, "");
    const grown = await withArchive(join(dir, "grown"), async (archive) => {
      for (const text of [first, second, third, rest.join("")]) {
        appendFileSync(path, text);
        await importPaths(archive, [path], WATCHED);
      }
      return dumpOf(archive, logs);
    });
    const whole = await withArchive(join(dir, "whole"), async (archive) => {
      await importPaths(archive, [path], WATCHED);
      return dumpOf(archive, logs);
    });
    expect(grown).toEqual(whole);
  }),
);

/** What stands before the first lines of a fixture, which another agent's file may begin with. */
const BEFORE: Readonly<Record<string, object>> = {
  "codebuddy-synthetic-session.jsonl": {
    ...{ id: "t0", timestamp: 1_788_256_800_000, type: "custom-title", customTitle: "Puffins (synthetic)" },
    sessionId: "c0de0000-0000-4000-8000-0000000000aa",
  },
  "copilot-run-synthetic-session.jsonl": {
    ...{ type: "assistant.turn_start", data: { turnId: "0" }, id: "50000000-0000-4000-8000-000000000000" },
    ...{ timestamp: "2026-11-04T09:00:00.000Z", parentId: null },
  },
};

test.each(Object.entries(BEFORE))("%s behind a line that another agent may have written", (name, before) =>
  inFolder(async (dir) => {
    const logs = join(dir, "logs");
    const path = put(logs, name, `${JSON.stringify(before)}\n`);
    const read = async (archive: Archive): Promise<string | null> =>
      (await importPaths(archive, [path], WATCHED)).files[0]!.format;
    const grown = await withArchive(join(dir, "grown"), async (archive) => {
      const first = await read(archive);
      for (const text of linesOf(name)) {
        appendFileSync(path, text);
        await read(archive);
      }
      expect(first).not.toBe(await read(archive));
      return dumpOf(archive, logs);
    });
    const whole = await withArchive(join(dir, "whole"), async (archive) => {
      expect(name.startsWith(`${await read(archive)}-synthetic`)).toBe(true);
      return dumpOf(archive, logs);
    });
    expect(grown).toEqual(whole);
  }),
);
