// Figures that are whole: dates and labels are not cut or written over each other, and one figure is the same on every tab.
import { expect } from "@playwright/test";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const call = (at: number, prompt: number) => ({
  tool: "Bash",
  input: { command: `sound --depth ${at}` },
  output: filler(5000),
  prompt,
});
/** Its last prompt is just under the line. */
const FULL: Sample = {
  id: sampleId(71),
  prompt: "Fill the hold",
  calls: [call(0, 20_000), call(1, 199_800)],
  startedAt: "2026-02-11T22:44:00.000Z",
};
const OLD: Sample = {
  id: sampleId(72),
  prompt: "Weigh the anchor",
  calls: [call(0, 20_000)],
  startedAt: "2023-10-20T22:44:00.000Z",
};
const test = sampled([FULL, OLD]);

test("a prompt just under the line reads the same on every tab", async ({ page }) => {
  await page.goto(`/sessions/${idOf(FULL)}?event=4`);
  await expect(page.getByRole("region", { name: "Load by model call" })).toContainText("99.9\u2009% of the line");
});

test("one session is one in words", async ({ page }) => {
  await page.goto("/?q=anchor");
  await expect(page.getByText("The session stayed under 80 % of the load line.")).toBeVisible();
});

test("a date of another year has its column's room", async ({ page }) => {
  await page.clock.setFixedTime(Date.UTC(2030, 1, 1));
  await page.goto("/artifacts");
  const dates = page.getByRole("table", { name: "Artifacts" }).locator("tbody time");
  await expect(dates.first()).toHaveText(/ 20\d\d, \d\d:\d\d$/);
  const cut = await dates.evaluateAll((all) =>
    all.map((time) => {
      let box: Element | null = time;
      while (box !== null && getComputedStyle(box).overflowX === "visible") box = box.parentElement;
      return box === null || box.scrollWidth > box.clientWidth;
    }),
  );
  expect(cut).toEqual([false, false, false]);
});

test("months stand beside each other", async ({ page }) => {
  await page.goto("/usage?range=all&period=monthly");
  const labels = page
    .getByRole("region", { name: "Chart" })
    .locator("svg text")
    .filter({ hasText: /^[A-Z][a-z]{2} 20/ });
  await expect(labels.first()).toHaveText("Oct 2023");
  const boxes = await labels.evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]),
  );
  expect(boxes.length).toBeGreaterThan(5);
  for (const [at, [left]] of boxes.entries()) expect(left).toBeGreaterThan(at === 0 ? 0 : boxes[at - 1]![1]! + 4);
});
