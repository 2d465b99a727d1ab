"use client";
// The sessions that the reader selected. They stay selected when the list is filtered or sorted anew.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";

export type Selection = {
  readonly chosen: ReadonlyMap<string, SessionRow>;
  /** Rows of the last range that were not loaded, so that they could not be selected. */
  readonly missing: number;
  /** Selects the sessions, or takes them out; `null` is a row that is not loaded. */
  readonly choose: (sessions: readonly (SessionRow | null)[], isChosen: boolean) => void;
  readonly clear: () => void;
};

const NONE = { chosen: new Map<string, SessionRow>(), missing: 0 } as const;

export function useSelection(): Selection {
  const [state, setState] = useState<Pick<Selection, "chosen" | "missing">>(NONE);
  const choose = useCallback<Selection["choose"]>((sessions, isChosen) => {
    setState(({ chosen }) => {
      const next = new Map(chosen);
      const here = sessions.filter((session) => session !== null);
      for (const session of here)
        if (isChosen) next.set(session.id, session);
        else next.delete(session.id);
      return { chosen: next, missing: sessions.length - here.length };
    });
  }, []);
  const clear = useCallback(() => setState(NONE), []);
  return useMemo(() => ({ ...state, choose, clear }), [state, choose, clear]);
}

type SelectRow = (row: number, isRange: boolean) => void;

/** Selects a row, or all from the last one to it; `x` the row of the cursor, Escape none. */
export function useRowSelection(
  { chosen, choose, clear }: Selection,
  cursor: number,
  sessionAt: (row: number) => SessionRow | null,
): SelectRow {
  const anchor = useRef<number | null>(null);
  const select: SelectRow = (row, isRange) => {
    const session = sessionAt(row);
    if (session === null) return;
    const from = isRange ? (anchor.current ?? row) : row;
    const [first, last] = [Math.min(from, row), Math.max(from, row)];
    const rows = Array.from({ length: last - first + 1 }, (_, at) => sessionAt(first + at));
    choose(rows, isRange || !chosen.has(session.id));
    anchor.current = row;
  };
  const now = useRef({ select, cursor });
  useEffect(() => {
    now.current = { select, cursor };
  });
  const isAny = chosen.size > 0;
  const shortcuts = useMemo<Shortcut[]>(() => {
    const group = "Sessions";
    const pick = {
      keys: "x",
      label: "Select it",
      group,
      run: () => now.current.cursor >= 0 && now.current.select(now.current.cursor, false),
    };
    return isAny ? [pick, { keys: "Escape", label: "Clear the selection", group, run: clear }] : [pick];
  }, [isAny, clear]);
  useShortcuts(shortcuts);
  return select;
}
