"use client";
// The rows of a list that the reader selected. They stay selected when the list is filtered or sorted anew.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useShortcuts, type Shortcut } from "./keys.ts";

export type Selection<Row> = {
  readonly chosen: ReadonlyMap<string, Row>;
  /** What tells one row from another. */
  readonly keyOf: (row: Row) => string;
  /** Rows of the last range that were not loaded, so that they could not be selected. */
  readonly missing: number;
  /** Selects the rows, or takes them out; `null` is a row that is not loaded. */
  readonly choose: (rows: readonly (Row | null)[], isChosen: boolean) => void;
  readonly clear: () => void;
};

/** `keyOf` must be stable. */
export function useSelection<Row>(keyOf: (row: Row) => string): Selection<Row> {
  const [state, setState] = useState(() => ({ chosen: new Map<string, Row>(), missing: 0 }));
  const choose = useCallback<Selection<Row>["choose"]>(
    (rows, isChosen) => {
      setState(({ chosen }) => {
        const next = new Map(chosen);
        const here = rows.filter((row) => row !== null);
        for (const row of here)
          if (isChosen) next.set(keyOf(row), row);
          else next.delete(keyOf(row));
        return { chosen: next, missing: rows.length - here.length };
      });
    },
    [keyOf],
  );
  const clear = useCallback(() => setState({ chosen: new Map(), missing: 0 }), []);
  return useMemo(() => ({ ...state, keyOf, choose, clear }), [state, keyOf, choose, clear]);
}

type SelectRow = (row: number, isRange: boolean) => void;

/**
 * Selects a row, or all from the last one to it; `x` the row of the cursor, Escape none. `group`: of its shortcuts. Without a
 * selection nothing is selected.
 */
export function useRowSelection<Row>(
  selection: Selection<Row> | null,
  { cursor, group, rowAt }: { cursor: number; group: string; rowAt: (row: number) => Row | null },
): SelectRow {
  const anchor = useRef<number | null>(null);
  const select: SelectRow = (row, isRange) => {
    const picked = rowAt(row);
    if (selection === null || picked === null) return;
    const from = isRange ? (anchor.current ?? row) : row;
    const [first, last] = [Math.min(from, row), Math.max(from, row)];
    const rows = Array.from({ length: last - first + 1 }, (_, at) => rowAt(first + at));
    selection.choose(rows, isRange || !selection.chosen.has(selection.keyOf(picked)));
    anchor.current = row;
  };
  const now = useRef({ select, cursor });
  useEffect(() => {
    now.current = { select, cursor };
  });
  const canSelect = selection !== null;
  const isAny = selection !== null && selection.chosen.size > 0;
  const clear = selection?.clear;
  const shortcuts = useMemo<Shortcut[]>(() => {
    if (!canSelect) return [];
    const pick = {
      keys: "x",
      label: "Select it",
      group,
      run: () => now.current.cursor >= 0 && now.current.select(now.current.cursor, false),
    };
    return isAny && clear ? [pick, { keys: "Escape", label: "Clear the selection", group, run: clear }] : [pick];
  }, [canSelect, isAny, clear, group]);
  useShortcuts(shortcuts);
  return select;
}
