import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { GUIDE_WORDS } from "./guide-words.ts";

const listed = GUIDE_WORDS.map(({ word }) => word.toLowerCase());

test("the words stand in the order of the alphabet, each once", () => {
  expect(listed).toEqual([...new Set(listed)].toSorted());
});

// Of these the pages say nothing by that word, or only as a part of another.
const NOT_ON_PAGES = new Set(["tool result", "tool interaction", "memory", "format"]);

test("every word that the documentation defines stands in the guide", () => {
  const text = readFileSync("docs/architecture.md", "utf8");
  const table = text.slice(text.indexOf("## The words"), text.indexOf("## What is kept"));
  const defined = table
    .split("\n")
    .filter((line) => line.startsWith("| **"))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/\*\*([^*]+)\*\*/gu)].map(([, word]) => word!));
  expect(defined.length).toBeGreaterThan(15);
  expect(defined.filter((word) => !listed.includes(word) && !NOT_ON_PAGES.has(word))).toEqual([]);
});
