// Which lines of a very long text are on screen, whatever their heights. Pure.

export const LINE_PX = 18;
/** Lines drawn above and below the screen, at least; and how many come at a time: most frames of a scroll draw nothing new. */
const SPARE = 8;
const STEP = 8;

/** How high lines are: all alike, or as they were measured. */
export type LineHeights = {
  readonly count: number;
  /** Height of all of them. */
  total(): number;
  /** Where a line (from 0) begins. */
  offsetOf(line: number): number;
  /** The line at so many px. */
  lineAt(px: number): number;
};

export const evenHeights = (count: number): LineHeights => ({
  count,
  total: () => count * LINE_PX,
  offsetOf: (line) => line * LINE_PX,
  lineAt: (px) => Math.max(0, Math.min(count - 1, Math.floor(px / LINE_PX))),
});

export type LineWindow = {
  /** First and one past the last line to draw, from 0. */
  readonly from: number;
  readonly to: number;
};

export function lineWindow(heights: LineHeights, viewport: number, position: number): LineWindow {
  if (heights.count === 0) return { from: 0, to: 0 };
  const from = Math.floor(Math.max(0, heights.lineAt(position) - SPARE) / STEP) * STEP;
  const to = Math.ceil((heights.lineAt(position + viewport) + SPARE + 1) / STEP) * STEP;
  return { from, to: Math.min(heights.count, to) };
}
