// The search page: one query over everything, completed, counted, and opened where it was found.
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const WALL: Sample = {
  id: sampleId(91),
  prompt: "Which stones of the wall keep loosening?",
  cwd: "/home/sailor/harbour",
  calls: [
    {
      tool: "Read",
      input: { file_path: "/home/sailor/harbour/src/wallSurveyReport.ts" },
      output: "export const stones = 17;",
      prompt: 9000,
    },
    {
      tool: "Bash",
      input: { command: "survey --all" },
      output: `${filler(9000)}\nthe northern bollard leans\n${filler(2000)}`,
      prompt: 9500,
    },
  ],
};
const TIDE: Sample = {
  id: sampleId(92),
  prompt: "List the tides",
  cwd: "/home/sailor/lighthouse",
  calls: [{ tool: "Bash", input: { command: "tides" }, output: "high at six, stones are dry", prompt: 9000 }],
};

const GULLS: Sample = {
  id: sampleId(93),
  prompt: "Count what flies",
  calls: Array.from({ length: 40 }, (_, at) => ({
    tool: "Bash",
    input: { command: "look" },
    output: `gull ${at}`,
    prompt: 9000 + at,
  })),
};

const test = sampled([WALL, TIDE, GULLS]);

const field = (page: Page) => page.getByRole("combobox", { name: "Search everything" });
const results = (page: Page) => page.getByRole("region", { name: "Results" }).getByRole("listitem");

/** The index is filled in the background, after tokens are counted. */
async function openSearch(page: Page, q = ""): Promise<void> {
  await page.goto(`/search${q === "" ? "" : `?${new URLSearchParams({ q })}`}`);
  await expect(
    page.getByText("sessions indexed, sub-agents included.").or(page.getByText(/match(?:es)? in \d+ sessions?\.$/)),
  ).toBeVisible({
    timeout: 30_000,
  });
}

test("a long title leaves the agent and the project of a result on the screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSearch(page, "type:user loosening");
  const told = results(page).getByText(/^ · Claude Code · sailor\/harbour$/);
  await expect(told).toBeInViewport({ ratio: 1 });
  expect(await told.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  await expect(results(page).getByText(WALL.prompt).last()).toBeVisible();
});

test("words are found by their stem, and a result opens at its event with the words marked", async ({ page }) => {
  await openSearch(page);
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("loosen stone");
  await expect(results(page)).toHaveCount(1);
  await expect(results(page).locator("mark")).toHaveText(["stones", "loosening"]);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await expect(results(page).getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${idOf(WALL)}\\?event=1&find=stones\\+loosening`));
});

test("fields are completed, facets count and filter, and the address keeps it all", async ({ page }) => {
  await openSearch(page, "stone");
  await expect(results(page)).toHaveCount(3);
  const filters = page.getByRole("complementary", { name: "Filters" });
  await filters.getByRole("button", { name: "harbour 2" }).click();
  await expect(results(page)).toHaveCount(2);
  await expect(field(page)).toHaveValue("stone project:/home/sailor/harbour");
  await filters.getByRole("button", { name: "harbour 2" }).click();
  await expect(results(page)).toHaveCount(3);
  await field(page).fill("stone to");
  await expect(page.getByRole("option")).toHaveText([/^tool:/, /^tokens:/]);
  await page.keyboard.press("Tab");
  await expect(field(page)).toHaveValue("stone tool:");
  await page.keyboard.type("r");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue("stone tool:Read ");
  await expect(results(page)).toHaveCount(1);
  await expect(page).toHaveURL(/q=stone\+?(%20)?tool:Read/);
});

test("a hit in a stored output opens the artifact at its line", async ({ page }) => {
  await openSearch(page, '"northern bollard"');
  await expect(results(page)).toHaveCount(1);
  await expect(results(page)).toContainText(/line \d+/);
  await field(page).blur();
  await pressShortcut(page, "j");
  await expect(results(page).getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/artifacts\/.*line=\d+/);
  await expect(page.getByText("the northern bollard leans")).toBeVisible();
});

test("more results are there again after Back and a reload, until something else is searched", async ({ page }) => {
  await openSearch(page, "gull");
  await expect(results(page)).toHaveCount(20);
  await page.getByRole("button", { name: "Show more results" }).press("Enter");
  await expect(results(page)).toHaveCount(40);
  await expect(results(page).nth(19).getByRole("link")).toBeFocused();
  const last = results(page).last();
  await last.getByRole("link").scrollIntoViewIfNeeded();
  await last.getByRole("link").click();
  await expect(page).toHaveURL(/\/sessions\//);
  await page.goBack();
  await expect(results(page)).toHaveCount(40);
  await expect(last).toBeInViewport();
  await page.reload();
  await expect(results(page)).toHaveCount(40);
  await expect(last).toBeInViewport();
  await field(page).fill("look");
  await expect(results(page).first()).toContainText("look");
  await expect(results(page)).toHaveCount(20);
});

test("a wrong query says what to write, and the palette leads here", async ({ page }) => {
  await page.goto("/search?q=tokens:many");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Write tokens:>5k");
  await page.goto("/settings?tab=about");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("bollard");
  await page.getByRole("option", { name: /All results for bollard/ }).click();
  await expect(page).toHaveURL(/\/search\?q=bollard/);
  await expect(results(page)).toHaveCount(1);
});

test("the page is readable in both themes, and at 390 px nothing scrolls sideways", async ({ page }) => {
  await openSearch(page);
  expect(await axeFindings(page)).toEqual([]);
  await openSearch(page, "stone");
  await expect(results(page)).toHaveCount(3);
  expect(await axeFindings(page)).toEqual([]);
  await field(page).fill("to");
  await expect(page.getByRole("option").first()).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await field(page).fill("stone");
  await page.getByText("Filters", { exact: true }).click();
  await expect(page.getByRole("button", { name: "harbour 2" })).toBeVisible();
});
