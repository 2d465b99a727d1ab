// Errors, command output and help: sentences of at most 18 words and 110 characters, at most two of them, and none of the
// phrases that a reader must take apart. The phrases are looked for on the pages and in the docs too.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isLong, textsBelow } from "#lib/kernel/testing-texts.ts";

const ROOT = join(import.meta.dirname, "..");

/** Sources whose long texts are not the interface. */
const OTHER: readonly (readonly [path: RegExp, why: string])[] = [
  [/^bin\/demo\//u, "what the demo's agent says, and the files that it reads"],
  [/^lib\/models\/summary-prompt\.ts$/u, "the prompt of a model"],
  [/^lib\/kernel\/memory\/extractive\/(?:choices|constraints|content-words)\.ts$/u, "words looked for in transcripts"],
  [/^lib\/kernel\/memory\/recall\/(?:stem|terms)\.ts$/u, "words looked for in transcripts"],
  [/^lib\/kernel\/(?:private-spans|hidden-text)\.ts$/u, "words and characters looked for in transcripts"],
  [/^lib\/kernel\/jq\/(?:cheat-sheet|probe|functions-.*)\.ts$/u, "sample data, jq programs, and tables of functions"],
  [/^lib\/kernel\/artifacts\/token-bound\.ts$/u, "pairs of letters, by how often they occur"],
  [
    /^lib\/(?:tools|client|mcp)\/|^lib\/kernel\/artifacts\/envelope\.ts$/u,
    "descriptions of tools and envelopes: read by a model",
  ],
  [/^db\/(?:migration-|search-database|fleet\/fleet-schema-)/u, "SQL"],
  [/^bin\/settings\/plugin-text\.ts$/u, "programs that agents load"],
];

/** What stays longer, and why. By a part of the text. */
const LONG: readonly (readonly [part: string, why: string])[] = [["-i -v -n -c -w", "options of grep"]];

/** Phrases of the old voice, with what to write. */
const OLD: readonly (readonly [phrase: RegExp, write: string])[] = [
  [/\b(?:nobody|somebody)\b/iu, "name who, or use the passive"],
  [/\bbroke off\b/iu, "failed, was interrupted"],
  [/\b(?<!there )(?:is|are|was|were) no (?!longer|more|such)\p{L}+/iu, "is not a …"],
  [/\bany more\b/iu, "no longer"],
  [/\bnothing of (?:it|this|them|that)\b/iu, "say what happened"],
  [/\btakes? no\b/iu, "accepts no"],
  [/\bgo(?:es)? over\b|\bwent out\b|\bgoes out\b/iu, "exceeds; is sent"],
  [/\bnot there\b/iu, "missing, does not exist"],
  [/\bdearest\b/iu, "most expensive"],
  [/\bin place of which\b/iu, "replaces"],
  [/\blook(?:s|ed)? again\b/iu, "checks, reads again"],
  [/\bwhat there is\b/iu, "name it"],
  [/\bput (?:it|them) right\b/iu, "repair"],
  [/\bwent away\b|\bhad time for\b|\bgives? back\b/iu, "disconnected; is busy; returns"],
  [/\bas it was\b|\bas they were\b/iu, "unchanged"],
  [/\b(?:stands?|stood) (?:in|at|beside|before|behind|there|here)\b/iu, "is in, replaces"],
  [/\btold\b/iu, "says, reports"],
];

/** Queries, patterns, markup, style and data. */
const isCode = (text: string): boolean =>
  /\b(?:SELECT|FROM|WHERE|INSERT|UPDATE|ALTER|EXISTS|JOIN|ORDER BY)\b|<\/?\w+[ >]|\\[pbwu]|\(\?|[{"]\w+"?: ?["[{]|\{[\w-]+:|\be\.id\b|;base|src '|=\(\)/u.test(
    text,
  );

const sentencesOf = (text: string): string[] => text.split(/(?<=[.?!])\s+(?=[\p{Lu}"…`(-])/u);

const isTooLong = (text: string): boolean => {
  const sentences = sentencesOf(text);
  return sentences.length > 3 || sentences.some(isLong);
};

const texts = ["bin", "lib", "db"]
  .flatMap((folder) => textsBelow(join(ROOT, folder)))
  .map(({ file, text }) => ({ file: file.slice(ROOT.length + 1).replaceAll("\\", "/"), text }))
  .filter(({ file, text }) => !OTHER.some(([path]) => path.test(file)) && !isCode(text));

test("no sentence of an error or a command is over 18 words or 110 characters, but those named here", () => {
  const long = texts.filter(({ text }) => isTooLong(text)).map(({ file, text }) => `${file}: ${text}`);
  const named = LONG.map(([part]) => part);
  expect(long.filter((text) => !named.some((part) => text.includes(part)))).toEqual([]);
  expect(named.filter((part) => !long.some((text) => text.includes(part)))).toEqual([]);
});

test("no text has a phrase of the old voice", () => {
  const pages = ["components", "app"].flatMap((folder) => textsBelow(join(ROOT, folder)));
  const all = [...texts, ...pages].filter(({ text }) => text.split(" ").length >= 3);
  expect(all.flatMap(({ file, text }) => oldIn(text).map((phrase) => `${file}: ${phrase} — ${text}`))).toEqual([]);
});

test("both rules find what they are for", () => {
  expect(isTooLong(`${"word ".repeat(19)}`)).toBe(true);
  expect(isTooLong("The file is missing. Check its path.")).toBe(false);
  expect(oldIn("It is no file. The sender went away.")).toHaveLength(2);
  expect(texts.length).toBeGreaterThan(1000);
  expect(OTHER.filter(([path]) => !known.some((file) => path.test(file)))).toEqual([]);
});

const known = ["bin", "lib", "db"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
    (name) => `${folder}/${name.replaceAll("\\", "/")}`,
  ),
);

const oldIn = (text: string): string[] =>
  OLD.flatMap(([phrase, write]) => {
    const found = phrase.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}" (write: ${write})`];
  });
