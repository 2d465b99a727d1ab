"use client";
// Scrolling to events. A row that was gone to stays at the top while the rows around it are measured and their
// bodies come, until the reader's own hand moves: a link to an event leads exactly there.
import type { Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { useSession, type Align } from "../shared/session-context.tsx";
import { hasRow, placeOf, type Rows } from "../shared/transcript-rows.ts";

const HANDS = ["wheel", "pointerdown", "touchmove", "keydown"] as const;

type ScrollerRequest = {
  box: RefObject<HTMLDivElement | null>;
  rows: Rows;
  virtual: Virtualizer<HTMLDivElement, Element>;
  /** The event in the address. */
  chosen: number | null;
};

/** Returns what lets go of the row that is held at the top. */
export function useScroller({ box, rows, virtual, chosen }: ScrollerRequest): () => void {
  const { lendScroll } = useSession();
  const gone = useRef<number | null>(null);
  const pin = useRef<number | null>(null);

  const scrollTo = useCallback(
    (seq: number, align: Align) => {
      const at = placeOf(rows, seq);
      if (at < 0) return;
      pin.current = align === "start" ? seq : null;
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

  const unpin = useCallback(() => {
    pin.current = null;
  }, []);
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
    const target = virtual.getOffsetForIndex(placeOf(rows, pin.current), "start")?.[0];
    if (target !== undefined && Math.abs(box.current.scrollTop - target) > 1) virtual.scrollToOffset(target);
  });
  return unpin;
}

/** `#e412`, as a link from outside may say it. */
function seqOfHash(): number | null {
  const match = /^#e(\d{1,9})$/u.exec(window.location.hash);
  return match ? Number(match[1]) : null;
}
