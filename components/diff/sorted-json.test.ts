import fc from "fast-check";
import { expect, test } from "vitest";
import { comparableJson } from "./sorted-json.ts";

const layOutJson = (source: string): string | null => comparableJson(source, false, false);
const layOutJsonLines = (source: string): string | null => comparableJson(source, true, false);
const sortKeys = (source: string): string | null => comparableJson(source, false, true);

const textOf = (source: string): string => {
  const text = layOutJson(source);
  if (text === null) throw new Error(source.slice(0, 80));
  return text;
};

const reads = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test("what a number or a key is called stays", () => {
  const kept = ["9007199254740993", "1e400", "-0", "1.0", "0.1E+2", '"\\u00e9"', '{"a":1,"a":2}', '"\\/"'];
  expect(textOf(`[${kept.join(",")}]`).replaceAll(/\s/g, "")).toBe(`[${kept.join(",")}]`);
});

test("a layout is that of JSON.stringify where JSON.stringify changes nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 8 }), (value, indent) => {
      const source = JSON.stringify(value, null, indent);
      expect(textOf(source)).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("laying out what is laid out changes nothing", () => {
  fc.assert(
    fc.property(fc.json(), (source) => {
      expect(textOf(textOf(source))).toBe(textOf(source));
    }),
  );
});

test("what JSON.parse refuses is not laid out, and nothing else", () => {
  const piece = fc.constantFrom(...'{}[],:"\\ -0.e19a\t\n\u0000é', "true", "null", '"a"', '"a":', "\\u00e9", "1e5");
  const damaged = fc.tuple(fc.json({ maxDepth: 2 }), fc.nat(), piece).map(([text, at, put]) => {
    const position = at % (text.length + 1);
    return text.slice(0, position) + put + text.slice(position + (at % 2));
  });
  fc.assert(
    fc.property(
      fc.oneof(
        damaged,
        fc.array(piece, { maxLength: 8 }).map((all) => all.join("")),
      ),
      (text) => {
        expect(layOutJson(text) !== null).toBe(reads(text));
      },
    ),
    { numRuns: 3000 },
  );
});

test("depth is no danger: 100,000 levels end, one way or the other", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(layOutJson(deep(2000))).toHaveLength(2 * 2000 * 2000);
  expect(layOutJson(deep(100_000))).toBeNull();
  expect(layOutJsonLines(`1\n${deep(100_000)}`)).toBeNull();
});

test("JSON lines are a list, and what is no JSON stands in it as it is", () => {
  expect(layOutJsonLines('{"a":1}\r\n\n[]\nstarting …\n2\n')).toBe(
    '[\n  {\n    "a": 1\n  },\n  [],\n  starting …\n  2\n]',
  );
});

test("JSON lines that all are JSON make a list that is JSON", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (values) => {
      const text = layOutJsonLines(values.map((value) => JSON.stringify(value)).join("\n"));
      expect(text).toBe(JSON.stringify(values, null, 2));
    }),
  );
});

test("a string of a megabyte of escapes is read", () => {
  expect(textOf(`["${"\\n".repeat(500_000)}"]`)).toHaveLength(1_000_008);
});

test("keys in one order, values as they are written", () => {
  const text = '{"b": 9007199254740993, "a": {"d":1e400,"c":[{"z":1,"y":2}]}}';
  expect(sortKeys(text)?.replaceAll(/\s/g, "")).toBe('{"a":{"c":[{"y":2,"z":1}],"d":1e400},"b":9007199254740993}');
  expect(sortKeys('{"a":1,"__proto__":2,"a":3}')).toBe('{\n  "__proto__": 2,\n  "a": 1,\n  "a": 3\n}');
  expect(sortKeys('{"b":1,"a":2}')).toBe('{\n  "a": 2,\n  "b": 1\n}');
  expect(sortKeys('{"b":1,')).toBeNull();
  expect(comparableJson('{"b":1,"a":2}\n{"a":1}\n', true, true)).toContain('"a": 2,\n');
});

test("any value sorted is the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 1);
      expect(JSON.parse(sortKeys(text)!)).toEqual(JSON.parse(text));
    }),
  );
});

test("keys are sorted at any level, and 100,000 levels end without a fault", () => {
  const deep = (levels: number) => `${'{"b":0,"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  expect(sortKeys(deep(1000))?.startsWith('{\n  "a": {\n    "a": {')).toBe(true);
  expect(sortKeys(deep(100_000))).toBeNull();
});
