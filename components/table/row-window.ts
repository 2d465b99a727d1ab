// Which rows and columns of a table are on screen. Pure.
import { boxHeight, type Scroll } from "../ui/scroll-scale.ts";

export const ROW_PX = 28;
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
export function rowWindow(count: number, viewport: number, { position, bar }: Scroll, px = ROW_PX): RowWindow {
  const from = Math.max(0, Math.floor(position / px) - OVER);
  const to = Math.min(count, from + Math.ceil(viewport / px) + 2 * OVER + 1);
  return { from, to, top: from * px + bar - position, height: boxHeight(count * px) };
}

/** The position at which a row is whole on screen, moved as little as can be. */
export function positionFor(row: number, viewport: number, position: number, px = ROW_PX): number {
  const top = row * px;
  if (top < position) return top;
  return top + px > position + viewport ? top + px - viewport : position;
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
