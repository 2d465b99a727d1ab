// Which columns a table has room for.

type Width = {
  /** Pixels; 0 shares what is left. */
  readonly width: number;
  /** Gives way when the table is narrower than this. */
  readonly from?: number;
};

/** What is left for each column without a width of its own: it names the row. */
const LEFT_PX = 160;

/** `beside`: what is no column's, in pixels. Those that give way first go until the others have their room. */
export function shownColumns<Column extends Width>(
  columns: readonly Column[],
  width: number,
  beside: number,
): readonly Column[] {
  const shown = columns.filter(({ from = 0 }) => from <= width);
  const lacks = () => beside + shown.reduce((sum, column) => sum + (column.width || LEFT_PX), 0) > width;
  while (lacks()) {
    const first = shown.findLastIndex(({ from = 0 }) => from === Math.max(...shown.map((one) => one.from ?? 0)));
    if ((shown[first]?.from ?? 0) === 0) break;
    shown.splice(first, 1);
  }
  return shown;
}
