"use client";
// Scrolling to events. A row that was gone to stays at the top, or where the map put it, while the rows around it are measured
// and their bodies come, until the reader's own hand moves: a link to an event leads exactly there.
import type { Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { useSession, type Align, type VisibleRange } from "../shared/session-context.tsx";
import { hasRow, positionOf, type Rows } from "../shared/transcript-rows.ts";
import { visibleRange } from "./use-report-visible.ts";

const HANDS = ["wheel", "pointerdown", "touchmove", "keydown"] as const;

type ScrollerRequest = {
  box: RefObject<HTMLDivElement | null>;
  rows: Rows;
  virtual: Virtualizer<HTMLDivElement, Element>;
  /** The event in the address. */
  chosen: number | null;
};

export type Scroller = {
  /** Lets go of the row that is held. */
  readonly unpin: () => void;
  /** Holds a row, from 0, in the middle of the screen; the last one at its end. */
  readonly center: (at: number) => void;
};

type Pin = { readonly seq: number; readonly align: "start" | "center" };

export function useScroller({ box, rows, virtual, chosen }: ScrollerRequest): Scroller {
  const { lendScroll } = useSession();
  const gone = useRef<number | null>(null);
  const pin = useRef<Pin | null>(null);

  const scrollTo = useCallback(
    (seq: number, align: Align) => {
      const at = positionOf(rows, seq);
      if (at < 0) return;
      pin.current = align === "start" ? { seq, align } : null;
      // A hidden row appears once its event is in the address: the effect below goes there then.
      gone.current = hasRow(rows, seq) ? seq : null;
      virtual.scrollToIndex(at, { align });
    },
    [rows, virtual],
  );

  useEffect(() => {
    lendScroll(scrollTo);
    return () => lendScroll(null);
  }, [lendScroll, scrollTo]);

  // At first, and on back and forward.
  useEffect(() => {
    const target = chosen ?? seqOfHash();
    if (target !== null && gone.current !== target) scrollTo(target, "start");
  }, [chosen, scrollTo]);

  // Another filter leaves the reader where they were: at the end, or at the first row of the screen or the one before it.
  // What the page is told of the screen comes 100 ms late: this is what the last render showed.
  const before = useRef<{ rows: Rows; seen: VisibleRange | null }>({ rows, seen: null });
  useLayoutEffect(() => {
    const { rows: old, seen } = before.current;
    if (old.filterKey === rows.filterKey || rows.shown.length === 0 || seen === null) return;
    const isAtEnd = positionOf(old, seen.last) === old.shown.length - 1 && positionOf(old, seen.first) > 0;
    if (isAtEnd) return virtual.scrollToIndex(rows.shown.length - 1, { align: "end" });
    const isChosenSeen = chosen !== null && chosen >= seen.first && chosen <= seen.last && hasRow(rows, chosen);
    const seq = isChosenSeen ? chosen : seqAt(rows, Math.max(0, positionOf(rows, seen.first)));
    pin.current = { seq, align: "start" };
    virtual.scrollToIndex(positionOf(rows, seq), { align: "start" });
  }, [rows, virtual, chosen]);
  useLayoutEffect(() => {
    before.current = { rows, seen: visibleRange(rows, virtual) };
  });

  const unpin = useCallback(() => {
    pin.current = null;
  }, []);
  const center = useCallback(
    (at: number) => {
      pin.current = { seq: seqAt(rows, at), align: "center" };
      virtual.scrollToIndex(at, { align: "center" });
    },
    [rows, virtual],
  );
  useEffect(() => {
    const element = box.current;
    for (const hand of HANDS) element?.addEventListener(hand, unpin, { passive: true });
    return () => {
      for (const hand of HANDS) element?.removeEventListener(hand, unpin);
    };
  }, [box, unpin]);

  // After every render, because any row may have got another height.
  useLayoutEffect(() => {
    if (pin.current === null || !box.current) return;
    const target = virtual.getOffsetForIndex(positionOf(rows, pin.current.seq), pin.current.align)?.[0];
    if (target !== undefined && Math.abs(box.current.scrollTop - target) > 1) virtual.scrollToOffset(target);
  });
  return { unpin, center };
}

const seqAt = (rows: Rows, at: number): number => rows.outline.seq[rows.shown[at] ?? 0] ?? 0;

/** `#e412`, as a link from outside may say it. */
function seqOfHash(): number | null {
  const match = /^#e(\d{1,9})$/u.exec(window.location.hash);
  return match ? Number(match[1]) : null;
}
