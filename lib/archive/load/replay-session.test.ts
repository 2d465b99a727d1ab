// A session replayed from the rows that an import made of it, and what a query string may ask.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, jsonl, prompt, result, SESSION, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { whatIfAnswer, whatIfQuery, whatIfRequest } from "#lib/wire/what-if-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { whatIfOf } from "./replay-session.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
const NOTHING = whatIfRequest.parse({});
const words = (count: number): string => "sea ".repeat(count).trim();

test("an output that was stored would have left the prompts after it, and pages say what was and what would be", () =>
  inArchive(async (archive, logs) => {
    const records = [
      prompt("1", 1, "read it"),
      answer("2", 2, "a", asks("t1", "Read", { file_path: "/home/ada/harbour/tides.md" }), {
        usage: used(10, 0, 9990, 60),
      }),
      result("3", 3, "t1", words(8000)),
      answer("4", 4, "b", asks("t2", "Read", { file_path: "/home/ada/harbour/moon.md" }), {
        usage: used(10, 10_000, 11_500, 60),
      }),
      result("5", 5, "t2", words(10)),
      answer("6", 6, "c", text("done"), { usage: used(10, 21_510, 100, 20) }),
    ];
    put(logs, `${SESSION}.jsonl`, jsonl(...records));
    await importPaths(archive, [logs]);
    const outcome = whatIfAnswer.parse(await whatIfOf(archive, SESSION, { ...NOTHING, offload: 2000 }));
    expect(outcome.calls.map((call) => call.actual)).toEqual([10_000, 21_510, 21_620]);
    const [first, second, third] = outcome.calls.map((call) => call.predicted);
    expect(first).toBe(10_000);
    // The 11,510 that came in are the call and the output, which 250 stand for now.
    expect(second).toBeGreaterThan(10_200);
    expect(second).toBeLessThan(10_600);
    expect(third! - second!).toBe(110);
    expect(outcome.predicted.expected.peak).toBe(third);
    // The test's table has a price for uncached tokens alone: three times ten.
    expect(outcome.actual.usd).toBeCloseTo(30e-6, 12);
    expect(outcome.label).toBe("same turns assumed");
    const counted = await whatIfOf(archive, SESSION, { ...NOTHING, offload: 2000 }, { counted: true });
    expect(counted.calls.map((call) => call.actual)).toEqual([10_000, 21_510, 21_620]);
  }));

test("without a policy every session of every format is what it was", () =>
  inArchive(async (archive, logs) => {
    cpSync(FIXTURES, logs, { recursive: true });
    await importPaths(archive, [logs]);
    const ids = archive.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[];
    expect(ids.length).toBeGreaterThan(5);
    for (const id of ids) {
      const { actual, predicted, calls } = await whatIfOf(archive, id, NOTHING);
      expect(calls.every((call) => call.actual === call.predicted)).toBe(true);
      expect(predicted).toEqual({ low: actual, expected: actual, high: actual });
    }
  }));

test("a session that is not there is not found", () =>
  inArchive(async (archive) => {
    await expect(whatIfOf(archive, "s_0000", NOTHING)).rejects.toMatchObject({ code: "not_found" });
  }));

test("a query string says what a request says", () => {
  expect(whatIfQuery.parse({})).toEqual(NOTHING);
  expect(whatIfQuery.parse({ offload: "", mask: "0", dedupe: "false", dropTools: "one" })).toEqual({
    ...NOTHING,
    mask: 0,
    dropTools: ["one"],
  });
  expect(whatIfQuery.parse({ dropTools: ["one", "two"], dedupe: "true", reread: "0.5" })).toMatchObject({
    dropTools: ["one", "two"],
    dedupe: true,
    reread: 0.5,
  });
  for (const wrong of [{ offload: "-1" }, { reread: "2" }, { dedupe: "maybe" }, { ratio: "0" }, { mask: "x" }])
    expect(whatIfQuery.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
});
