// A phone of 390 px, and a laptop at 200 %: every page, tab, title and figure is there, and nothing scrolls sideways.
import { expect, type Page } from "@playwright/test";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";
import { sideways } from "./sideways.ts";

const WIDE: Sample = {
  id: sampleId(61),
  prompt: "Survey the whole of the northern harbour wall, stone by stone, and say which of them the tide has loosened",
  cwd: "/home/sailor/harbour-with-a-long-name",
  calls: Array.from({ length: 12 }, (_, at) => ({
    tool: "Bash",
    input: { command: `survey --wall north --stone ${at} --with a-rather-long-argument-that-has-no-space` },
    output: filler(3000 + at * 400),
    prompt: 40_000 + at * 10_000,
  })),
};
const test = sampled([WIDE]);
const SIZES = [
  { name: "390 px", viewport: { width: 390, height: 844 } },
  { name: "200 %", viewport: { width: 720, height: 450 } },
];
const session = (tab: string) => `/sessions/${idOf(WIDE)}${tab === "transcript" ? "" : `?tab=${tab}`}`;
const TABS = ["transcript", "load", "tools", "memory", "context", "artifacts"];

/** Token counts that a box cuts off at its right edge. */
const cutCounts = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main [data-origin]")].flatMap((count) => {
      const { right, width } = count.getBoundingClientRect();
      if (width <= 1) return [];
      for (let box = count.parentElement; box !== null; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible" && box.getBoundingClientRect().right < right - 1)
          return [`${count.textContent} in ${box.className}`];
      return [];
    }),
  );

/** Pages, and the tabs of Settings. */
const PATHS = [
  "/",
  "/search?q=stone",
  "/usage?range=all",
  "/findings",
  "/artifacts",
  "/playground",
  "/sources",
  ...["", "models", "calibration", "summarizer", "retention", "tokens", "limits"].map((tab) => `/settings?tab=${tab}`),
];

/** The pages of the bar, at any width. */
const BAR = ["Sessions", "Search", "Usage", "Findings", "Artifacts", "Playground", "Sources", "Settings"];

/** The lines of a title that are not on screen, in px. */
const hiddenPx = (page: Page) => page.locator("h1").evaluate((title) => title.scrollHeight - title.clientHeight);

for (const width of [768, 960, 1024, 1100, 1200])
  test(`the parts of the bar stand beside each other at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 768 });
    await page.goto("/");
    if (width >= 1024) await expect(page.getByText(/^watching /)).toBeVisible();
    const parts = await page
      .getByRole("banner")
      .locator("a:visible, button:visible")
      .evaluateAll((found) => found.map((part) => part.getBoundingClientRect().toJSON() as DOMRect));
    expect(parts.length).toBeGreaterThan(BAR.length + (width >= 1024 ? 3 : 2));
    for (const [at, { left }] of parts.entries())
      if (at > 0) expect(left, `part ${at}`).toBeGreaterThanOrEqual(parts[at - 1]!.right);
    expect(parts.at(-1)!.right).toBeLessThanOrEqual(width);
  });

for (const width of [1280, 1024])
  test(`what names a row has its room at ${width} px, and no table is cut`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    for (const [path, name] of [
      ["/sources", "File"],
      ["/usage?range=all&period=sessions", "Session"],
    ] as const) {
      await page.goto(path);
      await expect(page.locator("tbody tr[data-row]").first()).toBeVisible();
      const head = page.getByRole("columnheader", { name, exact: true });
      await expect.poll(async () => (await head.boundingBox())?.width, path).toBeGreaterThan(150);
    }
    for (const path of ["/sources", "/settings?tab=", ...(width === 1280 ? ["/settings?tab=models"] : [])]) {
      await page.goto(path);
      await expect(page.locator("tbody tr").first()).toBeVisible();
      await expect.poll(() => sideways(page), path).toEqual([]);
    }
  });

for (const { name, viewport } of SIZES) {
  test.describe(name, () => {
    test.use({ viewport });

    test("every page is in the bar, and none scrolls sideways", async ({ page }) => {
      for (const path of [...PATHS, `/sessions/${idOf(WIDE)}/compact`]) {
        await page.goto(path);
        await expect(page.locator("h1")).toBeVisible();
        await page.waitForLoadState("networkidle");
        const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
        await expect(links).toHaveText(BAR);
        for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 });
        // A table takes its width a frame after its first paint.
        await expect.poll(() => sideways(page), path).toEqual([]);
        expect(await cutCounts(page), path).toEqual([]);
      }
    });

    test("a session has all its tabs and its title", async ({ page }) => {
      for (const tab of TABS) {
        await page.goto(session(tab));
        await expect(page.getByRole("tab", { selected: true })).toBeVisible();
        await page.waitForLoadState("networkidle");
        const title = page.locator("h1");
        await expect(title).toContainText("Survey the whole of the northern harbour wall");
        expect((await title.boundingBox())?.width, tab).toBeGreaterThan(250);
        await expect(title).toBeInViewport();
        // On a phone the row of tabs scrolls; the shown one is in view at first.
        const shown = page.getByRole("tab", { selected: true });
        for (const one of [shown, ...(await page.getByRole("tab").all())]) {
          if (one !== shown) await one.scrollIntoViewIfNeeded();
          const box = await one.boundingBox();
          expect(box && box.x >= 0 && box.x + box.width <= viewport.width, `${tab}: ${await one.textContent()}`).toBe(
            true,
          );
        }
        expect(await sideways(page), tab).toEqual([]);
        expect(await cutCounts(page), tab).toEqual([]);
      }
    });

    test("the tabs stand above the chart, and a list below it keeps room to be read", async ({ page }) => {
      for (const tab of ["load", "transcript"]) {
        await page.goto(session(tab));
        const tabs = await page.getByRole("tablist", { name: "Views of this session" }).boundingBox();
        const chart = await page.getByRole("region", { name: "Load by model call" }).boundingBox();
        expect(tabs!.y + tabs!.height, tab).toBeLessThanOrEqual(chart!.y + 1);
        expect(tabs!.y, tab).toBeLessThan(viewport.height / 2);
      }
      const list = await page.getByRole("feed").boundingBox();
      expect(list!.height).toBeGreaterThan(150);
    });

    test("the sums of a compaction stand below their columns", async ({ page }) => {
      await page.goto(`/sessions/${idOf(WIDE)}/compact?tail=0`);
      const sums = page.getByRole("row", { name: /All of the context/ });
      await expect(sums).toBeVisible();
      for (const [name, at] of [
        ["Before", 0],
        ["After", 1],
      ] as const) {
        const head = (await page.getByRole("columnheader", { name, exact: true }).boundingBox())!;
        const sum = (await sums.locator("td.font-semibold").nth(at).boundingBox())!;
        expect(sum.x + sum.width, name).toBeCloseTo(head.x + head.width, 0);
      }
    });

    test("a title that is cut can be read whole", async ({ page }) => {
      await page.goto(session("load"));
      await expect(page.getByRole("tab", { selected: true })).toBeVisible();
      await page.waitForLoadState("networkidle");
      const more = page.getByRole("button", { name: "Show full title" });
      await expect(more).toHaveCount((await hiddenPx(page)) > 1 ? 1 : 0);
      if (viewport.width === 390) await more.click();
      expect(await hiddenPx(page)).toBeLessThanOrEqual(1);
      await expect(page.locator("h1")).toContainText("the tide has loosened");
    });

    test("a row of the list has its sparkline, and its title two lines", async ({ page }) => {
      await page.goto("/");
      const row = page.getByRole("table", { name: "Sessions" }).locator("tbody tr[data-row]");
      await expect(row).toHaveCount(1);
      await expect(row.getByText("Load over time, at most")).toHaveCount(1);
      const line = row.locator("svg path[stroke='var(--load-line)']").last();
      const title = row.getByRole("link", { name: /^Survey the whole/ });
      // Once the session's tokens are counted its row is drawn anew: a box that is read in between is none.
      await expect(async () => {
        const box = await line.boundingBox();
        expect(box?.width).toBeGreaterThan(60);
        expect(box!.x + box!.width).toBeLessThanOrEqual(viewport.width);
        expect((await title.boundingBox())?.height).toBeGreaterThan(30);
      }).toPass({ timeout: 15_000 });
    });

    test("the figures of a row that have no column stand below it", async ({ page }) => {
      await page.goto("/");
      const table = page.getByRole("table", { name: "Sessions" });
      await expect(table.locator("tbody tr[data-row]")).toHaveCount(1);
      for (const figure of ["Turns", "Calls", "Cost", "Artifacts"]) await expect(table).toContainText(figure);
      await page.goto(session("tools"));
      const tools = page.getByRole("table", { name: "Tool interactions" });
      await expect(tools.locator("tbody tr[data-row]").first()).toBeVisible();
      for (const figure of ["Took", "Tokens", "Size", "Lifetime"]) await expect(tools).toContainText(figure);
    });
  });
}
