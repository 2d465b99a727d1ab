"use client";
// What a canvas needs to know of the page: how wide its box is, and when the colours change.
import { useCallback, useState, useSyncExternalStore, type RefCallback } from "react";
import { watchTheme } from "../ui/theme-colors.ts";

/** The width of a box in whole px, and the ref that measures it; 0 until it is measured. */
export function useBoxWidth(): [number, RefCallback<HTMLElement>] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [width, ref];
}

/** Changes when the theme does, by the switch, the system or for paper. */
export function useThemeMark(): string {
  return useSyncExternalStore(watchTheme, themeMark, () => "light");
}

function themeMark(): string {
  const chosen = document.documentElement.dataset["theme"] ?? "system";
  return `${chosen} ${matchMedia("(prefers-color-scheme: dark)").matches} ${matchMedia("print").matches}`;
}
