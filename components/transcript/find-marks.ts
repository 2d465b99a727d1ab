"use client";
// Marks what is looked for in the rows on screen. The browser paints the marks over the text as it stands, so no
// row is drawn again for them.
import { useEffect, type RefObject } from "react";

const NAME = "find";
/** Marks on one screen; a single letter looked for would make tens of thousands. */
const MOST = 1000;

export function useFindMarks(box: RefObject<HTMLElement | null>, find: string, drawn: string): void {
  useEffect(() => {
    if (!("highlights" in CSS)) return;
    const element = box.current;
    if (!element || find.trim() === "") {
      CSS.highlights.delete(NAME);
      return;
    }
    CSS.highlights.set(NAME, new Highlight(...rangesOf(element, find.trim().toLowerCase())));
    return () => {
      CSS.highlights.delete(NAME);
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- `drawn` says that other rows stand there now
  }, [box, find, drawn]);
}

function rangesOf(element: HTMLElement, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (
      let at = text.indexOf(needle);
      at >= 0 && ranges.length < MOST;
      at = text.indexOf(needle, at + needle.length)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + needle.length, (node.nodeValue ?? "").length));
      ranges.push(range);
    }
  }
  return ranges;
}
