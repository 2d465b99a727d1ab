// Which rows of a table are on screen. A browser holds no element over some 33 million px (others 18), so past 15 million
// the scrollbar is a scale: the ends and all between are reached, and a turn of the wheel goes further. Pure.

export const ROW_PX = 28;
const MOST_PX = 15_000_000;
const OVER = 6;

export type RowWindow = {
  /** First and one past the last row to draw, from 0. */
  readonly from: number;
  readonly to: number;
  /** Where the first of them is drawn, from the top of the body. */
  readonly top: number;
  /** Height of the body. */
  readonly height: number;
};

/** `viewport`: the height in which rows are seen. */
export function rowWindow(count: number, viewport: number, scrollTop: number, px = ROW_PX): RowWindow {
  const full = count * px;
  const height = Math.min(full, MOST_PX);
  const shown = Math.ceil(viewport / px) + 2 * OVER + 1;
  if (full <= MOST_PX) {
    const from = Math.max(0, Math.floor(scrollTop / px) - OVER);
    return { from, to: Math.min(count, from + shown), top: from * px, height };
  }
  const share = Math.min(1, Math.max(0, scrollTop / Math.max(1, height - viewport)));
  const first = share * (count - viewport / px);
  const from = Math.max(0, Math.floor(first) - OVER);
  return { from, to: Math.min(count, from + shown), top: scrollTop - (first - from) * px, height };
}

/** The scrollTop at which a row is whole on screen, moved as little as can be. */
export function scrollTopFor(row: number, count: number, viewport: number, scrollTop: number, px = ROW_PX): number {
  const full = count * px;
  if (full <= MOST_PX) {
    const top = row * px;
    if (top < scrollTop) return top;
    return top + px > scrollTop + viewport ? top + px - viewport : scrollTop;
  }
  const most = count - viewport / px;
  const first = (scrollTop / (MOST_PX - viewport)) * most;
  const wanted = row < first ? row : row + 1 > first + viewport / px ? row + 1 - viewport / px : first;
  return wanted === first ? scrollTop : (Math.min(Math.max(0, wanted), most) / most) * (MOST_PX - viewport);
}

/** Left edges of columns, and the right edge of the last. */
export function edgesOf(widths: readonly number[]): number[] {
  const edges = [0];
  for (const width of widths) edges.push((edges.at(-1) as number) + width);
  return edges;
}

/** First and one past the last column that can be seen between `left` and `right`. */
export function columnWindow(edges: readonly number[], left: number, right: number): { from: number; to: number } {
  const count = edges.length - 1;
  let from = 0;
  while (from < count - 1 && (edges[from + 1] as number) <= left) from++;
  let to = from;
  while (to < count && (edges[to] as number) < right) to++;
  return { from, to };
}
