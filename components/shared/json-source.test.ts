import fc from "fast-check";
import { expect, test } from "vitest";
import { layOutJson, layOutJsonLines } from "./json-source.ts";

const textOf = (source: string): string => {
  const layout = layOutJson(source);
  if (layout.kind !== "laid out") throw new Error(`${layout.kind}: ${source.slice(0, 80)}`);
  return layout.text;
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
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + (at % 2));
  });
  fc.assert(
    fc.property(
      fc.oneof(
        damaged,
        fc.array(piece, { maxLength: 8 }).map((all) => all.join("")),
      ),
      (text) => {
        expect(layOutJson(text).kind === "laid out").toBe(reads(text));
      },
    ),
    { numRuns: 3000 },
  );
});

test("where it stops being JSON is said", () => {
  expect(layOutJson('{\n  "a": 1,\n  "b": nothing\n}')).toEqual({ kind: "broken", line: 3, column: 8 });
  expect(layOutJson('{"a": 1')).toEqual({ kind: "broken", line: 1, column: 8 });
  expect(layOutJson("")).toEqual({ kind: "broken", line: 1, column: 1 });
});

test("depth is no danger: 100,000 levels end, one way or the other", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(layOutJson(deep(2000)).kind).toBe("laid out");
  expect(layOutJson(deep(100_000))).toEqual({ kind: "too long" });
  expect(layOutJsonLines(`1\n${deep(100_000)}`)).toEqual({ kind: "too long" });
});

test("JSON lines are a list, and what is no JSON stands in it as it is", () => {
  expect(layOutJsonLines('{"a":1}\r\n\n[]\nstarting …\n2\n')).toEqual({
    kind: "laid out",
    text: '[\n  {\n    "a": 1\n  },\n  [],\n  starting …\n  2\n]',
    values: 3,
    broken: 1,
  });
});

test("JSON lines that all are JSON make a list that is JSON", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (values) => {
      const layout = layOutJsonLines(values.map((value) => JSON.stringify(value)).join("\n"));
      expect(layout).toEqual({
        kind: "laid out",
        text: JSON.stringify(values, null, 2),
        values: values.length,
        broken: 0,
      });
    }),
  );
});

test("a string of a megabyte of escapes is read", () => {
  expect(textOf(`["${"\\n".repeat(500_000)}"]`)).toHaveLength(1_000_008);
});
