"use client";
import { useLayoutEffect, useRef, useState, type RefObject } from "react";

// The width that a page has before it was measured; the table is drawn again at once when it is another.
const UNMEASURED = 1440;

/** The width of an element as it changes, in pixels. */
export function useWidth<Found extends HTMLElement>(): [RefObject<Found | null>, number] {
  const ref = useRef<Found>(null);
  const [width, setWidth] = useState(UNMEASURED);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
