// Lines of a flow of bytes: a long one is copied once, not once for each of its pieces.
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { wholeLines } from "./whole-lines.ts";

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("lines are those of the bytes, however they come", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ maxLength: 9 }).map((text) => text.replaceAll("\n", " ")),
        { maxLength: 8 },
      ),
      fc.integer({ min: 1, max: 12 }),
      async (lines, size) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(""));
        const read = await Array.fromAsync(wholeLines(inPieces(bytes, size), 1000, "x"));
        expect(read.map(String)).toEqual(lines);
      },
    ),
  ));

test("a line of many pieces is joined once", async () => {
  const bytes = Buffer.from(`${"x".repeat(4_000_000)}\nshort\n`);
  const concat = vi.spyOn(Buffer, "concat");
  const read = await Array.fromAsync(wholeLines(inPieces(bytes, 10_000), bytes.length, "x"));
  const joined = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
  concat.mockRestore();
  expect(read.map(({ length }) => length)).toEqual([4_000_000, 5]);
  expect(joined).toBeLessThan(2 * bytes.length);
});

test("a line that does not end, or is too long, is refused", async () => {
  const lines = (text: string, most: number): Promise<unknown> =>
    Array.fromAsync(wholeLines(inPieces(Buffer.from(text), 5), most, "rows/x.jsonl"));
  await expect(lines("a\nhalf", 100)).rejects.toThrow("rows/x.jsonl ends in the middle of a line");
  await expect(lines("y".repeat(60), 40)).rejects.toThrow("a line of rows/x.jsonl is too long");
});
