"use client";
import { useEffect, useMemo, useRef, useState, type MouseEvent, type RefObject } from "react";
import { useShortcuts, type Shortcut } from "./keys.ts";
import { noteUnder } from "./note-under.ts";

type CursorOptions = {
  readonly rows: number;
  /** Holds the rows; each carries `data-row`. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly scrollTo: (row: number) => void;
  /** What the rows are, for the list of shortcuts. */
  readonly group: string;
  /** Rows have others folded below them. */
  readonly folds?: boolean;
  /** `Delete` asks for the row's end. */
  readonly onDelete?: ((row: number) => void) | undefined;
};

/** The row that the keyboard is on: `j` and `k` move it, and its first link has the focus, so Enter opens it. */
export function useCursor(options: CursorOptions): readonly [number, (row: number) => void] {
  const [cursor, setCursor] = useState(-1);
  const now = useRef({ ...options, cursor });
  const aim = useRef<Aim | null>(null);
  useEffect(() => {
    now.current = { ...options, cursor };
    aim.current = focusAim(options.scroller.current, aim.current);
  });
  const { group, folds = false } = options;
  const deletes = options.onDelete !== undefined;
  const shortcuts = useMemo<Shortcut[]>(() => {
    const move = (by: number) => {
      const { rows, scroller, scrollTo, cursor } = now.current;
      const next = Math.min(Math.max(cursor + by, 0), rows - 1);
      if (next < 0) return;
      scrollTo(next);
      setCursor(next);
      aim.current = focusAim(scroller.current, { row: next, from: document.activeElement });
    };
    const fold = (open: boolean) => {
      const { scroller, cursor } = now.current;
      const rowAt = (at: number) => scroller.current?.querySelector(`[data-row="${at}"]`);
      const buttonAt = (at: number) => rowAt(at)?.querySelector(`button[aria-expanded="${!open}"]`);
      let row = cursor;
      // What is folded below another folds with it: the next row above that can fold is its parent's.
      if (!open) while (row > 0 && rowAt(row) && !buttonAt(row)) row -= 1;
      const button = buttonAt(row);
      if (!(button instanceof HTMLElement)) return;
      button.click();
      setCursor(row);
    };
    const moves: Shortcut[] = [
      { keys: "j", label: "Next row", group, run: () => move(1) },
      { keys: "k", label: "Row before", group, run: () => move(-1) },
      // After a search the row is still marked although its link has lost the focus.
      {
        keys: "Enter",
        label: "Open it",
        group,
        run: () => linkOf(now.current.scroller.current, now.current.cursor)?.click(),
      },
    ];
    const ending = {
      keys: "Delete",
      label: "Delete it, after a question",
      group,
      run: () => {
        const { cursor, onDelete } = now.current;
        if (cursor >= 0) onDelete?.(cursor);
      },
    };
    const all = deletes ? [...moves, ending] : moves;
    if (!folds) return all;
    return [
      ...all,
      { keys: "l", label: "Unfold what is below it", group, run: () => fold(true) },
      { keys: "h", label: "Fold it", group, run: () => fold(false) },
    ];
  }, [group, folds, deletes]);
  useShortcuts(shortcuts);
  return [cursor, setCursor];
}

/** The row that a key led to last, and what had the focus then. */
type Aim = { readonly row: number; readonly from: Element | null };

/**
 * Gives the row the focus, or returns what is still to be focused: a row that was far away is drawn after the scroll, and
 * its link when its page is here. Who went elsewhere with the focus meanwhile keeps it.
 */
function focusAim(scroller: HTMLElement | null, aim: Aim | null): Aim | null {
  if (aim === null) return null;
  const { activeElement } = document;
  if (activeElement !== document.body && activeElement !== aim.from) return null;
  const link = linkOf(scroller, aim.row);
  link?.focus({ preventScroll: true });
  return link === null ? aim : null;
}

/**
 * A click anywhere in a row is a click on what opens it (`data-opens`), as Enter is. What is under the pointer comes first,
 * and so does text that was just selected.
 */
export function openRow({ target, currentTarget, defaultPrevented }: MouseEvent<HTMLElement>): void {
  if (defaultPrevented || !(target instanceof Element) || target.closest("a, button, input, select, label")) return;
  if (window.getSelection()?.isCollapsed === false || noteUnder(target) !== null) return;
  currentTarget.querySelector<HTMLElement>("[data-opens]")?.click();
}

function linkOf(scroller: HTMLElement | null, row: number): HTMLElement | null {
  return firstLink(scroller?.querySelector<HTMLElement>(`[data-row="${row}"]`) ?? null);
}

/** The one that opens the row, where one says so; else the first. */
const firstLink = (row: HTMLElement | null): HTMLElement | null =>
  row?.querySelector<HTMLElement>("[data-opens]") ??
  row?.querySelector<HTMLElement>("a, button:not([aria-expanded])") ??
  null;
