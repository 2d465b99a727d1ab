"use client";
// Marks what is looked for in the rows on screen. The browser paints the marks over the text as it stands, so no
// row is drawn again for them; rows and texts that come later are marked as they come.
import { useEffect, type RefObject } from "react";
import { occurrencesOf } from "#lib/kernel/log/occurrences.ts";
import { markedText } from "#lib/kernel/search/search-query.ts";
import { useSession, type HitsInRow } from "../shared/session-context.tsx";
import { keepMarked } from "../ui/keep-marked.ts";
import "./find-marks.css";

const NAME = "find";
const CURRENT = "find-current";
/** Marks in one row; a letter or two looked for would make tens of thousands of them. */
const MOST = 5000;
const HANDS = ["wheel", "pointerdown", "touchmove", "keydown"] as const;

type MarksRequest = {
  box: RefObject<HTMLElement | null>;
  find: string;
  /** The event that the reader stands on. */
  event: number | null;
  /** Lets go of a row that is held at the top. */
  unpin: () => void;
};

/** The wanted occurrence of the chosen row is brought into sight, also inside a long output, until the reader's own hand moves. */
export function useFindMarks({ box, find: source, event, unpin }: MarksRequest): void {
  // Fields say where to look; words alone stand in a text.
  const find = markedText(source);
  const { hits } = useSession();
  useEffect(() => {
    const element = box.current;
    if (!element || find.trim() === "" || !("highlights" in CSS)) return;
    let wanted: HitsInRow["wanted"] | null = null;
    let isHeld = event !== null;
    let paint = () => {};
    const stop = keepMarked(element, NAME, (again) => {
      paint = again;
      const ranges: Range[] = [];
      for (const article of element.querySelectorAll("article")) {
        const own = rangesIn(article, find);
        for (const range of own) ranges.push(range);
        if (event !== null && article.getAttribute("aria-current") === "true")
          showOne(own, article.querySelector("[data-partial]") !== null);
      }
      return ranges;
    });
    const showOne = (own: readonly Range[], isPartial: boolean) => {
      const now = hits.get();
      if (now.wanted !== wanted) {
        wanted = now.wanted;
        isHeld = true;
      }
      const index = wanted < 0 ? own.length - 1 : Math.min(wanted, own.length - 1);
      const range = own[index];
      hits.set({ ...now, index: Math.max(0, index), shown: own.length, isPartial });
      if (range === undefined) return CSS.highlights.delete(CURRENT);
      const highlight = new Highlight(range);
      highlight.priority = 1;
      CSS.highlights.set(CURRENT, highlight);
      if (!isHeld) return;
      unpin();
      bringToSight(range, element);
    };
    // A step within the row changes nothing that is drawn: the marks are painted again for it.
    const unheard = hits.subscribe(() => hits.get().wanted !== wanted && paint());
    const release = () => {
      isHeld = false;
    };
    for (const hand of HANDS) element.addEventListener(hand, release, { passive: true });
    return () => {
      stop();
      unheard();
      for (const hand of HANDS) element.removeEventListener(hand, release);
      CSS.highlights.delete(CURRENT);
    };
  }, [box, find, event, hits, unpin]);
}

const BLOCK = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, div, section, button";
/** What a row says beside its text. */
const BESIDE = "[data-beside], .sr-only";

/** Occurrences in a row's text, also across the spans that colour it. */
function rangesIn(article: Element, find: string): Range[] {
  const nodes: { node: Node; from: number }[] = [];
  let text = "";
  let block: Element | null = null;
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest(BESIDE) !== null) continue;
    const own = parent.closest(BLOCK);
    if (own !== block && text !== "") text += "\n";
    block = own;
    nodes.push({ node, from: text.length });
    text += node.nodeValue ?? "";
  }
  let at = 0;
  const nodeAt = (offset: number): [Node, number] | null => {
    while (at + 1 < nodes.length && (nodes[at + 1]?.from ?? 0) <= offset) at += 1;
    const found = nodes[at];
    if (found === undefined) return null;
    return [found.node, Math.min(offset - found.from, (found.node.nodeValue ?? "").length)];
  };
  return occurrencesOf(text, find, MOST).flatMap(({ from, to }) => {
    const start = nodeAt(from);
    // The end belongs to the node of its last character.
    const last = nodeAt(to - 1);
    if (start === null || last === null) return [];
    const range = document.createRange();
    range.setStart(...start);
    range.setEnd(last[0], Math.min(last[1] + 1, (last[0].nodeValue ?? "").length));
    return [range];
  });
}

/** Distance that is kept from the edges of a box. */
const MARGIN_PX = 24;

function bringToSight(range: Range, outermost: HTMLElement): void {
  for (let box = range.startContainer.parentElement; box !== null; box = box.parentElement) {
    const style = getComputedStyle(box);
    if (box === outermost || isScrolled(style.overflowY)) scrollDown(box, range.getBoundingClientRect());
    // What is cut at an edge scrolls for a script too.
    if (isScrolled(style.overflowX) || style.overflowX === "hidden") scrollAside(box, range.getBoundingClientRect());
    if (box === outermost) return;
  }
}

const isScrolled = (overflow: string): boolean => overflow === "auto" || overflow === "scroll";

function scrollDown(box: HTMLElement, mark: DOMRect): void {
  if (box.scrollHeight <= box.clientHeight) return;
  const { top, bottom } = box.getBoundingClientRect();
  if (mark.top >= top + MARGIN_PX && mark.bottom <= bottom - MARGIN_PX) return;
  box.scrollTop += mark.top - top - box.clientHeight / 3;
}

function scrollAside(box: HTMLElement, mark: DOMRect): void {
  if (box.scrollWidth <= box.clientWidth) return;
  const { left, right } = box.getBoundingClientRect();
  if (mark.left >= left && mark.right <= right) return;
  box.scrollLeft += mark.left - left - box.clientWidth / 3;
}
