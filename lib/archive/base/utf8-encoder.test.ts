import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8 } from "./utf8-encoder.ts";

test("any text comes out as its UTF-8, whatever was encoded before it", () => {
  const utf8 = new Utf8();
  const texts = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.base64String()));
  fc.assert(
    fc.property(texts, fc.nat(3000), (pieces, times) => {
      const text = pieces.join("").repeat(1 + (times % 50));
      expect(utf8.encode(text).equals(Buffer.from(text, "utf8"))).toBe(true);
    }),
  );
});

test("a lone surrogate becomes U+FFFD, and a text over the buffer's size is whole", () => {
  const utf8 = new Utf8();
  expect(utf8.encode("a\uD800b").toString("utf8")).toBe("a\uFFFDb");
  const large = "é€".repeat(2_000_000);
  expect(utf8.encode(large).equals(Buffer.from(large))).toBe(true);
  expect(utf8.encode("small again").toString()).toBe("small again");
});
