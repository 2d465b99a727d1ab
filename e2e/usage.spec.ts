// What all sessions cost and waste: the strip over the list, usage by period and group, and findings across sessions.
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const HOUR_MS = 3_600_000;
const FILE = "/home/sailor/harbour/src/soundings.ts";

/** One file read twice, and 20 calls that carry both copies: the second is certain waste. */
const calls: SampleCall[] = Array.from({ length: 22 }, (_, at) => ({
  tool: at < 2 ? "Read" : "Bash",
  input: at < 2 ? { file_path: FILE } : { command: `sound --depth ${at}` },
  output: at < 2 ? filler(24_000) : "deep enough",
  prompt: 12_000 + at * 7000,
}));

/** So many hours ago, and one more where its calls would pass midnight: a session of two days is two rows of days. */
function ago(hours: number): number {
  const at = Date.now() - hours * HOUR_MS;
  return new Date(at).getHours() === 23 ? at - HOUR_MS : at;
}

function write(projects: string, number: number, cwd: string, startedMs: number): void {
  const path = writeSample(projects, {
    id: sampleId(number),
    prompt: `Take the soundings, part ${number}`,
    cwd,
    calls,
    startedAt: new Date(startedMs).toISOString(),
  });
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(path, anHourAgo, anHourAgo);
}

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-usage-"));
      mkdirSync(dir, { recursive: true });
      write(dir, 1, "/home/sailor/harbour", ago(2));
      write(dir, 2, "/home/sailor/quay", ago(50));
      write(dir, 3, "/home/sailor/quay", ago(20 * 24));
      await use(dir);
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  server: [
    async ({ projects }, use) => {
      const server = await startServer({ sources: [projects] });
      await expect.poll(() => looked(server), { timeout: 30_000 }).toEqual({ waiting: 0, sessions: 3 });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

const ask = async <Found>(server: TestServer, path: string): Promise<Found> =>
  (await (await server.ask("GET", path)).json()) as Found;

/** How many sessions have the finding, and how many are not looked at yet. */
async function looked(server: TestServer): Promise<{ waiting: number; sessions: number }> {
  const { waiting, findings } = await ask<{ waiting: number; findings: { sessions: number; subject: string }[] }>(
    server,
    "/api/findings?state=all",
  );
  return { waiting, sessions: findings.find(({ subject }) => subject.includes(FILE))?.sessions ?? 0 };
}

type Usage = { totals: { calls: number; totalCost: number; totalTokens: number } };

const usd = (text: string): number => Number(text.replace(/[^0-9.]/gu, ""));
const table = (page: Page) => page.getByRole("table", { name: "Usage" });
const rows = (page: Page) => table(page).locator("tbody tr[data-row]");
const cells = async (page: Page, column: string): Promise<number[]> => {
  const names = await table(page).getByRole("columnheader").allTextContents();
  const at = names.indexOf(column);
  return (
    await rows(page)
      .locator(`td:nth-child(${at + 1})`)
      .allTextContents()
  ).map(usd);
};
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

test("usage: period, group and filter are in the address, and each table sums to the same", async ({
  page,
  server,
}) => {
  const { totals } = await ask<Usage>(server, "/api/usage");
  expect(totals.calls).toBe(66);
  await page.goto("/usage");
  await expect(rows(page)).toHaveCount(3);
  expect(sum(await cells(page, "Calls"))).toBe(66);
  expect(Math.abs(sum(await cells(page, "Cost")) - totals.totalCost)).toBeLessThan(0.02);
  await page.getByRole("button", { name: "Model", exact: true }).click();
  await expect(page).toHaveURL(/by=model/);
  await page.getByRole("button", { name: "By model" }).click();
  await page.getByRole("button", { name: "Week", exact: true }).click();
  await expect(page).toHaveURL(/period=weekly/);
  await expect(page).toHaveURL(/rows=groups/);
  await expect(rows(page)).toHaveText([/^claude-opus-4-566/]);
  await page.getByRole("button", { name: "Session", exact: true }).click();
  await expect(rows(page)).toHaveCount(3);
  await page.getByRole("button", { name: "Project: any" }).click();
  await page.getByRole("menuitemcheckbox", { name: /^quay/ }).click();
  await expect(page).toHaveURL(/project=%2Fhome%2Fsailor%2Fquay|project=\/home\/sailor\/quay/);
  await expect(rows(page)).toHaveCount(2);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const stream = await (await download).createReadStream();
  const lines = Buffer.concat(await stream.toArray())
    .toString()
    .trimEnd()
    .split("\r\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("totalCost");
  // A session's row is what its own page says.
  const [own] = await ask<{ sessions: { cost: { usd: number } }[] }>(
    server,
    "/api/sessions?project=/home/sailor/quay",
  ).then(({ sessions }) => sessions);
  expect((await cells(page, "Cost"))[0]).toBeCloseTo(own!.cost.usd, 2);
  // What is no day is left aside; days backwards are refused in words.
  await page.goto("/usage?since=junk&period=never&by=foo");
  await expect(rows(page)).toHaveCount(3);
  await page.goto("/usage?since=2026-02-02&until=2026-02-01");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("2026-02-02, is after the last, 2026-02-01");
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await expect(rows(page)).toHaveCount(3);
});

test("the first label of narrow bars stands inside the margin", async ({ page }) => {
  await page.setViewportSize({ width: 760, height: 800 });
  await page.goto("/usage");
  const chart = page.getByRole("region", { name: "Chart" }).locator("svg");
  const label = chart.locator("a text, g > text[text-anchor=middle]").first();
  await expect(label).toBeVisible();
  const left = async (): Promise<number> => (await label.boundingBox())!.x - (await chart.boundingBox())!.x;
  await expect.poll(left).toBeGreaterThanOrEqual(0);
});

test("of many sessions the table has those that cost most, and the others in one row", async ({ page, server }) => {
  const { totals } = await ask<Usage>(server, "/api/usage");
  await page.route("**/api/usage?*", (route) =>
    route.continue({ url: route.request().url().replace("top=1000", "top=1") }),
  );
  await page.goto("/usage?period=sessions");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("2 other sessions");
  await expect(rows(page).nth(1).getByRole("link")).toHaveCount(0);
  expect(sum(await cells(page, "Calls"))).toBe(totals.calls);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const csv = Buffer.concat(await (await (await download).createReadStream()).toArray()).toString();
  expect(csv.trimEnd().split("\r\n")).toHaveLength(4);
});

test("blocks and what is unused are files too, with all rows of the answer", async ({ page, server }) => {
  for (const { period, path, head } of [
    { period: "blocks", path: "/api/usage/blocks?days=30", head: "startTime,endTime" },
    { period: "unused", path: "/api/usage/unused?days=30", head: "kind,name" },
  ]) {
    const answer = await ask<{ blocks?: unknown[]; rows?: unknown[] }>(server, path);
    const count = (answer.blocks ?? answer.rows ?? []).length;
    await page.goto(`/usage?period=${period}`);
    if (count === 0) {
      await expectNoFiles(page);
      continue;
    }
    const file = async (kind: string): Promise<string> => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: kind }).click();
      return Buffer.concat(await (await (await download).createReadStream()).toArray()).toString();
    };
    const csv = await file("CSV");
    expect(csv.trimEnd().split("\r\n").filter(Boolean)).toHaveLength(count + 1);
    expect(csv).toContain(head);
    expect(Object.keys(JSON.parse(await file("JSON")) as object)).toEqual(Object.keys(answer));
  }
});

/** Of no rows there is no file. */
async function expectNoFiles(page: Page): Promise<void> {
  for (const kind of ["CSV", "JSON"]) {
    await expect(page.getByRole("button", { name: kind })).toBeDisabled();
    await expect(page.getByRole("button", { name: kind })).toHaveAttribute("title", "There are no rows");
  }
}

/** The lines of the file that a button of the page makes. */
async function fileLines(page: Page, kind: "CSV" | "JSON"): Promise<string[]> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: kind }).click();
  const text = Buffer.concat(await (await (await download).createReadStream()).toArray()).toString();
  return text.trimEnd().split("\r\n");
}

test("the file of a table by group has the rows of that table", async ({ page, server }) => {
  const { totals } = await ask<Usage>(server, "/api/usage");
  await page.goto("/usage?rows=groups");
  await expect(rows(page)).toHaveText([/^quay/, /^harbour/]);
  const [head, ...lines] = (await fileLines(page, "CSV")).map((line) => line.split(","));
  expect(head).not.toContain("date");
  expect(lines.map(([group]) => group)).toEqual(["/home/sailor/quay", "/home/sailor/harbour"]);
  expect(lines.map((line) => Number(line[head!.indexOf("calls")]))).toEqual(await cells(page, "Calls"));
  const json = JSON.parse((await fileLines(page, "JSON")).join("\n")) as Usage & { groups: { group: string }[] };
  expect(Object.keys(json)).toEqual(["groups", "totals", "timezone"]);
  expect(json.totals).toEqual(totals);
  expect(json.groups.map(({ group }) => group)).toEqual(["/home/sailor/quay", "/home/sailor/harbour"]);
});

test("blocks and what is unused are of the time that is chosen", async ({ page }) => {
  const begins = page.getByRole("table", { name: "Blocks" }).locator("tbody tr[data-row]");
  await page.goto("/usage?period=blocks");
  await expect(begins).toHaveCount(3);
  await page.getByRole("button", { name: "Range: last 30 days" }).click();
  await page.getByRole("menuitemcheckbox", { name: "last 7 days" }).click();
  await expect(page).toHaveURL(/range=7/);
  await expect(page.getByText("Calls of the last 7 days in blocks")).toBeVisible();
  await expect(begins).toHaveCount(2);
  expect(await fileLines(page, "CSV")).toHaveLength(3);
  await page.route("**/api/usage/blocks?*", (route) => route.fulfill({ json: { blocks: [], limits: [] } }));
  await page.goto("/usage?period=blocks&range=7");
  await expect(page.getByRole("heading", { name: "No model calls in this time" })).toBeVisible();
  await expectNoFiles(page);
  await page.goto("/usage?period=unused&range=all");
  await expect(page.getByText("What every prompt of all time carried")).toBeVisible();
  await page.route("**/api/usage/unused?*", (route) => route.fulfill({ json: { days: 7, rows: [] } }));
  await page.goto("/usage?period=unused&range=7");
  await expect(page.getByRole("heading", { name: "Nothing unused in this time" })).toBeVisible();
  await expectNoFiles(page);
  await page.getByRole("button", { name: "Show all time" }).click();
  await expect(page).toHaveURL(/range=all/);
});

test("days stand under their bars before any script has run", async ({ browser, server }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
  await server.signIn(context);
  const page = await context.newPage();
  await page.goto(server.url);
  const days = page.getByRole("region", { name: "This week" }).locator("svg text[text-anchor=middle]");
  await expect(days).toHaveCount(7);
  const middles = await days.evaluateAll((texts) =>
    texts.map((text) => {
      const { left, width } = text.getBoundingClientRect();
      return left + width / 2;
    }),
  );
  const steps = middles.slice(1).map((middle, at) => middle - middles[at]!);
  expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(2);
  await context.close();
});

test("what no file recorded is a dash, and Clear is there when it would change something", async ({ page }) => {
  const clear = page.getByRole("button", { name: "Clear the filters" });
  await page.goto("/usage?since=2020-01-01&until=2020-01-31");
  await expect(page.getByRole("heading", { name: "No model calls in this time" })).toBeVisible();
  await expect(clear).toBeVisible();
  type Row = Record<string, unknown>;
  const unrecorded = { inputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, cacheShare: null };
  let rowsOf = (days: Row[]): Row[] => days.map((day) => ({ ...day, ...unrecorded }));
  await page.route("**/api/usage?*", async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { daily: Row[] };
    await route.fulfill({ response, json: { ...answer, daily: rowsOf(answer.daily) } });
  });
  // The first answer stands in the page already; another range is a request.
  await page.goto("/usage?range=90");
  const range = async (from: string, to: string) => {
    await page.getByRole("button", { name: `Range: ${from}` }).click();
    await page.getByRole("menuitemcheckbox", { name: to }).click();
  };
  await range("last 90 days", "last year");
  const first = rows(page).first();
  for (const column of [3, 4, 5]) await expect(first.locator(`td:nth-child(${column})`)).toHaveText("–");
  await expect(first.locator("td:nth-child(6)")).not.toHaveText("–");
  rowsOf = () => [];
  await range("last year", "last 7 days");
  await expect(page.getByRole("heading", { name: "No model calls in this time" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Show all time" })).toBeVisible();
  await expect(clear).toHaveCount(0);
});

test("of many projects the chart names some, the table has all, and so has the file", async ({ page }) => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-usage-many-"));
  const small: SampleCall = { tool: "Bash", input: { command: "ls" }, output: "sails", prompt: 900 };
  for (let n = 0; n < 45; n++)
    writeSample(dir, {
      ...{ id: sampleId(100 + n), prompt: `Mend sail ${n}`, cwd: `/home/sailor/sail-${n}` },
      ...{
        calls: Array.from({ length: 1 + (n % 9) }, () => small),
        startedAt: new Date(Date.now() - HOUR_MS).toISOString(),
      },
    });
  const server = await startServer({ sources: [dir] });
  try {
    await expect
      .poll(async () => (await ask<{ groups?: unknown[] }>(server, "/api/usage?by=project&top=20")).groups?.length, {
        timeout: 30_000,
      })
      .toBe(45);
    const { totals } = await ask<Usage>(server, "/api/usage");
    await server.signIn(page.context());
    await page.goto(`${server.url}/usage`);
    await expect(page.getByRole("region", { name: "Chart" })).toContainText("38 others");
    await page.getByRole("button", { name: "By project" }).click();
    await expect(table(page)).toHaveAttribute("aria-rowcount", "46");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).click();
    const lines = Buffer.concat(await (await (await download).createReadStream()).toArray())
      .toString()
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","));
    expect(lines).toHaveLength(46);
    const at = lines[0]!.indexOf("calls");
    expect(sum(lines.slice(1).map((cellsOf) => Number(cellsOf[at])))).toBe(totals.calls);
  } finally {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});

test("the strip over the list says what usage and findings say, and leads to both", async ({ page, server }) => {
  const home = await ask<{ spent: { usd: number }; avoidable: { usd: number } }>(server, "/api/home");
  const week = await ask<Usage>(server, `/api/usage?since=${dayOf(-6)}&until=${dayOf(0)}`);
  expect(home.spent.usd).toBeCloseTo(week.totals.totalCost, 9);
  await page.goto("/usage");
  await expect(rows(page)).toHaveCount(3);
  expect(await axeFindings(page)).toEqual([]);
  await page.goto("/");
  const strip = page.getByRole("region", { name: "This week", exact: true });
  await expect(strip).toContainText(`$${home.avoidable.usd.toFixed(2)}`);
  // All seven days stand in the chart before any script has measured it.
  const html = await (await page.request.get("/")).text();
  expect(html.match(/x="[\d.]+%" y="[\d.]+" width="14\.28/gu)).toHaveLength(7);
  await strip.getByRole("link", { name: `$${home.spent.usd.toFixed(2)}` }).click();
  await expect(rows(page)).toHaveCount(2);
  await page.goBack();
  await strip.getByRole("link", { name: /soundings\.ts/ }).click();
  await expect(page.getByRole("complementary", { name: "Finding" }).getByRole("listitem")).toHaveCount(3);
  // The filters of the list are one row at this width, also with a filter set.
  await page.goto("/?artifacts=true");
  const y = async (name: string | RegExp) => (await page.getByRole("button", { name }).boundingBox())?.y;
  await expect(page.getByRole("button", { name: "Clear", exact: true })).toBeVisible();
  expect(await y(/^View/)).toBe(await y(/^All/));
  // On a phone the strip is a line, and sessions are in view.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await expect(page.getByRole("region", { name: "This week, in short" })).toContainText("avoidable of");
  await expect(page.getByRole("link", { name: "Take the soundings, part 1" })).toBeInViewport();
});

const dayOf = (days: number): string => new Date(Date.now() + days * 24 * HOUR_MS).toLocaleDateString("en-CA");

test("a budget is set in Settings, and said over the list and on the usage page", async ({ page, server }) => {
  await page.goto("/settings?tab=budgets");
  await expect(page.getByText("No budgets yet")).toBeVisible();
  const form = page.getByRole("form", { name: "New budget" });
  await form.getByLabel("Per", { exact: true }).selectOption("total");
  await form.getByLabel("Budget", { exact: true }).fill("0.5x");
  await expect(form.getByText("Dollars, like 20 or 12.50.")).toBeVisible();
  await form.getByLabel("Budget", { exact: true }).fill("0.01");
  await expect(form.getByRole("button", { name: "Set budget" })).toBeDisabled();
  await form.getByLabel("Project", { exact: true }).selectOption("/home/sailor/quay");
  await form.getByRole("button", { name: "Set budget" }).click();
  const budgets = page.getByRole("table", { name: "Budgets" });
  await expect(budgets).toContainText("over");
  expect(await axeFindings(page)).toEqual([]);
  const { totals } = await ask<Usage>(server, "/api/usage?project=/home/sailor/quay");
  const words = `quay $${totals.totalCost.toFixed(2)} of $0.01 in total`;
  for (const path of ["/", "/usage"]) {
    await page.goto(path);
    await expect(page.getByRole("region", { name: "Budgets" })).toContainText(words);
    expect(await axeFindings(page)).toEqual([]);
  }
  await page.getByRole("region", { name: "Budgets" }).getByRole("link").click();
  await budgets.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No budgets yet")).toBeVisible();
});

const list = (page: Page) => page.getByRole("table", { name: "Findings" });

test("on a low page a finding that is opened comes into view, with the focus", async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  await page.goto("/findings");
  await page.locator("tbody button[data-opens]").first().click();
  const detail = page.getByRole("complementary", { name: "Finding" });
  await expect(detail).toBeFocused();
  await expect(detail.getByRole("heading")).toBeInViewport();
  await expect(detail.getByRole("button", { name: "Close" })).toBeInViewport();
});

test("a finding is opened, muted, done, and comes back when it is seen again", async ({ page, server, projects }) => {
  await page.goto("/findings");
  const other = await page.context().newPage();
  await other.goto("/findings");
  const [row, elsewhere] = [page, other].map((tab) =>
    list(tab).locator("tbody tr[data-row]").filter({ hasText: "soundings.ts" }),
  ) as [Locator, Locator];
  await expect(elsewhere).toHaveCount(1);
  await row
    .getByRole("button", { name: /soundings\.ts/ })
    .first()
    .click();
  const detail = page.getByRole("complementary", { name: "Finding" });
  await expect(detail).toContainText("in 3 sessions");
  // The keyboard is in it, and back at its row when it closes.
  await expect(detail).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(detail).toHaveCount(0);
  const opener = row.getByRole("button", { name: /soundings\.ts/ }).first();
  await expect(opener).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(detail).toContainText("in 3 sessions");
  expect(await axeFindings(page)).toEqual([]);
  await detail.getByRole("button", { name: /^Mute/ }).click();
  await expect(row).toHaveCount(0);
  await expect(elsewhere).toHaveCount(0);
  await other.close();
  await page.getByRole("button", { name: "Muted" }).click();
  await row.getByRole("button", { name: /^Open again/ }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await row.getByRole("button", { name: /^Done/ }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: "Came back" }).click();
  await expect(page.getByText("No findings.")).toBeVisible();
  write(projects, 4, "/home/sailor/harbour", Date.now() + 60_000);
  await expect.poll(() => looked(server), { timeout: 30_000 }).toEqual({ waiting: 0, sessions: 4 });
  await expect(row).toContainText("came back");
  await expect(page.getByRole("main")).toContainText("avoidable in 1 finding.");
  await page.goto("/findings?finding=cache:cache-break:gone&state=never");
  await expect(page.getByRole("complementary", { name: "Finding" }).getByRole("alert")).toContainText("No finding");
});
