import fc from "fast-check";
import { expect, test } from "vitest";
import { extract } from "./extract.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { namesWithin, outputIndex } from "./output-index.ts";
import { call, eventsOf, result, user } from "./testing-log.ts";

const weightsOf = (...names: string[]) => new Map(names.map((name) => [name, 1]));

test("a path stands for its file name, and for the shorter paths that end as it does", () => {
  expect(namesWithin("/srv/app/gate_test.ts")).toEqual(
    expect.arrayContaining(["/srv/app/gate_test.ts", "srv/app/gate_test.ts", "app/gate_test.ts", "gate_test.ts"]),
  );
  expect(outputIndex(weightsOf("gate_test.ts", "lib/gate_test.ts", "gate_test"), "", 100)).toEqual([
    "lib/gate_test.ts",
  ]);
});

test("no name is in the index that the summary has already", () => {
  expect(outputIndex(weightsOf("parseLine", "skipQuote"), "- parseLine skips", 100)).toEqual(["skipQuote"]);
});

test("escapes are no names", () => {
  expect(outputIndex(weightsOf("\\n\\n", "d\\n\\n", "readPier"), "", 100)).toEqual(["readPier"]);
});

test("the index keeps to its room", () => {
  const names = fc.array(fc.stringMatching(/^[a-z]{1,9}(?:\/[a-z]{1,9}){0,3}_[a-z]{3}$/), { maxLength: 60 });
  fc.assert(
    fc.property(names, fc.integer({ min: 0, max: 300 }), (all, room) => {
      const index = outputIndex(weightsOf(...all), "", room);
      expect(index.reduce((sum, name) => sum + name.length + 1, 0)).toBeLessThanOrEqual(room);
      expect(new Set(index).size).toBe(index.length);
    }),
  );
});

const LISTING = Array.from({ length: 40 }, (_, i) => `${i + 1}\tconst tideGauge${i}x = readHarbour(pier_${i});`).join(
  "\n",
);
const pieces = (artifacts: Record<number, string> = {}) =>
  piecesOfEvents(
    eventsOf(
      [user("Read the gauges."), call("1", "Read", { file_path: "/srv/g.ts" }), result("1", LISTING)],
      artifacts,
    ),
  );

test("names that stood only in results have a line that says so", () => {
  const { text } = extract(pieces(), { budgetChars: 900 });
  expect(text).toMatch(/\n## Other names\n- only in tool results: .*\b(?:tideGauge\d+x|pier_\d+)\b/);
});

test("stretches of one output share a line and its reference, which names the line of each", () => {
  const pointer = "art:00000000-0000-8000-a000-000000000002";
  const { text } = extract(pieces({ 3: pointer }), { budgetChars: 1200 });
  expect(text.split(pointer).length).toBe(2);
  const [, lines] = new RegExp(`\\[artifact:${pointer}#L([\\d,]+)\\]$`, "m").exec(text)!;
  const numbers = lines!.split(",").map(Number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
});

test("line numbers that a tool put before the lines of a file are not quoted", () => {
  const { text } = extract(pieces(), { budgetChars: 1200 });
  expect(text).toContain("const tideGauge");
  expect(text).not.toMatch(/\d const tideGauge/);
});
