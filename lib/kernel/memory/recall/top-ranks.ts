// The best of many scores. Of 10,000 only a few hundred are told apart: the least of those is selected, and only what
// reaches it is sorted.

/** Positions of the best scores over zero, best first; of equal ones the later first. */
export function bestOf(scores: Float64Array, count: number): number[] {
  const positive = scores.filter((score) => score > 0);
  if (positive.length === 0 || count < 1) return [];
  const least = count >= positive.length ? 0 : nthLargest(positive, count);
  const best: number[] = [];
  for (let i = 0; i < scores.length; i++) if (scores[i]! >= least && scores[i]! > 0) best.push(i);
  return best.sort((a, b) => scores[b]! - scores[a]! || b - a).slice(0, count);
}

/** The rank of each score, from 1; 0 for scores of zero. What comes behind the first `count` shares the rank after them. */
export function topRanks(scores: Float64Array, count: number): Uint32Array {
  const ranks = new Uint32Array(scores.length);
  for (let i = 0; i < scores.length; i++) if (scores[i]! > 0) ranks[i] = count + 1;
  bestOf(scores, count).forEach((i, position) => (ranks[i] = position + 1));
  return ranks;
}

/** Quickselect, in place: parts the values around one of them, and goes on where the wished one lies. */
function nthLargest(values: Float64Array, n: number): number {
  let low = 0;
  let high = values.length - 1;
  const target = n - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!;
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left]! > pivot) left++;
      while (values[right]! < pivot) right--;
      if (left > right) break;
      const held = values[left]!;
      values[left++] = values[right]!;
      values[right--] = held;
    }
    if (target <= right) high = right;
    else if (target >= left) low = left;
    else break;
  }
  return values[target]!;
}
