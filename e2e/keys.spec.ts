// Shortcuts: where they hold, and how their keys are named.
import { expect } from "@playwright/test";
import { pressShortcut, shortcutHolds } from "./press-shortcut.ts";
import { sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const SAMPLE: Sample = {
  id: sampleId(41),
  prompt: "Splice the mainbrace",
  calls: Array.from({ length: 6 }, (_, at) => ({
    tool: "Bash",
    input: { command: `step ${at}` },
    output: "done",
    prompt: 9000 + at,
  })),
};
const test = sampled([SAMPLE]);
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";

test("no shortcut of the page does anything while a dialog is open", async ({ page }) => {
  const path = `/sessions/${idOf(SAMPLE)}`;
  await page.goto(path);
  await expect(page.locator("article").first()).toBeVisible();
  await pressShortcut(page, "?");
  await expect(page.getByRole("dialog", { name: "Guide" })).toBeVisible();
  const before = page.url();
  for (const key of ["j", "J", "]", "/", "g", "a", "n"]) await page.keyboard.press(key);
  await page.waitForTimeout(300);
  expect(page.url()).toBe(before);
  await expect(page.getByRole("dialog", { name: "Guide" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await pressShortcut(page, "j");
  await expect(page).toHaveURL(/event=1\b/);
});

test("a program that is saved is named at once", async ({ page }) => {
  await page.goto("/playground");
  await page.getByRole("button", { name: "Save program" }).click();
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.type("my program");
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("my program");
});

test("keys are named as they stand on the reader's keyboard, from the first paint", async ({ browser, server }) => {
  for (const [userAgent, name, wrong] of [
    [MAC, "⌘K", "Control+k"],
    [undefined, "Ctrl+K", "Meta+k"],
  ] as const) {
    const context = await browser.newContext({
      ...(userAgent === undefined ? {} : { userAgent }),
      baseURL: server.url,
    });
    await server.signIn(context);
    const html = await (await context.request.get("/")).text();
    if (userAgent === undefined) expect(html).not.toContain("⌘K");
    const page = await context.newPage();
    await page.goto("/");
    await expect(page.getByRole("button", { name: "Search everything" }).locator("kbd")).toHaveText(name);
    await shortcutHolds(page, "mod+k");
    await page.keyboard.press(wrong);
    await page.waitForTimeout(200);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press(userAgent === undefined ? "Control+k" : "Meta+k");
    await expect(page.getByRole("dialog", { name: "Search everything" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await pressShortcut(page, "?");
    await expect(page.getByRole("dialog").locator("kbd").filter({ hasText: name })).toBeVisible();
    await context.close();
  }
});
