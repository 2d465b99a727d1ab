"use client";
// e and E go to the next and the previous row with an error, among the rows that are shown.
import { useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "../shared/session-context.tsx";
import { errorRow, positionOf, type Rows } from "../shared/transcript-rows.ts";
import { useEventParam } from "../shared/url-state.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";

/** Long enough to be read, and gone before the next row is. */
const NOTE_MS = 3000;

/** Returns what the last press has to say: that it went round, or found none. */
export function useErrorKeys(rows: Rows): string {
  const { goTo, visible } = useSession();
  const [chosen] = useEventParam();
  const [note, setNote] = useState("");
  const latest = useRef(chosen);
  useEffect(() => {
    latest.current = chosen;
  }, [chosen]);
  useEffect(() => {
    if (note === "") return;
    const timer = setTimeout(() => setNote(""), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);
  const shortcuts = useMemo<Shortcut[]>(() => {
    const step = (by: 1 | -1) => {
      // From the chosen event, on screen or not: the screen is known 100 ms late, and a jump goes far. Else from the top
      // row, which may itself be the next error.
      const here = latest.current;
      const at = positionOf(rows, here ?? visible.get()?.first ?? 0);
      const found = errorRow(rows, here === null && by === 1 ? Math.max(at, 0) - 1 : at, by);
      if (found === null)
        return setNote(rows.filterKey === "" ? "No errors in this session" : "No errors in this filter");
      setNote(!found.hasWrapped ? "" : by === 1 ? "Wrapped to the first error" : "Wrapped to the last error");
      const seq = rows.outline.seq[rows.shown[found.at] as number] ?? 0;
      latest.current = seq;
      // It may be far: at the top it stays in sight while the rows before it are measured.
      goTo(seq);
    };
    const group = "Transcript";
    return [
      { keys: "e", label: "Next error", group, run: () => step(1) },
      { keys: "E", label: "Previous error", group, run: () => step(-1) },
    ];
  }, [rows, goTo, visible]);
  useShortcuts(shortcuts);
  return note;
}
