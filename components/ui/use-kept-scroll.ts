"use client";
// Where a list was left is kept in the entry of the history: Back and a reload show the same rows.
import { useLayoutEffect, type RefObject } from "react";

/** `name`: of what is listed. Another list is shown from its first row. */
export function useKeptScroll(box: RefObject<HTMLElement | null>, name: string, isHere: boolean): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isHere) return;
    const [of, top] = history.state?.list ?? [];
    if (of === name) element.scrollTo(0, top);
    const keep = () => history.replaceState({ ...history.state, list: [name, element.scrollTop] }, "");
    element.addEventListener("scrollend", keep);
    return () => element.removeEventListener("scrollend", keep);
  }, [box, name, isHere]);
}
