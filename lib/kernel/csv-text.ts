// Rows as CSV (RFC 4180).

type Cell = string | number | boolean | null | undefined;

/** Columns that no row has are left out; what is absent or null is an empty cell. */
export function csvText<Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  const used = columns.filter((name) => rows.some((row) => row[name] !== undefined));
  const lines: Cell[][] = [used, ...rows.map((row) => used.map((name) => row[name] as Cell))];
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would run as a formula is kept from it by an apostrophe. */
function cell(value: Cell): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/u.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
