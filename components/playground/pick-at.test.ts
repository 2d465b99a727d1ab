import fc from "fast-check";
import { expect, test } from "vitest";
import { filterOf, type JsonStep } from "#lib/kernel/jq/extend-program.ts";
import { Output } from "./jq-output-view.ts";
import { pickAt, pickIn, picksOf } from "./pick-at.ts";

const VALUE = { items: [{ status: "ok" }, { status: "failed", "two words": [1, true] }], size: 3 };

function outputOf(...values: unknown[]): Output {
  const output = new Output();
  output.append(values.map((value) => `${JSON.stringify(value, null, 2)}\n`).join(""));
  return output;
}

const filterAt = (output: Output, part: string): string => {
  const line = output.text.slice(0, output.text.indexOf(part)).split("\n").length - 1;
  const pick = pickAt(output, line, output.lineAt(line).text.indexOf(part));
  return pick === null ? "" : filterOf(pick);
};

test("a key is gone to, and a value is selected by, in the list that holds it", () => {
  const output = outputOf({ first: 1 }, VALUE);
  expect(filterAt(output, '"status"')).toBe(".items[].status");
  expect(filterAt(output, '"failed"')).toBe('.items[] | select(.status == "failed")');
  expect(filterAt(output, "3")).toBe("select(.size == 3)");
  expect(filterAt(output, '"two words"')).toBe('.items[]["two words"]');
  expect(filterAt(output, "true")).toBe('.items[]["two words"][] | select(. == true)');
  expect(filterAt(output, '"first"')).toBe(".first");
  expect(filterAt(output, "[")).toBe("");
});

test("values on one line are told apart", () => {
  const output = new Output();
  output.append('{"a":1}\n{"a":[{"b":null}]}\n"alone"\n');
  expect(filterAt(output, "null")).toBe(".a[] | select(.b == null)");
  expect(filterAt(output, '"alone"')).toBe('select(. == "alone")');
  expect(picksOf(output, 1).map(filterOf)).toEqual([".a", ".a[] | select(.b == null)"]);
});

const at = (value: unknown, path: readonly JsonStep[]): unknown =>
  path.reduce<unknown>((above, step) => (above as Record<JsonStep, unknown>)[step], value);

test("every token of any value has the path that leads to it", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json);
      const text = JSON.stringify(value, null, 2);
      for (const { index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[-+\w.]+/gu)) {
        const pick = pickIn(text, index);
        if (pick === null) throw new Error(`nothing at ${index}`);
        if (pick.value === null)
          expect(Object.hasOwn(at(value, pick.path.slice(0, -1)) as object, pick.path.at(-1)!)).toBe(true);
        else expect(at(value, pick.path)).toEqual(JSON.parse(pick.value));
      }
    }),
  );
});
