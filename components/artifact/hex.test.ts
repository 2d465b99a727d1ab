import { expect, test } from "vitest";
import { hexRow } from "./hex.ts";

test("a row shows its bytes, and only what can be shown as text", () => {
  const { hex, text } = hexRow(Uint8Array.from([0, 65, 127, 255, 10, 32, 126, 1, 2]));
  expect(hex).toBe("00 41 7f ff 0a 20 7e 01  02");
  expect(text).toBe("·A··· ~··");
});

test("bytes that have not come are an empty row", () => {
  expect(hexRow(undefined)).toEqual({ hex: "", text: "" });
});
