// A title that runs from right to left: where it is cut, its end is missing, not its beginning. Synthetic.
import { expect } from "@playwright/test";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { sampled } from "./sampled.ts";

const ARABIC: Sample = {
  id: sampleId(95),
  prompt: "أصلح الخطأ في الملف ثم شغّل الاختبارات كلها واكتب ما وجدته في سجل الميناء قبل أن يأتي المد",
  calls: [{ tool: "Read", input: { file_path: "/home/sailor/tide.txt" }, output: filler(6000), prompt: 9000 }],
};
const test = sampled([ARABIC]);

test("the list shows the beginning of a title that is cut", async ({ page }) => {
  await page.setViewportSize({ width: 1100, height: 700 });
  await page.goto("/");
  const title = page.getByRole("table", { name: "Sessions" }).getByRole("link", { name: /^أصلح/ });
  await expect(title).toBeVisible();
  const shown = await title.evaluate((link) => {
    const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode()!;
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 4);
    const [word, box] = [range.getBoundingClientRect(), link.getBoundingClientRect()];
    const { scrollWidth, clientWidth } = link.firstElementChild!;
    return { isCut: scrollWidth > clientWidth, isIn: word.left >= box.left && word.right <= box.right + 1 };
  });
  expect(shown).toEqual({ isCut: true, isIn: true });
});
