// The grammar of shapes, told of values, of whole streams and of beginnings.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ContentScan } from "./scan.ts";
import { shapeOf, shapeOfValue, shapeText } from "./shape.ts";
import { shapeOfKeys, shapeOfTable } from "./shape-counter.ts";
import type { Shape } from "./shape.ts";

/** The shape of a text, read as a stream. */
function scanned(text: string): Shape {
  const scan = new ContentScan();
  scan.add(new TextEncoder().encode(text));
  return scan.end().shape;
}

const rows = (count: number, row: (i: number) => unknown): unknown[] => Array.from({ length: count }, (_, i) => row(i));

describe("the grammar", () => {
  test.each<[unknown, Shape]>([
    [null, "null"],
    [true, "boolean"],
    [1.5, "number"],
    ["text", "string"],
    [[], "array(0)"],
    [[1, 2, 3], "array(3) of number"],
    [[1, "a", "b"], "array(3) of mixed(string, number)"],
    [[1, "a", null, true, true], "array(5) of mixed(boolean, number, string)"],
    [
      [
        [1, 2],
        [3, 4],
      ],
      "array(2) of array(2) of number",
    ],
    [[[1], [2, 3], []], "array(3) of array(0–2) of number"],
    [[[], []], "array(2) of array(0)"],
    [[[1], ["a", "b"]], "array(2) of array(1–2) of mixed(string, number)"],
    [[{ a: 1 }, { a: 1, b: 2 }], "array(2) of object(1–2 keys)"],
    [[{ a: 1 }, [1]], "array(2) of mixed(object(1 keys), array(1) of number)"],
    [{}, {}],
    [
      { a: {}, b: [], c: null },
      { a: "object(0 keys)", b: "array(0)", c: "null" },
    ],
    [{ a: { b: { c: 1 } } }, { a: "object(1 keys)" }],
  ])("%j has the shape %j", (value, shape) => {
    expect(shapeOfValue(value)).toEqual(shape);
    if (typeof value === "object" && value !== null) expect(scanned(JSON.stringify(value))).toEqual(shape);
  });

  test("a page of rows with a cursor is told as the design's example tells it", () => {
    const page = { rows: rows(500, (i) => ({ id: i, a: 1, b: 2, c: 3, d: 4, e: 5 })), next_cursor: "x" };
    const shape = { rows: "array(500) of object(6 keys)", next_cursor: "string" };
    expect(shapeOfValue(page)).toEqual(shape);
    expect(JSON.stringify(scanned(JSON.stringify(page)))).toBe(JSON.stringify(shape));
  });

  test("the first 24 keys of a root object are named, and how many more there are", () => {
    const value = Object.fromEntries(rows(30, (i) => [`key${i}`, i]) as [string, number][]);
    for (const shape of [shapeOfValue(value), scanned(JSON.stringify(value))]) {
      expect(Object.keys(shape)).toHaveLength(25);
      expect(Object.entries(shape).slice(22)).toEqual([
        ["key22", "number"],
        ["key23", "number"],
        ["…", "+6 more keys"],
      ]);
    }
  });

  test("a key that comes twice counts once, and its last value holds", () => {
    expect(scanned('{"a":1,"b":[],"a":"x"}')).toEqual({ a: "string", b: "array(0)" });
    expect(scanned('[{"a":1,"\\u0061":2,"b":3}]')).toBe("array(1) of object(2 keys)");
    const many = rows(3000, (i) => `"k${i % 1000}":1`).join();
    expect(scanned(`[{${many}}]`)).toBe("array(1) of object(1000 keys)");
  });

  test("other texts say how many lines, rows or documents they have", () => {
    expect(scanned('{"a":1}\n{"b":1,"c":2}\n')).toBe("jsonl(2) of object(1–2 keys)");
    expect(scanned("id,name\n1,one\n2,two\n")).toBe("csv(2 rows × 2 columns): id, name");
    expect(scanned("one\ntwo")).toBe("text(2 lines)");
    expect(scanned("")).toBe("text(0 lines)");
    const scan = new ContentScan();
    scan.add(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0));
    expect(scan.end().shape).toBe("binary(image/png)");
  });

  test("a table names its first 24 columns", () => {
    const columns = rows(30, (i) => `c${i}`) as string[];
    expect(shapeOfTable(7, columns)).toBe(`csv(7 rows × 30 columns): ${columns.slice(0, 24).join(", ")}, +6 more`);
  });
});

describe("safety", () => {
  const control = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

  test("keys cannot move the cursor, turn the text, or be long", () => {
    const shape = shapeOfValue({ ["k".repeat(1_000_000)]: 1, "a\nb\u001b[2J\u202E": 2, "\ud800": 3 });
    const keys = Object.keys(shape);
    expect(keys[0]).toBe(`${"k".repeat(59)}…`);
    for (const key of keys) expect(key).not.toMatch(control);
  });

  test("keys that look alike once they are cleaned stay apart", () => {
    expect(shapeOfValue({ "a\n": 1, "a\r": "x", "…": null })).toEqual({
      "a\uFFFD": "number",
      "a\uFFFD (2)": "string",
      "… (2)": "null",
    });
    expect(JSON.stringify(shapeOfValue(JSON.parse('{"__proto__":1,"constructor":[2]}')))).toBe(
      '{"__proto__":"number","constructor":"array(1) of number"}',
    );
  });

  test("a shape has at most 2,000 characters, by naming fewer keys", () => {
    const keys = rows(24, (i) => [`${i}${"ключ".repeat(20)}`, "array(1) of ".repeat(30)]) as [string, string][];
    const shape = shapeOfKeys(keys, 50);
    expect(JSON.stringify(shape).length).toBeLessThanOrEqual(2000);
    expect(Object.values(shape).at(-1)).toBe(`+${50 - (Object.keys(shape).length - 1)} more keys`);
    expect(JSON.stringify(shapeOfTable(1, rows(24, () => "c".repeat(100)) as string[])).length).toBeLessThanOrEqual(
      2000,
    );
  });

  test("nothing in a shape comes from a value", () => {
    const tree = fc.letrec((tie) => ({
      tree: fc.oneof(
        fc.constantFrom("A SECRET", 271828),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 15 }),
      ),
    })).tree;
    fc.assert(
      fc.property(tree, (value) => {
        const result = JSON.stringify(shapeOfValue(value));
        expect(result).not.toMatch(/A SECRET|271828/);
        expect(shapeText(shapeOfValue(value))).not.toMatch(control);
      }),
    );
  });

  test("a million levels, and arrays that hold themselves, break nothing", () => {
    const deep = `${'{"a":['.repeat(500_000)}1${"]}".repeat(500_000)}`;
    expect(scanned(deep)).toEqual({ a: "array(1) of object(1 keys)" });
    const nested = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
    expect(scanned(nested)).toBe(`${"array(1) of ".repeat(9)}…`);
    expect(shapeOfValue(JSON.parse(nested))).toBe(scanned(nested));
    const ring: unknown[] = [];
    ring.push(ring, ring);
    expect(shapeOfValue(ring)).toBe("array(2) of array(2) of null");
  });
});

describe("one line for people", () => {
  test("an object's shape is one line", () => {
    expect(shapeText({ rows: "array(500) of object(6 keys)", next_cursor: "string" })).toBe(
      "{rows: array(500) of object(6 keys), next_cursor: string}",
    );
    expect(shapeText({ a: "null", "…": "+3 more keys" })).toBe("{a: null, … +3 more keys}");
    expect(shapeText("text(3 lines)")).toBe("text(3 lines)");
  });

  test("of a beginning only lines and rows are told, with the count of the whole", () => {
    expect(shapeOf('{"a":1}\n{"b":1}\n{"c', "application/x-ndjson", 900, false)).toBe("jsonl(900) of object(1 keys)");
    expect(shapeOf("a,b,c\n1,2,3\n4,", "text/csv", 12, false)).toBe("csv(11 rows × 3 columns): a, b, c");
    expect(shapeOf('{"rows":[\n', "application/json", 12_345, false)).toBe("text(12345 lines)");
    expect(shapeOf("{", "application/json", 1, true)).toBe("text(1 lines)");
    expect(shapeOf('[{"id":1}]', "application/json", 1, true)).toBe("array(1) of object(1 keys)");
    expect(shapeOf("", "image/png", null, true)).toBeNull();
  });
});
