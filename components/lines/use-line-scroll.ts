"use client";
// Where the reader is in a box of lines, whatever the height of the lines turns out to be. One line is held in its place: the
// one that was asked for, or the first on screen, so that lines above it may be measured without anything moving.
import { useCallback, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { moved, placed, scrolled, type Scroll, type Sizes } from "../ui/scroll-scale.ts";
import { evenHeights, LINE_PX, lineWindow, type LineHeights, type LineWindow } from "./line-window.ts";
import { measuredHeights, type MeasuredHeights } from "./measured-heights.ts";

/** An end, or a screen further. */
export type Where = "first" | "last" | "up" | "down";

/** Lines of a screen that are still seen on the next. */
const KEPT_LINES = 2;
/** Lines that are seen above one that was jumped to. */
const LEAD = 3;
// What is drawn before the box was measured, on the server too.
const UNMEASURED_PX = 800;

type Held = { readonly line: number; readonly at: number };

export type LineScroll = {
  readonly heights: LineHeights;
  readonly scroll: Scroll;
  readonly viewport: number;
  readonly onScroll: () => void;
  readonly goTo: (where: Where) => void;
};

type Boxes = {
  /** What scrolls, and in it what holds the lines that are drawn. */
  readonly box: RefObject<HTMLElement | null>;
  readonly block: RefObject<HTMLElement | null>;
};

type Params = {
  readonly count: number;
  /** The line to show, from 0, and a number that changes when it is to be shown again. */
  readonly start: number | null;
  readonly serial: number;
  /** Estimated height of a wrapped line; null: lines are not wrapped. */
  readonly wrapPx: number | null;
};

export function useLineScroll({ box, block }: Boxes, { count, start, serial, wrapPx }: Params): LineScroll {
  const [size, setSize] = useState({ height: UNMEASURED_PX, width: 0 });
  const wrapWidth = wrapPx === null ? 0 : size.width;
  const heights = useMemo<LineHeights | MeasuredHeights>(
    () => (wrapPx === null ? evenHeights(count) : measuredHeights(count, wrapPx)),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- in another width every line has another height
    [count, wrapPx, wrapWidth],
  );
  const [scroll, setScroll] = useState<Scroll>(() => ({
    position: start === null ? 0 : positionOf(heights, start, size.height),
    bar: 0,
  }));
  const now = useRef(scroll);
  const held = useRef<Held>({ line: 0, at: 0 });
  /** Where the scrollbar was seen last. */
  const seen = useRef(0);
  const drawn = useRef(scroll);
  /** Drawn again where other lines come on screen, or the bar is to be moved. */
  const put = useCallback(
    (next: Scroll) => {
      now.current = next;
      const was = drawn.current;
      const viewport = box.current?.clientHeight ?? UNMEASURED_PX;
      const isSame =
        next.bar === seen.current &&
        next.bar - next.position === was.bar - was.position &&
        sameWindow(lineWindow(heights, viewport, was.position), lineWindow(heights, viewport, next.position));
      if (isSame && !("measure" in heights)) return;
      drawn.current = next;
      setScroll(next);
    },
    [box, heights],
  );

  /** Stands where the held line is in its place. */
  const settle = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const { line, at } = held.current;
    const sizes = { total: heights.total(), viewport: element.clientHeight };
    put(moved(now.current, heights.offsetOf(line) - at, sizes));
  }, [box, heights, put]);

  /** Where the reader went by hand: what is on screen there is held. */
  const go = useCallback(
    (next: Scroll, sizes: Sizes) => {
      const line = heights.lineAt(next.position);
      const isAtEnd = next.position > 0 && next.position >= sizes.total - sizes.viewport - 1;
      held.current = isAtEnd
        ? { line: count, at: sizes.viewport }
        : { line, at: heights.offsetOf(line) - next.position };
      put(next);
    },
    [heights, count, put],
  );

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const resize = () => setSize({ height: element.clientHeight, width: element.clientWidth });
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);

  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    const viewport = box.current?.clientHeight ?? UNMEASURED_PX;
    if (start !== null) {
      const at = heights.offsetOf(start) - now.current.position;
      // A line that is on screen stays where it is.
      const isSeen = isPlaced.current && at >= 0 && at <= viewport - 3 * LINE_PX;
      held.current = { line: start, at: isSeen ? at : Math.min(LEAD * LINE_PX, heights.offsetOf(start), viewport / 4) };
    }
    const element = box.current;
    // Scrolled before this page listened.
    if (!isPlaced.current && start === null && element && element.scrollTop > 0) {
      const sizes = { total: heights.total(), viewport };
      go(scrolled(now.current, element.scrollTop, sizes), sizes);
    }
    isPlaced.current = true;
    settle();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- when a line is asked for, not when heights are learnt
  }, [start, serial]);

  useLayoutEffect(settle, [settle, size.height]);

  useLayoutEffect(() => {
    const element = box.current;
    // Asking where the bar stands makes the browser lay everything out: not while it is the reader who moves it.
    if (!element || scroll.bar === seen.current) return;
    if (Math.abs(element.scrollTop - scroll.bar) >= 1) element.scrollTop = scroll.bar;
    seen.current = scroll.bar;
  }, [box, scroll]);

  // Wrapped lines have the height that they turn out to have, once they are drawn and when their text has come.
  const measure = useCallback(() => {
    if (!("measure" in heights)) return;
    let isNews = false;
    for (const row of box.current?.querySelectorAll<HTMLElement>("[data-line]") ?? [])
      isNews = heights.measure(Number(row.dataset["line"]) - 1, row.offsetHeight) || isNews;
    if (isNews) settle();
  }, [box, heights, settle]);
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    if (!block.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(block.current);
    return () => observer.disconnect();
  }, [block, measure]);

  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const bar = element.scrollTop;
    seen.current = bar;
    // Where we put it ourselves.
    if (Math.abs(bar - now.current.bar) < 1) return;
    const sizes = { total: heights.total(), viewport: element.clientHeight };
    go(scrolled(now.current, bar, sizes), sizes);
  }, [box, heights, go]);

  const goTo = useCallback(
    (where: Where) => {
      const element = box.current;
      if (!element) return;
      if (where === "up" || where === "down") {
        const sizes = { total: heights.total(), viewport: element.clientHeight };
        const px = sizes.viewport - KEPT_LINES * LINE_PX;
        const { position, bar } = now.current;
        const step = where === "up" ? -px : px;
        return go(placed(position + step, sizes, bar + step), sizes);
      }
      held.current = where === "first" ? { line: 0, at: 0 } : { line: count, at: element.clientHeight };
      element.scrollLeft = 0;
      settle();
    },
    [box, heights, count, settle, go],
  );
  return { heights, scroll, viewport: size.height, onScroll, goTo };
}

const sameWindow = (a: LineWindow, b: LineWindow): boolean => a.from === b.from && a.to === b.to;

function positionOf(heights: LineHeights, line: number, viewport: number): number {
  return placed(heights.offsetOf(Math.max(0, line - LEAD)), { total: heights.total(), viewport }).position;
}
