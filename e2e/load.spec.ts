// The Load tab: the verdict, who is to blame, how the prompt grew, what stood in it, and what another policy would have made
// of it; two sessions side by side; the top culprit on the sessions page.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, writeSample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base } from "./test-server.ts";

/** Tokens that so many bytes of filler weigh; the fixture's prompts grow by about as much. */
const weigh = (bytes: number): number => Math.round(bytes * 0.3);
const CALLS = 36;
const TIDES = 40_000;
const CHARTS = 340_000;
/** The call that finds its cache gone. */
const LOST = 20;

const bytesAt = (at: number): number => (at === 4 ? TIDES : at === 12 ? CHARTS : 1500);
const nameAt = (at: number): string => (at === 4 ? "tides.csv" : at === 12 ? "charts.json" : `log-${at}.txt`);

/** Two large outputs that stay to the end, in prompts that come over 80 % of 200,000 tokens. */
function leak(): SampleCall[] {
  let prompt = 30_000;
  return Array.from({ length: CALLS }, (_, at) => {
    const call = {
      tool: "Read",
      input: { file_path: `/home/sailor/harbour/${nameAt(at)}` },
      output: filler(bytesAt(at), nameAt(at)),
      prompt,
    };
    prompt += weigh(bytesAt(at)) + 100;
    return call;
  });
}

const quiet = (): SampleCall[] => leak().slice(0, 4);

function writeSessions(projects: string): void {
  const file = writeSample(projects, { id: sampleId(1), prompt: "Find the leak below the waterline", calls: leak() });
  const lines = readFileSync(file, "utf8").split("\n");
  const changed = lines.map((line) => {
    if (!line.includes(`_${LOST - 1}"`) || !line.includes('"usage"')) return line;
    const record = JSON.parse(line) as { message: { usage: Record<string, number> } };
    const { usage } = record.message;
    usage["cache_creation_input_tokens"] = usage["cache_read_input_tokens"] ?? 0;
    usage["cache_read_input_tokens"] = 0;
    return JSON.stringify(record);
  });
  writeFileSync(file, changed.join("\n"));
  writeSample(projects, { id: sampleId(2), prompt: "A quiet voyage", calls: quiet() });
}

const idOf = (number: number): string =>
  `s_${createHash("sha256")
    .update(`claude-code:${sampleId(number)}`)
    .digest("hex")
    .slice(0, 16)}`;
const LEAK = idOf(1);
const QUIET = idOf(2);

const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-load-"));
      mkdirSync(join(dir, "projects"));
      writeSessions(join(dir, "projects"));
      const server = await startServer({ sources: [join(dir, "projects")] });
      await expect
        .poll(async () => (await server.ask("GET", `/api/sessions/${LEAK}/ledger`)).status, { timeout: 20_000 })
        .toBe(200);
      // Tokens are counted in the background; weights that still move would move the ranks with them.
      await expect
        .poll(
          async () => {
            const answer = await server.ask("GET", `/api/sessions/${LEAK}/ledger`);
            return ((await answer.json()) as { counting: boolean }).counting;
          },
          { timeout: 20_000 },
        )
        .toBe(false);
      await use(server);
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

const heading = (page: Page, call: number) => page.getByRole("heading", { name: `Call ${call}`, exact: true });
const culprits = (page: Page) => page.getByRole("table", { name: "Culprits" });
const outcomes = (page: Page) => page.getByRole("table", { name: "Predicted outcome" });

async function openLoad(page: Page, rest = ""): Promise<void> {
  await page.goto(`/sessions/${LEAK}?tab=load${rest}`);
  await expect(page.getByTestId("verdict")).toBeVisible();
}

test("Load opens on the worst call, with a sentence whose parts lead there", async ({ page }) => {
  await openLoad(page);
  await expect(heading(page, CALLS)).toBeVisible();
  await expect(page.getByText(/the provider reported/)).toBeVisible();
  await expect(page.getByText(/of all prompt tokens are unattributed/)).toBeVisible();
  const verdict = page.getByTestId("verdict");
  await expect(verdict).toContainText("charts.json");
  await verdict
    .getByRole("link", { name: /charts\.json/ })
    .first()
    .click();
  await expect(page).toHaveURL(/event=\d+/);
  await expect(page.getByRole("tab", { name: "Transcript" })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("article[aria-current=true]")).toContainText("charts.json");
  await page.goBack();
  await expect(verdict).toBeVisible();
});

test("a link may name the call, and b walks the places in trouble", async ({ page }) => {
  await openLoad(page, "&call=7");
  await expect(heading(page, 7)).toBeVisible();
  await pressShortcut(page, "b");
  await expect(heading(page, 7)).toHaveCount(0);
  await expect(page).toHaveURL(/event=\d+/);
});

test("culprits are ranked, lead to their call and their bytes, and stand in the address", async ({ page }) => {
  await openLoad(page);
  const first = culprits(page).getByRole("row").filter({ hasText: "charts.json" }).first();
  // The result of call 13 is in the prompts from call 14 on.
  await first.getByRole("button", { name: "14", exact: true }).click();
  await expect(heading(page, 14)).toBeVisible();
  await expect(page).toHaveURL(/culprit=/);
  await page.reload();
  await expect(heading(page, 14)).toBeVisible();
  const coming = page.waitForEvent("download");
  await culprits(page).getByRole("link", { name: "Download" }).click();
  expect((await readFile(await (await coming).path())).toString()).toBe(filler(CHARTS, "charts.json"));

  await page.getByRole("button", { name: "Off peak" }).click();
  await expect(page).toHaveURL(/by=peak/);
  await expect(page.getByRole("columnheader", { name: "Off peak" })).toHaveAttribute("aria-sort", "descending");
  // What is in no file comes last, and has no rank.
  await expect(culprits(page).getByRole("row").filter({ hasText: "System prompt, tools" })).toContainText("unranked");
});

test("a policy is replayed as its sliders move, and stands in the address", async ({ page }) => {
  await openLoad(page);
  const slider = page.getByRole("slider", { name: "Offload results over" });
  // The fact first: no prediction until something is chosen.
  await expect(slider).toHaveAttribute("aria-valuetext", "nothing");
  await expect(page.getByText("The chart shows the real load.")).toBeVisible();
  await expect(page.getByRole("row", { name: /^With this policy/ })).toHaveCount(0);
  await expect(outcomes(page)).toHaveCount(0);
  const preset = page.getByRole("button", { name: "Offload 2k" });
  await preset.click();
  await expect(preset).toHaveAttribute("aria-pressed", "true");
  const peak = outcomes(page).getByRole("row").filter({ hasText: "Peak" }).getByRole("cell");
  await expect(peak.nth(1)).toContainText("~");
  const before = await peak.nth(1).textContent();
  await expect(slider).toHaveAttribute("aria-valuetext", "2,000 tok");
  await slider.press("End");
  await expect(page.getByText("The chart shows the real load.")).toBeVisible();
  await expect(page).not.toHaveURL(/offload/);
  await slider.press("ArrowLeft");
  await expect(preset).toHaveAttribute("aria-pressed", "false");
  await expect(slider).toHaveAttribute("aria-valuetext", "20,000 tok");
  await expect(page).toHaveURL(/offload=20000/);
  await expect.poll(() => peak.nth(1).textContent()).not.toBe(before);
  await expect(page.getByRole("row", { name: /^With this policy/ })).toContainText("~");
  await page.reload();
  await expect(slider).toHaveAttribute("aria-valuetext", "20,000 tok");
  await expect(page.getByText(/The same turns are assumed, so this is an upper bound/)).toBeVisible();
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(slider).toHaveAttribute("aria-valuetext", "nothing");
  await expect(page.getByRole("row", { name: /^With this policy/ })).toHaveCount(0);
});

test("the y-axis ends at the load line, or at the peak of what is shown", async ({ page }) => {
  await openLoad(page, `&zoom=1-4`);
  const chart = page.getByRole("region", { name: "Load by model call" });
  await expect(chart.getByText(/^↑ load line/)).toHaveCount(0);
  await page.getByRole("button", { name: "Zoom to the peak" }).click();
  await expect(page).toHaveURL(/axis=peak/);
  await expect(chart.getByText(/^↑ load line .* above this scale/)).toBeVisible();
  await page.getByRole("button", { name: "Show the load line" }).click();
  await expect(page).not.toHaveURL(/axis=/);
  await expect(chart.getByText(/^↑ load line/)).toHaveCount(0);
});

test("at 1440 × 900 the verdict takes three lines, and the first culprit stands above the fold", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openLoad(page);
  const verdict = await page.getByTestId("verdict").boundingBox();
  expect(verdict?.height).toBeLessThanOrEqual(3 * 26);
  const first = await culprits(page).locator("tbody tr").first().boundingBox();
  expect((first?.y ?? 900) + (first?.height ?? 0)).toBeLessThan(900);
});

test("reading back costs again: the more of it, the less is saved", async ({ page }) => {
  await openLoad(page, "&offload=2000");
  const tokens = outcomes(page).getByRole("row").filter({ hasText: "Tokens" }).getByRole("cell");
  const saved = async () => Number((await tokens.nth(2).textContent())?.replace("−", "-").replace(/[^\d.-]/gu, ""));
  await expect(tokens.nth(2)).toHaveText(/\d/);
  const none = await saved();
  await page.getByRole("slider", { name: "Read back" }).press("End");
  await expect.poll(saved).toBeLessThan(none);
});

test("the verdict and the policy can be taken elsewhere", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openLoad(page, "&offload=2000");
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Markdown" }).click();
  await expect.poll(clipboard).toContain("charts.json");
  await page.getByRole("button", { name: "Copy JSON" }).click();
  await expect.poll(async () => JSON.parse(await clipboard()).sessionId).toBe(LEAK);
  await page.getByRole("button", { name: "Copy policy" }).click();
  await page.getByRole("menuitem", { name: "Command line" }).click();
  await expect.poll(clipboard).toBe(`plimsoll whatif ${LEAK} --offload 2000`);
});

test("the waterfall sums to the prompt, and each of its steps leads to its event", async ({ page, server }) => {
  await openLoad(page, "&panel=waterfall");
  const table = page.getByRole("table", { name: new RegExp(`Composition of call ${CALLS}, step by step`) });
  const answer = await server.ask("GET", `/api/sessions/${LEAK}/ledger`);
  const { calls } = (await answer.json()) as { calls: { call: number; sum: number }[] };
  const sum = calls.find(({ call }) => call === CALLS)?.sum ?? 0;
  await expect(table.getByRole("row").last()).toContainText(sum.toLocaleString("en-US"));
  await expect(table.getByRole("link", { name: /tides\.csv/ })).toBeVisible();
  await page.getByRole("group", { name: "Blow-ups" }).getByRole("button").first().click();
  await expect(heading(page, CALLS)).toHaveCount(0);
  await page
    .getByRole("link", { name: /tides\.csv/ })
    .last()
    .click();
  await expect(page.locator("article[aria-current=true]")).toContainText("tides.csv");
});

test("the treemap is walked by keyboard, and is a table for those who do not see it", async ({ page }) => {
  await openLoad(page, "&panel=treemap");
  const map = page.getByRole("group", { name: new RegExp(`The context of call ${CALLS}`) });
  const tiles = map.getByRole("button");
  await expect(tiles.filter({ hasText: "charts.json" })).toBeVisible();
  await tiles.first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(tiles.nth(1)).toBeFocused();
  await page.getByRole("button", { name: "Items as a table" }).click();
  const dialog = page.getByRole("dialog", { name: `The context of call ${CALLS}` });
  await expect(dialog.getByRole("row").filter({ hasText: "charts.json" }).first()).toContainText("14");
  await page.keyboard.press("Escape");
  await tiles.filter({ hasText: "charts.json" }).click();
  await expect(page.locator("article[aria-current=true]")).toContainText("charts.json");
});

test("Space plays the context over the calls, pauses, and the moment is saved as a picture", async ({ page }) => {
  await openLoad(page, "&call=1");
  await pressShortcut(page, "Space");
  await expect(page).toHaveURL(/panel=treemap/);
  await expect(page.getByRole("button", { name: "Scale to line" })).toHaveAttribute("aria-pressed", "true");
  // The legend follows, without an address for each call.
  await expect(heading(page, 4)).toBeVisible();
  expect(page.url()).not.toMatch(/event=/);
  await pressShortcut(page, "Space");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expect(page).toHaveURL(/event=\d+/);
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save SVG" }).click();
  const svg = (await readFile(await (await coming).path())).toString();
  expect(svg).toMatch(/^<svg xmlns=/u);
  expect(svg).toContain("Find the leak below the waterline");
  await page.getByRole("button", { name: "24/s" }).click();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(heading(page, CALLS)).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
});

test("a lost cache says why at its call", async ({ page, server }) => {
  const answer = await server.ask("GET", `/api/sessions/${LEAK}/ledger`);
  const { calls } = (await answer.json()) as { calls: { call: number; cacheBreak: { text: string } | null }[] };
  const lost = calls.filter(({ cacheBreak }) => cacheBreak !== null);
  expect(lost.map(({ call }) => call)).toEqual([LOST]);
  await openLoad(page, `&call=${LOST}`);
  await expect(page.getByText(lost[0]?.cacheBreak?.text ?? "no text")).toBeVisible();
  await expect(page.getByText(/Sent again: /)).toBeVisible();
});

test("two sessions stand side by side, with what differs", async ({ page }) => {
  await openLoad(page);
  await page.getByRole("link", { name: "Compare…" }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/compare\\?a=${LEAK}`));
  await page.getByLabel("Second session").first().waitFor();
  await page.getByRole("searchbox", { name: "Second session" }).fill("quiet");
  await page.getByRole("button", { name: /A quiet voyage/ }).click();
  await expect(page).toHaveURL(new RegExp(`b=${QUIET}`));
  const table = page.getByRole("table", { name: "What differs" });
  await expect(table.getByRole("row").filter({ hasText: "Model calls" })).toContainText("−32, −89\u2009%");
  await expect(page.getByTestId("verdict")).toHaveCount(2);
  await page.getByRole("slider", { name: "Model call" }).first().press("Home");
  await expect(page).toHaveURL(/ca=1/);
  await page.getByRole("button", { name: "Another…" }).first().click();
  await expect(page.getByRole("searchbox", { name: "First session" })).toBeVisible();
});

test("the sessions page names the top culprit and what it could have saved, and sorts by it", async ({ page }) => {
  await page.goto("/");
  const row = page.getByRole("row").filter({ hasText: "Find the leak" });
  await expect(row).toContainText(/avoidable/, { timeout: 30_000 });
  await page.getByRole("button", { name: "Top culprit · avoidable" }).click();
  await expect(page).toHaveURL(/sort=avoidable/);
  await expect(page.locator("tbody tr[data-row]").first()).toContainText("Find the leak");
  await row.getByRole("link", { name: /avoidable/ }).click();
  await expect(page.getByTestId("verdict")).toBeVisible();
});

const PAGES = [
  ["culprits", `/sessions/${LEAK}?tab=load`],
  ["waterfall", `/sessions/${LEAK}?tab=load&panel=waterfall`],
  ["treemap", `/sessions/${LEAK}?tab=load&panel=treemap&mask=3`],
  ["compare", `/sessions/compare?a=${LEAK}&b=${QUIET}`],
] as const;

for (const [name, path] of PAGES)
  test(`axe finds nothing serious on ${name}, light and dark`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByTestId("verdict").first()).toBeVisible();
    await page
      .locator("details summary")
      .first()
      .click({ timeout: 1000 })
      .catch(() => {});
    expect(await axeFindings(page)).toEqual([]);
  });

for (const width of [1024, 700, 412])
  test(`at ${width} px the what-if stands below, and nothing is cut off at the side`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const [, path] of PAGES) {
      await page.goto(path);
      await expect(page.getByTestId("verdict").first()).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await page.goto(PAGES[0][1]);
    const main = await culprits(page).boundingBox();
    const side = await page.getByRole("complementary", { name: "What if" }).boundingBox();
    expect(side?.y ?? 0).toBeGreaterThan((main?.y ?? 0) + (main?.height ?? 0) - 1);
  });
