// Which lines of a very long text are on screen. A browser holds no element over some 33 million px, which is
// 1.8 million lines of 18 px, so past 15 million px the scrollbar is a scale: the ends and all between are reached,
// and a turn of the wheel goes further. Pure.

export const LINE_PX = 18;
const MOST_PX = 15_000_000;

export type LineWindow = {
  /** First and one past the last line to draw, from 0. */
  readonly from: number;
  readonly to: number;
  /** Where the first of them is drawn, from the top of the scrolled box. */
  readonly top: number;
  /** Height of the scrolled box. */
  readonly height: number;
};

export function lineWindow(count: number, viewport: number, scrollTop: number): LineWindow {
  const full = count * LINE_PX;
  const height = Math.min(full, MOST_PX);
  const shown = Math.ceil(viewport / LINE_PX);
  if (full <= MOST_PX) {
    const from = Math.max(0, Math.floor(scrollTop / LINE_PX) - 8);
    return { from, to: Math.min(count, from + shown + 17), top: from * LINE_PX, height };
  }
  const share = Math.min(1, Math.max(0, scrollTop / Math.max(1, height - viewport)));
  // At the end the last line stands whole at the bottom.
  const first = share * (count - viewport / LINE_PX);
  const from = Math.max(0, Math.floor(first) - 8);
  return { from, to: Math.min(count, from + shown + 17), top: scrollTop - (first - from) * LINE_PX, height };
}

/** The scrollTop at which a line (from 0) is the first on screen. */
export function scrollTopOf(line: number, count: number, viewport: number): number {
  const full = count * LINE_PX;
  if (full <= MOST_PX) return Math.min(line * LINE_PX, Math.max(0, full - viewport));
  const last = count - viewport / LINE_PX;
  return Math.round((Math.min(line, last) / last) * (MOST_PX - viewport));
}
