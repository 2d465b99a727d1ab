import { expect, test } from "vitest";
import { pipeStages } from "./pipe-stages.ts";

const texts = (program: string): string[] => pipeStages(program).map(({ text }) => text);

test("pipes between the stages of a program part it", () => {
  expect(texts(".items[] | select(.ok) | .name")).toEqual([".items[]", "select(.ok)", ".name"]);
  expect(pipeStages(".a | .b\n| .c").map(({ program }) => program)).toEqual([".a", ".a | .b", ".a | .b\n| .c"]);
  expect(texts(".a")).toEqual([".a"]);
  expect(texts("")).toEqual([]);
  expect(texts("# nothing")).toEqual([]);
});

test.each([
  ["brackets", "[.[] | .a] | {b: (.c | .d)}", ["[.[] | .a]", "{b: (.c | .d)}"]],
  ["calls", "map(.a | .b) | add", ["map(.a | .b)", "add"]],
  ["strings", '"a | b" | length', ['"a | b"', "length"]],
  ["interpolations", '"\\(.a | .b) | c" | length', ['"\\(.a | .b) | c"', "length"]],
  ["comments", ".a # b | c\n| .d", [".a # b | c", ".d"]],
  ["definitions", "def f: .a | .b; f | .c", ["def f: .a | .b; f", ".c"]],
  ["conditions", "if .a | not then .b | .c else .d end | .e", ["if .a | not then .b | .c else .d end", ".e"]],
  ["variables", ".a as $x | .b | .c", [".a as $x | .b", ".c"]],
  ["patterns", ". as {a: $x, b: [$y]} | $x | $y", [". as {a: $x, b: [$y]} | $x", "$y"]],
  ["reductions", "reduce .[] as $x (0; . + $x | floor) | -.", ["reduce .[] as $x (0; . + $x | floor)", "-."]],
  ["labels", "label $out | .[] | break $out", ["label $out | .[]", "break $out"]],
  ["updates", ".a |= .b | .c", [".a |= .b", ".c"]],
  ["keys", ".label | .if", [".label", ".if"]],
])("pipes in %s part nothing", (_, program, stages) => {
  expect(texts(program)).toEqual(stages);
});
