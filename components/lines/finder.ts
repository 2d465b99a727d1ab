// Finds what grep found, in lines that a page already has. RE2's time is linear in the text whatever the pattern is: the
// browser's own regular expressions can be made to hang the page. Some 60 kB compressed: loaded when something is searched.
import { RE2JS } from "re2js";
import { parseGrepOptions } from "#lib/kernel/grep/grep-options.ts";
import { readPattern } from "#lib/kernel/grep/pattern.ts";

export type Finder = {
  /** From and to of each match in a line, empty ones left out; at most so many. */
  find(line: string, most: number): (readonly [from: number, to: number])[];
};

/** Null where there is nothing to mark: an inverted search, a pattern that is refused. */
export function finderOf(pattern: string, words: readonly string[]): Finder | null {
  const options = parseGrepOptions(words);
  if (typeof options === "string" || options.invert || pattern === "") return null;
  const patterns = readPattern(pattern, options);
  if (typeof patterns === "string") return null;
  let first: RE2JS;
  let next: RE2JS;
  try {
    first = RE2JS.compile(patterns.re2, RE2JS.MULTILINE);
    next = patterns.re2Next === undefined ? first : RE2JS.compile(patterns.re2Next, RE2JS.MULTILINE);
  } catch {
    // Too large once its repeats are written out; the search itself says so.
    return null;
  }
  // With -w the neighbours belong to what is found, and the word is its group.
  const isWord = options.word && !options.line;
  const part = isWord ? 1 : 0;
  return {
    find(line, most) {
      const found: (readonly [number, number])[] = [];
      if (!first.test(line)) return found;
      let matcher = first.matcher(line);
      let at = 0;
      while (found.length < most && at <= line.length && matcher.find(isWord ? charBefore(line, at) : at)) {
        const [from, to] = [matcher.start(part), matcher.end(part)];
        if (to > from) found.push([from, to]);
        at = to > from ? to : to + ((line.codePointAt(to) ?? 0) > 0xffff ? 2 : 1);
        if (isWord && matcher.pattern() !== next) matcher = next.matcher(line);
      }
      return found;
    },
  };
}

/** Where the character before begins. */
function charBefore(line: string, at: number): number {
  if (at <= 1) return 0;
  const before = line.charCodeAt(at - 1);
  return before >= 0xdc00 && before <= 0xdfff ? at - 2 : at - 1;
}
