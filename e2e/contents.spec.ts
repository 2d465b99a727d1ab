// The list of artifacts: what each weighed in its session, a selection of them, and a search through their contents.
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

const LOG = `${"calm sea\n".repeat(700)}a storm at last\n${"calm sea\n".repeat(40)}`;

// A server of its own: what it counts is all that the archive holds.
test.use({ wishes: {} });

test.beforeEach(async ({ server, page }) => {
  const call = (tool: string, input: Record<string, unknown>, output: string, prompt: number) => ({
    ...{ tool, input, output, prompt },
  });
  writeSample(join(server.dir, "sources"), {
    id: sampleId(1),
    prompt: "Measure the hull",
    calls: [
      call("Read", { file_path: "/home/sailor/hull.txt" }, filler(60_000, "keel"), 9000),
      call("Read", { file_path: "/home/sailor/storm.log" }, LOG, 26_000),
      call("Read", { file_path: "/home/sailor/storms.log" }, `${"a storm each day\n".repeat(400)}`, 28_000),
      call("Bash", { command: "true" }, "small enough to stay", 30_000),
    ],
  });
  await page.goto("/artifacts");
  await expect(page.getByRole("table", { name: "Artifacts" }).getByRole("row")).toHaveCount(4);
});

test("each artifact has its tokens, its calls and its cost, and is sorted by them", async ({ page }) => {
  test.slow();
  const rows = page.getByRole("table", { name: "Artifacts" }).getByRole("row");
  // Rows stand at once; the numbers come when the session is counted.
  await expect(rows.filter({ hasText: "hull.txt" })).toContainText("$", { timeout: 60_000 });
  await page.getByRole("button", { name: "Cost" }).click();
  await expect(page).toHaveURL(/sort=cost/);
  await expect(rows.nth(1)).toContainText("hull.txt");
  const figures = async (name: string) => {
    const cells = await rows.filter({ hasText: name }).getByRole("cell").allTextContents();
    return cells.map((text) => text.trim());
  };
  expect((await figures("hull.txt")).some((text) => /^[~]?[\d,]{5,7}/u.test(text))).toBe(true);
  // Its page says the same.
  const session = await page.request.get("/api/artifacts?sort=cost&limit=1");
  const { artifacts } = (await session.json()) as {
    artifacts: { pointer: string; load: { calls: number; tokens: number } }[];
  };
  const one = (await (
    await page.request.get(`/api/artifacts/${encodeURIComponent(artifacts[0]!.pointer)}`)
  ).json()) as {
    tokens: number;
    callsResident: number;
  };
  expect([one.tokens, one.callsResident]).toEqual([artifacts[0]!.load.tokens, artifacts[0]!.load.calls]);
});

test("a pattern is searched in all that is listed, and a line opens its artifact there", async ({ page }) => {
  await pressShortcut(page, "c");
  const field = page.getByRole("searchbox", { name: "Pattern" });
  await field.fill("STORM");
  await page.getByRole("button", { name: /any case|Upper and lower case/ }).click();
  await field.press("Enter");
  await expect(page).toHaveURL(/in=contents/);
  await expect(page).toHaveURL(/pattern=STORM/);
  await expect(page.getByRole("status", { name: "The search" })).toHaveText("401 lines in 2 of 3 artifacts");
  const one = page.getByRole("article", { name: "storm.log" });
  await expect(one.getByRole("listitem")).toHaveCount(1);
  await expect(one).toContainText("701");
  const many = page.getByRole("article", { name: "storms.log" });
  await expect(many.getByRole("listitem")).toHaveCount(20);
  await expect(many).toContainText("380 more lines in this artifact");
  expect(await axeFindings(page)).toEqual([]);
  // A shared address finds the same.
  await page.reload();
  await expect(page.getByRole("status", { name: "The search" })).toHaveText("401 lines in 2 of 3 artifacts");
  await page
    .getByRole("article", { name: "storm.log" })
    .getByRole("link", { name: /a storm at last/ })
    .click();
  await expect(page).toHaveURL(/line=701/);
  await expect(page.locator("[data-chosen]").first()).toContainText("a storm at last");
  await page.goBack();
  await page.getByRole("button", { name: "Close the search" }).click();
  await expect(page.getByRole("table", { name: "Artifacts" })).toBeVisible();
});

test("what is selected is searched alone, compared, or sent to the playground", async ({ page }) => {
  await page.getByRole("checkbox", { name: /^Select .*storms\.log/ }).check();
  const bar = page.getByRole("region", { name: "Selected artifacts" });
  await expect(bar).toContainText("1 artifact selected");
  await bar.getByRole("button", { name: "Search in contents" }).click();
  await page.getByRole("searchbox", { name: "Pattern" }).fill("storm");
  await page.getByRole("button", { name: "Search 1 selected" }).click();
  await expect(page.getByRole("status", { name: "The search" })).toHaveText("400 lines in 1 of 1 artifacts");
  await page.getByRole("button", { name: "Close the search" }).click();
  await page.getByRole("checkbox", { name: /^Select storm\.log/ }).check();
  await expect(bar.getByRole("link", { name: "Send to playground" })).toBeVisible();
  await bar.getByRole("link", { name: "Compare" }).click();
  await expect(page).toHaveURL(/\/artifacts\/compare\?left=.*&right=/);
});

test("a wrong pattern says what is wrong, and no match says so", async ({ page }) => {
  await page.goto("/artifacts?in=contents&pattern=(");
  await expect(page.getByText("The pattern is not valid")).toBeVisible();
  await page.goto("/artifacts?in=contents&pattern=nothing+like+this");
  await expect(page.getByRole("status", { name: "The search" })).toHaveText("No match in 3 artifacts");
});
