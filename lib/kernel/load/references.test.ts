import fc from "fast-check";
import { expect, test } from "vitest";
import { lastUses, type Said } from "./references.ts";

const come = (seq: number, text: string, path: string | null = null): Said => ({ seq, does: "come", text, path });
const say = (seq: number, text: string, call: number): Said => ({ seq, does: "say", text, call });
const always = (): number => Number.POSITIVE_INFINITY;

test("an output is used when later words name its file", () => {
  const uses = lastUses(
    [come(1, "…", "/src/harbour/tide.go"), say(2, "Now tide.go again", 1), say(3, "Done", 2)],
    always,
  );
  expect(uses.get(1)).toBe(1);
});

test("an output is used when two identifiers that came with it are named, not by one alone", () => {
  const text = "func berthOccupancy() { return anchorageLength }";
  expect(lastUses([come(1, text), say(2, "berthOccupancy is wrong", 1)], always).has(1)).toBe(false);
  expect(lastUses([come(1, text), say(2, "berthOccupancy reads anchorageLength", 4)], always).get(1)).toBe(4);
});

test("an identifier that was said before belongs to nobody", () => {
  const said = [
    say(1, "berthOccupancy anchorageLength", 0),
    come(2, "berthOccupancy anchorageLength"),
    say(3, "berthOccupancy anchorageLength", 1),
  ];
  expect(lastUses(said, always).size).toBe(0);
});

test("words after an output has left its context do not use it", () => {
  const said = [come(1, "", "tide_table.csv"), say(2, "see tide_table.csv", 3), say(4, "see tide_table.csv", 9)];
  expect(lastUses(said, () => 5).get(1)).toBe(3);
});

test("any text is looked through, and only outputs that came are said to be used", () => {
  const piece = fc.oneof(
    fc.record({ does: fc.constant("come" as const), text: fc.string(), path: fc.option(fc.string()) }),
    fc.record({ does: fc.constant("say" as const), text: fc.string(), call: fc.nat(50) }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const said = pieces.map((one, seq) => ({ ...one, seq })) as Said[];
      for (const [seq, call] of lastUses(said, always)) {
        expect(said[seq]!.does).toBe("come");
        expect(said.some((one) => one.does === "say" && one.call === call && one.seq > seq)).toBe(true);
      }
    }),
  );
});
