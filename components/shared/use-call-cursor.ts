"use client";
// The cursor of the charts is a call: that of the chosen event while it is on screen, else of the top row.
// On the other tabs there is no transcript, and with nothing chosen the peak is what the reader came for; on Load the worst
// that happened.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { indexOfSeq, type LoadView, type Span } from "./load-view.ts";
import { openingCall } from "./ledger-view.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { ledgerQuery } from "./session-queries.ts";
import { callsOnScreen, useDragged, useVisibleRange, useSession } from "./session-context.tsx";
import { useCallParam, useEventParam, type Tab } from "./url-state.ts";

export type Cursor = {
  readonly index: number;
  /** The calls on screen; null where there is no transcript. */
  readonly window: Span | null;
};

export function useCursor(view: LoadView, tab: Tab): Cursor {
  const visible = useVisibleRange();
  const dragged = useDragged();
  const [chosen] = useEventParam();
  const [named] = useCallParam();
  const worst = useWorst(view, tab);
  const indexOf = (seq: number) => indexOfSeq(view, seq);
  const inTranscript = tab === "transcript";
  const window = inTranscript ? callsOnScreen(visible, indexOf) : null;
  if (dragged !== null) return { index: dragged, window };
  const isOnScreen = chosen !== null && (!visible || (chosen >= visible.first && chosen <= visible.last));
  if (chosen !== null && (isOnScreen || !inTranscript)) return { index: indexOf(chosen), window };
  if (named !== null && !inTranscript) return { index: indexOfCall(view, named), window };
  // Load answers why it blew up: wherever the reader stood in the transcript, it opens on the worst.
  if (tab === "load") return { index: worst, window };
  const read = visible === null ? 0 : indexOf(visible.first);
  return { index: read === 0 && !inTranscript ? view.peakIndex : read, window };
}

const indexOfCall = (view: LoadView, call: number): number => {
  const at = view.calls.findIndex((one) => one.call === call);
  return at < 0 ? view.peakIndex : at;
};

/** The call of the worst blow-up; the fullest where there was none, and until the ledger is there. */
function useWorst(view: LoadView, tab: Tab): number {
  const { id } = useSession();
  const { data } = useQuery({ ...ledgerQuery(id), enabled: tab === "load" });
  const worst = data === undefined ? null : openingCall(data);
  return useMemo(() => (worst === null ? view.peakIndex : indexOfCall(view, worst)), [view, worst]);
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
