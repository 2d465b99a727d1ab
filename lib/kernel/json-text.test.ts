import fc from "fast-check";
import { expect, test } from "vitest";
import { isDeep, jsonText, LEVELS } from "./json-text.ts";

const nested = (depth: number, inner: unknown = 1, list = false): unknown => {
  let value = inner;
  for (let i = 0; i < depth; i++) value = list ? [value] : { a: value };
  return value;
};

test("any value of JSON is written as JSON.stringify writes it", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => jsonText(value) === JSON.stringify(value)));
});

test.each([5_000, 100_000, 1_000_000])("a value of %d levels is written, and reads back", (depth) => {
  for (const list of [true, false]) {
    const text = jsonText(nested(depth, null, list));
    expect(text).toBe(
      list ? `${"[".repeat(depth)}null${"]".repeat(depth)}` : `${'{"a":'.repeat(depth)}null${"}".repeat(depth)}`,
    );
  }
});

test("what is written level by level is what JSON.stringify would write", () => {
  const deep = '{"a":'.repeat(20_000);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const inner = JSON.stringify({ b: value, c: [value, 1] });
      const text = `${deep}${inner}${"}".repeat(20_000)}`;
      expect(jsonText(JSON.parse(text)) === text).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test("the limit of levels is exact", () => {
  expect(isDeep(nested(LEVELS))).toBe(false);
  expect(isDeep(nested(LEVELS + 1))).toBe(true);
  expect(isDeep(nested(100_000, 1, true))).toBe(true);
  for (const flat of [null, 1, "x", [], {}, [[], {}], { a: [1, { b: 2 }] }]) expect(isDeep(flat)).toBe(false);
});
