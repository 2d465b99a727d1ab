import fc from "fast-check";
import { expect, test } from "vitest";
import { HINTS, hintsCookie, hintsLeft, writtenCookie } from "./first-hints.ts";

const cookieOf = (written: string): string => written.slice(0, written.indexOf(";"));

test("the first session shows every hint, and any session after it none", () => {
  expect(hintsLeft(hintsCookie("theme=dark"), "s_1")).toEqual([...HINTS]);
  const first = hintsCookie(`theme=dark; ${cookieOf(writtenCookie("s_1", HINTS))}`);
  expect(hintsLeft(first, "s_1")).toEqual([...HINTS]);
  expect(hintsLeft(first, "s_2")).toEqual([]);
});

test("whatever was dismissed stays dismissed, and nothing else goes", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.subarray([...HINTS]), (session, left) => {
      const cookie = hintsCookie(cookieOf(writtenCookie(session, left)));
      expect(hintsLeft(cookie, session)).toEqual(left);
    }),
  );
});
