// Chance from a seed: the same seed makes the same sessions on every machine.

export type Chance = {
  /** 0 to 1. */
  next(): number;
  /** Whole, both ends included. */
  whole(least: number, most: number): number;
  is(probability: number): boolean;
  /** Around 1, its logarithm normal. */
  factor(sigma: number): number;
  /** Log-normal around a median, kept within bounds. */
  size(median: number, sigma: number, least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
};

/** Mulberry32: 32 bits of state, a period of 2^32. */
export function chanceFrom(seed: number): Chance {
  let state = (seed * 2654435761) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const factor = (sigma: number): number => Math.exp(sigma * normal());
  return {
    next,
    factor,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    is: (probability) => next() < probability,
    size: (median, sigma, least, most) => Math.round(Math.min(most, Math.max(least, median * factor(sigma)))),
    pick: (list) => list[Math.floor(next() * list.length)]!,
  };
}
