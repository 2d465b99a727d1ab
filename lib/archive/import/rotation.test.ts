// What becomes of a source file between two readings: appended to byte by byte, cut, rewritten, rotated, copied over,
// deleted and made again. The session ends as if the last state had been read alone, and every line that was read once stands
// in the archive once: in the file as it is now or in an earlier version of it.
import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, asks, idOf, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { listProblems } from "../sources/list-sources.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { rawBytes } from "./raw-writer.ts";

const NAME = `${SESSION}.jsonl`;

/** Steps of one of several runs; an output of each third is kept apart. */
const stepLines = (run: number, from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => from + i)
    .map((n) =>
      jsonl(
        prompt(`p${run}.${n}`, n * 10, `Run ${run}, step ${n}`),
        answer(`a${run}.${n}`, n * 10 + 1, `${run}.${n}`, asks(`t${run}.${n}`, "Bash", { command: `run ${n}` })),
        result(`r${run}.${n}`, n * 10 + 2, `t${run}.${n}`, n % 3 === 0 ? `output ${n}\n`.repeat(600) : "ok"),
      ),
    )
    .join("");

type Step = { readonly name: string; readonly size: number; readonly reads: boolean; readonly final: boolean };

const STEPS: Readonly<Record<string, (path: string, run: number, size: number) => void>> = {
  append: (path, run, size) => appendFileSync(path, stepLines(run, 100, size)),
  "append half a line": (path, run) => appendFileSync(path, stepLines(run, 200, 1).slice(0, 137)),
  rewrite: (path, run, size) => writeFileSync(path, stepLines(run, 0, size)),
  truncate: (path) => truncateSync(path, 0),
  shrink: (path, _, size) => truncateSync(path, size * 97),
  "shrink and grow past": (path, run, size) => {
    truncateSync(path, 300);
    appendFileSync(path, `\n${stepLines(run, 300, size + 4)}`);
  },
  "rename and create": (path, run, size) => {
    renameSync(path, `${path}.1`);
    writeFileSync(path, stepLines(run, 0, size));
  },
  "copy and truncate": (path, run, size) => {
    copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
    appendFileSync(path, stepLines(run, 0, size));
  },
  "replace by a new file": (path, run, size) => {
    writeFileSync(`${path}.new`, stepLines(run, 0, size));
    renameSync(`${path}.new`, path);
  },
  "delete and make again": (path, run, size) => {
    rmSync(path);
    writeFileSync(path, stepLines(run, 0, size));
  },
};

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...Object.keys(STEPS)),
    size: fc.integer({ min: 1, max: 4 }),
    reads: fc.boolean(),
    final: fc.boolean(),
  }),
  { minLength: 1, maxLength: 7 },
);

/** The lines that a reading of the file sees whole. */
const wholeLines = (path: string): string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.trim() !== "");

/** The lines that each source holds, earlier versions too. */
function heldLines(archive: Archive): Set<string>[] {
  const pks = archive.sqlite.prepare("SELECT pk FROM sources").pluck().all() as number[];
  return pks.map((pk) => {
    const text = Buffer.concat([...rawBytes(archive, pk, 0, 2 ** 52)]).toString();
    return new Set(text.split("\n").filter((line) => line.trim() !== ""));
  });
}

function expectAllOnce(archive: Archive, seen: ReadonlySet<string>): void {
  const held = heldLines(archive);
  for (const line of seen) expect(held.filter((lines) => lines.has(line)).length, line.slice(0, 80)).toBe(1);
  const calls = archive.sqlite
    .prepare("SELECT count(DISTINCT key) AS keys, sum(1 - inherited) AS own FROM model_calls")
    .get() as { keys: number; own: number };
  expect(calls.own).toBe(calls.keys);
}

test("whatever happens to a file between readings, the session shows what it holds and nothing that was read is lost", () =>
  fc.assert(
    fc.asyncProperty(steps, (list) =>
      inFolder(async (dir) => {
        const logs = join(dir, "logs");
        const path = put(logs, NAME, stepLines(0, 0, 3));
        const lived = await withArchive(join(dir, "lived"), async (archive) => {
          await importPaths(archive, [path], { final: false });
          const seen = new Set(wholeLines(path));
          for (const [i, { name, size, reads, final }] of list.entries()) {
            STEPS[name]!(path, i + 1, size);
            if (!reads) continue;
            await importPaths(archive, [path], { final });
            for (const line of wholeLines(path)) seen.add(line);
            expectAllOnce(archive, seen);
          }
          // The end is a whole session, so that its last state can be told from what was before.
          appendFileSync(path, `\n${stepLines(99, 900, 1)}`);
          await importPaths(archive, [path]);
          for (const line of wholeLines(path)) seen.add(line);
          expectAllOnce(archive, seen);
          expect((await check(archive)).problems).toEqual([]);
          return dumpOf(archive, logs);
        });
        const fresh = await withArchive(join(dir, "fresh"), async (archive) => {
          await importPaths(archive, [path]);
          return dumpOf(archive, logs);
        });
        for (const table of Object.keys(fresh)) expect(lived[table], table).toEqual(fresh[table]);
      }),
    ),
    { numRuns: 80 },
  ));

test("a line that is being written is held back, no problem, and there with its newline", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, stepLines(0, 0, 1));
    await importPaths(archive, [path], { final: false });
    const next = jsonl(prompt("next", 50, "the next prompt"));
    for (const byte of Buffer.from(next).subarray(0, -1)) {
      appendFileSync(path, Uint8Array.of(byte));
      const { files } = await importPaths(archive, [path], { final: false });
      expect(files[0]).toMatchObject({ events: 0, errors: [] });
    }
    expect((await showSession(archive, SESSION)).turns).toBe(1);
    appendFileSync(path, "\n");
    const { files } = await importPaths(archive, [path], { final: false });
    expect(files[0]).toMatchObject({ status: "grown", events: 1 });
    expect((await showSession(archive, SESSION)).turns).toBe(2);
    expect((await listProblems(archive, { limit: 10, offset: 0 })).total).toBe(0);
  }));

test.each([false, true])(
  "one appended line changes as few rows in a session of any size (a fork: %s)",
  async (isFork) => {
    const costOf = (size: number): Promise<number> =>
      inArchive(async (archive, logs) => {
        const lines = stepLines(0, 0, size);
        const forked = idOf("a fork");
        const name = isFork ? forked : SESSION;
        if (isFork) put(logs, `${SESSION}.jsonl`, lines);
        const path = put(
          logs,
          `${name}.jsonl`,
          lines.replaceAll(SESSION, name) + jsonl(prompt("own", 90_000, "own", { sessionId: name })),
        );
        await importPaths(archive, [logs]);
        const rowsChanged = (): number => archive.sqlite.prepare("SELECT total_changes()").pluck().get() as number;
        appendFileSync(path, jsonl(prompt("n0", 100_000, "one more", { sessionId: name })));
        await importPaths(archive, [path], { final: false });
        const before = rowsChanged();
        appendFileSync(path, jsonl(prompt("n1", 100_001, "one more", { sessionId: name })));
        await importPaths(archive, [path], { final: false });
        return rowsChanged() - before;
      });
    // Counted in rows, since a time would tell of the machine; npm run bench has the milliseconds.
    expect(await costOf(1500)).toBe(await costOf(20));
  },
);
