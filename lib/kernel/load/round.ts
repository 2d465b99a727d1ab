/** Whole numbers that sum to the rounded sum of `values`: the largest remainders get the missing ones. */
export function roundToSum(values: readonly number[]): number[] {
  const floors = values.map(Math.floor);
  const total = Math.round(values.reduce((sum, value) => sum + value, 0));
  let missing = total - floors.reduce((sum, value) => sum + value, 0);
  const order = values
    .map((value, i) => ({ i, rest: value - floors[i]! }))
    .toSorted((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order) {
    if (missing <= 0) break;
    floors[i]!++;
    missing--;
  }
  return floors;
}
