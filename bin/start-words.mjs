// What a person types behind `plimsoll`, with its command. The launchers ask it before anything else is loaded.

/** Asked of the whole, and not of one command. */
const WHOLE = ["--help", "-h", "--version"];

/** Options without a command are those of `start`, which nothing at all is too. */
export const withCommand = (words) =>
  words.length === 0 || (words[0].startsWith("-") && !WHOLE.includes(words[0])) ? ["start", ...words] : words;
