"use client";
// The cursor of the charts is a call: that of the chosen event while it is on screen, else of the top row.
// On the other tabs there is no transcript, and with nothing chosen the peak is what the reader came for.
import { useCallback, useMemo } from "react";
import { indexOfSeq, type LoadView, type Span } from "../chart/load-view.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { callsOnScreen, useDragged, usePlace, useSession } from "./session-context.tsx";
import { useEventParam, type Tab } from "./url-state.ts";

export type Cursor = {
  readonly index: number;
  /** The calls on screen; null where there is no transcript. */
  readonly window: Span | null;
};

export function useCursor(view: LoadView, tab: Tab): Cursor {
  const place = usePlace();
  const dragged = useDragged();
  const [chosen] = useEventParam();
  const indexOf = (seq: number) => indexOfSeq(view, seq);
  const inTranscript = tab === "transcript";
  const window = inTranscript ? callsOnScreen(place, indexOf) : null;
  if (dragged !== null) return { index: dragged, window };
  const isOnScreen = chosen !== null && (!place || (chosen >= place.first && chosen <= place.last));
  if (chosen !== null && (isOnScreen || !inTranscript)) return { index: indexOf(chosen), window };
  const read = place === null ? 0 : indexOf(place.first);
  return { index: read === 0 && !inTranscript ? view.peakIndex : read, window };
}

export type Moves = {
  readonly move: (index: number, final: boolean) => void;
  readonly step: (by: 1 | -1) => void;
};

/** Moves the cursor, and the transcript with it. Mounted once: it holds the shortcuts. */
export function useCursorMoves(view: LoadView, tab: Tab, index: number): Moves {
  const { goTo, dragged } = useSession();
  const inTranscript = tab === "transcript";
  const move = useCallback(
    (to: number, final: boolean) => {
      dragged.set({ call: final ? null : to });
      const target = view.calls[to]?.seq;
      if (target !== undefined && (final || inTranscript)) goTo(target, { remember: final });
    },
    [view, goTo, dragged, inTranscript],
  );
  const step = useCallback(
    (by: 1 | -1) => move(Math.max(0, Math.min(view.calls.length - 1, index + by)), true),
    [move, view, index],
  );
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "[", label: "Model call before", group: "Load", run: () => step(-1) },
      { keys: "]", label: "Next model call", group: "Load", run: () => step(1) },
    ],
    [step],
  );
  useShortcuts(shortcuts);
  return { move, step };
}
