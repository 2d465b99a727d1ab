import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutLongRuns } from "./split-identifiers.ts";

test("a run of 257 characters and more keeps its first 64, and no other text changes", () => {
  const run = fc
    .tuple(fc.constantFrom("a", "Z", "9", "+", "/", "=", "_", "-"), fc.constantFrom(1, 63, 256, 257, 600))
    .map(([sign, length]) => sign.repeat(length));
  const between = fc.constantFrom("", " ", "\n", ".", "é", "“");
  fc.assert(
    fc.property(fc.array(fc.tuple(run, between), { maxLength: 8 }), (parts) => {
      const text = parts.flat().join("");
      const wanted = text
        .split(/([A-Za-z0-9+/=_-]+)/)
        .map((part, n) => (n % 2 === 1 && part.length > 256 ? `${part.slice(0, 64)} ` : part))
        .join("");
      expect(withoutLongRuns(text)).toBe(wanted);
    }),
    { numRuns: 500 },
  );
});

test("runs that stay are gone through once", () => {
  // Asked at each of its characters, each of these runs is read 128 times over.
  const text = `${"x".repeat(256)} `.repeat(40_000);
  const short = `${"x".repeat(2)} `.repeat(3_500_000);
  const took = (some: string): number => {
    const startedAt = performance.now();
    expect(withoutLongRuns(some)).toBe(some);
    return performance.now() - startedAt;
  };
  const best = (some: string): number => Math.min(took(some), took(some), took(some));
  expect(best(text)).toBeLessThan(8 * best(short));
});
