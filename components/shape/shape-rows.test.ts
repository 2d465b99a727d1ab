import { expect, test } from "vitest";
import { ShapeReader, type ShapeKind } from "#lib/kernel/shape-tree/read-shape.ts";
import type { ShapeAnswer } from "#lib/wire/shape-schema.ts";
import { programOf, shapeRows, type ShapeRow } from "./shape-rows.ts";
import { keyWords, readWords, shapeNotes, typeWords } from "./shape-words.ts";

function shapeOf(text: string, kind: ShapeKind = "json", stopped: "deadline" | null = null): ShapeAnswer {
  const reader = new ShapeReader(kind);
  reader.add(new TextEncoder().encode(text));
  return { ...reader.end(stopped), sizeBytes: 40_000_000, ms: 1 };
}

const watches = ["first", "middle", "dog"].flatMap((watch) =>
  Array.from({ length: 4 }, (_, hour) => ({ watch, hour, ...(hour === 2 && { squall: 1.5 }) })),
);
const words = ({ node, value, note, count, isOpen }: ShapeRow) =>
  `${isOpen === null ? " " : isOpen ? "v" : ">"} ${note ?? value?.text ?? node.path} ${count ?? "-"}`;

test("the keys of elements are what one sees first, and the values of the first that has few", () => {
  const shape = shapeOf(JSON.stringify(watches));
  const rows = shapeRows(shape, new Map());
  expect(rows.map(words)).toEqual([
    "v .[] 12",
    "v .[].watch 12",
    "  first 4",
    "  middle 4",
    "  dog 4",
    "> .[].hour 12",
    "> .[].squall 3",
  ]);
  expect(rows.map(({ level }) => level)).toEqual([1, 2, 3, 3, 3, 2, 2]);
  expect(rows[6]!.share).toBe(0.25);
});

test("what was opened and closed stays so", () => {
  const shape = shapeOf(JSON.stringify(watches));
  const [list, watch, hour] = ["0", "1"].map((_, at) => String(at + 1)).concat("3");
  expect(shapeRows(shape, new Map([[list!, false]])).map(words)).toEqual(["> .[] 12"]);
  const rows = shapeRows(
    shape,
    new Map([
      [watch!, false],
      [hour!, true],
    ]),
  );
  expect(rows.map(words)).toEqual([
    "v .[] 12",
    "> .[].watch 12",
    "v .[].hour 12",
    "  numbers from 0 to 3 -",
    "  0 3",
    "  1 3",
    "  2 3",
    "  3 3",
    "> .[].squall 3",
  ]);
});

test("many values are three and how many more, until one asks", () => {
  const shape = shapeOf(Array.from({ length: 60 }, (_, at) => `{"port":"p${at % 6}"}`).join("\n"), "lines");
  expect(shapeRows(shape, new Map()).map(words)).toEqual([
    "v .port 60",
    "  p0 10",
    "  p1 10",
    "  p2 10",
    "> 3 more 30",
  ]);
  expect(shapeRows(shape, new Map([["1:more", true]]))).toHaveLength(7);
});

test("a scalar is one row, and nothing is none", () => {
  expect(shapeRows(shapeOf("7"), new Map()).map(words)).toEqual(["v . 1", "  7 1"]);
  expect(shapeRows(shapeOf(""), new Map())).toEqual([]);
});

test("a picked place is its path, a picked value selects what has it", () => {
  const shape = shapeOf('[{"a b":"x \\"y\\" \\\\(z)","n":9007199254740993},{"a b":"x \\"y\\" \\\\(z)","n":null}]');
  const all = new Map(shape.nodes.map((_, at) => [String(at), true]));
  const rows = shapeRows(shape, all);
  expect(rows.map((row) => programOf(row, shape.nodes))).toEqual([
    ".[]",
    '.[]["a b"]',
    String.raw`.[] | select(.["a b"] == "x \"y\" \\(z)")`,
    ".[].n",
    ".[] | select(.n == 9007199254740993)",
    ".[] | select(.n == null)",
  ]);
  const lines = shapeOf('{"port":"Rye"}\n{"port":"Rye"}', "lines");
  const [, rye] = shapeRows(lines, new Map([["1", true]]));
  expect(programOf(rye!, lines.nodes)).toBe('select(.port == "Rye")');
});

test("types, counts and what was read in words", () => {
  const shape = shapeOf('[{"a":1,"b":[1,2]},{"a":"x","b":[]},{"b":[3]}]');
  const [, , a, b] = shape.nodes;
  expect([typeWords(a!), keyWords(a!)]).toEqual(["number or string", "number or string, in 2 of 3"]);
  expect([typeWords(b!), keyWords(b!)]).toEqual(["array of 0 to 2", "array, in all 3"]);
  expect([keyWords(a!, false), keyWords(b!, false)]).toEqual([
    "number or string, in 2 of the first 3",
    "array, in all of the first 3",
  ]);
  expect(readWords(shape)).toBe("3 elements, all read");
  expect(readWords(shapeOf('{"a":1}\n{"a":2}\n{', "lines"))).toBe("2 values, all read");
  expect(shapeNotes(shapeOf('{"a":1}\n{"a":2,"a":3}\n{', "lines"))).toEqual([
    "1 line is not JSON, the first is line 3.",
    "A key comes again in its object 1 time: jq sees the last.",
  ]);
  expect(readWords(shapeOf("[1,2,3", "json", "deadline"))).toBe("2 elements, first 6 B read");
  expect(shapeNotes(shapeOf("[1,2,x"))).toEqual(["It stops being JSON at byte 5; what came before is counted."]);
  const ports = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, at]));
  expect(typeWords(shapeOf(JSON.stringify(ports)).nodes[0]!)).toBe("map of 300 keys");
});
