// What a word is to a search, and words as parts of a pattern: the index, the marks in an event and those in a title agree.

/** Characters of a word, for a class: letters with their marks, and digits. */
export const WORD = String.raw`\p{L}\p{M}\p{N}`;

/** Scripts that are written without spaces between words, or with endings that are joined to them. */
export const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`;
/** Beside a character of these a word may begin or end. */
const SEAM = `(?<=[${UNSPACED}])|(?=[${UNSPACED}])`;

export const wordsIn = (text: string): string[] => text.match(WORDS) ?? [];

const WORDS = new RegExp(`[${WORD}_]+`, "gu");

/** A text that stands for itself in a pattern, with the flag `u` or without it. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/gu, (char) => `\\${char}`);

/** A text that ends a word. */
export const endsWord = (text: string): string => `${escaped(text)}(?:(?![${WORD}])|${SEAM})`;

/** Where one of these begins a word. */
export const beginsWord = (patterns: readonly string[]): RegExp =>
  new RegExp(`(?:(?<![${WORD}])|${SEAM})(?:${patterns.join("|")})`, "giu");
