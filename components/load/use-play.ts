"use client";
// The cursor walks over the session: call by call, or turn by turn for people who asked for reduced motion.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { useSession } from "../shared/session-context.tsx";
import { useLoadState } from "../shared/url-state.ts";
import type { LoadCursor } from "../shared/load-cursor.ts";
import { nextStop } from "./play-stops.ts";

/** Calls a second. */
export const SPEEDS = [2, 8, 24] as const;
export type Speed = (typeof SPEEDS)[number];
const CALM_MS = 1000;

export type Play = {
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly setSpeed: (speed: Speed) => void;
  readonly toggle: () => void;
};

export function usePlay({ view, index, goToCall }: LoadCursor): Play {
  const { dragged } = useSession();
  const [, choose] = useLoadState();
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(8);
  const at = useRef(0);
  const stop = useCallback(() => {
    setPlaying(false);
    // Where a hand moved the cursor meanwhile, it stays.
    if (dragged.get().call !== at.current) return;
    dragged.set({ call: null });
    goToCall(view.calls[at.current]?.call ?? 0);
  }, [dragged, goToCall, view]);
  useEffect(() => {
    if (!isPlaying) return;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = setInterval(
      () => {
        const next = nextStop(view, at.current, isCalm);
        if (next === null || dragged.get().call !== at.current) return stop();
        at.current = next;
        dragged.set({ call: next });
      },
      isCalm ? CALM_MS : 1000 / speed,
    );
    return () => clearInterval(timer);
  }, [isPlaying, speed, view, dragged, stop]);
  // Whoever leaves the page leaves the cursor to the next.
  useEffect(() => () => dragged.set({ call: null }), [dragged]);
  const toggle = useCallback(() => {
    if (isPlaying) return stop();
    at.current = index >= view.calls.length - 1 ? 0 : index;
    dragged.set({ call: at.current });
    void choose({ panel: "treemap" });
    setPlaying(true);
  }, [isPlaying, stop, index, view, dragged, choose]);
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "Space", label: "Play the context, or pause", group: "Load", isFor: isFree, run: toggle }],
    [toggle],
  );
  useShortcuts(shortcuts);
  return { isPlaying, speed, setSpeed, toggle };
}

/** A button or a link takes the key itself. */
const isFree = (target: EventTarget | null): boolean =>
  !(target instanceof Element && target.closest("button, a, input, select, summary, [role=tab]") !== null);
