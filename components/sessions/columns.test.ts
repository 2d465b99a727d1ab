import { expect, test } from "vitest";
import { COLUMNS } from "./columns.ts";

/** Of a figure in a cell, and left and right of it (pixels). */
const DIGIT = 7;
const GUTTERS = 16;

test("a session of 100,000 calls has its count whole", () => {
  const { width } = COLUMNS.find(({ id }) => id === "calls")!;
  expect(width).toBeGreaterThanOrEqual(GUTTERS + "100,000".length * DIGIT);
});
