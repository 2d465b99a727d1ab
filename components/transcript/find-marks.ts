"use client";
// Marks what is looked for in the rows on screen. The browser paints the marks over the text as it stands, so no
// row is drawn again for them; rows and texts that come later are marked as they come.
import { useEffect, type RefObject } from "react";
import { keepMarked } from "../ui/keep-marked.ts";

const NAME = "find";
/** Marks on one screen; a single letter looked for would make tens of thousands. */
const MOST = 1000;

/** `hit` is the event that the reader stands on: its first mark is brought into sight, also inside a long output. */
export function useFindMarks(box: RefObject<HTMLElement | null>, find: string, hit: number | null): void {
  useEffect(() => {
    const element = box.current;
    const needle = find.trim().toLowerCase();
    if (!element || needle === "" || !("highlights" in CSS)) return;
    let isShown = hit === null;
    return keepMarked(element, NAME, () => {
      const ranges = rangesOf(element, needle);
      if (!isShown) isShown = showFirst(ranges);
      return ranges;
    });
  }, [box, find, hit]);
}

/** Scrolls the output that holds the first mark of the chosen row; true when there was one. */
function showFirst(ranges: readonly Range[]): boolean {
  const range = ranges.find((one) => one.startContainer.parentElement?.closest('article[aria-current="true"]'));
  if (!range) return false;
  const scroller = range.startContainer.parentElement?.closest(".block-rule");
  if (scroller && scroller.scrollHeight > scroller.clientHeight)
    scroller.scrollTop += range.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 36;
  return true;
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
