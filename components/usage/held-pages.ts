// Rows that the page holds already, as a table takes them.
import type { Pages } from "../ui/use-pages.ts";

export function heldPages<Row>(rows: readonly Row[]): Pages<unknown, Row> {
  return {
    answer: rows,
    total: rows.length,
    failure: null,
    isOld: false,
    retry: () => undefined,
    rowAt: (index) => rows[index] ?? null,
    look: () => undefined,
    lookAt: () => undefined,
    loaded: new Map([[0, rows]]),
  };
}
