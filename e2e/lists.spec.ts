// Tables: rows open, heads sort as their arrows say, and figures follow the filters.
import { expect, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const call = (tool: string, bytes: number, at: number) => ({
  tool,
  input: { command: `${tool} ${at}` },
  output: `${filler(bytes)} end of ${tool} ${at}`,
  prompt: 20_000 + at * 2000,
});
const MIXED: Sample = {
  id: sampleId(51),
  prompt: "weigh the anchor",
  cwd: "/home/sailor/reef",
  calls: [call("Bash", 5000, 0), call("Grep", 300, 1), call("Bash", 800, 2), call("Glob", 50, 3), call("Bash", 800, 2)],
};
const NEAR: Sample = {
  id: sampleId(52),
  prompt: "Zebra near the line",
  cwd: "/home/sailor/harbour",
  calls: [{ ...call("Bash", 300, 0), prompt: 165_000 }],
};
const test = sampled([MIXED, NEAR]);

const figures = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr[data-row]");
/** Beside the words, at the far edge of the cell. */
async function clickEdge(page: Page, column: string): Promise<void> {
  const head = page.getByRole("columnheader", { name: column, exact: true });
  const box = await head.boundingBox();
  if (box) await page.mouse.click(box.x + box.width - 3, box.y + 4);
}

test("a message of the context opens whole, and what it says is what the model is sent", async ({ page }) => {
  await page.goto(`/sessions/${idOf(MIXED)}?tab=context&event=6`);
  const rows = figures(page, "Messages of the context");
  await expect(rows.first()).toBeVisible();
  await rows.nth(2).locator("td").first().click();
  const detail = page.getByRole("region", { name: "Message 3" });
  await expect(detail.getByRole("group", { name: "Text of the message" })).toContainText("end of Bash 0");
  await pressShortcut(page, "k");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Message 2" })).toContainText("Bash 0");
  await page.getByRole("button", { name: "Close the message" }).click();
  await expect(page.getByRole("region", { name: /^Message / })).toHaveCount(0);
});

test("tools: the arrow tells the order that the rows are in, and the whole head sorts", async ({ page }) => {
  await page.goto(`/sessions/${idOf(MIXED)}?tab=tools`);
  const rows = figures(page, "Tool interactions");
  const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
  const firstWords = () => rows.locator("[data-opens]").allTextContents();
  await expect(head("Events")).toHaveAttribute("aria-sort", "ascending");
  await clickEdge(page, "Tool");
  await expect(head("Tool")).toHaveAttribute("aria-sort", "ascending");
  const names = (await firstWords()).map((text) => text.slice(0, 4));
  expect(names).toEqual(names.toSorted());
  await clickEdge(page, "Tool");
  await expect(head("Tool")).toHaveAttribute("aria-sort", "descending");
  expect((await firstWords())[0]).toContain("Grep");
  await clickEdge(page, "Size");
  await expect(head("Size")).toHaveAttribute("aria-sort", "descending");
  await expect(rows.first()).toContainText("Bash 0");
  await clickEdge(page, "Size");
  await expect(head("Size")).toHaveAttribute("aria-sort", "ascending");
  await expect(rows.first()).toContainText("Glob 3");
});

test("tools: the figures beside the filters are what they list", async ({ page }) => {
  await page.goto(`/sessions/${idOf(MIXED)}?tab=tools`);
  const chip = (name: string) => page.getByRole("button", { name: new RegExp(`^${name} \\d`) });
  await expect(chip("All")).toHaveText("All5");
  await page.getByRole("complementary", { name: "Totals by tool" }).getByRole("button", { name: /^Bash/ }).click();
  await expect(chip("All")).toHaveText("All3");
  await expect(chip("Repeated")).toHaveText("Repeated2");
  await chip("Repeated").click();
  await expect(figures(page, "Tool interactions")).toHaveCount(2);
  await expect(page.getByRole("complementary", { name: "Totals by tool" }).getByRole("button")).toHaveText([/2 calls/]);
});

test("sessions: counts, facets and the summary follow what is listed", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("button", { name: /^All 2$/ })).toBeVisible();
  await page.goto("/?q=anchor");
  await expect(page.getByRole("button", { name: /^All 1$/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Near the limit 0$/ })).toBeVisible();
  await page.getByRole("button", { name: "Project: any" }).click();
  await expect(page.getByRole("menuitemcheckbox", { name: /sailor/ })).toHaveText([/reef/]);
  await page.goto("/?project=/home/sailor/harbour");
  await expect(page.getByRole("button", { name: /^Near the limit 1$/ })).toBeVisible();
  await expect(page.getByText(/^Of 1 session: 0 refused, 0 compacted automatically, 1 near the limit/)).toBeVisible();
});

test("sessions: titles sort as in a book, by the whole head", async ({ page }) => {
  await page.goto("/");
  const rows = figures(page, "Sessions");
  await expect(rows).toHaveCount(2);
  await clickEdge(page, "Session");
  await expect(page.getByRole("columnheader", { name: "Session", exact: true })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
  await expect(rows.first()).toContainText("weigh the anchor");
});

test("artifacts: the figures beside tools and types are what they would list", async ({ page }) => {
  await page.goto("/artifacts?q=nothing-has-this-name");
  await expect(page.getByText("0 artifacts of these")).toBeVisible();
  await page.goto("/artifacts?q=Bash");
  await expect(figures(page, "Artifacts")).toHaveCount(1);
});

test("sources: files and their sums follow the search", async ({ page }) => {
  await page.goto("/sources");
  await expect(page.getByRole("button", { name: "Files 2" })).toBeVisible();
  await page.goto("/sources?q=reef");
  await expect(page.getByRole("button", { name: "Files 1" })).toBeVisible();
  await expect(page.getByText(/ in 1 file of /)).toBeVisible();
  await expect(page.getByLabel("Found")).toHaveText("1 file");
});
