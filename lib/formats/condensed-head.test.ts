import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "#lib/kernel/testing-processor-time.ts";
import { condensedHead } from "./condensed-head.ts";
import { headValue } from "./json-parts.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const condensed = (value: unknown): unknown => headValue(condensedHead(bytesOf(JSON.stringify(value))));

test("long texts are cut between characters and escapes", () => {
  fc.assert(
    fc.property(fc.nat(12), fc.constantFrom("é", "🐟", "\\", "\n", "\u0001", "x"), (before, char) => {
      const text = "x".repeat(1012 + before) + char.repeat(40);
      const made = condensed({ notes: text, id: 7 }) as { notes: string; id: number };
      expect(text.startsWith(made.notes)).toBe(true);
      expect(made.notes.length).toBeGreaterThan(500);
      expect(made.id).toBe(7);
    }),
  );
});

test("a head that is all brackets takes no longer than others", () => {
  for (const text of ["[".repeat(65_536), '{"a":'.repeat(13_000), "[1,".repeat(20_000)]) {
    const read = () => expect(headValue(condensedHead(bytesOf(text))), text.slice(0, 8)).toBeDefined();
    expect(processorMs(read), text.slice(0, 8)).toBeLessThan(500);
  }
});

test("texts of slashes alone take no longer than others", () => {
  const list = Array.from({ length: 3000 }, () => `${"\\".repeat(509)}${"x".repeat(200)}`);
  const bytes = bytesOf(JSON.stringify({ list, id: 7 }));
  const read = () => expect(headValue(condensedHead(bytes))).toMatchObject({ id: 7 });
  expect(processorMs(read)).toBeLessThan(500);
});

test("long lists and tables are cut, and what comes behind them is there", () => {
  const list = Array.from({ length: 90_000 }, (_, i) => [i, { of: [i] }]);
  const table = Object.fromEntries(list.map(([i]) => [`key ${JSON.stringify(i)}`, [[]]]));
  expect(condensed({ list, table, id: 7 })).toMatchObject({ list: list.slice(0, 20), id: 7 });
  expect(
    condensed([
      { list, id: 7 },
      { table, id: 8 },
    ]),
  ).toMatchObject([{ id: 7 }, { id: 8 }]);
});

test("a document of short values is as it was, and what is none too", () => {
  const folder = join(import.meta.dirname, "fixtures");
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".json"))) {
    const bytes = readFileSync(join(folder, name));
    const value = JSON.parse(bytes.toString()) as unknown;
    if (bytes.length < 1024) expect(condensed(value), name).toEqual(value);
    expect(Object.keys(headValue(condensedHead(bytes)) as object).length, name).toBeGreaterThan(0);
  }
  for (const text of ["", "  ", "plain", '"text"']) expect(condensedHead(bytesOf(text))).toEqual(bytesOf(text));
});
