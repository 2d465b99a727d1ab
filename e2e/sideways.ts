import type { Page } from "@playwright/test";

/** What stands beyond the edges of the window, and boxes that would have to be scrolled sideways. */
export const sideways = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > window.innerWidth) found.push(`the page is ${scrollWidth} px wide`);
    for (const element of document.querySelectorAll("main *, header *")) {
      // Code and outputs keep their lines, in boxes of their own; a row of tabs scrolls.
      if (element.closest("pre, [role=tablist], .block-rule, .monaco-editor, canvas") !== null) continue;
      const isScroller = ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
      if (isScroller && element.scrollWidth > element.clientWidth + 1)
        found.push(`${element.tagName} ${element.className} is ${element.scrollWidth} px wide`);
    }
    return found;
  });
