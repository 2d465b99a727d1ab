// A session in two files, as rotation leaves it: cut anywhere, also within one call, the calls and tokens of both are those of the whole.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");

/** Own calls and tokens of all sessions. */
const spent = ({ sqlite }: Archive) =>
  query(
    sqlite,
    { calls: "integer", sent: "integer", output: "integer" },
    "SELECT count(*) AS calls, sum(input_uncached + cache_read + cache_write) AS sent, sum(output) AS output FROM model_calls WHERE inherited = 0",
  ).get();

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** `as`: the name of the second part's file. */
async function spentOf(name: string, parts: readonly (readonly string[])[], as = name) {
  let found: ReturnType<typeof spent>;
  await inArchive(async (archive, logs) => {
    for (const [i, lines] of parts.entries()) put(logs, `${i}/${i > 0 ? as : name}`, textOf(lines));
    await importPaths(archive, [logs]);
    found = spent(archive);
  });
  return found;
}

const linesIn = (name: string): string[] => readFileSync(join(FIXTURES, name), "utf8").split("\n").filter(Boolean);

/**
 * Cuts that no record of either part tells of: Qwen Code counts a call in a note, and again in the answer behind it, which does not name
 * the note's call.
 */
const UNTOLD: Readonly<Record<string, readonly number[]>> = {
  "qwen-synthetic-session.jsonl": [3, 7, 13, 16],
  "qwen-synthetic-subagent.jsonl": [],
};

describe.each(Object.entries(UNTOLD))("%s", (name, untold) => {
  const lines = linesIn(name);
  const cuts = lines.map((_, at) => at).slice(1);

  test("the calls of both parts are those of the whole", async () => {
    const whole = await spentOf(name, [lines]);
    for (const at of cuts.filter((one) => !untold.includes(one)))
      expect(await spentOf(name, [lines.slice(0, at), lines.slice(at)]), `cut before line ${at}`).toEqual(whole);
  });

  test("a part beside the whole adds nothing", async () => {
    const whole = await spentOf(name, [lines]);
    for (const at of cuts) expect(await spentOf(name, [lines, lines.slice(at)]), `from line ${at}`).toEqual(whole);
  });
});

/** Files whose parts do not name their session, and how many lines at their end are of no agent's alone. */
const NAMELESS = {
  "gemini-synthetic-session.jsonl": 1,
  "goose-synthetic-session.jsonl": 1,
  "openclaw-synthetic-session.jsonl": 1,
  "pi-synthetic-session.jsonl": 1,
  "pi-synthetic-version-1.jsonl": 0,
};

test.each(Object.entries(NAMELESS))("the end of %s beside it, under another name, adds nothing", async (name, open) => {
  const lines = linesIn(name);
  const whole = await spentOf(name, [lines]);
  for (let at = 1; at < lines.length - open; at++) {
    expect(await spentOf(name, [lines, lines.slice(at)], "end.jsonl"), `from line ${at}`).toEqual(whole);
    expect(await spentOf(name, [lines.slice(0, at), lines.slice(at)], "end.jsonl"), `cut at ${at}`).toEqual(whole);
  }
});

test("two answers of one moment are two where their tokens differ", async () => {
  const of = (id: string, input: number): string[] =>
    [
      { type: "session", version: 3, id, timestamp: "2026-03-02T09:00:00.000Z", cwd: "/reef" },
      {
        ...{ type: "message", id: id.slice(0, 8), parentId: null, timestamp: "2026-03-02T09:00:05.000Z" },
        message: {
          ...{ role: "assistant", model: "m", timestamp: 1_772_442_001_000, content: [{ type: "text", text: "Six." }] },
          usage: { input, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: input + 5 },
        },
      },
    ].map((one) => JSON.stringify(one));
  const [a, b] = ["11111111-0000-4000-8000-00000000000a", "22222222-0000-4000-8000-00000000000b"];
  expect(await spentOf("a.jsonl", [of(a, 10), of(b, 20)], "b.jsonl")).toEqual({ calls: 2, sent: 30, output: 10 });
});
