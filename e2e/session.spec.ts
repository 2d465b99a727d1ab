import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, writeSample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const read = (file: string, bytes: number, prompt: number): SampleCall => ({
  tool: "Read",
  input: { file_path: `/home/sailor/harbour/${file}` },
  output: filler(bytes, file),
  prompt,
});

/** 40 calls; the third brings in the heaviest output, the last goes over the line. */
function writeSessions(projects: string): void {
  const calls = Array.from({ length: 40 }, (_, at) =>
    at === 2
      ? read("tides.csv", 90_000, 24_000)
      : read(`log-${at}.txt`, 900, 20_000 + at * 1000 + (at > 2 ? 30_000 : 0)),
  );
  calls.push(read("last.txt", 400, 205_000));
  writeSample(projects, { id: sampleId(1), prompt: "Find the leak below the waterline", calls });
  writeSample(projects, {
    id: sampleId(2),
    prompt: "Dive and look",
    agent: { parent: sampleId(1), name: "diver" },
    calls: [read("depth.txt", 400, 5000)],
  });
}

const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-session-"));
      mkdirSync(join(dir, "projects"));
      writeSessions(join(dir, "projects"));
      const server = await startServer({ sources: [join(dir, "projects")] });
      await use(server);
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

const sessionId = `s_${createHash("sha256")
  .update(`claude-code:${sampleId(1)}`)
  .digest("hex")
  .slice(0, 16)}`;

const slider = (page: Page) => page.getByRole("slider", { name: "Model call" });
const legend = (page: Page, call: number) => page.getByRole("heading", { name: `Call ${call}`, exact: true });

async function open(page: Page, server: TestServer, path: string): Promise<void> {
  const id = path.split("/")[2]?.split("?")[0] ?? "";
  await expect.poll(async () => (await server.ask("GET", `/api/sessions/${id}`)).status, { timeout: 20_000 }).toBe(200);
  await page.goto(path);
  await expect(slider(page)).toBeVisible();
}

test("Load opens at the peak, and says what the prompt there was made of", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  await expect(legend(page, 41)).toBeVisible();
  await expect(page.getByRole("row", { name: /^Reported/ })).toContainText("205,000");
  await expect(page.getByText("the provider reported 205,000")).toBeVisible();
  await expect(slider(page)).toHaveAttribute("aria-valuetext", "Call 41, 205,000 tokens reported");
});

test("the heaviest output is named, with where it entered and how long it stayed, and its bytes are one click away", async ({
  page,
  server,
}) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  const first = page.getByRole("table", { name: "Culprits" }).getByRole("row").filter({ hasText: "tides.csv" });
  // The result of call 3 is in the prompts of calls 4 to 41.
  await expect(first.getByRole("cell").nth(2)).toHaveText("4");
  await expect(first.getByRole("cell").nth(4)).toHaveText("38×");
  const coming = page.waitForEvent("download");
  // Below the row that is open stand what it is made of, and its bytes.
  await page.getByRole("table", { name: "Culprits" }).getByRole("link", { name: "Download" }).click();
  const bytes = await readFile(await (await coming).path());
  expect(bytes.toString()).toBe(filler(90_000, "tides.csv"));
});

test("the session is exported beside its file, as its door gives it", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  await page.getByRole("button", { name: "Export…" }).click();
  await page.getByRole("radio", { name: "Plimsoll session" }).check();
  await expect(page.getByText("An exact copy.")).toBeVisible();
  const coming = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Download" }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe(`${sessionId}.plimsoll.jsonl`);
  const bytes = await readFile(await download.path(), "utf8");
  expect(bytes).toBe(await (await server.ask("GET", `/api/sessions/${sessionId}/export`)).text());
  expect(bytes).toContain(JSON.stringify(filler(90_000, "tides.csv")));
});

test("keys, clicks and drags move the cursor, and the address keeps it", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  await expect(legend(page, 41)).toBeVisible();
  await pressShortcut(page, "[");
  await expect(legend(page, 40)).toBeVisible();
  await pressShortcut(page, "]");
  await expect(legend(page, 41)).toBeVisible();
  await slider(page).focus();
  await page.keyboard.press("Home");
  await expect(legend(page, 1)).toBeVisible();
  const box = await slider(page).boundingBox();
  if (!box) throw new Error("no chart");
  const plotWidth = box.width - 48;
  await page.mouse.click(box.x + 2 + plotWidth * (9.5 / 41), box.y + 100);
  await expect(legend(page, 10)).toBeVisible();
  await expect(page).toHaveURL(/event=\d+/);
  await page.reload();
  await expect(legend(page, 10)).toBeVisible();
});

test("a range of calls says what it came to, and stands in the address", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  const box = await slider(page).boundingBox();
  if (!box) throw new Error("no chart");
  const at = (call: number) => box.x + 2 + (box.width - 48) * ((call - 0.5) / 41);
  await page.keyboard.down("Shift");
  await page.mouse.move(at(5), box.y + 100);
  await page.mouse.down();
  await page.mouse.move(at(12), box.y + 100, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(page.getByText(/^Calls 5–12:/)).toContainText("in 8 calls");
  await expect(page).toHaveURL(/range=5-12/);
});

test("hovering a call says what came in there", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  const box = await slider(page).boundingBox();
  if (!box) throw new Error("no chart");
  await page.mouse.move(box.x + 2 + (box.width - 48) * (3.5 / 41), box.y + 100);
  await expect(page.getByText("Click to select, [ and ] to step")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "tides.csv" }).first()).toContainText(/\+2\d,\d{3}·?/);
});

test("the chart's numbers are there as a table", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=load`);
  await page.getByRole("button", { name: "Calls as a table" }).click();
  const dialog = page.getByRole("dialog", { name: "Load by model call" });
  await expect(dialog.getByRole("row")).toHaveCount(42);
  await expect(dialog.getByRole("row").last()).toContainText("205,000");
});

test("Tools lists what was called, filters it, and leads to both halves", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}?tab=tools`);
  const table = page.getByRole("table", { name: "Tool interactions" });
  await expect(table.getByRole("row").nth(1)).toBeVisible();
  await page.getByRole("button", { name: "Size" }).click();
  await expect(table.getByRole("row").nth(1)).toContainText("tides.csv");
  await expect(page).toHaveURL(/sort=bytes/);
  await page.getByRole("button", { name: "Errors 0" }).click();
  await expect(page.getByText("None of 41 interactions fits.")).toBeVisible();
  await page.getByRole("button", { name: "All 41" }).click();
  await table
    .getByRole("button", { name: /^Open the result/ })
    .first()
    .click();
  await expect(page.getByRole("tab", { name: "Transcript" })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("article[aria-current=true]")).toContainText("tides.csv");
});

test("a sub-agent leads to its parent, and the parent to it", async ({ page, server }) => {
  await open(page, server, `/sessions/${sessionId}`);
  await page.getByRole("button", { name: "Sub-agents of this session" }).click();
  await page.getByRole("menuitem", { name: /Dive and look/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Dive and look");
  await page.getByRole("link", { name: "parent" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Find the leak");
});

for (const tab of ["transcript", "load", "tools", "artifacts"])
  test(`axe finds nothing serious on ${tab}, light and dark`, async ({ page, server }) => {
    await open(page, server, `/sessions/${sessionId}?tab=${tab}`);
    await expect(page.getByText(/tides\.csv/).first()).toBeVisible();
    expect(await axeFindings(page)).toEqual([]);
  });
