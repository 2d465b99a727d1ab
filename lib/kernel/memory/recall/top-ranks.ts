// The best of many scores. Sorting numbers natively takes a tenth of sorting them with a comparison: only those that can be
// among the best are sorted with their places.

/** Places of the best scores over zero, best first; of equal ones the later first. */
export function bestOf(scores: Float64Array, count: number): number[] {
  const sorted = scores.filter((score) => score > 0).sort();
  if (sorted.length === 0 || count < 1) return [];
  const least = sorted[Math.max(0, sorted.length - count)]!;
  const best: number[] = [];
  for (let i = 0; i < scores.length; i++) if (scores[i]! >= least) best.push(i);
  return best.sort((a, b) => scores[b]! - scores[a]! || b - a).slice(0, count);
}

/** The rank of each score, from 1; 0 for scores of zero. What comes behind the first `count` shares the rank after them. */
export function topRanks(scores: Float64Array, count: number): Uint32Array {
  const ranks = new Uint32Array(scores.length);
  for (let i = 0; i < scores.length; i++) if (scores[i]! > 0) ranks[i] = count + 1;
  bestOf(scores, count).forEach((i, place) => (ranks[i] = place + 1));
  return ranks;
}
