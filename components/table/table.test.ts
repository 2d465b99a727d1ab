import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { placed } from "../ui/scroll-scale.ts";
import { arrange, conditionOf } from "./arrange.ts";
import { csvReader } from "./csv-rows.ts";
import { jsonLinesReader, jsonValuesReader, type RowReader } from "./json-rows.ts";
import { compareDigits } from "./ranks.ts";
import { positionFor, ROW_PX, rowWindow } from "./row-window.ts";
import { csvCell, csvOf, rowJson } from "./table-out.ts";
import { KIND, TableStore, uniqueNames } from "./table-store.ts";

type Make = (store: TableStore) => RowReader;
const asList: Make = (store) => jsonValuesReader(store, false);
const asValues: Make = (store) => jsonValuesReader(store, true);

/** The table of a text that comes in pieces of `size` characters. */
function read(make: Make, text: string, size = 7) {
  const store = new TableStore();
  const reader = make(store);
  for (let at = 0; at < text.length; at += size) if (!reader.add(text.slice(at, at + size))) break;
  if (store.cap === null) reader.end();
  return { store, notes: reader.notes() };
}

const cellsOf = (store: TableStore) =>
  Array.from({ length: store.rows }, (_, row) =>
    Object.fromEntries(
      store.columns.flatMap((column) =>
        column.kindAt(row) === KIND.missing ? [] : [[column.name, column.texts[row] as string]],
      ),
    ),
  );
const namesOf = (store: TableStore) => store.columns.map(({ name }) => name);
const columnOf = (store: TableStore, order: Uint32Array, at = 0) =>
  [...order].map((row) => store.columns[at]?.texts[row] ?? "");
const unsorted = { sort: null, query: "", filters: [] } as const;

describe("JSON", () => {
  test("numbers stay as they are written, nested values are short JSON", () => {
    const { store } = read(asList, '[{"a":9007199254740993,"b":1e400,"c":-0,"d":{"x":[1, 2]},"e":"\\u00e9","f":null}]');
    expect(cellsOf(store)).toEqual([
      { a: "9007199254740993", b: "1e400", c: "-0", d: '{"x":[1, 2]}', e: "é", f: "null" },
    ]);
    expect(rowJson(store, 0)).toBe('{"a":9007199254740993,"b":1e400,"c":-0,"d":{"x":[1, 2]},"e":"é","f":null}');
  });

  test("keys of an object's own prototype are columns as any others", () => {
    const { store } = read(jsonLinesReader, '{"__proto__":1,"constructor":2,"":3}\n{"toString":4,"__proto__":5}');
    expect(namesOf(store)).toEqual(["__proto__", "constructor", "", "toString"]);
    expect(store.columns[0]?.texts).toEqual(["1", "5"]);
  });

  test("a key that stands twice counts once, and is told", () => {
    const { store } = read(jsonLinesReader, '{"a":1,"a":2}\n{"\\u0061":3}');
    expect(cellsOf(store)).toEqual([{ a: "2" }, { a: "3" }]);
    expect(store.twice).toBe(1);
  });

  test("a line that is no JSON stands whole in its row, and is counted", () => {
    const { store, notes } = read(jsonLinesReader, '{"a":1}\nnot json\n\r\n{"a":2}\r\n[1,2]x\n"s"');
    expect(cellsOf(store)).toEqual([
      { a: "1" },
      { value: "not json" },
      { a: "2" },
      { value: "[1,2]x" },
      { value: "s" },
    ]);
    expect(notes).toEqual([
      "2 lines are not JSON and are shown in the column “value”.",
      "1 empty line was passed over.",
    ]);
  });

  test("what jq writes is read pretty and compact, one list or values one after the other", () => {
    const pretty = '{\n  "a": 1\n}\n{\n  "a": "two"\n}\n';
    expect(cellsOf(read(asValues, pretty).store)).toEqual([{ a: "1" }, { a: "two" }]);
    expect(cellsOf(read(asValues, '[{"a":1},{"b":2}]\n').store)).toEqual([{ a: "1" }, { b: "2" }]);
    expect(cellsOf(read(asValues, "[1,2]\n[3]\n").store)).toEqual([{ "0": "1", "1": "2" }, { "0": "3" }]);
    expect(cellsOf(read(asValues, '1\n"x"\nnull\n').store)).toEqual([
      { value: "1" },
      { value: "x" },
      { value: "null" },
    ]);
    expect(read(asValues, "").store.rows).toBe(0);
  });

  test("a text that stops in the middle gives the rows that are whole", () => {
    for (const make of [asList, asValues]) {
      const { store, notes } = read(make, '[{"a":1},{"a":2},{"a":"th');
      expect(cellsOf(store)).toEqual([{ a: "1" }, { a: "2" }]);
      expect(notes).toEqual(["It ends in the middle: the rows are those that are whole."]);
    }
  });

  test("what is broken ends the table and is told", () => {
    const { store, notes } = read(asList, '[{"a":1},{"a":nope},{"a":3}]');
    expect(store.rows).toBe(1);
    expect(notes[0]).toContain("After row 1 the text is not JSON");
    for (const text of ['[{"a":1} {"a":2}]', '[{"a":1},,{"a":2}]', '[{"a":1},]', "[1 2]"])
      for (const size of [1, 100]) {
        const { store: some, notes: said } = read(asList, text, size);
        expect([some.rows, said], text).toEqual([1, [expect.stringContaining("After row 1")]]);
      }
    expect(read(asList, "[,1]").notes).toEqual(["It is not JSON, so there is no table."]);
    expect(read(asList, "[ ]").notes).toEqual([]);
    expect(read(asList, '{"a":1}').notes[0]).toContain("not a list");
  });

  test("any list of objects comes back as it was, in pieces of any size", () => {
    const value = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.integer()),
    );
    const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "length", "a", "b"));
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(key, value)),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (rows, size, pretty) => {
          const text = JSON.stringify(rows, null, pretty ? 2 : 0);
          const { store, notes } = read(asList, text, size);
          expect(notes).toEqual([]);
          const back = Array.from({ length: store.rows }, (_, row) => JSON.parse(rowJson(store, row)) as object);
          const sorted = (one: object) => Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1));
          expect(back.map(sorted)).toEqual(rows.map((row) => sorted(JSON.parse(JSON.stringify(row)) as object)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("200,000 levels are one cell", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const { store } = read(asList, `[{"deep":${deep}}]`, 65_536);
    expect(store.columns[0]?.texts[0]?.length).toBe(400_000);
  });
});

describe("CSV", () => {
  test("quotes over lines, a mark of byte order before it gone, CRLF, and quotes in quotes", () => {
    const { store, notes } = read(csvReader, 'name,what\r\n"a, b","one\r\ntwo"\r\n"say ""ahoy""",x\r\n');
    expect(cellsOf(store)).toEqual([
      { name: "a, b", what: "one\r\ntwo" },
      { name: 'say "ahoy"', what: "x" },
    ]);
    expect(notes).toEqual([]);
  });

  test("separators are found out", () => {
    for (const separator of ["\t", ";", "|"]) {
      const text = [
        ["name", "note"],
        ["tern", "a, b"],
        ["skua", "c, d, e"],
      ]
        .map((row) => row.join(separator))
        .join("\n");
      expect(cellsOf(read(csvReader, text).store)).toEqual([
        { name: "tern", note: "a, b" },
        { name: "skua", note: "c, d, e" },
      ]);
    }
  });

  test("heads that are alike or empty, ragged rows, empty lines", () => {
    const { store, notes } = read(csvReader, "a,a,,__proto__\n1,2,3,4\n\n5\n6,7,8,9,10\n");
    expect(namesOf(store)).toEqual(["a", "a (2)", "column 3", "__proto__", "column 5"]);
    expect(store.rows).toBe(3);
    expect(store.columns[4]?.texts[2]).toBe("10");
    expect(notes).toEqual(["2 rows have more or fewer cells than the head.", "1 empty line was passed over."]);
    expect(uniqueNames(["a", "a (2)", "a"])).toEqual(["a", "a (2)", "a (3)"]);
  });

  test("a first row with numbers is a row", () => {
    const { store, notes } = read(csvReader, "1,tern\n2,skua\n");
    expect(namesOf(store)).toEqual(["column 1", "column 2"]);
    expect(store.rows).toBe(2);
    expect(notes[0]).toContain("not for a head");
  });

  test("lines that end in different ways are all rows", () => {
    expect(cellsOf(read(csvReader, 'a,b\nx,y\r\nu,"v"\r\nw,z').store)).toEqual([
      { a: "x", b: "y" },
      { a: "u", b: "v" },
      { a: "w", b: "z" },
    ]);
    expect(read(csvReader, "a,b\rx,y\ru,v\r").store.rows).toBe(2);
  });

  test("a cell of 1 MB is one cell, and a quote that never closes does not hold it up", () => {
    const long = "x".repeat(1_000_000);
    expect(read(csvReader, `a,b\n"${long}",2\n`, 65_536).store.columns[0]?.texts[0]).toBe(long);
    const { store, notes } = read(csvReader, `a,b\n1,2\n3,"${"y\n".repeat(500_000)}`, 16_384);
    expect(store.rows).toBe(2);
    expect(notes.join()).toContain("quote");
  });

  test("any rows come back as they were, in pieces of any size", () => {
    const cell = fc
      .oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ",", "\n", "a", " ", ";") }))
      .filter((text) => !text.includes("\r"));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell)), fc.integer({ min: 1, max: 30 }), (rows, size) => {
        const text = Papa.unparse([["one", "two", "three"], ...rows], { newline: "\n" });
        const { store } = read(csvReader, text, size);
        const back = Array.from({ length: store.rows }, (_, row) => store.columns.map(({ texts }) => texts[row] ?? ""));
        expect(back).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });
});

describe("order", () => {
  const { store } = read(
    jsonLinesReader,
    [
      '{"n":10,"s":"b"}',
      '{"n":9,"s":"A"}',
      '{"s":"a"}',
      '{"n":"x","s":"B"}',
      '{"n":null}',
      '{"n":1e1,"s":"a"}',
      '{"n":-3}',
    ].join("\n"),
  );

  test("numbers as numbers, then texts, what is missing last in both directions, equals as they stood", () => {
    const by = (dir: "asc" | "desc", column = 0) => [...arrange(store, { ...unsorted, sort: { column, dir } })];
    expect(by("asc")).toEqual([6, 1, 0, 5, 3, 2, 4]);
    expect(by("desc")).toEqual([3, 0, 5, 1, 6, 2, 4]);
    expect(by("asc", 1)).toEqual([1, 2, 5, 0, 3, 4, 6]);
    expect(by("desc", 1)).toEqual([0, 3, 1, 2, 5, 4, 6]);
  });

  test("numbers that a double cannot tell apart keep their order", () => {
    const large = read(
      jsonLinesReader,
      ["9007199254740993", "9007199254740992", "1e401", "1e400", "-1e400", "0.1"].join("\n"),
    ).store;
    const order = arrange(large, { ...unsorted, sort: { column: 0, dir: "asc" } });
    expect(columnOf(large, order)).toEqual(["-1e400", "0.1", "9007199254740992", "9007199254740993", "1e400", "1e401"]);
    expect([compareDigits("1.0", "1"), compareDigits("-2", "-1.9"), compareDigits("0", "-0.0")]).toEqual([0, -1, 0]);
  });

  test("any numbers and texts are sorted as a plain sort does", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))), (numbers) => {
        const table = read(jsonLinesReader, numbers.map((n) => JSON.stringify(n)).join("\n"), 4096).store;
        const order = arrange(table, { ...unsorted, sort: { column: 0, dir: "asc" } });
        expect(columnOf(table, order).map(Number)).toEqual(
          JSON.parse(JSON.stringify(numbers.toSorted((a, b) => a - b))),
        );
      }),
    );
  });
});

describe("filters", () => {
  const { store } = read(csvReader, "ship,draught,port\nTern,3.5,Hull\nPetrel,12,\nSkua,7,Hull East\nGannet,,Deal\n");
  const left = (text: string, column: number) =>
    columnOf(store, arrange(store, { ...unsorted, filters: [{ column, text }] }));

  test("text, its absence, equality, and numbers compared", () => {
    expect(left("hull", 2)).toEqual(["Tern", "Skua"]);
    expect(left("!hull", 2)).toEqual(["Petrel", "Gannet"]);
    expect(left("=hull", 2)).toEqual(["Tern"]);
    expect(left("=", 2)).toEqual(["Petrel"]);
    expect(left("!=", 2)).toEqual(["Tern", "Skua", "Gannet"]);
    expect(left(">5", 1)).toEqual(["Petrel", "Skua"]);
    expect(left("<= 7", 1)).toEqual(["Tern", "Skua"]);
    expect(conditionOf("> many")).toMatchObject({ kind: "has" });
    expect(left(">1,000", 1)).toEqual([]);
  });

  test("a search looks into all columns, and goes with a filter and an order", () => {
    const found = arrange(store, {
      sort: { column: 1, dir: "desc" },
      query: "E",
      filters: [{ column: 1, text: ">3" }],
    });
    expect(columnOf(store, found)).toEqual(["Petrel", "Skua", "Tern"]);
  });
});

describe("CSV that is downloaded", () => {
  test("is read back as it was, and runs no formula", () => {
    const { store } = read(jsonLinesReader, '{"a":"=1+1","b":-5,"c":"x,\\"y\\"\\n"}\n{"a":"@cmd","b":"-5a"}');
    const text = [...csvOf(store, Uint32Array.of(1, 0), [0, 1, 2])].join("");
    expect(text).toBe(`a,b,c\r\n'@cmd,'-5a,\r\n'=1+1,-5,"x,""y""\n"\r\n`);
    expect(csvCell("+1", KIND.number)).toBe("+1");
    expect(csvCell("=HYPERLINK()", KIND.text)).toBe("'=HYPERLINK()");
  });
});

test("wherever a table of a million rows stands, its screen is covered, and a row is shown whole with the least move", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 100, max: 2000 }),
      share,
      share,
      (count, viewport, at, to) => {
        const sizes = { total: count * ROW_PX, viewport };
        const scroll = placed(at * sizes.total, sizes);
        const { from, to: end, top } = rowWindow(count, viewport, scroll);
        expect(top).toBeLessThanOrEqual(scroll.bar);
        expect(end === count || top + (end - from) * ROW_PX >= scroll.bar + viewport).toBe(true);
        const row = Math.floor(to * (count - 1));
        const position = positionFor(row, viewport, scroll.position);
        expect(row * ROW_PX).toBeGreaterThanOrEqual(position);
        expect((row + 1) * ROW_PX).toBeLessThanOrEqual(position + viewport);
        expect(positionFor(row, viewport, position)).toBe(position);
      },
    ),
  );
});
