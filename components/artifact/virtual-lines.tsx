"use client";
// A box of any number of lines of one height, of which only those on screen are drawn.
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { lineWindow, scrollTopOf } from "./line-window.ts";

type VirtualLinesProps = {
  count: number;
  label: string;
  /** The line to stand at the top at first, from 0. */
  start: number | null;
  children: (from: number, to: number) => ReactNode;
};

export function VirtualLines({ count, label, start, children }: VirtualLinesProps) {
  const box = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    // Three lines above it, so that it is seen in its place.
    if (element && start !== null) element.scrollTop = scrollTopOf(Math.max(0, start - 3), count, element.clientHeight);
  }, [start, count]);
  const { from, to, top, height } = lineWindow(count, view.height, view.top);
  return (
    <section
      ref={box}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div className="relative min-w-full" style={{ height }}>
        <div className="absolute min-w-full" style={{ top }}>
          {children(from, to)}
        </div>
      </div>
    </section>
  );
}
