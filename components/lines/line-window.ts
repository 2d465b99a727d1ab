// Which lines of a very long text are on screen. A browser holds no element over some 33 million px (Firefox 17.8), which is
// 1.8 million lines of 18 px, so past 15 million px the scrollbar is a scale: dragging it goes to that share of the text, a
// turn of the wheel goes as far as anywhere. Pure.

export const LINE_PX = 18;
const MOST_PX = 15_000_000;
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

/** Where the reader is: px from the first line, and where the scrollbar stands. */
export type Scroll = { readonly position: number; readonly bar: number };
type Sizes = { readonly total: number; readonly viewport: number };

/** Height of the scrolled box. */
export const boxHeight = (total: number): number => Math.min(total, MOST_PX);

/** After the scrollbar went from where it stood. Where the bar is put back, the browser is to be told. */
export function scrolled(was: Scroll, bar: number, { total, viewport }: Sizes): Scroll {
  if (total <= MOST_PX) return { position: bar, bar };
  const most = total - viewport;
  const moved = bar - was.bar;
  // Half a pixel more: a turn of just two screens, added to a fraction and taken off again, may come back as 200.00000000000003.
  const isDragged = Math.abs(moved) > 2 * viewport + 0.5;
  const position = isDragged ? (bar / (MOST_PX - viewport)) * most : was.position + moved;
  return placed(position, { total, viewport }, bar);
}

/** At a position. Near the ends the bar has as far to go as there are lines, and between them always some room. */
export function placed(target: number, { total, viewport }: Sizes, bar?: number): Scroll {
  const most = Math.max(0, total - viewport);
  const position = Math.max(0, Math.min(most, target));
  if (total <= MOST_PX) return { position, bar: position };
  const mostBar = MOST_PX - viewport;
  const room = 3 * viewport;
  if (position <= room) return { position, bar: position };
  if (most - position <= room) return { position, bar: mostBar - (most - position) };
  const stands = bar ?? Math.round((position / most) * mostBar);
  return { position, bar: Math.max(room, Math.min(mostBar - room, stands)) };
}

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
