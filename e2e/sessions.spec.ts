import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { holdScripts } from "./hold-scripts.ts";
import { pressShortcut, shortcutHolds } from "./press-shortcut.ts";
import { filler, sampleId, sampleLines, writeSample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base } from "./test-server.ts";

const read = (file: string, bytes: number, prompt: number): SampleCall => ({
  tool: "Read",
  input: { file_path: `/home/sailor/harbour/${file}` },
  output: filler(bytes),
  prompt,
});

/** 60 quiet sessions, one that blew up, one near the line with two sub-agents. */
function writeSessions(projects: string): void {
  for (let at = 0; at < 60; at += 1) {
    writeSample(projects, {
      id: sampleId(at + 1),
      prompt: `Quiet voyage ${String(at).padStart(2, "0")}`,
      startedAt: new Date(Date.parse("2026-01-01T08:00:00Z") + at * 3_600_000).toISOString(),
      calls: [read("log.txt", 300, 9_000 + at)],
    });
  }
  writeSample(projects, {
    id: sampleId(100),
    prompt: "Find the leak below the waterline",
    startedAt: "2026-02-01T08:00:00Z",
    overflow: true,
    calls: [read("tides.csv", 90_000, 20_000), read("log.txt", 500, 60_000), read("log.txt", 500, 205_000)],
  });
  writeSample(projects, {
    id: sampleId(101),
    prompt: "Chart the barnacles",
    startedAt: "2026-02-02T08:00:00Z",
    cwd: "/home/sailor/reef",
    calls: [read("reef.json", 20_000, 30_000), read("log.txt", 500, 170_000)],
  });
  for (const name of ["a1", "a2"]) {
    writeSample(projects, {
      id: sampleId(name === "a1" ? 201 : 202),
      prompt: `Dive ${name}`,
      agent: { parent: sampleId(101), name },
      cwd: "/home/sailor/reef",
      startedAt: "2026-02-02T08:01:00Z",
      calls: [read("depth.txt", 400, 5_000)],
    });
  }
}

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-sessions-"));
      mkdirSync(join(dir, "projects"));
      writeSessions(join(dir, "projects"));
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

const table = (page: Page) => page.getByRole("table", { name: "Sessions" });
const rows = (page: Page) => table(page).locator("tbody tr[data-row]");

/** Opens the page and waits for the import; a test of its own adds a session more. */
async function open(page: Page, path = "/", all = /^All 6[2-5]$/): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("button", { name: all })).toBeVisible({ timeout: 20_000 });
  await expect(rows(page).first()).toBeVisible();
}

test("the table shows each session against its load line, and what loaded it", async ({ page }) => {
  await open(page);
  await expect(page.getByText(/^Of 6[2-5] sessions: 1 refused, /)).toBeVisible();
  const leak = rows(page).filter({ hasText: "Find the leak below the waterline" });
  await expect(leak).toContainText("Refused");
  await expect(leak).toContainText("tides.csv");
  await expect(leak).toContainText("× 2 calls");
  await leak.hover();
  const downloading = page.waitForEvent("download");
  await leak.getByRole("link", { name: /^Download/ }).click();
  expect((await downloading).suggestedFilename()).toContain("tides");
  await expect(leak.getByText(/Load over time, at most \d+ % of the load line/)).toBeAttached();
});

test("filters, order and density stand in the URL, and Back undoes them", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Refused 1" }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/state=refused/);
  await page.getByRole("button", { name: "Project: any" }).click();
  // What would list nothing is not offered.
  await expect(page.getByRole("menuitemcheckbox", { name: /sailor\/reef/ })).toHaveCount(0);
  await page.getByRole("menuitemcheckbox", { name: /sailor\/harbour/ }).click();
  await expect(page).toHaveURL(/project=/);
  await page.goBack();
  await expect(page).not.toHaveURL(/project=/);
  await expect(rows(page)).toHaveCount(1);
  await page.goBack();
  await expect(page).not.toHaveURL(/state=/);
  await page.getByRole("button", { name: "Session", exact: true }).click();
  await expect(rows(page).first()).toContainText("Chart the barnacles");
  await page.reload();
  await expect(rows(page).first()).toContainText("Chart the barnacles");
  await page.getByRole("button", { name: "View: density, groups and columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Compact rows" }).click();
  await expect(page).toHaveURL(/dense=true/);
  await expect.poll(async () => (await rows(page).first().boundingBox())?.height).toBe(32);
});

test("Back and a reload show the rows that were left, and another question begins at its first", async ({ page }) => {
  await open(page);
  const far = rows(page).filter({ hasText: "Quiet voyage 20" });
  await table(page).evaluate((list) => list.parentElement?.scrollTo(0, 1800));
  await far.getByRole("link", { name: "Quiet voyage 20" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Quiet voyage 20");
  await page.goBack();
  await expect(far).toBeInViewport();
  await page.reload();
  await expect(far).toBeInViewport();
  await page.getByRole("columnheader", { name: "Turns" }).getByRole("button").click();
  await expect(page).toHaveURL(/sort=/);
  await expect(rows(page).first()).toHaveAttribute("data-row", "0");
  await expect(rows(page).first()).toBeInViewport();
  await page.getByRole("link", { name: "Sources" }).click();
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect(rows(page).first()).toBeInViewport();
});

test("a search looks into the text, counts its hits and marks them", async ({ page }) => {
  await open(page);
  await pressShortcut(page, "/");
  await page.keyboard.type("barnacles");
  await expect(rows(page)).toHaveCount(1);
  await expect(table(page).locator("mark").first()).toHaveText("barnacles");
  await expect(page.getByLabel("Found")).toContainText("1 session");
  await expect(page).toHaveURL(/q=barnacles/);
  await page.keyboard.press("Escape");
  await expect(rows(page).nth(1)).toBeVisible();
});

test("sub-agents unfold below their parent, by hand and by key", async ({ page }) => {
  await open(page);
  await expect(table(page).getByText("Dive a1")).toHaveCount(0);
  await page.getByRole("button", { name: "Unfold 2 sub-agents" }).click();
  await expect(table(page).getByText("Dive a1")).toBeVisible();
  await expect(table(page).getByText("Dive a2")).toBeVisible();
  await expect(page).toHaveURL(/open=/);
  await pressShortcut(page, "j");
  await page.keyboard.press("h");
  await expect(table(page).getByText("Dive a1")).toHaveCount(0);
});

test("j and k walk the rows, far ones too, and Enter opens the session", async ({ page }) => {
  await open(page, "/?sort=started&dir=asc");
  await pressShortcut(page, "j");
  for (let step = 1; step < 56; step += 1) await page.keyboard.press("j");
  await expect(page.locator("tr[data-current]")).toContainText("Quiet voyage 55");
  await expect(page.locator(":focus")).toHaveText("Quiet voyage 55");
  await pressShortcut(page, "k");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/sessions\/s_[0-9a-f]{16}/);
});

test("the row that j leads to has the focus when it is here, however late, unless somebody went elsewhere", async ({
  page,
}) => {
  let release = () => {};
  await page.route(/\/api\/sessions\?.*offset=50/, async (route) => {
    await new Promise<void>((done) => (release = done));
    await route.continue();
  });
  await open(page, "/?sort=started&dir=asc");
  /** To a row of the second page, whose answer is held back. */
  const walk = async () => {
    await shortcutHolds(page, "j");
    await page.getByTestId("sessions").evaluate((scroller) => (scroller.scrollTop = 46 * 48 - 300));
    await rows(page).getByRole("link", { name: "Quiet voyage 48" }).focus();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press("j");
    await expect(page.locator("tr[data-current] .bar").first()).toBeVisible();
    // Longer than any number of frames that a page could wait for.
    await page.waitForTimeout(500);
  };
  await walk();
  release();
  await expect(page.locator(":focus")).toHaveText("Quiet voyage 52");
  await page.reload();
  await walk();
  await page.keyboard.press("/");
  const search = page.getByLabel("Search in all sessions", { exact: true });
  await expect(search).toBeFocused();
  release();
  await expect(page.locator("tr[data-current]")).toContainText("Quiet voyage 52");
  await expect(search).toBeFocused();
});

test("a session appears and grows while the page stands open", async ({ page, projects }) => {
  await open(page);
  const sample = {
    id: sampleId(900),
    prompt: "Sail while watched",
    startedAt: new Date().toISOString(),
    calls: [read("log.txt", 300, 10_000), read("log.txt", 300, 11_000)],
  };
  const lines = sampleLines(sample);
  const path = join(projects, "-home-sailor-harbour", `${sample.id}.jsonl`);
  writeFileSync(path, lines.slice(0, 3).join(""));
  const row = rows(page).filter({ hasText: "Sail while watched" });
  await expect(row).toBeVisible();
  await expect(row).toContainText("Running");
  await expect(row.locator("td").nth(3)).toHaveText("1");
  appendFileSync(path, lines.slice(3).join(""));
  await expect(row.locator("td").nth(3)).toHaveText("2", { timeout: 4000 });
  rmSync(path);
});

test("two tabs follow over one stream, and the second takes over when the first is closed", async ({
  context,
  projects,
}) => {
  let streams = 0;
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/changes") streams += 1;
  });
  const [first, second] = [await context.newPage(), await context.newPage()];
  await open(first);
  await open(second);
  const folder = join(projects, "-home-sailor-harbour");
  const appear = (number: number, prompt: string) => {
    const sample = { id: sampleId(number), prompt, startedAt: new Date().toISOString(), calls: [] };
    writeFileSync(join(folder, `${sample.id}.jsonl`), sampleLines(sample).join(""));
  };
  appear(910, "Seen from both tabs");
  await expect(rows(first).filter({ hasText: "Seen from both tabs" })).toBeVisible();
  await expect(rows(second).filter({ hasText: "Seen from both tabs" })).toBeVisible();
  expect(streams).toBe(1);
  await first.close();
  await expect.poll(() => streams).toBe(2);
  appear(911, "Seen from the tab that is left");
  await expect(rows(second).filter({ hasText: "Seen from the tab that is left" })).toBeVisible();
});

test("the palette finds pages and sessions, and ? tells the keys", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("A word from a session, a page, an action").fill("barnacles");
  await page.getByRole("option", { name: /Chart the barnacles/ }).click();
  await expect(page).toHaveURL(/\/sessions\//);
  await page.goto("/");
  await expect(rows(page).first()).toBeVisible();
  await pressShortcut(page, "?");
  await expect(page.getByRole("dialog", { name: "Guide" })).toContainText("Search everything");
  await page.keyboard.press("Escape");
  await pressShortcut(page, "g-a");
  await expect(page).toHaveURL(/\/artifacts$/);
});

test("the theme that was chosen is there from the first byte", async ({ page, context }) => {
  await open(page);
  await page.getByRole("button", { name: /^Theme: as the system has it/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  const html = await (await context.request.get("/")).text();
  expect(html).toContain('data-theme="dark"');
});

test("the rows stand in the page before any script runs", async ({ context }) => {
  const html = await (await context.request.get("/")).text();
  expect(html).toContain("Find the leak below the waterline");
});

test("what is typed before the page is alive is looked for", async ({ page }) => {
  const release = await holdScripts(page);
  await page.goto("/", { waitUntil: "commit" });
  await page.getByRole("combobox", { name: "Search in all sessions" }).fill("barnacles");
  release();
  await expect(page).toHaveURL(/q=barnacles/);
  await expect(rows(page).first()).toContainText("barnacles");
});

test("the sessions page sends at most 250 kB of JavaScript, compressed", async ({ page }) => {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().endsWith(".js")) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await open(page);
  await page.waitForTimeout(1000);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(250_000);
});

test("axe finds nothing serious, light and dark", async ({ page }) => {
  // Two of the sessions speak of no voyage.
  await open(page, `/?q=voyage`, /^All 6[0-3]$/);
  expect(await axeFindings(page)).toEqual([]);
});

test("at 200 % zoom and on a narrow window nothing is cut off sideways", async ({ page }) => {
  for (const width of [900, 720]) {
    await page.setViewportSize({ width, height: 600 });
    await open(page);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(over).toBe(0);
    await expect(rows(page).first().getByRole("link").first()).toBeInViewport();
  }
});

test("an empty archive says what was looked for, and the demo is one click away", async ({ browser }) => {
  const server = await startServer();
  const context = await browser.newContext({ baseURL: server.url });
  await server.signIn(context);
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByText("No sessions yet")).toBeVisible();
  const drop = page.getByText("No sessions yet").locator("xpath=..");
  await expect(drop).toContainText("No session files in:");
  await expect(drop.getByRole("list", { name: "Folders without sessions" }).getByRole("listitem")).toHaveCount(1);
  await page.getByRole("button", { name: "Load the demo" }).click();
  await expect(rows(page).getByText("demo", { exact: true })).toHaveCount(2, { timeout: 30_000 });
  await context.close();
  await server.stop();
});

test("the default folders are named by their agents, each one click away; the demo is in view on a phone", async ({
  browser,
}) => {
  const server = await startServer();
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 390, height: 844 } });
  await server.signIn(context);
  const page = await context.newPage();
  // As on a machine without an agent: what the formats look for, of which nothing is there.
  const roots = ["claude-code Claude Code", "codex Codex", "codex Codex", ...Array(25).fill("copilot Copilot CLI")].map(
    (named: string, at) => {
      const [format, ...label] = named.split(" ");
      return { path: `/home/sailor/${at}`, label: `~/${at}`, format, formatLabel: label.join(" "), from: "default" };
    },
  );
  const rest = { exists: false, files: 0, bytes: 0, watching: false, archived: null };
  await page.route(/\/api\/sources\?/u, async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, roots: roots.map((root) => ({ ...root, ...rest })) } });
  });
  await page.goto("/");
  await expect(page.getByText("Looked for sessions of Claude Code, Codex and Copilot CLI.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Load the demo" })).toBeInViewport();
  await page.getByText("28 searched folders are not on this machine").click();
  await expect(page.getByRole("list", { name: "Missing folders" }).getByRole("listitem")).toHaveCount(28);
  await page.goto("/sessions/compare");
  await expect(page.getByText("No sessions yet.")).toHaveCount(2);
  for (const path of ["/usage?period=blocks", "/usage?period=unused", "/findings"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  }
  await page.getByRole("link", { name: "Add sessions" }).click();
  await expect(page.getByRole("button", { name: "Load the demo" })).toBeVisible();
  await context.close();
  await server.stop();
});
