import fc from "fast-check";
import { expect, test } from "vitest";
import { editLines, type LineEdit } from "./edit-lines.ts";

const LINES = [
  { text: "## Goal", seqs: [] },
  { text: "- Mend the pump", seqs: [3] },
  { text: "- Paint the hull", seqs: [9, 12] },
];

test("a line is changed, removed, added behind another, and moved; its events go with it", () => {
  expect(editLines(LINES, { do: "change", at: 1, text: "- Mend it" })[1]).toEqual({ text: "- Mend it", seqs: [3] });
  expect(editLines(LINES, { do: "remove", at: 0 })).toEqual(LINES.slice(1));
  expect(editLines(LINES, { do: "add", at: 2 })).toEqual([...LINES, { text: "- ", seqs: [] }]);
  expect(editLines(LINES, { do: "move", at: 2, by: -1 })).toEqual([LINES[0], LINES[2], LINES[1]]);
});

test("what changes nothing gives the same list, and a summary is never empty", () => {
  expect(editLines(LINES, { do: "change", at: 0, text: "## Goal" })).toBe(LINES);
  expect(editLines(LINES, { do: "move", at: 0, by: -1 })).toBe(LINES);
  expect(editLines(LINES, { do: "remove", at: 7 })).toBe(LINES);
  const edit: fc.Arbitrary<LineEdit> = fc.oneof(
    fc.record({ do: fc.constant("change" as const), at: fc.nat({ max: 5 }), text: fc.string() }),
    fc.record({ do: fc.constantFrom("remove" as const, "add" as const), at: fc.nat({ max: 5 }) }),
    fc.record({
      do: fc.constant("move" as const),
      at: fc.nat({ max: 5 }),
      by: fc.constantFrom(1 as const, -1 as const),
    }),
  );
  fc.assert(
    fc.property(fc.array(edit), (edits) => {
      const seqs = new Set(LINES.flatMap((line) => line.seqs));
      const result = edits.reduce(editLines, LINES);
      expect(result.length).toBeGreaterThan(0);
      for (const line of result) for (const seq of line.seqs) expect(seqs.has(seq)).toBe(true);
    }),
  );
});
