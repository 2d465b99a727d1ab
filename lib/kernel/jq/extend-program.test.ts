import { expect, test } from "vitest";
import { extended, goneTo } from "./extend-program.ts";

test.each([
  ["", ".a", ".a"],
  [" . ", ".a", ".a"],
  [".b", ".a", ".b | .a"],
  [".b # why", ".a", ".b # why\n| .a"],
  [".b, .c", "select(. == 1)", ".b, .c | select(. == 1)"],
  ["def f: .x;", ".a", "def f: .x; .a"],
  [".b", ".", ".b"],
])("%j with %j is %j", (program, addition, expected) => {
  expect(extended(program, addition)).toBe(expected);
});

test.each([
  ["", ".items[].name", null, ".items[].name"],
  ["", ".", "select(.a == 1)", "select(.a == 1)"],
  ["", ".items[]", "select(.a == 1)", ".items[] | select(.a == 1)"],
  [".items[]", ".items[]", "select(.a == 1)", ".items[] | select(.a == 1)"],
  [".items[] | select(.a == 1)", ".items[]", "select(.b == 2)", ".items[] | select(.a == 1) | select(.b == 2)"],
  [".items[] | select(.a == 1)", ".items[].name", null, ".items[] | select(.a == 1) | .name"],
  [".items", ".items[].name", null, ".items | .[].name"],
  ["select(.a == 1)", ".b", null, "select(.a == 1) | .b"],
  [".item", ".items[]", null, null],
  [".items | length", ".items[]", null, null],
  [".items[].name", ".items[]", "select(.a == 1)", null],
  ["map(.a)", ".b", null, null],
])("%j gone to %j with %j is %j", (program, path, condition, expected) => {
  expect(goneTo(program, path, condition)).toBe(expected);
});
