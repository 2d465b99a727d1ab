"use client";
// i opens the inspector at the chosen row, else at the top one, and closes it; Escape closes it too. The focus goes into it as
// it opens, and back to its row's number as it closes.
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useInspector, INSPECTOR_VIEWS, type InspectorView } from "../shared/inspector-state.ts";
import { useSession } from "../shared/session-context.tsx";
import { stepsFrom, type Rows } from "../shared/transcript-rows.ts";
import { useEventParam } from "../shared/url-state.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";

const GROUP = "Inspector";

export const VIEW_NAMES: Readonly<Record<InspectorView, string>> = {
  rendered: "Rendered",
  raw: "Raw",
  stored: "Stored",
  seen: "Seen by model",
  lifetime: "Lifetime",
};

/** Closes it, and gives the focus back to the row. */
export function useCloseInspector(): () => void {
  const { close } = useInspector();
  const [chosen] = useEventParam();
  const latest = useRef(chosen);
  useEffect(() => {
    latest.current = chosen;
  }, [chosen]);
  return useCallback(() => {
    close();
    focusRow(latest.current);
  }, [close]);
}

/** Returns what opens it at an event. */
export function useInspectorKeys(rows: Rows): (seq: number, wanted?: InspectorView) => void {
  const { goTo, visible } = useSession();
  const { view, show } = useInspector();
  const close = useCloseInspector();
  const [chosen] = useEventParam();
  const latest = useRef(chosen);
  useEffect(() => {
    latest.current = chosen;
  }, [chosen]);
  const open = useCallback(
    (seq: number, wanted?: InspectorView) => {
      goTo(seq, { align: "auto" });
      if (view === null) focusPanel();
      if (view === null || wanted !== undefined) show(wanted ?? "rendered");
    },
    [goTo, view, show],
  );
  const shortcuts = useMemo<Shortcut[]>(() => {
    const openHere = () => {
      const seq = rows.outline.seq[rows.shown[stepsFrom(rows, latest.current, visible.get()).at] ?? 0];
      if (seq !== undefined) open(seq);
    };
    if (view === null) return [{ keys: "i", label: "Inspect event", group: GROUP, run: openHere }];
    return [
      { keys: "i", label: "Close inspector", group: GROUP, run: close },
      { keys: "Escape", label: "Close inspector", group: GROUP, run: close },
      ...INSPECTOR_VIEWS.map((name, at) => ({
        keys: String(at + 1),
        label: `Show ${VIEW_NAMES[name].toLowerCase()}`,
        group: GROUP,
        run: () => show(name),
      })),
    ];
  }, [rows, visible, view, open, close, show]);
  useShortcuts(shortcuts);
  return open;
}

export const PANEL_ID = "inspector";

/** The panel may be fetched first: it is waited for, as long as nobody goes elsewhere. */
const FOCUS_MS = 3000;

function focusPanel(): void {
  const until = performance.now() + FOCUS_MS;
  const from = document.activeElement;
  const look = () => {
    const panel = document.getElementById(PANEL_ID);
    if (panel !== null) return panel.focus({ preventScroll: true });
    const isElsewhere = document.activeElement !== from && document.activeElement !== document.body;
    if (!isElsewhere && performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** After the panel has gone: the row's number has the focus, where the row is on screen. */
function focusRow(seq: number | null): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(
      seq === null ? "article[aria-current]" : `article[data-seq="${seq}"], article[aria-current]`,
    );
    row?.querySelector<HTMLElement>("[data-number]")?.focus({ preventScroll: true });
  });
}
