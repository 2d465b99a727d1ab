import { editDistance } from "./edit-distance.ts";

/** Longer names count by their ends: two folders of 4,000 characters take a second to compare. */
const COMPARED_CHARS = 200;

/** Names that somebody may have meant, the nearest first: folders by their last part, then by the whole. */
export function nearestNames(name: string, known: readonly string[], most: number): string[] {
  const typed = folded(name);
  return known
    .map((one) => {
      const other = folded(one);
      return { one, last: distance(lastPart(typed), lastPart(other)), whole: distance(typed, other) };
    })
    .toSorted((a, b) => a.last - b.last || a.whole - b.whole || (a.one < b.one ? -1 : 1))
    .slice(0, most)
    .map(({ one }) => one);
}

const folded = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\\/]+$/, "")
    .slice(-COMPARED_CHARS);

const lastPart = (name: string): string => name.split(/[\\/]/).at(-1)!;

const distance = (a: string, b: string): number => editDistance(a, b, Number.POSITIVE_INFINITY);
