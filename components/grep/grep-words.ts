// The options of a search as the panel has them, and as words of a command line. Pure.
import { parseGrepOptions } from "#lib/kernel/grep/grep-options.ts";

export const FLAGS = [
  { letter: "i", name: "ignoreCase", label: "any case", about: "Upper and lower case are alike" },
  { letter: "w", name: "word", label: "words", about: "Only whole words" },
  { letter: "x", name: "line", label: "whole line", about: "Only whole lines" },
  { letter: "v", name: "invert", label: "without", about: "Lines that do not match" },
  { letter: "F", name: "fixed", label: "as it is", about: "The pattern is plain text, not a regular expression" },
] as const;

type Flag = (typeof FLAGS)[number]["name"];
export type GrepChoice = Readonly<Record<Flag, boolean>> & { readonly before: number; readonly after: number };

export const MOST_CONTEXT = 99;

/** What an address says, as far as the panel has it; else a sentence about the option that is not known. */
export function readWords(text: string): GrepChoice | string {
  const options = parseGrepOptions(text.split(/\s+/u).filter((word) => word !== ""));
  if (typeof options === "string") return options;
  const { ignoreCase, word, line, invert, fixed, before, after } = options;
  return {
    ignoreCase,
    word,
    line,
    invert,
    fixed,
    before: Math.min(MOST_CONTEXT, before),
    after: Math.min(MOST_CONTEXT, after),
  };
}

export const NO_OPTIONS: GrepChoice = {
  ignoreCase: false,
  word: false,
  line: false,
  invert: false,
  fixed: false,
  before: 0,
  after: 0,
};

export function wordsFor(choice: GrepChoice): string[] {
  const { before, after } = choice;
  const letters = FLAGS.filter(({ name }) => choice[name]).map(({ letter }) => `-${letter}`);
  if (before === after) return before === 0 ? letters : [...letters, `-C${before}`];
  return [...letters, ...(after > 0 ? [`-A${after}`] : []), ...(before > 0 ? [`-B${before}`] : [])];
}
