// Heights of wrapped lines: an estimate for all, corrected line by line as they are drawn. Of 700,000 lines a few hundred are
// ever measured, so what is kept is the difference of those, summed by blocks. Pure.
import type { LineHeights } from "./line-window.ts";

const BLOCK = 1024;
type Block = { sum: number; readonly differences: Map<number, number> };

export type MeasuredHeights = LineHeights & {
  /** True when it is news. */
  measure(line: number, px: number): boolean;
};

export function measuredHeights(count: number, estimatePx: number): MeasuredHeights {
  const blocks = new Map<number, Block>();
  let all = 0;
  const before = (line: number): number => {
    const own = Math.floor(line / BLOCK);
    let sum = 0;
    for (const [at, block] of blocks) if (at < own) sum += block.sum;
    for (const [at, difference] of blocks.get(own)?.differences ?? []) if (at < line) sum += difference;
    return sum;
  };
  const offsetOf = (line: number): number => line * estimatePx + before(line);
  return {
    count,
    total: () => count * estimatePx + all,
    offsetOf,
    lineAt(px) {
      // The last line that begins at or above it.
      let low = 0;
      let high = count - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (offsetOf(middle) <= px) low = middle;
        else high = middle - 1;
      }
      return Math.max(0, low);
    },
    measure(line, px) {
      const at = Math.floor(line / BLOCK);
      let block = blocks.get(at);
      if (!block) blocks.set(at, (block = { sum: 0, differences: new Map() }));
      const was = block.differences.get(line);
      const difference = px - estimatePx;
      if (was === difference || (was === undefined && difference === 0)) return false;
      block.differences.set(line, difference);
      block.sum += difference - (was ?? 0);
      all += difference - (was ?? 0);
      return true;
    },
  };
}
