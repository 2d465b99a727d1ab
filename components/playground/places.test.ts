import { expect, test } from "vitest";
import { marked, valueOf } from "./places.ts";

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
