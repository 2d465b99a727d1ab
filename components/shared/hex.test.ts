import { expect, test } from "vitest";
import { hexRow, offsetDigits, readOffset } from "./hex.ts";

const joined = (runs: readonly { text: string }[]) => runs.map(({ text }) => text).join("");

test("a row shows its bytes, and only what can be shown as text", () => {
  const { hex, text } = hexRow(Uint8Array.from([0, 65, 127, 255, 10, 32, 126, 1, 2]));
  expect(joined(hex)).toBe("00 41 7f ff 0a 20 7e 01  02 ");
  expect(joined(text)).toBe("·A··· ~··");
  expect(text.map(({ kind }) => kind)).toEqual(["zero", "text", "control", "high", "control", "text", "control"]);
});

test("bytes that have not come are an empty row", () => {
  expect(hexRow(undefined)).toEqual({ hex: [], text: [] });
});

test("an offset may be typed in either way", () => {
  expect(["4096", "1,000", "0x1F", "1fh", "0x"].map(readOffset)).toEqual([4096, 1000, 31, 31, null]);
  expect(["", "ff", "-1", "1.5", "0xg"].map(readOffset)).toEqual([null, null, null, null, null]);
});

test("offsets have as many digits as the last one needs", () => {
  expect([0, 1, 2 ** 32, 2 ** 32 + 1, 16 * 2 ** 30].map(offsetDigits)).toEqual([8, 8, 8, 9, 9]);
});
