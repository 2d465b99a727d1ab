// A page on paper: light whatever the theme, nothing of the frame around it, and what scrolls on a screen is written out.
import { expect, type Page } from "@playwright/test";
import { shortcutHolds } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const VOYAGE: Sample = {
  id: sampleId(95),
  prompt: "Find why the hold is full",
  calls: Array.from({ length: 120 }, (_, at) => ({
    tool: "Read",
    // The first is read twice and carried on: a finding.
    input: { file_path: `/home/sailor/hold/crate-${Math.max(1, at)}.txt` },
    output: at < 2 ? filler(24_000) : filler(2000, `crate-${at}`),
    prompt: 12_000 + Math.min(at, 2) * 7000 + at * 600,
  })),
};
const test = sampled([VOYAGE]);
const session = `/sessions/${idOf(VOYAGE)}`;

async function print(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ media: "screen", colorScheme: "dark" });
  await page.goto(path);
  await shortcutHolds(page, "mod+k");
  await expect(page.locator("main").getByRole("table").or(page.getByRole("feed")).first()).toBeVisible();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
}

/** What is higher than its box, where the box shows a part alone. */
const clipped = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("html, body, main, main *")]
      .filter((box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowY))
      .filter((box) => box.scrollHeight > box.clientHeight + 1 && box.clientHeight > 0)
      .map((box) => box.outerHTML.slice(0, 120)),
  );

for (const path of [session, `${session}?tab=load`, `${session}?tab=tools`, "/usage?range=all", "/findings"])
  test(`${path.replace(session, "a session")} is printed whole, light and without the frame`, async ({ page }) => {
    await print(page, path);
    await expect(page.getByRole("navigation")).toHaveCount(0);
    await expect(page.locator("body > header, body > footer").filter({ visible: true })).toHaveCount(0);
    // What is chosen with a hand cannot be on paper.
    await expect(
      page
        .locator("main :is(fieldset:has(> [aria-pressed]):not([data-printed]), input[type=date])")
        .filter({ visible: true }),
    ).toHaveCount(0);
    await expect(
      page
        .locator("main")
        .getByRole("button", { name: /^(Star|Label|Export|Restore|Compact|Copy|Done$|Mute$|Show all|CSV|JSON)/ })
        .or(page.locator("main a[download]"))
        .or(page.locator("main").getByRole("link", { name: /^(Compact|Compare)…/ }))
        .filter({ visible: true }),
    ).toHaveCount(0);
    expect(await clipped(page)).toEqual([]);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(252, 252, 251)");
  });

test("a long list says how much of it is printed, and where all of it is", async ({ page }) => {
  await print(page, session);
  await expect(page.getByRole("feed")).toContainText(/Printed: \d+ of 1\d\d rows\. Export… has all\./u);
  await expect(page.getByText("Outline", { exact: true }).filter({ visible: true })).toHaveCount(0);
});
