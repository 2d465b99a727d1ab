// What a word is to a search, and words as parts of a pattern: the index, the marks in an event and those in a title agree.

/** Characters of a word, for a class: letters with their marks, and digits. */
export const WORD = String.raw`\p{L}\p{M}\p{N}`;

export const wordsIn = (text: string): string[] => text.match(WORDS) ?? [];

const WORDS = new RegExp(`[${WORD}_]+`, "gu");

/** A text that stands for itself in a pattern, with the flag `u` or without it. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/gu, (char) => `\\${char}`);

/** Where one of these begins a word. */
export const beginsWord = (patterns: readonly string[]): RegExp =>
  new RegExp(`(?<![${WORD}])(?:${patterns.join("|")})`, "giu");
