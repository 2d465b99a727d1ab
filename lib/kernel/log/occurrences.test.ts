import fc from "fast-check";
import { expect, test } from "vitest";
import { occurrencesOf } from "./occurrences.ts";

const found = (text: string, find: string) => occurrencesOf(text, find).map(({ from, to }) => text.slice(from, to));

test("the phrase, whatever its case and its line ends", () => {
  expect(found("The anchor drags; ANCHOR\n drags. An anchor.", " anchor drags ")).toEqual([
    "anchor drags",
    "ANCHOR\n drags",
  ]);
  expect(found("a.b a-b (a.b)", "a.b")).toEqual(["a.b", "a.b"]);
  expect(found("İstanbul and istanbul", "istanbul")).toEqual(["istanbul"]);
});

test("without the phrase each word, the last of them as a beginning", () => {
  expect(found("the anchors of an anchor drag, dragging", "anchor drag")).toEqual(["anchor drag"]);
  expect(found("an anchor, anchors: it drags and drag", "anchor drag")).toEqual(["anchor", "drag", "drag"]);
  expect(found("nothing here", "anchor drag")).toEqual([]);
  expect(found("nothing here", "  ")).toEqual([]);
});

test("every character of a regular expression is text", () => {
  for (const find of ".*+?^${}()|[]\\/-&~#,:=!<>'\"`@%;".split("").map((char) => `${char}c`))
    expect(found(`x ${find} y`, find)).toEqual([find]);
});

test("any text and any words give spans in order that hold what is looked for", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary", maxLength: 12 }), (text, find) => {
      let end = 0;
      for (const { from, to } of occurrencesOf(text, find, 50)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        end = to;
      }
      expect(end).toBeLessThanOrEqual(text.length);
    }),
  );
});
