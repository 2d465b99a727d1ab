// A transcript as a column of pixels: what each one shows of the rows that fall on it. Pure.
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import type { Rows } from "./transcript-rows.ts";

export type Strip = {
  readonly y: number;
  readonly height: number;
  /** The heaviest of its rows, an index into the outline. */
  readonly i: number;
  /** Of the heaviest row, as a share of the heaviest of its epoch; square root, or one large output would hide all others. */
  readonly share: number;
  readonly hasError: boolean;
};

/** One strip a pixel where there are more rows than pixels, else one a row. */
export function rowStrips(rows: Rows, height: number): Strip[] {
  const { outline, shown, scale } = rows;
  const count = Math.min(shown.length, Math.max(0, Math.floor(height)));
  const strips: Strip[] = [];
  for (let at = 0; at < count; at++) {
    const from = Math.floor((at * shown.length) / count);
    const to = Math.floor(((at + 1) * shown.length) / count);
    let heaviest = shown[from] as number;
    let hasError = false;
    for (let row = from; row < to; row++) {
      const i = shown[row] as number;
      if ((outline.tokens[i] ?? 0) > (outline.tokens[heaviest] ?? 0)) heaviest = i;
      hasError ||= ((outline.flags[i] ?? 0) & ROW_FLAG.error) !== 0;
    }
    const most = scale[heaviest] ?? 0;
    strips.push({
      y: (at * height) / count,
      height: height / count,
      i: heaviest,
      share: most <= 0 ? 0 : Math.sqrt((outline.tokens[heaviest] ?? 0) / most),
      hasError,
    });
  }
  return strips;
}

/** The row under a hand at `y`. */
export const rowUnder = (rows: Rows, y: number, height: number): number =>
  height <= 0 ? 0 : Math.max(0, Math.min(rows.shown.length - 1, Math.floor((y / height) * rows.shown.length)));
