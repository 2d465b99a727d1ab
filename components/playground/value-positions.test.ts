import { expect, test } from "vitest";
import { Output } from "./jq-output-view.ts";
import { byOthers, marked, scalarsAround, valueOf } from "./value-positions.ts";

test("what is looked for is the longest value of a line, as it is written", () => {
  expect(valueOf('  "ship": "MV \\"Tern\\" 4",')).toBe('"MV \\"Tern\\" 4"');
  expect(valueOf('{"at":12,"deep":9007199254740993}')).toBe("9007199254740993");
  expect(valueOf('  "paid": true,')).toBeNull();
  expect(valueOf("},")).toBeNull();
  expect(valueOf(`"${"x".repeat(2000)}"`)).toHaveLength(400);
});

test("a line is shown around the value that was found in it", () => {
  expect(marked('{"a":"tide"}', '"tide"')).toEqual([
    { text: '{"a":', isHit: false },
    { text: '"tide"', isHit: true },
    { text: "}", isHit: false },
  ]);
  expect(marked(`${"x".repeat(900)}7`, "7")[0]?.text).toHaveLength(61);
  expect(marked("nothing", "7")).toEqual([{ text: "nothing", isHit: false }]);
});

test("a line is told from others by the rest of its object", () => {
  const output = new Output();
  output.append('{"at":0}\n{\n  "ship": "Tern",\n  "in": [\n    3\n  ]\n}\n{\n  "ship": "Skua"\n}\n');
  expect(scalarsAround(output, 2)).toEqual(['"Tern"', "3"]);
  expect(scalarsAround(output, 6)).toEqual(['"Tern"', "3"]);
  expect(scalarsAround(output, 0)).toEqual(["0"]);
  expect(scalarsAround(output, 8)).toEqual(['"Skua"']);
  const lines = [{ text: '"Tern"' }, { text: '"Tern",3' }];
  expect(byOthers(lines, ["3"]).map(({ held }) => held)).toEqual([1, 0]);
});
