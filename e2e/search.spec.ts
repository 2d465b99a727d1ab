// What a search finds opens where it stands: from the list, from the palette, and step by step inside a session.
import { expect, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const call = (at: number, output: string) => ({
  tool: "Bash",
  input: { command: `cat log-${at}.txt` },
  output,
  prompt: 9000 + at * 100,
});

/** Three anchors, far apart, in one output of 400 lines; one more at the end. */
const LONG_OUTPUT = ["An anchor.", filler(7000), "The kedge anchor drags.", filler(7000), "Anchor aweigh."].join("\n");
const VOYAGE: Sample = {
  id: sampleId(31),
  prompt: "Read the logs of the voyage",
  calls: Array.from({ length: 80 }, (_, at) =>
    call(at, at === 50 ? LONG_OUTPUT : at === 70 ? "weigh the anchor" : filler(300)),
  ),
};
const QUIET: Sample = {
  id: sampleId(32),
  prompt: "A quiet day",
  calls: [{ tool: "Read", input: { file_path: "/home/sailor/tides.csv" }, output: filler(5000), prompt: 9000 }],
};

/** The earlier it began, the better its title fits. */
const TITLED: readonly Sample[] = [
  { id: sampleId(33), prompt: "Lift the capstan", startedAt: "2026-03-01T09:00:00.000Z", calls: [call(1, "done")] },
  { id: sampleId(34), prompt: "Capstans ashore", startedAt: "2026-03-01T10:00:00.000Z", calls: [call(1, "done")] },
  { id: sampleId(35), prompt: "Rig the mast", startedAt: "2026-03-01T11:00:00.000Z", calls: [call(1, "a capstan")] },
];

const test = sampled([VOYAGE, QUIET, ...TITLED]);

const row = (page: Page, seq: number) => page.locator(`article[data-seq="${seq}"]`);
const status = (page: Page) => page.getByRole("search").getByRole("status");

/** The occurrence that is stood on: its words, and whether the eye can see them. */
const current = (page: Page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get("find-current") ?? [];
    if (!(range instanceof Range)) return null;
    const { left, top } = range.getBoundingClientRect();
    const seen = document.elementFromPoint(left + 2, top + 6);
    const line = range.startContainer.parentElement;
    return {
      text: range.toString(),
      isSeen: seen !== null && (line?.contains(seen) || seen.contains(line)) === true,
      top,
    };
  });

test("a session that was found opens at its first hit, opened, marked and in view", async ({ page }) => {
  await page.goto("/?q=kedge");
  const found = page.getByRole("table", { name: "Sessions" }).locator("tbody tr[data-row]");
  await expect(found).toHaveCount(1);
  await expect(found.locator("mark")).toHaveText("kedge");
  // Anywhere in the row.
  await found.locator("td").nth(1).click();
  await expect(page).toHaveURL(/event=\d+&find=kedge/);
  await expect.poll(() => current(page)).toMatchObject({ text: "kedge", isSeen: true });
  await expect(status(page)).toHaveText("1 of 1");
});

test("the palette shows the snippet, and Enter opens its first result at the hit", async ({ page }) => {
  await page.goto("/settings?tab=about");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  // No pause between the shortcut and the words: the palette has not even been fetched.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("kedge");
  await expect(page.getByPlaceholder(/^A word/)).toHaveValue("kedge");
  const first = page.getByRole("option").first();
  await expect(first.locator("mark")).toHaveText("kedge");
  await expect(first.locator("mark")).toBeInViewport();
  await expect(first).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${idOf(VOYAGE)}\\?event=\\d+&find=kedge`));
  await expect.poll(() => current(page)).toMatchObject({ text: "kedge", isSeen: true });
});

test("titles come first in the palette: a whole word, the beginning of one, then what was said", async ({ page }) => {
  await page.goto("/settings?tab=about");
  // The page is alive: what it asks the server for after its scripts ran is here.
  await expect(page.getByText(/^watching /)).toBeVisible();
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("capstan");
  const found = page.getByRole("group", { name: /^Sessions, 3 found/ }).getByRole("option");
  await expect(found).toHaveText([/^Lift the capstan/, /^Capstans ashore/, /^Rig the mast/]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(idOf(TITLED[0]!)));
});

test("Enter before the results have come opens the first of them", async ({ page }) => {
  await page.goto("/");
  // The page is alive: what it asks the server for after its scripts ran is here.
  await expect(page.getByText(/^watching /)).toBeVisible();
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("playgr");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/playground$/);
});

test("artifacts, the session's own pages and actions are in the palette", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}`);
  await expect(row(page, 1)).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("tides");
  await expect(page.getByText("Artifacts, 1 found")).toBeVisible();
  await page.getByRole("dialog").getByRole("combobox").fill("compact");
  await expect(page.getByRole("option", { name: "Compact…" })).toHaveAttribute("aria-selected", "true");
  await page.getByRole("dialog").getByRole("combobox").fill("theme");
  await expect(page.getByRole("option", { name: "Change the theme" })).toBeVisible();
  await page.getByRole("dialog").getByRole("combobox").fill("tools");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tab=tools/);
});

test("find counts occurrences and goes through each, also inside a long output", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}`);
  await expect(row(page, 1)).toBeVisible();
  await pressShortcut(page, "/");
  await page.keyboard.type("anchor");
  await expect(status(page)).toHaveText("4 hits");
  for (const [at, text] of ["anchor", "anchor", "Anchor", "anchor"].entries()) {
    await page.keyboard.press("Enter");
    await expect(status(page)).toHaveText(`${at + 1} of 4`);
    await expect.poll(() => current(page)).toMatchObject({ text, isSeen: true });
  }
  await expect(page).toHaveURL(/event=143\b/);
  // Backwards from the row below: the last of the long output.
  await page.keyboard.press("Shift+Enter");
  await expect(status(page)).toHaveText("3 of 4");
  await expect.poll(() => current(page)).toMatchObject({ text: "Anchor", isSeen: true });
  await page.getByRole("button", { name: "Previous hit" }).click();
  await expect(status(page)).toHaveText("2 of 4");
});

test("words that stand apart are each marked", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}?find=aweigh+kedge`);
  await expect(status(page)).toHaveText("2 hits");
  await page.getByRole("button", { name: "Next hit" }).click();
  await expect.poll(() => current(page)).toMatchObject({ text: "kedge", isSeen: true });
  await page.getByRole("button", { name: "Next hit" }).click();
  await expect.poll(() => current(page)).toMatchObject({ text: "aweigh", isSeen: true });
});
