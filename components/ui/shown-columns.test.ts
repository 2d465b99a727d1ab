import { expect, test } from "vitest";
import { linesBelow, shownColumns } from "./shown-columns.ts";

const COLUMNS = [
  { id: "name", width: 0 },
  { id: "state", width: 260, from: 700 },
  { id: "session", width: 220, from: 1000 },
  { id: "events", width: 100, from: 900 },
  { id: "read", width: 100, from: 900 },
  { id: "size", width: 80 },
];
const at = (width: number) => shownColumns(COLUMNS, width, 48).map(({ id }) => id);

test("a column is there from its width on", () => {
  expect(at(1440)).toEqual(["name", "state", "session", "events", "read", "size"]);
  expect(at(899)).toEqual(["name", "state", "size"]);
});

test("what names the row keeps its room: columns that give way first go", () => {
  expect(shownColumns(COLUMNS, 1000, 150).map(({ id }) => id)).toEqual(["name", "state", "events", "read", "size"]);
  // Of two that go at the same width the last goes.
  expect(shownColumns(COLUMNS, 900, 280).map(({ id }) => id)).toEqual(["name", "state", "events", "size"]);
});

test("what never gives way stays, however narrow the table is", () => {
  expect(at(200)).toEqual(["name", "size"]);
  // Not measured yet.
  expect(at(0)).toEqual(["name", "size"]);
});

test("what fits one line below a row has one, so that no row keeps an empty second", () => {
  // The tool calls of a session beside their totals, on a screen of 900 pixels: 572 between the gutters.
  const tools = [
    { name: "Events", width: 104 },
    { name: "Started", width: 96 },
    { name: "Took", width: 88 },
    { name: "Sent", width: 72 },
  ];
  expect(linesBelow(tools, 572)).toBe(1);
  // On a phone, and with two more.
  expect(linesBelow(tools, 342)).toBe(2);
  expect(linesBelow([...tools, { name: "Status", width: 104 }, { name: "Lifetime", width: 96 }], 572)).toBe(2);
  // One without a width of its own may be long.
  expect(linesBelow([{ name: "Session", width: 0 }], 342)).toBe(1);
  expect(linesBelow([{ name: "Session", width: 0 }, ...tools], 572)).toBe(2);
});
