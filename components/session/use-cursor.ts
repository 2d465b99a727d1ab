"use client";
// The cursor of the charts is a call: that of the chosen event while it is on screen, else of the top row.
// On the Load tab there is no transcript, and with nothing chosen the peak is what the reader came for.
import { useCallback, useMemo, useState } from "react";
import { indexOfSeq, type LoadView, type Span } from "../chart/load-view.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { callsOnScreen, usePlace, useSession } from "./session-context.tsx";
import { useEventParam, type Tab } from "./url-state.ts";

export type Cursor = {
  readonly index: number;
  /** The calls on screen; null where there is no transcript. */
  readonly window: Span | null;
  readonly move: (index: number, final: boolean) => void;
  readonly step: (by: 1 | -1) => void;
};

export function useCursor(view: LoadView | null, tab: Tab): Cursor {
  const { goTo } = useSession();
  const place = usePlace();
  const [chosen] = useEventParam();
  const indexOf = useCallback((seq: number) => (view ? indexOfSeq(view, seq) : 0), [view]);
  const [moving, setMoving] = useState<number | null>(null);
  const inTranscript = tab === "transcript";
  const isOnScreen = chosen !== null && (!place || (chosen >= place.first && chosen <= place.last));
  const read = place === null ? null : indexOf(place.first);
  const index =
    moving ??
    (chosen !== null && (isOnScreen || !inTranscript)
      ? indexOf(chosen)
      : inTranscript
        ? (read ?? 0)
        : read === null || read === 0
          ? (view?.peakIndex ?? 0)
          : read);
  const move = useCallback(
    (to: number, final: boolean) => {
      setMoving(final ? null : to);
      const target = view?.calls[to]?.seq;
      if (target !== undefined && (final || inTranscript)) goTo(target, { remember: final });
    },
    [view, goTo, inTranscript],
  );
  const step = useCallback(
    (by: 1 | -1) => move(Math.max(0, Math.min((view?.calls.length ?? 1) - 1, index + by)), true),
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
  return { index, window: inTranscript ? callsOnScreen(place, indexOf) : null, move, step };
}
