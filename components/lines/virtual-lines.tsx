"use client";
// A box of any number of lines, of which only those on screen are drawn: all of one height, or wrapped and as high as they are.
import { useImperativeHandle, useRef, type KeyboardEvent, type ReactNode, type Ref } from "react";
import { boxHeight } from "../ui/scroll-scale.ts";
import { lineWindow } from "./line-window.ts";
import { useLineScroll, type Where } from "./use-line-scroll.ts";
// Their base is that of the outputs in a transcript, which other pages do not bring.
import "./lines.css";

export type LinesHandle = { readonly goTo: (where: Where) => void };

const KEYS: Readonly<Record<string, Where>> = { Home: "first", End: "last", PageUp: "up", PageDown: "down" };

type VirtualLinesProps = {
  count: number;
  label: string;
  /** The line to show, from 0; with a `serial`, again when that changes. */
  start: number | null;
  serial?: number;
  /** Estimated height of a line, which makes them wrap; each is then measured by its `data-line`. */
  wrapPx?: number | null;
  children: (from: number, to: number) => ReactNode;
  handle?: Ref<LinesHandle>;
  onKey?: (event: KeyboardEvent) => void;
};

export function VirtualLines({
  count,
  label,
  start,
  serial = 0,
  wrapPx = null,
  children,
  handle,
  onKey,
}: VirtualLinesProps) {
  const box = useRef<HTMLElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const { heights, scroll, viewport, onScroll, goTo } = useLineScroll({ box, block }, { count, start, serial, wrapPx });
  useImperativeHandle(handle, () => ({ goTo }), [goTo]);
  const { from, to } = lineWindow(heights, viewport, scroll.position);
  const onKeyDown = (event: KeyboardEvent) => {
    onKey?.(event);
    if (event.altKey || event.shiftKey || event.target instanceof HTMLInputElement) return;
    const where = KEYS[event.key];
    if (where === undefined || event.defaultPrevented) return;
    // At once: the browser would travel there.
    event.preventDefault();
    goTo(where);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys that scroll it
    <section
      ref={box}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      data-wrap={wrapPx !== null || undefined}
      className={`line-box min-h-0 flex-1 focus-visible:-outline-offset-2 ${wrapPx === null ? "overflow-auto" : "overflow-x-hidden overflow-y-auto"}`}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div className="relative min-w-full" style={{ height: boxHeight(heights.total()) }}>
        <div
          ref={block}
          className={`absolute min-w-full ${wrapPx === null ? "" : "w-full"}`}
          style={{ top: heights.offsetOf(from) + scroll.bar - scroll.position }}
        >
          {children(from, to)}
        </div>
      </div>
    </section>
  );
}
