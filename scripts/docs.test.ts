// The papers: a README of one page, and no link or path that leads nowhere.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const DOCS = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => `docs/${path.replaceAll("\\", "/")}`);
const PAPERS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...DOCS];

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Links to files of the project, and sources that a paper names; a decision names those of its day. */
function deadIn(path: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to]) => join(dirname(path), to!));
  const sources = path.startsWith("docs/decisions/")
    ? []
    : [...text.matchAll(/`((?:app|bin|components|db|e2e|lib|scripts)\/[\w./-]+\.(?:tsx?|mjs|json))`/g)].map(
        ([, to]) => to!,
      );
  return [...links, ...sources].filter((to) => !existsSync(join(ROOT, to))).map((to) => `${path}: ${to}`);
}

test("every link of a paper, and every source that it names, is there", () => {
  expect(PAPERS.flatMap((path) => deadIn(path, textOf(path)))).toEqual([]);
  expect(
    deadIn("docs/x.md", "[a](load.md) [b](gone.md#x) `lib/kernel/event.ts` `lib/gone.ts` [c](https://x.test/y)"),
  ).toEqual(["docs/x.md: docs/gone.md", "docs/x.md: lib/gone.ts"]);
});

test("README is a page: at most 150 lines, one picture", () => {
  const text = textOf("README.md");
  expect(text.split("\n").length).toBeLessThanOrEqual(151);
  expect(text.match(/!\[/g)).toHaveLength(1);
});

const MOST_WORDS = 30;

/** References whose sentences are still longer. A page that is rewritten leaves this list. */
const LONG_PAPERS =
  /^docs\/(?:decisions\/|formats\/|(?:architecture|conformance|evidence-metric|library|load|memory|performance|wire)\.md)/u;

/** Sentences of a paper, without its code, tables' rules and the targets of its links. */
function sentencesOf(text: string): string[] {
  const prose = text
    .replaceAll(/```[\s\S]*?```/gu, "")
    .replaceAll(/`[^`]*`/gu, "Code")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1");
  const parts = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|#+)\s)|\||<br>/u);
  return parts
    .flatMap((part) => part.split(/(?<=[.?!])\s+(?=[A-Z"*(])/u))
    .map((one) => one.replaceAll(/\s+/gu, " ").trim());
}

const wordsIn = (sentence: string): number => sentence.split(" ").filter((word) => /\w/u.test(word)).length;

test("a sentence of a paper has at most 30 words", () => {
  const papers = PAPERS.filter((path) => !LONG_PAPERS.test(path));
  const long = papers.flatMap((path) =>
    sentencesOf(textOf(path))
      .filter((sentence) => wordsIn(sentence) > MOST_WORDS)
      .map((sentence) => `${path}: ${sentence}`),
  );
  expect(long).toEqual([]);
  expect(papers).toContain("README.md");
  expect(sentencesOf(`One. Two${" more".repeat(30)}.`).map(wordsIn)).toEqual([1, 31]);
});
