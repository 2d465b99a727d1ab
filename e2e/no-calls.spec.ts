// What a session without a model call says on Load, and what the inspector's head has room for on a phone. Synthetic.
import { expect } from "@playwright/test";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const SILENT: Sample = { id: sampleId(71), prompt: "Is anybody aboard?", calls: [] };
const TALKS: Sample = {
  id: sampleId(72),
  prompt: "Read the log of the harbour",
  calls: [{ tool: "Read", input: { file_path: "/home/sailor/harbour.log" }, output: filler(900), prompt: 9000 }],
};
const test = sampled([SILENT, TALKS]);

test("Load without a model call says what the session has, and opens it", async ({ page }) => {
  await page.goto(`/sessions/${idOf(SILENT)}?tab=load`);
  const panel = page.getByTestId("no-calls");
  await expect(panel.getByRole("heading")).toHaveText("No model calls recorded");
  await expect(panel).toContainText("This session has 1 turn, 1 event and 0 tool calls.");
  await expect(panel.getByRole("button", { name: "Show tool outputs" })).toHaveCount(0);
  await panel.getByRole("button", { name: "Open the transcript" }).click();
  await expect(page.getByText("Is anybody aboard?").last()).toBeVisible();
  await expect(page.getByText("No model call is recorded, so there is no load chart.")).toBeVisible();
});

test("a session that is not found has a title", async ({ page }) => {
  await page.goto("/sessions/s_nope");
  await expect(page).toHaveTitle("Not found · Plimsoll");
  await expect(page.getByText('No session "s_nope" in this archive.')).toBeVisible();
});

for (const width of [1920, 1440, 1280, 1024])
  test(`the button that closes the inspector is beside its title, at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/sessions/${idOf(TALKS)}?event=3&inspect=rendered`);
    const title = (await page.getByRole("heading", { name: /^Event \d+/u }).boundingBox())!;
    const close = (await page.getByRole("button", { name: "Close inspector" }).boundingBox())!;
    expect(Math.abs(close.y + close.height / 2 - title.y - title.height / 2)).toBeLessThan(8);
    expect(close.x).toBeGreaterThan(title.x + title.width);
    expect(title.width).toBeGreaterThan(90);
  });

test("the inspector's head has its title and its controls beside each other on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/sessions/${idOf(TALKS)}?event=3&inspect=rendered`);
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("heading", { name: /^Event \d+.*result 3/u })).toBeVisible();
  const title = (await sheet.getByRole("heading", { name: /^Event/u }).boundingBox())!;
  for (const control of await sheet
    .getByRole("heading", { name: /^Event/u })
    .locator("xpath=..")
    .locator("button, a")
    .all()) {
    const box = (await control.boundingBox())!;
    const isBeside = box.x >= title.x + title.width || box.y >= title.y + title.height;
    expect(isBeside, (await control.getAttribute("aria-label")) ?? (await control.textContent()) ?? "").toBe(true);
  }
});
