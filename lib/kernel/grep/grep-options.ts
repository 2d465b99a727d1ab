// The options of grep that are known here. They are read, never passed on: whatever engine searches gets words that
// we wrote.

export type GrepOptions = {
  readonly ignoreCase: boolean;
  readonly invert: boolean;
  readonly count: boolean;
  readonly word: boolean;
  readonly line: boolean;
  readonly only: boolean;
  readonly fixed: boolean;
  readonly numbered: boolean;
  readonly before: number;
  readonly after: number;
  /** Stop after so many lines that match. */
  readonly most: number | null;
};

type Writable = { -readonly [Name in keyof GrepOptions]: GrepOptions[Name] };

const FLAGS: Readonly<Record<string, (options: Writable) => void>> = {
  i: (options) => void (options.ignoreCase = true),
  v: (options) => void (options.invert = true),
  n: (options) => void (options.numbered = true),
  c: (options) => void (options.count = true),
  w: (options) => void (options.word = true),
  x: (options) => void (options.line = true),
  o: (options) => void (options.only = true),
  F: (options) => void (options.fixed = true),
  E: (options) => void (options.fixed = false),
};

const NUMBERS: Readonly<Record<string, (options: Writable, number: number) => void>> = {
  A: (options, number) => void (options.after = number),
  B: (options, number) => void (options.before = number),
  C: (options, number) => void (options.before = options.after = number),
  m: (options, number) => void (options.most = number),
};

/** The options, or a sentence about the one that is not allowed. */
export function parseGrepOptions(words: readonly string[]): GrepOptions | string {
  const options: Writable = {
    ignoreCase: false,
    invert: false,
    count: false,
    word: false,
    line: false,
    only: false,
    fixed: false,
    numbered: false,
    before: 0,
    after: 0,
    most: null,
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    // Anything else is a long option, a file, or nothing.
    if (!/^-[A-Za-z0-9]+$/.test(word)) return `option not allowed: ${word}`;
    for (let i = 1; i < word.length; i++) {
      const letter = word[i]!;
      if (Object.hasOwn(FLAGS, letter)) {
        FLAGS[letter]!(options);
        continue;
      }
      if (!Object.hasOwn(NUMBERS, letter)) return `option not allowed: -${letter}`;
      const number = word.slice(i + 1) || (words[++at] ?? "");
      if (!/^\d{1,9}$/.test(number)) return `-${letter} needs a number: found "${number}"`;
      NUMBERS[letter]!(options, Number(number));
      break;
    }
  }
  // Context of parts of lines, or of a count, is nothing.
  if (options.only || options.count) options.before = options.after = 0;
  return options;
}
