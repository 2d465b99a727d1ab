// The first minute with Plimsoll: the hints of the first session, and the guide.
import { expect, type Locator } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const [FIRST, SECOND] = [1, 2].map((at): Sample => ({
  id: sampleId(60 + at),
  prompt: `Coil the ropes, part ${at}`,
  calls: Array.from({ length: 4 }, (_, call) => ({
    tool: "Bash",
    input: { command: `step ${call}` },
    output: "done",
    prompt: 9000 + 400 * call,
  })),
})) as [Sample, Sample];
const test = sampled([FIRST, SECOND]);

test.beforeEach(async ({ context }) => {
  await context.clearCookies({ name: "hints" });
});

/** The hints stand in the page as it is sent. A click that comes before it is alive is lost. */
const pressed = (button: Locator): Promise<void> =>
  expect(async () => {
    if ((await button.count()) > 0) await button.click({ timeout: 1500 });
    await expect(button).toHaveCount(0, { timeout: 1500 });
  }).toPass({ timeout: 20_000 });

test("the first session shows three hints, which are dismissed one by one and stay away", async ({ page }) => {
  const hints = page.getByRole("complementary", { name: "First hints" });
  await page.goto(`/sessions/${idOf(FIRST)}`);
  await expect(hints.getByRole("listitem")).toHaveCount(3);
  await expect(hints).toContainText("Load line");
  await page.reload();
  await expect(hints.getByRole("listitem")).toHaveCount(3);
  expect(await axeFindings(page)).toEqual([]);

  const first = hints.getByRole("button", { name: "Dismiss the hint: Load line" });
  await first.focus();
  await page.keyboard.press("Enter");
  await expect(hints.getByRole("listitem")).toHaveCount(2);
  await expect(hints.getByRole("button", { name: "Dismiss the hint: Colours" })).toBeFocused();
  await page.reload();
  await expect(hints.getByRole("listitem")).toHaveCount(2);
  await pressed(hints.getByRole("button", { name: "Dismiss the hint: Colours" }));
  await expect(hints.getByRole("button", { name: "Dismiss the hint: Numbers" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(hints).toHaveCount(0);
  await expect(page.getByRole("tab", { name: "Transcript" })).toBeFocused();
  await page.reload();
  await expect(page.locator("article").first()).toBeVisible();
  await expect(hints).toHaveCount(0);
});

test("another session shows no hints, and all of them go at once on Load", async ({ page, context }) => {
  const hints = page.getByRole("complementary", { name: "First hints" });
  await page.goto(`/sessions/${idOf(FIRST)}?tab=load`);
  await expect(hints.getByRole("listitem")).toHaveCount(3);
  // The page notes that it was the first when it is alive.
  await expect.poll(async () => (await context.cookies()).map(({ name }) => name)).toContain("hints");
  await page.goto(`/sessions/${idOf(SECOND)}`);
  await expect(page.locator("article").first()).toBeVisible();
  await expect(hints).toHaveCount(0);
  await page.goto(`/sessions/${idOf(FIRST)}?tab=load`);
  await pressed(hints.getByRole("button", { name: "Dismiss all" }));
  await expect(hints).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("tab", { name: "Load" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /^Call / })).toBeVisible();
  await expect(hints).toHaveCount(0);
});

test("the guide has the shortcuts, the words and the marks, by key and by button", async ({ page }) => {
  await page.goto("/");
  await pressShortcut(page, "?");
  const guide = page.getByRole("dialog", { name: "Guide" });
  await expect(guide).toContainText("Search everything");
  await guide.getByRole("button", { name: "Words" }).click();
  await expect(guide.getByRole("definition").filter({ hasText: "tokens of an item times" })).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await guide.getByRole("button", { name: "Marks and colours" }).click();
  await expect(guide.getByRole("term").filter({ hasText: "~1,234" })).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(guide).toHaveCount(0);
  await page.getByRole("button", { name: "Guide" }).click();
  await expect(guide).toBeVisible();
});
