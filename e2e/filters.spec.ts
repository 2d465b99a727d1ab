// The transcript's filters, the way from error to error, and rows that open by key.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, sampleLines, type Sample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

// 300 calls: every third a Read, the others Bash. Calls 50, 150 and 250 fail; call 200 brings some 40,000 tokens.
const CALLS = 300;
const FAILED: readonly number[] = [50, 150, 250];
const call = (at: number): SampleCall => ({
  tool: at % 3 === 0 ? "Read" : "Bash",
  input: at % 3 === 0 ? { file_path: `/home/sailor/harbour/chart-${at}.ts` } : { command: `sound ${at}` },
  output:
    at === 200
      ? filler(120_000)
      : at === 4
        ? '{ "depth": 12,\n  "unit": "fathom" }'
        : FAILED.includes(at)
          ? `FAILED at ${at}`
          : `line one of ${at}\n${filler(600)}`,
  prompt: 9000 + at * 100 + (at > 200 ? 40_000 : 0),
  ...(at === 99 && { then: "Now the second half" }),
});
const SAMPLE: Sample = {
  id: sampleId(77),
  prompt: "Sound the harbour",
  calls: Array.from({ length: CALLS }, (_, at) => call(at)),
};
const ID = `s_${createHash("sha256").update(`claude-code:${SAMPLE.id}`).digest("hex").slice(0, 16)}`;

/** Results that begin with FAILED are the tool's errors. */
function withErrors(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/("type":"tool_result",[^}]*"content":"FAILED at \d+")/u, '$1,"is_error":true'))
    .join("");
}

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-filters-"));
      const project = join(dir, "projects", "-home-sailor-harbour");
      mkdirSync(project, { recursive: true });
      const path = join(project, `${SAMPLE.id}.jsonl`);
      writeFileSync(path, withErrors(sampleLines(SAMPLE)));
      const anHourAgo = Date.now() / 1000 - 3600;
      utimesSync(path, anHourAgo, anHourAgo);
      await use(join(dir, "projects"));
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  server: [
    async ({ projects }, use) => {
      const server = await startServer({ sources: [projects] });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

const feed = (page: Page) => page.getByRole("feed", { name: "Transcript" });
const row = (page: Page, seq: number) => page.locator(`article[data-seq="${seq}"]`);
const chip = (page: Page, name: string) => page.getByRole("group", { name: "Filter" }).getByRole("button", { name });
const matching = (page: Page) => page.getByRole("group", { name: "Filter" }).getByRole("status");
/** Of a call, by its number: after the prompt each call takes two events, and the second turn's words one. */
const seqOf = (at: number): number => 2 + at * 2 + (at > 99 ? 1 : 0);

async function open(page: Page, server: TestServer, query = ""): Promise<void> {
  await expect.poll(async () => (await server.ask("GET", `/api/sessions/${ID}`)).status, { timeout: 20_000 }).toBe(200);
  await page.goto(`/sessions/${ID}${query}`);
  await expect(chip(page, "Errors")).toBeVisible();
}

test("chips count the whole session, filter it, add up and narrow, and stand in the address", async ({
  page,
  server,
}) => {
  await open(page, server);
  await expect(chip(page, "Errors")).toHaveText("Errors3");
  await expect(chip(page, "User")).toHaveText("User2");
  await expect(chip(page, "Over 2k tokens")).toHaveText("Over 2k tokens1");
  await chip(page, "Errors").click();
  await expect(feed(page).locator("article")).toHaveCount(3);
  await expect(matching(page)).toHaveText("3 of 302 rows");
  await expect(page).toHaveURL(/is=error/);
  await expect(row(page, seqOf(150))).toContainText("FAILED at 150");
  // Calls 50 and 250 are Bash, 150 is a Read.
  await chip(page, "Tools").click();
  await page.getByRole("menuitemcheckbox", { name: "Read" }).click();
  await page.keyboard.press("Escape");
  await expect(feed(page).locator("article")).toHaveCount(1);
  await expect(page).toHaveURL(/tools=Read/);
  await chip(page, "Errors").click();
  await chip(page, "User").click();
  await expect(matching(page)).toHaveText("102 of 302 rows");
  await expect(page).toHaveURL(/type=user/);
  await page.reload();
  await expect(matching(page)).toHaveText("102 of 302 rows");
  await pressShortcut(page, "Escape");
  await expect(feed(page)).toContainText("sound 1");
  await expect(page).not.toHaveURL(/tools=|type=|is=/);
});

test("a filter that lets nothing through says so, and is cleared", async ({ page, server }) => {
  await open(page, server, "?is=error,large");
  await expect(page.getByRole("heading", { name: "No event matches these filters" })).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(row(page, 1)).toBeVisible();
});

test("an event outside the filter is shown where a link, the outline or find leads to it, and says so", async ({
  page,
  server,
}) => {
  await open(page, server, `?is=error&event=${seqOf(120)}`);
  await expect(feed(page).locator("article")).toHaveCount(4);
  await expect(row(page, seqOf(120))).toContainText("Outside the filter");
  await expect(row(page, seqOf(120))).toBeInViewport();
  await pressShortcut(page, "j");
  await expect(row(page, seqOf(150))).toHaveAttribute("aria-current", "true");
  await expect(feed(page).locator("article")).toHaveCount(3);
  await pressShortcut(page, "/");
  await page.keyboard.type("line one of 77");
  await expect(page.getByRole("search").getByRole("status")).toHaveText(/hit/);
  await page.keyboard.press("Enter");
  await expect(feed(page).getByText("Outside the filter")).toHaveCount(1);
  await page
    .getByRole("complementary", { name: "Outline" })
    .getByRole("button", { name: /Sound the harbour/ })
    .click();
  await expect(row(page, 1)).toContainText("Outside the filter");
});

test("another filter leaves the reader where they were", async ({ page, server }) => {
  await open(page, server, `?event=${seqOf(150)}`);
  await expect(row(page, seqOf(150))).toBeInViewport();
  await chip(page, "Errors").click();
  await expect(row(page, seqOf(150))).toBeInViewport();
  await chip(page, "Errors").click();
  await expect(row(page, seqOf(150))).toBeInViewport();
});

test("e and E go from error to error, round at the ends, and say when there are none", async ({ page, server }) => {
  await open(page, server);
  await pressShortcut(page, "e");
  await expect(row(page, seqOf(50))).toHaveAttribute("aria-current", "true");
  await expect(row(page, seqOf(50))).toBeInViewport();
  await pressShortcut(page, "e");
  await pressShortcut(page, "e");
  await expect(row(page, seqOf(250))).toHaveAttribute("aria-current", "true");
  await pressShortcut(page, "e");
  await expect(row(page, seqOf(50))).toHaveAttribute("aria-current", "true");
  await expect(page.getByText("Wrapped to the first error")).toBeVisible();
  await pressShortcut(page, "E");
  await expect(row(page, seqOf(250))).toHaveAttribute("aria-current", "true");
  await chip(page, "User").click();
  // The rows follow the chip a moment later.
  await expect(row(page, seqOf(250))).toContainText("Outside the filter");
  await pressShortcut(page, "E");
  await expect(page.getByText("No errors in this filter")).toBeVisible();
  await pressShortcut(page, "?");
  await expect(page.getByRole("dialog")).toContainText("Next error");
  await expect(page.getByRole("dialog")).toContainText("Expand all events");
});

test("arrows open and close a row, with Shift all of them", async ({ page, server }) => {
  await open(page, server, `?event=${seqOf(7)}`);
  const opened = feed(page).getByRole("button", { name: "Show less" });
  await expect(row(page, seqOf(7))).toContainText("lines shown");
  await pressShortcut(page, "ArrowRight");
  await expect(row(page, seqOf(7))).toContainText(/All \d+ lines shown/);
  await expect(opened).toHaveCount(1);
  await page.keyboard.press("ArrowLeft");
  await expect(opened).toHaveCount(0);
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => opened.count()).toBeGreaterThan(1);
  await expect(row(page, seqOf(7))).toBeInViewport();
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(opened).toHaveCount(0);
  await expect(row(page, seqOf(7))).toBeInViewport();
});

test("the map beside the rows shows where the reader is, and leads elsewhere", async ({ page, server }) => {
  await open(page, server);
  const map = page.getByTestId("minimap");
  const box = (await map.boundingBox())!;
  const painted = () =>
    map.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value, at) => at % 4 === 3 && value > 0);
    });
  await expect.poll(painted).toBe(true);
  await expect(map).toHaveAttribute("aria-hidden", "true");
  await page.mouse.click(box.x + 8, box.y + box.height / 2);
  await expect(row(page, seqOf(150))).toBeInViewport();
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 8, box.y + box.height - 1, { steps: 4 });
  await page.mouse.up();
  await expect(row(page, seqOf(299))).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(map).toBeHidden();
});

test("a row, the outline and an artifact are named by what was asked", async ({ page, server }) => {
  await open(page, server);
  await expect(row(page, seqOf(0))).toContainText("/home/sailor/harbour/chart-0.ts");
  await expect(page.getByRole("complementary", { name: "Outline" })).toContainText("harbour/chart-");
  await page.goto("/artifacts");
  await expect(page.getByRole("table").getByText("sound 200")).toBeVisible();
});

test("a culprit's row leads to its row on Load, and that one back", async ({ page, server }) => {
  await open(page, server, `?event=${seqOf(200)}`);
  const badge = row(page, seqOf(200)).getByRole("link", { name: /culprit 1.*avoidable/ });
  await badge.click();
  await expect(page).toHaveURL(/tab=load/);
  await expect(page).toHaveURL(/culprit=oversized-output/);
  const line = page.getByRole("table", { name: "Culprits" }).getByRole("link", { name: /sound 200/ });
  await expect(line).toBeInViewport();
  await line.click();
  await expect(row(page, seqOf(200))).toBeInViewport();
  await expect(page).toHaveURL(new RegExp(`event=${seqOf(200)}|event=${seqOf(200) + 1}`));
});

test("a folded output of JSON is in colour, and no more of it is coloured than is shown", async ({ page, server }) => {
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/highlight") && asked.push(request.url()));
  await open(page, server);
  const inked = row(page, seqOf(4)).locator('pre span[style*="light-dark"]');
  await expect(inked.filter({ hasText: "depth" }).first()).toBeVisible();
  expect(asked.every((url) => /[?&]lines=\d+/u.test(url))).toBe(true);
  expect(asked.some((url) => url.includes(`seq=${seqOf(4) + 1}&language=json&lines=2`))).toBe(true);
});
