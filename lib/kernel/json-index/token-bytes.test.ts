import { isUtf8 as isUtf8OfNode } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isUtf8 } from "./token-bytes.ts";

const PIECE = 64 * 1024;

test("bytes are UTF-8 as Node says, wherever a character stands, also across the pieces that are looked at", () => {
  const text = fc.string({ unit: "binary", maxLength: 12 }).map((chars) => Buffer.from(chars));
  const few = fc.oneof(text, fc.uint8Array({ maxLength: 12 }));
  fc.assert(
    fc.property(few, fc.integer({ min: -8, max: 2 }), fc.nat({ max: 3 }), (bytes, at, from) => {
      const long = Buffer.alloc(PIECE + 64, "a");
      long.set(bytes, PIECE + at);
      expect(isUtf8(long, from, long.length)).toBe(isUtf8OfNode(long.subarray(from)));
      expect(isUtf8(bytes, 0, bytes.length)).toBe(isUtf8OfNode(bytes));
    }),
  );
});

test("a character that the range cuts off is none", () => {
  const bytes = Buffer.from("a😀b");
  expect([1, 2, 3, 4, 5, 6].map((to) => isUtf8(bytes, 0, to))).toEqual([true, false, false, false, true, true]);
});
