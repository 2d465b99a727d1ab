// What a reading showed, line by line, so that two readings can be compared by what they brought and not by what was asked
// for: 20 of 51 re-reads that were told by path and range were none (a search, or lines that had never been seen).

/** The lines of an output, each once: a hash of its words, and the characters that it weighs with. */
export type SeenLines = ReadonlyMap<number, number>;

/** Text that is looked at, of one output (characters). */
const CHARS = 512 * 1024;
/** Lines with fewer letters and digits tell nothing: a brace, an `end`, an empty comment. */
const LEAST_WORDS = 4;

/** A number and a mark before each line, as tools for files write them: `12→`, `12⇥`, `12:`. */
const NUMBERED = /^\s{0,8}\d{1,7}(?:→|\t|:|-)/;
/** A search's file and line before each line: `src/a.ts:12:`, `src/a.ts-12-`. */
const FOUND = /^[^\s:]{1,300}[:-]\d{1,7}[:-]/;
/** What the client appends to a file's lines. */
const APPENDED = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;

export function seenLines(text: string): SeenLines {
  const lines = text.slice(0, CHARS).replace(APPENDED, "").split("\n");
  const strip = stripOf(lines);
  const seen = new Map<number, number>();
  for (const line of lines) {
    const words = line.replace(strip, "").replace(/\s+/g, " ").trim();
    if ((words.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < LEAST_WORDS) continue;
    seen.set(hashOf(words), words.length);
  }
  return seen;
}

/** What stands before the words of most lines. A file whose own lines begin so is shown so by each reading. */
function stripOf(lines: readonly string[]): RegExp {
  const some = lines.filter((line) => line.trim() !== "").slice(0, 400);
  const most = (mark: RegExp): boolean => some.filter((line) => mark.test(line)).length > 0.6 * some.length;
  return most(NUMBERED) ? NUMBERED : most(FOUND) ? FOUND : /^(?!)/;
}

/** FNV-1a: two of a session's lines fall together once in four thousand million pairs. */
function hashOf(words: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Characters of all lines. */
export function charsOf(lines: SeenLines): number {
  let chars = 0;
  for (const size of lines.values()) chars += size;
  return chars;
}
