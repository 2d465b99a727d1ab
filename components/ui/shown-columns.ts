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

/** Of a character of a name below a row, and of the gaps around it and its value, in pixels. */
const NAME_PX = 7;
const GAPS_PX = 16;
const MOST_LINES = 2;

/** Lines that what has no column needs below a row: what fits a column fits the same room there, beside its name. */
export function linesBelow(columns: readonly (Width & { readonly name: string })[], room: number): number {
  const needs = columns.reduce((sum, { name, width }) => sum + name.length * NAME_PX + (width || LEFT_PX) + GAPS_PX, 0);
  return needs <= room ? 1 : MOST_LINES;
}
