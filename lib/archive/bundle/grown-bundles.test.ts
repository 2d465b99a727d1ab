// A bundle of a session that went on since an earlier one: an archive reads what came behind, and has what an archive has that reads all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inFolder, put, testHost, withArchive } from "../testing-archive.ts";
import { check } from "../upkeep/check-archive.ts";
import { importBundle } from "./import-bundle.ts";
import { differences, stateOf, viewsOf, writeBundleFile } from "./testing-bundle.ts";

const NAME = `${SESSION}.jsonl`;

const steps = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => from + i)
    .map((n) =>
      jsonl(
        prompt(`p${n}`, n * 10, `Step ${n}`),
        answer(`a${n}`, n * 10 + 1, `${n}`, asks(`t${n}`, "Bash", { command: `run ${n}` }), { stop: "tool_use" }),
        result(`r${n}`, n * 10 + 2, `t${n}`, n % 3 === 0 ? `output ${n}\n`.repeat(600) : "ok"),
      ),
    )
    .join("");

const count = ({ sqlite }: Archive, table: string): number =>
  sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
const idIn = ({ sqlite }: Archive): string =>
  sqlite.prepare("SELECT id FROM sessions WHERE earlier IS NULL AND parent_pk IS NULL").pluck().get() as string;

const filesIn = ({ sqlite }: Archive): unknown[] =>
  sqlite.prepare("SELECT path, status, size, mtime_ms, changed_at, head, head_bytes FROM sources ORDER BY path").all();

type Sides = {
  readonly from: Archive;
  readonly to: Archive;
  /** Writes the file and reads it where it is, then its bundle elsewhere. */
  readonly bring: (content: string | Uint8Array) => Promise<Awaited<ReturnType<typeof importBundle>>>;
  /** The other archive has what one has that reads the last bundle alone. */
  readonly expectSame: () => Promise<void>;
  readonly logs: string;
};

const inTwo = (name: string, run: (sides: Sides) => Promise<void>, host = testHost()): Promise<void> =>
  inFolder((dir) =>
    withArchive(
      join(dir, "from"),
      (from) =>
        withArchive(
          join(dir, "to"),
          (to) => {
            let bundles = 0;
            const last = (): string => join(dir, `${bundles}.zip`);
            const logs = join(dir, "logs");
            return run({
              ...{ from, to, logs },
              async bring(content) {
                put(logs, name, content);
                await importPaths(from, [logs], { final: true });
                bundles++;
                return importBundle(to, await writeBundleFile(from, idIn(from), last()), { isCopy: true });
              },
              expectSame: () =>
                withArchive(
                  join(dir, `fresh ${bundles}`),
                  async (fresh) => {
                    await importBundle(fresh, last(), { isCopy: true });
                    const ids = fresh.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[];
                    expect(ids.length).toBeGreaterThan(0);
                    expect(differences(stateOf(fresh, ids), stateOf(to, ids))).toEqual([]);
                    for (const id of ids)
                      expect(differences(await viewsOf(fresh, id), await viewsOf(to, id))).toEqual([]);
                    expect(filesIn(to)).toEqual(filesIn(fresh));
                    expect((await check(to)).problems).toEqual([]);
                  },
                  host,
                ),
            });
          },
          host,
        ),
      host,
    ),
  );

test("only what came behind is read", () =>
  inTwo(NAME, async ({ to, bring, expectSame }) => {
    await bring(steps(0, 8));
    const first = count(to, "events");
    const pk = to.sqlite.prepare("SELECT pk FROM sessions").pluck().get();
    const later = await bring(steps(0, 12));
    expect(later).toMatchObject({ status: "imported", modelCalls: 4, events: count(to, "events") - first });
    // The rows that were there are those that are there.
    expect(to.sqlite.prepare("SELECT pk FROM sessions").pluck().all()).toEqual([pk]);
    await expectSame();
  }));

test("a reading of another version of the format is not gone on with", () =>
  inTwo(NAME, async ({ to, bring, expectSame }) => {
    await bring(steps(0, 4));
    to.sqlite.exec("UPDATE sources SET format_version = format_version - 1");
    const later = await bring(steps(0, 6));
    expect(later).toMatchObject({ modelCalls: 6, events: count(to, "events") });
    await expectSame();
  }));

test("a file that came in any two halves is the file that came whole", async () => {
  const bytes = Buffer.from(steps(0, 4));
  const line = bytes.indexOf("\n") + 1;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: line, max: bytes.length }), (cut) =>
      inTwo(NAME, async ({ bring, expectSame }) => {
        await bring(bytes.subarray(0, cut));
        await bring(bytes);
        await expectSame();
      }),
    ),
    // The first: cut before the newline that ends a line.
    { numRuns: 12, examples: [[bytes.indexOf("\n", bytes.length / 2)]] },
  );
});

test.each([
  "codex-synthetic-session.jsonl",
  "copilot-synthetic-session.jsonl",
  "droid-synthetic-session.jsonl",
  "gemini-synthetic-session.jsonl",
  "grok-synthetic-session.jsonl",
  "kimi-synthetic-code.jsonl",
])("so is that of another format: %s", (name) => {
  const lines = readFileSync(join(import.meta.dirname, "../../formats/fixtures", name), "utf8").split("\n");
  return inTwo(name, async ({ from, bring, expectSame }) => {
    for (const part of [0.4, 0.7, 1]) {
      await bring(`${lines.slice(0, Math.ceil((lines.length - 1) * part)).join("\n")}\n`);
      expect(count(from, "sessions")).toBeGreaterThan(0);
      await expectSame();
    }
  });
});

test.each(["", jsonl(prompt("q", 9, "And on"))])("an output that is found late is at its event", (more) => {
  let ahead = 0;
  return inTwo(
    NAME,
    async ({ from, to, bring, expectSame, logs }) => {
      const whole = Array.from({ length: 60_000 }, (_, n) => `${n + 1}\n`).join("");
      const path = join(logs, SESSION, "tool-results", "b7is79j0s.txt");
      const preview = `<persisted-output>\nOutput too large (340.7KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n${whole.slice(0, 2000)}\n...\n</persisted-output>`;
      const toolUseResult = {
        ...{ stdout: whole.slice(0, 30_000), persistedOutputPath: path, persistedOutputSize: whole.length },
      };
      const first = jsonl(
        prompt("p", 1, "Count"),
        answer("a", 2, "a", asks("t", "Bash", { command: "seq 1 60000" }), { stop: "tool_use" }),
        result("r", 3, "t", preview, { toolUseResult }),
      );
      const sizes = ({ sqlite }: Archive): unknown[] => sqlite.prepare("SELECT size FROM artifacts").pluck().all();
      await bring(first);
      expect(sizes(to)).toEqual([30_000]);
      put(logs, join(SESSION, "tool-results", "b7is79j0s.txt"), whole);
      ahead = 5000;
      await importPaths(from, [logs], { isWatched: true });
      await bring(first + more);
      expect([sizes(from), sizes(to)]).toEqual([[whole.length], [whole.length]]);
      await expectSame();
    },
    testHost(() => Date.now() + ahead),
  );
});

test.each([0.5, 1])("what stands beside the file is as it is with the last bundle, after %d of its lines", (part) => {
  const formats = join(import.meta.dirname, "../../formats");
  const text = readFileSync(join(formats, "fixtures/vibe-synthetic-session.jsonl"), "utf8");
  const meta = JSON.parse(readFileSync(join(formats, "fixtures-beside/vibe/synthetic-meta.json"), "utf8")) as {
    stats: Record<string, number>;
  };
  const folder = "session_20260901_100000_7b1e0000";
  let ahead = 0;
  return inTwo(
    `${folder}/messages.jsonl`,
    async ({ from, to, bring, expectSame, logs }) => {
      const lines = text.split("\n");
      const sums = ({ sqlite }: Archive): unknown =>
        sqlite.prepare("SELECT tally FROM sessions ORDER BY id").pluck().all();
      put(logs, `${folder}/meta.json`, JSON.stringify({ ...meta, stats: { ...meta.stats, session_prompt_tokens: 7 } }));
      await bring(part === 1 ? text : `${lines.slice(0, Math.ceil(lines.length * part)).join("\n")}\n`);
      ahead = 5000;
      put(logs, `${folder}/meta.json`, JSON.stringify(meta));
      await bring(text);
      expect(sums(to)).toEqual(sums(from));
      await expectSame();
    },
    testHost(() => Date.now() + ahead),
  );
});
