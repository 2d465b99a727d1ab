import fc from "fast-check";
import { expect, test } from "vitest";
import { cutAgain } from "./cut-again.ts";

const HEAD = "Wall time: 0.0066 seconds\nOutput:";
/** Half of the budget behind a head of 33 bytes: 12,000 tokens less 9. */
const HALF = 23_982;
const rows = (bytes: number): string => "row of the shelf\n".repeat(bytes).slice(0, bytes);

test("a text that was cut to the budget is cut once more: its mark is what is taken out", () => {
  const [start, end] = [rows(HALF), rows(HALF)];
  const [head, text] = cutAgain([HEAD, `${start}…3107 tokens truncated…${end}`]);
  expect(head).toBe(HEAD);
  // As Codex 0.169.0 sent it: 27 bytes of the mark are seven tokens.
  expect(text).toBe(`${start}…7 tokens truncated…${end}`);
});

test("what was not cut, was cut to less, or is one text of a command stays as it is", () => {
  for (const texts of [
    [HEAD, "MCP row 0"],
    [HEAD, rows(60_000)],
    [`${rows(20_000)}…74724 tokens truncated…${rows(20_000)}`],
    [HEAD, `${rows(25_000)}…9 tokens truncated…${rows(30_000)}`],
    [],
  ])
    expect(cutAgain(texts)).toEqual(texts);
});

test("characters are whole, whatever they are, and both halves with the mark fit the budget", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }), (unit) => {
      const long = Buffer.from(unit.repeat(40_000));
      const decode = (from: number, to: number): string => long.toString("utf8", from, to).replaceAll("\uFFFD", "");
      const cut = [HEAD, `${decode(0, HALF)}…3107 tokens truncated…${decode(0, HALF)}`];
      const [head, text] = cutAgain(cut);
      expect(head).toBe(HEAD);
      expect(text).not.toContain("\uFFFD");
      expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(2 * HALF + Buffer.byteLength("…7 tokens truncated…"));
    }),
  ));
