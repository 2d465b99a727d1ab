import fc from "fast-check";
import { expect, test } from "vitest";
import type { LedgerItemRow } from "#lib/wire/ledger-schema.ts";
import { MAP_HEIGHT, tilesOf } from "./tiles.ts";

const itemOf = (tokens: number, i: number): LedgerItemRow => ({
  seq: i + 1,
  kind: i % 3 === 0 ? "result" : i % 3 === 1 ? "call" : "user",
  tool: "Read",
  label: `Read /home/sailor/log-${i}.txt`,
  enteredAt: (i % 9) + 1,
  leftAt: null,
  leftBy: null,
  estimated: tokens,
  tokens,
  plusMinus: 0,
  grade: "tight",
  basis: "counted",
  origin: "counted",
  textTokens: 7000,
  callsResident: 1,
  lifetimeTokens: tokens,
  lifetimeUsd: null,
});

test("no token of weight is left out, however many small items there are", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -900, max: 40_000 }), { maxLength: 300 }), (list) => {
      const tiles = tilesOf(list.map(itemOf), 9, 800);
      const wanted = list.reduce((sum, tokens) => sum + Math.max(0, tokens), 0);
      expect(tiles.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(wanted);
      for (const { rect, age } of tiles) {
        expect(rect.x + rect.width).toBeLessThanOrEqual(801);
        expect(rect.y + rect.height).toBeLessThanOrEqual(MAP_HEIGHT + 1);
        expect(age).toBeGreaterThanOrEqual(0);
        expect(age).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test("a tile says what a tokenizer alone counts of its text, beside what it weighs", () => {
  const [tile] = tilesOf([itemOf(9000, 0)], 9, 800);
  expect(tile!.words).toBe(
    "Read /home/sailor/log-0.txt, 9,000 tokens counted, since call 1; 7,000 by the tokenizer alone",
  );
  const [hidden] = tilesOf([{ ...itemOf(9000, 0), seq: null, textTokens: null }], 9, 800);
  expect(hidden!.words).toBe("Read /home/sailor/log-0.txt, 9,000 tokens counted, since call 1");
});

test("a tile is named by the end of its path; what is too small shares one", () => {
  const tiles = tilesOf([itemOf(90_000, 0), ...Array.from({ length: 12 }, (_, i) => itemOf(1, (i + 1) * 3))], 9, 800);
  expect(tiles.map(({ label }) => label)).toEqual(["log-0.txt", "12 small"]);
});
