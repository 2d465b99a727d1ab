// Words that run from right to left: where they are cut, their end is missing, not their beginning; blocks of them begin at the right,
// and code between them stays as it is. Synthetic.
import { expect, type Locator } from "@playwright/test";
import { shortcutHolds } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const ARABIC: Sample = {
  id: sampleId(95),
  prompt:
    "أصلح الخطأ في الملف ثم شغّل الاختبارات كلها واكتب ما وجدته في سجل الميناء قبل أن يأتي المد\n\nثم اقرأ `f(x)` في السجل.\n\n- أولا\n\n> اقتباس\n\n```\nlet a;\n```",
  calls: [
    {
      tool: "Read",
      input: { file_path: "/home/sailor/tide.txt" },
      output: `مرحبا\nlet b = { c };\n${filler(6000)}`,
      prompt: 9000,
    },
  ],
};
const test = sampled([ARABIC]);

test("the list shows the beginning of a title that is cut", async ({ page }) => {
  await page.setViewportSize({ width: 1100, height: 700 });
  await page.goto("/");
  const title = page.getByRole("table", { name: "Sessions" }).getByRole("link", { name: /^أصلح/ });
  await expect(title).toBeVisible();
  expect(await startOf(title)).toEqual({ isCut: true, isIn: true });
});

test("so do the title of its page, its outline and the palette", async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.goto(`/sessions/${idOf(ARABIC)}`);
  expect(await startOf(page.locator("h1 > span").last())).toEqual({ isCut: true, isIn: true });
  const entry = page.getByLabel("Outline").getByRole("button", { name: /أصلح/ });
  await expect(entry).toBeVisible();
  expect(await startOf(entry.locator(".truncate"))).toEqual({ isCut: true, isIn: true });
  await shortcutHolds(page, "mod+k");
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("A word from a session, a page, an action").fill("الاختبارات");
  const found = page.getByRole("option", { name: /الاختبارات/ }).first();
  await expect(found).toBeVisible();
  expect(await startOf(found.locator(".truncate").first())).toEqual({ isCut: true, isIn: true });
});

test("a message begins at the right, its list and its quotation too, and its code at the left", async ({ page }) => {
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(`/sessions/${idOf(ARABIC)}`);
  const message = page.locator(".markdown").first();
  await expect(message.locator("li")).toBeVisible();
  for (const block of ["p >> nth=0", "ul", "blockquote"])
    await expect(message.locator(block), block).toHaveCSS("direction", "rtl");
  await expect(message.locator("blockquote")).toHaveCSS("border-right-width", "2px");
  for (const code of ["p code", "pre"]) await expect(message.locator(code), code).toHaveCSS("direction", "ltr");
  // Each line of an output runs as its own words do.
  await expect(page.locator(".output bdi").first()).toHaveCSS("unicode-bidi", "plaintext");
});

test("a result of a search is one text, whatever is marked in it", async ({ page }) => {
  await page.goto(`/search?${new URLSearchParams({ q: "الملف" })}`);
  const hit = page.locator("a[data-hit]").first();
  await expect(hit.locator("mark")).toBeVisible();
  await expect(hit.locator("bdi:has(mark)")).toHaveCount(1);
  await expect(hit.locator("bdi:has(mark)")).toHaveCSS("direction", "rtl");
  const before = await hit.evaluate((link) => {
    const mark = link.querySelector("mark")!;
    const range = document.createRange();
    range.selectNodeContents(mark.previousSibling!);
    return range.getClientRects()[0]!.right - mark.getBoundingClientRect().right;
  });
  // What comes before the mark is at its right.
  expect(before).toBeGreaterThan(0);
});

/** Whether it is cut, and whether its first word can be seen. */
const startOf = (box: Locator): Promise<{ isCut: boolean; isIn: boolean }> =>
  box.evaluate((outer) => {
    const text = document.createTreeWalker(outer, NodeFilter.SHOW_TEXT).nextNode()!;
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 4);
    const [word, seen] = [range.getBoundingClientRect(), outer.getBoundingClientRect()];
    const { scrollWidth, clientWidth } = outer.querySelector("bdi")!;
    return { isCut: scrollWidth > clientWidth, isIn: word.left >= seen.left && word.right <= seen.right + 1 };
  });
