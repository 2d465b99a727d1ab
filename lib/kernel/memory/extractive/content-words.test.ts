import { expect, test } from "vitest";
import { contentWords, plainWords } from "./content-words.ts";

test("a run of millions of letters is read without running out of stack", () => {
  for (const run of ["x", "Ab", "A", "é"])
    for (const words of [contentWords, plainWords]) {
      const found = words(`harbour ${run.repeat(8_000_000 / run.length)} gauge`);
      expect([found[0], found.at(-1)]).toEqual(["harbour", "gauge"]);
    }
});
