// A session in two files, as rotation leaves it: cut anywhere, also within one call, the calls and tokens of both are those of the whole.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");

/** Own calls and tokens of all sessions, and turns. */
const spent = ({ sqlite }: Archive) =>
  query(
    sqlite,
    { calls: "integer", sent: "integer", output: "integer", turns: "integer" },
    `SELECT count(*) AS calls, sum(input_uncached + cache_read + cache_write) AS sent, sum(output) AS output,
       (SELECT count(*) FROM events WHERE inherited = 0 AND starts_turn = 1) AS turns FROM model_calls WHERE inherited = 0`,
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
 * Cuts of which no record tells. A turn of Codex may be named where it begins alone: a part that begins within does not know it. And it
 * may count a call in two records, which do not name each other.
 */
const UNTOLD: Readonly<Record<string, readonly number[]>> = {
  "claude-code-synthetic-session.jsonl": [],
  "codex-synthetic-session.jsonl": [],
  "codex-synthetic-subagent.jsonl": [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 26, 29],
  "qwen-synthetic-session.jsonl": [],
  "qwen-synthetic-subagent.jsonl": [],
};

describe.each(Object.entries(UNTOLD))("%s", (name, untold) => {
  const lines = linesIn(name);
  const cuts = lines.map((_, at) => at).filter((at) => at > 0 && !untold.includes(at));

  test("the calls of both parts are those of the whole", async () => {
    const whole = await spentOf(name, [lines]);
    for (const at of cuts)
      expect(await spentOf(name, [lines.slice(0, at), lines.slice(at)]), `cut before line ${at}`).toEqual(whole);
  });

  test("in either order, and the end alone under another name beside the whole", async () => {
    const whole = await spentOf(name, [lines]);
    for (const at of cuts) {
      expect(await spentOf(name, [lines.slice(at), lines.slice(0, at)]), `cut before line ${at}`).toEqual(whole);
      expect(await spentOf(name, [lines, lines.slice(at)], "end.jsonl"), `from line ${at}`).toEqual(whole);
    }
  });

  test("a part beside the whole adds nothing", async () => {
    const whole = await spentOf(name, [lines]);
    for (const at of cuts) expect(await spentOf(name, [lines, lines.slice(at)]), `from line ${at}`).toEqual(whole);
  });
});

test("the end of a file beside it adds nothing where its name tells the session, whatever its records tell", async () => {
  const name = "codex-synthetic-subagent.jsonl";
  const lines = linesIn(name);
  const as = "rollout-01a00000-0000-7000-8000-00000000000b.jsonl";
  const whole = await spentOf(as, [lines]);
  for (let at = 1; at < lines.length; at += 2) {
    expect(await spentOf(as, [lines, lines.slice(at)]), `from line ${at}`).toEqual(whole);
    expect(await spentOf(as, [lines.slice(at), lines]), `from line ${at}, read first`).toEqual(whole);
    expect(await spentOf(as, [lines, lines.slice(at, -1)]), `from line ${at}, without the last`).toEqual(whole);
  }
});

test("two ends of a session that overlap count each call once, where the beginning is in no file", async () => {
  const name = "codex-synthetic-session.jsonl";
  const lines = linesIn(name);
  for (const [from, to] of [
    [2, 3],
    [5, 21],
    [12, 30],
  ] as const) {
    const end = await spentOf(name, [lines.slice(from)]);
    const parts = [lines.slice(from, -1), lines.slice(to)];
    expect(await spentOf(name, parts, "end.jsonl"), `from ${from} and ${to}`).toEqual(end);
    expect(await spentOf(name, parts.toReversed(), "end.jsonl"), `from ${to} and ${from}`).toEqual(end);
    expect(await spentOf(name, [lines, ...parts], "end.jsonl"), `${from} and ${to} beside the whole`).toEqual(
      await spentOf(name, [lines]),
    );
  }
});

test("an answer directly behind another one is not that one, where a file is cut between them", async () => {
  const name = "qwen-synthetic-session.jsonl";
  const lines = linesIn(name);
  const [first, second] = [lines[3]!, lines[7]!].map((line) => JSON.parse(line) as Record<string, unknown>);
  const behind = JSON.stringify({ ...second, parentUuid: first!["uuid"] });
  const begin = lines.slice(0, 4);
  expect(await spentOf(name, [begin, [behind]])).toEqual(await spentOf(name, [[...begin, behind]]));
});

test("a session that goes on leaves one alone whose calls it told before", () =>
  inArchive(async (archive, logs) => {
    const name = "codex-synthetic-session.jsonl";
    const lines = linesIn(name);
    put(logs, `end/end.jsonl`, textOf(lines.slice(12, -3)));
    const path = put(logs, `whole/${name}`, textOf(lines.slice(0, -1)));
    await importPaths(archive, [logs]);
    const told = (): unknown =>
      archive.sqlite
        .prepare(
          `SELECT s.pk, s.version, count(*) AS calls, sum(m.inherited) AS inherited FROM sessions s JOIN model_calls m ON m.session_pk = s.pk
             WHERE m.key GLOB 'record:*' GROUP BY s.pk`,
        )
        .all();
    const before = told();
    expect(before).toMatchObject([{ calls: 4, inherited: 4 }]);
    put(logs, `whole/${name}`, textOf(lines));
    expect((await importPaths(archive, [path])).totals.events).toBe(1);
    expect(told()).toEqual(before);
  }));

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
  const { turns: _turns, ...whole } = (await spentOf(name, [lines]))!;
  for (let at = 1; at < lines.length - open; at++) {
    expect(await spentOf(name, [lines, lines.slice(at)], "end.jsonl"), `from line ${at}`).toMatchObject(whole);
    expect(await spentOf(name, [lines.slice(0, at), lines.slice(at)], "end.jsonl"), `cut at ${at}`).toMatchObject(
      whole,
    );
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
  expect(await spentOf("a.jsonl", [of(a, 10), of(b, 20)], "b.jsonl")).toMatchObject({ calls: 2, sent: 30, output: 10 });
});
