// Texts of what the bench generates, like those of 21,658 records of Claude Code, Codex, pi and Copilot CLI that were collected: lines
// of code and of output, of very different lengths. Words of one alphabet without a line break parse twice as fast as these.

const WORDS = "harbour keel tiller anchor ballast mooring capstan barnacle wake tide quay sluice buoy rudder".split(
  " ",
);
/** Of 1,000 bytes of a collected record 18 to 53 are backslashes: a line break, or a quotation mark, after so many words. */
const [BREAK, QUOTED] = [9, 14];
/** One text in three has arrows: of collected records one in six has characters beyond Latin-1, and many have no text that grows. */
const [WIDE, WIDE_WORDS] = [3, 12];
/** One word in five is a name of its own. */
const NAMED = 5;

/** So many words, others for each number. */
export function textOf(n: number, words: number): string {
  const isWide = n % WIDE === 0;
  const made = Array.from({ length: words }, (_, i) => {
    const word = WORDS[(n * 31 + i * 7 + (i % 5)) % WORDS.length]!;
    const name = i % NAMED === 0 ? `${word}_${(n * 97 + i * 13) % 4999}` : word;
    const said = i % QUOTED === QUOTED - 1 ? `"${name}"` : name;
    return isWide && i % WIDE_WORDS === 0 ? `→ ${said}` : said;
  });
  return made
    .map((word, i) => (i % BREAK === BREAK - 1 ? `${word}\n` : `${word} `))
    .join("")
    .trimEnd();
}

/**
 * How long the nth text is, against the mean. As collected, half of the records have less than 0.42 of the mean, a twentieth have three
 * times as much, and a hundredth have eleven times.
 */
export const lengthOf = (n: number): number => LENGTHS[(n * 37) % LENGTHS.length]!;

const LENGTHS = [
  ...[
    0.1, 0.11, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3, 0.32, 0.34, 0.36, 0.37, 0.38, 0.39, 0.4, 0.42,
  ],
  ...[0.42, 0.44, 0.46, 0.48, 0.5, 0.55, 0.6, 0.65, 0.7, 0.74, 0.8, 0.9, 1.2, 1.5, 1.64, 2, 2.5, 3, 5, 11],
];
