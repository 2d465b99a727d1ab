// Scrolling through more than a browser can hold. No element is higher than some 33 million px (Firefox 17.8), which is 1.8
// million lines of 18 px, so past 15 million px the scrollbar is a scale: dragging it goes to that share of the rows, a turn of
// the wheel goes as far as anywhere. Pure.

const MOST_PX = 15_000_000;

/** Where the reader is: px from the first row, and where the scrollbar stands. */
export type Scroll = { readonly position: number; readonly bar: number };
export type Sizes = { readonly total: number; readonly viewport: number };

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

/** At a position. Near the ends the bar has as far to go as there are rows, and between them always some room. */
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

/** Moved by ourselves. A little further is a little further on the bar; elsewhere is elsewhere. */
export function moved(was: Scroll, position: number, sizes: Sizes): Scroll {
  const by = position - was.position;
  return placed(position, sizes, Math.abs(by) <= 2 * sizes.viewport && was.bar > 0 ? was.bar + by : undefined);
}

/** After the height of all rows changed. `bar`: where the browser left it. */
export const resized = ({ position }: Scroll, bar: number, sizes: Sizes): Scroll =>
  sizes.total <= MOST_PX ? { position: bar, bar } : placed(position, sizes, bar);
