"use client";
// Tells the page which events are on screen, at most every 100 ms: the outline and the chart follow a scroll well
// enough at that, and drawing them at every frame took a third of each.
import type { Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef } from "react";
import { useSession, type VisibleRange } from "../shared/session-context.tsx";
import type { Rows } from "../shared/transcript-rows.ts";

const EVERY_MS = 100;

type Instance = Virtualizer<HTMLDivElement, Element>;

export function useReportVisible(rows: Rows): (instance: Instance) => void {
  const { visible } = useSession();
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return useCallback(
    (instance: Instance) => {
      if (timer.current !== null) return;
      timer.current = setTimeout(() => {
        timer.current = null;
        const now = visibleRange(rows, instance);
        if (now) visible.set(now);
      }, EVERY_MS);
    },
    [rows, visible],
  );
}

/** The events on screen, by what the list has measured; null when it has no row there. */
export function visibleRange(rows: Rows, instance: Instance): VisibleRange | null {
  const top = instance.scrollOffset ?? 0;
  const bottom = top + (instance.scrollRect?.height ?? 0);
  const onScreen = instance.getVirtualItems().filter((item) => item.end > top + 4 && item.start < bottom);
  const seqAt = (at: number | undefined) => rows.outline.seq[rows.shown[at ?? 0] ?? 0] ?? 0;
  return onScreen.length === 0 ? null : { first: seqAt(onScreen[0]?.index), last: seqAt(onScreen.at(-1)?.index) };
}
