// The list as an overview: what ran last, what runs now, and what all of it comes to.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, sampleLines, writeSample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base } from "./test-server.ts";

const HOUR_MS = 3_600_000;

const read = (file: string, prompt: number): SampleCall => ({
  tool: "Read",
  input: { file_path: `/home/sailor/${file}` },
  output: filler(300),
  prompt,
});

/** Files that were written an hour ago: none of them runs. */
function writeIdle(projects: string): void {
  const quiet = (number: number, prompt: string, startedAt: string, cwd: string, calls: SampleCall[]) => {
    const path = writeSample(projects, { id: sampleId(number), prompt, startedAt, cwd, calls });
    const writtenAt = new Date(Date.now() - HOUR_MS);
    utimesSync(path, writtenAt, writtenAt);
  };
  // Begun first, and 20 calls of ten seconds long: it ends last.
  const long = Array.from({ length: 20 }, (_, at) => read(`log-${at}.txt`, 1000));
  quiet(1, "Begun early, ended late", "2026-01-01T08:00:00Z", "/home/sailor/reef", long);
  quiet(2, "Begun late, soon ended", "2026-01-01T08:01:00Z", "/home/sailor/reef", [read("a.txt", 10_000)]);
  const output = { ...read("reef.json", 5000), output: JSON.stringify({ depths: filler(6000) }) };
  quiet(4, "With an output", "2025-12-01T07:00:00Z", "/home/sailor/dock", [output]);
  quiet(3, "Another project", "2026-01-01T07:00:00Z", "/home/sailor/quay", [read("b.txt", 4000), read("c.txt", 6000)]);
}

/** A session that is written now: begun an hour ago, with two calls since. */
function writeRunning(projects: string): void {
  const lines = sampleLines({
    id: sampleId(9),
    prompt: "Sail on",
    cwd: "/home/sailor/quay",
    startedAt: new Date(Date.now() - 30_000).toISOString(),
    calls: [read("d.txt", 20_000), read("e.txt", 78_000)],
  });
  const first = { ...(JSON.parse(lines[0]!) as object), timestamp: new Date(Date.now() - HOUR_MS).toISOString() };
  const folder = join(projects, "-home-sailor-quay");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${sampleId(9)}.jsonl`), [`${JSON.stringify(first)}\n`, ...lines.slice(1)].join(""));
}

/** The running session calls once more. */
function growRunning(projects: string): void {
  const lines = sampleLines({
    id: sampleId(9),
    prompt: "Sail on",
    cwd: "/home/sailor/quay",
    startedAt: new Date(Date.now() - 30_000).toISOString(),
    calls: [read("d.txt", 20_000), read("e.txt", 78_000), read("f.txt", 90_000)],
  });
  appendFileSync(join(projects, "-home-sailor-quay", `${sampleId(9)}.jsonl`), lines.slice(5).join(""));
}

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-list-"));
      writeIdle(dir);
      await use(dir);
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

const rows = (page: Page) => page.getByRole("table", { name: "Sessions" }).locator("tbody tr[data-row]");
const sums = (page: Page) => page.getByRole("region", { name: "Sums of the list" });

async function open(page: Page, path = "/"): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("button", { name: /^All [45]$/ })).toBeVisible({ timeout: 20_000 });
}

test("the last active session is first; by its start it is another", async ({ page }) => {
  await open(page);
  await expect(rows(page).first()).toContainText("Begun early, ended late");
  await expect(page.getByRole("columnheader", { name: "Last active" })).toHaveAttribute("aria-sort", "descending");
  await page.getByRole("button", { name: "Sort: last active first" }).click();
  await page.getByRole("menuitemcheckbox", { name: "started, newest first" }).click();
  await expect(rows(page).first()).toContainText("Begun late, soon ended");
});

test("the sums are of what is filtered", async ({ page }) => {
  await open(page);
  // 20 × 1000, 10,000, 4000, 6000 and 5000 tokens in 24 calls.
  await expect(sums(page)).toHaveText(/^4 sessions24 calls45\.0k tokens sent\$\d+\.\d\d$/);
  await page.goto("/?project=/home/sailor/quay");
  await expect(sums(page)).toHaveText(/^1 session2 calls10\.0k tokens sent/);
});

test("projects stand apart, each with its sums, and fold away", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "View: density, groups and columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Group by project" }).click();
  await expect(page).toHaveURL(/group=project/);
  const quay = rows(page).filter({ hasText: "sailor/quay" }).getByRole("button");
  // The last active project first, its sessions below it.
  await expect(rows(page)).toHaveText([
    /^sailor\/reef2 sessions21 calls30\.0k tokens sent\$/,
    /^Begun early/,
    /^Begun late/,
    /^sailor\/quay1 session2 calls10\.0k tokens sent\$/,
    /^Another project/,
    /^sailor\/dock1 session/,
    /^With an output/,
  ]);
  await rows(page).first().getByRole("button").click();
  await expect(rows(page)).toHaveCount(5);
  await page.reload();
  await expect(rows(page)).toHaveText([/^sailor\/reef/, /^sailor\/quay/, /^Another/, /^sailor\/dock/, /^With/]);
  // From a session h folds its project, l opens it again.
  for (let step = 0; step < 3; step += 1) await pressShortcut(page, "j");
  await expect(page.locator("tr[data-current]")).toContainText("Another project");
  await pressShortcut(page, "h");
  await expect(quay).toHaveAttribute("aria-expanded", "false");
  await pressShortcut(page, "l");
  await expect(quay).toHaveAttribute("aria-expanded", "true");
  expect(await axeFindings(page)).toEqual([]);
});

test("the density is that of the last visit, in the first byte", async ({ page }) => {
  const height = async () => (await rows(page).first().boundingBox())?.height;
  await open(page);
  expect(await height()).toBe(48);
  await page.getByRole("button", { name: "View: density, groups and columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Compact rows" }).click();
  await expect.poll(height).toBe(32);
  await open(page);
  expect(await height()).toBe(32);
  await open(page, "/?dense=false");
  expect(await height()).toBe(48);
});

const bar = (page: Page) => page.getByRole("region", { name: "Selected sessions" });
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });

test("two sessions are selected by click and by key, and compared", async ({ page }) => {
  await open(page);
  await row(page, "Begun late")
    .getByText("Claude Code")
    .click({ modifiers: ["Control"] });
  await expect(page).toHaveURL(/\/$/);
  await expect(bar(page)).toContainText("1 session selected");
  await expect(bar(page).getByRole("button", { name: "Compare" })).toBeDisabled();
  await row(page, "Another project").getByRole("link").first().focus();
  await pressShortcut(page, "x");
  await expect(bar(page)).toContainText("2 sessions selected");
  await expect(bar(page).getByRole("button", { name: "Delete artifacts…" })).toBeDisabled();
  expect(await axeFindings(page)).toEqual([]);
  await bar(page).getByRole("link", { name: "Compare" }).click();
  await expect(page.getByRole("heading", { name: "What differs" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Begun late, soon ended" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "Another project" })).toBeVisible();
});

test("a range is selected with Shift, exported, and cleared with Escape", async ({ page }) => {
  await open(page);
  await row(page, "Begun early").hover();
  await row(page, "Begun early").getByRole("checkbox").click();
  await row(page, "Another project")
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await expect(bar(page)).toContainText("3 sessions selected");
  await row(page, "Begun late").getByRole("checkbox").click();
  await expect(bar(page)).toContainText("2 sessions selected");
  const names: string[] = [];
  page.on("download", (file) => names.push(file.suggestedFilename()));
  await bar(page).getByRole("button", { name: "Export" }).click();
  await expect.poll(() => names.length).toBe(2);
  expect(new Set(names).size).toBe(2);
  // What is selected stays so when the list is another.
  await page.getByRole("button", { name: "Session", exact: true }).click();
  await expect(row(page, "Another project").getByRole("checkbox")).toBeChecked();
  await pressShortcut(page, "Escape");
  await expect(bar(page)).toHaveCount(0);
});

test("artifacts of selected sessions open in the playground", async ({ page }) => {
  await open(page);
  await row(page, "With an output").hover();
  await row(page, "With an output").getByRole("checkbox").click();
  await bar(page).getByRole("button", { name: "Send to playground" }).click();
  await expect(page).toHaveURL(/\/playground\?artifact=/);
  await expect(page.getByText("reef.json").first()).toBeVisible();
});

test("a running session is first, with its load and its burn rate", async ({ page, projects }) => {
  await open(page, "/?sort=title&dir=asc");
  await expect(rows(page).first()).toContainText("Another project");
  writeRunning(projects);
  await expect(rows(page).first()).toContainText("Sail on");
  const load = rows(page).first();
  // Two calls since: 20,080 and 78,080 tokens in five minutes.
  await expect(load).toContainText("19.6k/min");
  await expect(load).toContainText("Context now at ");
  await expect(load.getByTitle("Burn rate: 98,160 tokens of 2 calls in 5 minutes, reported.")).toBeVisible();
  await expect(rows(page).nth(1)).not.toContainText("/min");
  expect(await axeFindings(page)).toEqual([]);
  // On its page a strip says how full it is, and goes on as the file grows.
  await load.getByRole("link", { name: "Sail on" }).click();
  const strip = page.getByRole("region", { name: "Running now" });
  await expect(strip).toContainText("78,000");
  await expect(strip).toContainText(/To the line \d+ calls?/);
  expect(await axeFindings(page)).toEqual([]);
  growRunning(projects);
  await expect(strip).toContainText("90,000");
});

test("200,000 sessions of 5,000 projects are a list that one can walk", async ({ page }) => {
  const groups = Array.from({ length: 5000 }, (_, n) => ({
    ...{ project: `/home/ada/berth-${n}`, sessions: 40 },
    ...{ calls: 400, tokens: 1e6, usd: 10, isPartial: false },
  }));
  // As a fleet answers; the rows are those that are here.
  const answer = await (await page.request.get("/api/sessions?group=project&sums=1")).json();
  await page.route("**/api/sessions?*group=project*", (route) =>
    route.fulfill({ json: { ...answer, total: 200_000, groups } }),
  );
  await page.goto("/?group=project");
  await expect(page.getByRole("button", { name: /^ada\/berth-0/ })).toBeVisible();
  await page.getByTestId("sessions").evaluate((list) => list.scrollTo(0, 5_868_000));
  // A project takes 36 + 40 × 48 px.
  const last = page.locator("tr[data-row]").last();
  await expect.poll(async () => Number(await last.getAttribute("data-row"))).toBeGreaterThan(3000 * 41);
});
