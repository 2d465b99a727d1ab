"use client";
// Where the reader is in a box of rows of one height, and how large the box is.
import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { moved, placed, resized, scrolled, type Scroll } from "../ui/scroll-scale.ts";
import { positionFor, rowWindow, type RowWindow } from "./row-window.ts";

export type RowScroll = {
  readonly rows: RowWindow;
  readonly left: number;
  /** Of the box, in px; the height is that in which rows are seen. */
  readonly width: number;
  readonly height: number;
  readonly onScroll: () => void;
  /** Shows a row whole: moved as little as can be, or at the top. */
  readonly show: (row: number, where?: "near" | "top") => void;
};

/** `headPx`: height of a head that stays above the rows. */
export function useRowScroll(
  box: RefObject<HTMLElement | null>,
  { count, px, headPx = 0 }: { count: number; px: number; headPx?: number },
): RowScroll {
  const [size, setSize] = useState({ width: 1200, height: 700 });
  const [left, setLeft] = useState(0);
  const [scroll, setScroll] = useState<Scroll>({ position: 0, bar: 0 });
  const now = useRef(scroll);
  const sizes = useRef({ total: count * px, viewport: size.height });
  const put = useCallback((next: Scroll) => {
    if (next.position === now.current.position && next.bar === now.current.bar) return;
    now.current = next;
    setScroll(next);
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight - headPx });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, headPx]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element && Math.abs(element.scrollTop - scroll.bar) >= 1)
      element.scrollTo({ top: scroll.bar, behavior: "instant" });
  }, [box, scroll]);

  useLayoutEffect(() => {
    sizes.current = { total: count * px, viewport: size.height };
    if (box.current) put(resized(now.current, box.current.scrollTop, sizes.current));
  }, [box, count, px, size.height, put]);

  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    setLeft(element.scrollLeft);
    // Where we put it ourselves.
    if (Math.abs(element.scrollTop - now.current.bar) >= 1)
      put(scrolled(now.current, element.scrollTop, sizes.current));
  };

  const show = useCallback<RowScroll["show"]>(
    (row, where = "near") => {
      const { viewport } = sizes.current;
      const { position } = now.current;
      if (where === "top") put(placed(row * px, sizes.current));
      else put(moved(now.current, positionFor(row, viewport, position, px), sizes.current));
    },
    [px, put],
  );
  return { rows: rowWindow(count, size.height, scroll, px), left, ...size, onScroll, show };
}
