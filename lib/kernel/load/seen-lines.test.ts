import { expect, test } from "vitest";
import { charsOf, seenLines } from "./seen-lines.ts";

const file = ["export const berth = 12;", "", "}", "// where a ship lies", "  return berth;"];
const keys = (text: string) => [...seenLines(text).keys()].toSorted((a, b) => a - b);

test("a file shows the same lines with numbers, as a search finds them, and plain", () => {
  const plain = keys(file.join("\n"));
  expect(plain).toHaveLength(3);
  expect(keys(file.map((line, i) => `${String(i + 1).padStart(6)}→${line}`).join("\n"))).toEqual(plain);
  expect(keys(file.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join("\n"))).toEqual(plain);
  expect(keys(file.map((line, i) => `src/berth.ts:${i + 1}:${line}`).join("\n"))).toEqual(plain);
  expect(keys(file.map((line, i) => `${i + 1}-${line}`).join("\n"))).toEqual(plain);
});

test("what the client appends, and lines that say nothing, are left out", () => {
  expect(keys(`${file.join("\n")}\n\n<system-reminder>\nBe careful with it\n</system-reminder>`)).toEqual(
    keys(file.join("\n")),
  );
  expect(seenLines("}\n);\nend\n---\n").size).toBe(0);
  expect(seenLines("").size).toBe(0);
});

test("a line counts once, with its characters", () => {
  expect(charsOf(seenLines("berth one\nberth one\nberth  two"))).toBe(18);
});
