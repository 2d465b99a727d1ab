import { expect, test } from "vitest";
import { COLUMNS, columnWidth, visibleColumns } from "./columns.ts";

/** Of a figure in a cell, and left and right of it (pixels). */
const DIGIT = 7;
const GUTTERS = 16;

test("a session of 100,000 calls has its count whole", () => {
  const { width } = COLUMNS.find(({ id }) => id === "calls")!;
  expect(width).toBeGreaterThanOrEqual(GUTTERS + "100,000".length * DIGIT);
});

/** Beside its box and its fold. */
const TITLE = 230;
const roomOf = (tableWidth: number): number =>
  visibleColumns(tableWidth, []).reduce((left, column) => left - columnWidth(column, tableWidth), tableWidth);

test("a page of 900 px has the cost, the load and the culprit of a session, and room for its title", () => {
  const shown = visibleColumns(852, []).map(({ id }) => id);
  expect(shown).toEqual(["session", "active", "load", "peak", "cost", "top"]);
  for (let width = 760; width < 1600; width += 4) {
    expect(
      visibleColumns(width, []).map(({ id }) => id),
      `${width}`,
    ).toContain("cost");
    expect(roomOf(width), `${width}`).toBeGreaterThanOrEqual(TITLE);
  }
});
