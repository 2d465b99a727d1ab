"use client";
// Marks matches in the lines on screen. The browser paints them over the text as it stands, so no line is drawn again for
// them; lines that come later are marked as they come.
import { useEffect, type RefObject } from "react";
import { keepMarked } from "../ui/keep-marked.ts";
import type { Finder } from "./finder.ts";
import "./marks.css";

/** Marks on one screen, and in one line; a dot as a pattern would make tens of thousands. */
const MOST = 1000;
const MOST_LINE = 200;
/** Marking may take so much of a frame; the rest is done in the next (milliseconds). */
const SLICE_MS = 8;

/** `name` is that of the highlight: two boxes on a page have two. */
export function useMarks(box: RefObject<HTMLElement | null>, find: Finder | null, name: "grep-list" | "grep-text") {
  useEffect(() => {
    const element = box.current;
    if (!element || find === null || !("highlights" in CSS)) return;
    const known = new Map<string, ReturnType<Finder["find"]>>();
    return keepMarked(element, name, (again) => {
      const until = performance.now() + SLICE_MS;
      const ranges: Range[] = [];
      for (const line of element.querySelectorAll<HTMLElement>("[data-text]")) {
        if (ranges.length >= MOST) break;
        const text = line.textContent ?? "";
        let found = known.get(text);
        if (found === undefined) {
          if (performance.now() > until) {
            again();
            break;
          }
          if (known.size > 2000) known.clear();
          known.set(text, (found = find.find(text, MOST_LINE)));
        }
        ranges.push(...rangesOf(line, found));
      }
      return ranges;
    });
  }, [box, find, name]);
}

/** Positions in the text of a line as ranges over the pieces that it is drawn in. */
function rangesOf(line: HTMLElement, found: readonly (readonly [number, number])[]): Range[] {
  if (found.length === 0) return [];
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  let start = 0;
  const pieceAt = (position: number, isEnd: boolean): [Node, number] | null => {
    while (node) {
      const length = node.nodeValue?.length ?? 0;
      // A range ends in the piece before a border, and begins in the one after it.
      if (isEnd ? position <= start + length : position < start + length) return [node, position - start];
      start += length;
      node = walker.nextNode();
    }
    return null;
  };
  for (const [from, to] of found) {
    const begins = pieceAt(from, false);
    const ends = begins && pieceAt(to, true);
    if (!begins || !ends) break;
    const range = document.createRange();
    range.setStart(...begins);
    range.setEnd(...ends);
    ranges.push(range);
  }
  return ranges;
}
