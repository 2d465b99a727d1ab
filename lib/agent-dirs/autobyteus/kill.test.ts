// The inspection of killed compactions itself: what a kill could do wrong is found when it is done on purpose.
// `npm run crash` kills at every system call that changes the folder.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentDirectory, FILES } from "./directory-paths.ts";
import { bytesIn, inFolder } from "./testing-directory.ts";
import { compactWork, undoWork } from "./testing-kill.ts";

const without = (path: string, first: string): void => {
  const text = readFileSync(path, "latin1");
  writeFileSync(path, text.replace(first, ""), "latin1");
};

const firstLine = (path: string): string => `${readFileSync(path, "latin1").split("\n")[0]}\n`;

test.each([
  ["compaction", compactWork],
  ["undoing", undoWork],
] as const)("a %s that is left alone is sound, in either generation", (_, workOf) => {
  for (const generation of [1, 2] as const)
    inFolder((dir) => {
      const work = workOf(generation);
      work.prepare(dir);
      expect(work.inspect(dir)).toEqual([]);
    });
});

test.each<[string, (path: string) => void, RegExp]>([
  [
    "a lost line",
    (path) => without(join(path, FILES.rawTraces), firstLine(join(path, FILES.rawTraces))),
    /a line is lost/,
  ],
  [
    "a line of the archive that is lost",
    (path) => without(join(path, FILES.rawTracesArchive), firstLine(join(path, FILES.rawTracesArchive))),
    /a line is lost/,
  ],
  [
    "a line that is there twice",
    (path) => appendFileSync(join(path, FILES.rawTracesArchive), firstLine(join(path, FILES.rawTracesArchive))),
    /stands there twice/,
  ],
  [
    "a changed space",
    (path) => {
      const file = join(path, FILES.rawTraces);
      writeFileSync(file, readFileSync(file, "latin1").replace('": ', '":'), "latin1");
    },
    /a line is lost/,
  ],
  [
    "another summary",
    (path) => appendFileSync(join(path, FILES.episodic), '{"id":"ep_x","summary":"twice"}\n'),
    /as if nothing had happened|undone it is not/,
  ],
])("%s is found", (_, harm, result) => {
  inFolder((dir) => {
    const work = compactWork(1);
    work.prepare(dir);
    const path = agentDirectory(join(dir, "memory"), "made-up");
    harm(path);
    expect(work.inspect(dir).join("; ")).toMatch(result);
    expect(bytesIn(join(dir, "untouched")).size).toBeGreaterThan(0);
  });
});
