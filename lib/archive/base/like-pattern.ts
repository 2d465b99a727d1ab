/** Characters of a name that are looked for. SQLite refuses patterns over 50,000 bytes. */
const PATTERN_CHARS = 1000;

/** A LIKE pattern of what a person typed, anywhere in a text; for use with ESCAPE and a backslash. */
export const likeOf = (q: string): string =>
  `%${q
    .trim()
    .slice(0, PATTERN_CHARS)
    .replace(/[\\%_]/g, "\\$&")}%`;
