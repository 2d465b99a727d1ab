import { expect, test } from "vitest";
import { HeldTexts } from "./held-texts.ts";

const MB = 1024 * 1024;

test("texts come back in their order, as they were when they were given", () => {
  const held = new HeldTexts();
  const shared = Buffer.from("anchor");
  held.add(1, shared);
  shared.write("keel..");
  held.add(2, Buffer.alloc(70_000, "b"));
  held.add(3, Buffer.from("tide"));
  expect(taken(held)).toEqual(["1 anchor 6", "2 bbbbbb 70000", "3 tide 4"]);
  expect(taken(held)).toEqual([]);
  held.add(4, Buffer.from("quay"));
  expect(taken(held)).toEqual(["4 quay 4"]);
});

test("what does not fit is refused, and fits once the others are taken", () => {
  const held = new HeldTexts();
  expect(held.add(1, Buffer.alloc(MB - 10, "a"))).toBe(true);
  expect(held.add(2, Buffer.alloc(11, "b"))).toBe(false);
  expect(taken(held)).toEqual([`1 aaaaaa ${MB - 10}`]);
  expect(held.add(2, Buffer.alloc(11, "b"))).toBe(true);
  expect(held.add(3, Buffer.alloc(2 * MB, "c"))).toBe(false);
});

function taken(held: HeldTexts): string[] {
  const rows: string[] = [];
  held.take((rowId, text) => rows.push(`${rowId} ${Buffer.from(text.subarray(0, 6)).toString("utf8")} ${text.length}`));
  return rows;
}
