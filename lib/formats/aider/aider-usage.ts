// What Aider prints of tokens and dollars. `2.3k` stands for 2,250 to 2,349, and `47k` for 46,500 to 47,499.
import type { Usage } from "#lib/kernel/draft.ts";
import { asCost } from "../json.ts";
import { splitPrompt } from "../prompt-counts.ts";

const COUNT = /(\d[\d,.]*k?) (sent|cache write|cache hit|cached|received)/g;

/** Characters of a line of figures, at most: a file may have any line. */
const LONGEST = 300;

/** Null for a line that is none. What was read from the cache is a part of what was sent; where it is more, it stands beside it. */
export function printedUsage(line: string): Usage | null {
  if (line.length > LONGEST || !/^Tokens: \d/.test(line)) return null;
  const counts = new Map([...line.matchAll(COUNT)].map(([, count, name]) => [name!, countOf(count!)]));
  return splitPrompt({
    prompt: counts.get("sent"),
    output: counts.get("received"),
    cached: counts.get("cache hit") ?? counts.get("cached"),
    written: counts.get("cache write"),
  });
}

/** Early releases write `2,345`. */
function countOf(text: string): number {
  const count = Number(text.replaceAll(",", "").replace(/\.?k?$/, ""));
  return Math.round(text.endsWith("k") ? count * 1000 : count);
}

/** The dollars of the chat so far. */
export const dollarsIn = (line: string): number | null =>
  asCost(/\bCost: \$[\d.]+ \w+, \$(\d+(?:\.\d+)?) session\b/.exec(line)?.[1]) || null;
