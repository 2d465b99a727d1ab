// Scrolls a piece of text into sight through every box that it stands in: an output of 70 % of the screen with lines of
// 2,000 characters scrolls both ways inside the feed.

/** Distance that is kept from the edges of a box. */
const MARGIN_PX = 24;

export function bringToSight(range: Range, outermost: HTMLElement): void {
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
