import { expect, test } from "vitest";
import { KIND } from "../table/table-store.ts";
import { cellFilter, literalsOf, rowsOf } from "./table-filters.ts";

const cell = (kind: keyof typeof KIND, text = "", isCut = false) => ({ text, kind: KIND[kind], isCut });
const OBJECTS = rowsOf('{"a":1}\n{"a":2}\n', 2);

test("a cell selects by its value, in a list of its elements", () => {
  expect(cellFilter(OBJECTS, "status", cell("text", 'fa"il'))).toBe('select(.status == "fa\\"il")');
  expect(cellFilter(OBJECTS, "two words", cell("number", "3"))).toBe('select(.["two words"] == 3)');
  expect(cellFilter(OBJECTS, "a", cell("null"))).toBe("select(.a == null)");
  expect(cellFilter(OBJECTS, "a", cell("missing"))).toBe('select(has("a") | not)');
  expect(cellFilter(OBJECTS, "a", cell("nested", "{}"))).toBe(".a");
  expect(cellFilter(OBJECTS, "a", cell("text", "long", true))).toBe('select(.a | startswith("long"))');
  expect(cellFilter(OBJECTS, "a", cell("broken"))).toBe(null);
  expect(cellFilter(rowsOf('[\n  {"a":1}]\n', 1), "a", cell("number", "1"))).toBe("map(select(.a == 1))");
  expect(cellFilter(rowsOf("[1,2]\n[3,4]\n", 2), "1", cell("number", "2"))).toBe("select(.[1] == 2)");
  expect(cellFilter(rowsOf('"x"\n"y"\n', 2), "value", cell("text", "x"))).toBe('select(. == "x")');
});

test("a row is looked up by its longest value", () => {
  const fields = [
    { name: "a", text: "12", kind: KIND.number },
    { name: "b", text: "longer", kind: KIND.text },
    { name: "c", text: "null", kind: KIND.null },
  ];
  expect(literalsOf(fields)).toEqual(['"longer"', "12"]);
});
