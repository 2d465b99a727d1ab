// Pages that stay put: nothing moves while answers come, notes open by click and tap, and a server that was stopped is said.
import { expect, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";
import { startServer } from "./test-server.ts";

const FULL: Sample = {
  id: sampleId(71),
  prompt: "Fill the hold to the line",
  branch: "stow-the-cargo",
  calls: Array.from({ length: 30 }, (_, at) => ({
    tool: "Read",
    input: { file_path: `/home/sailor/cargo-${at}.txt` },
    output: filler(18_000),
    prompt: 20_000 + at * 5100,
  })),
};
const DAMAGED: Sample = { ...FULL, id: sampleId(72), prompt: "Mend the log", calls: FULL.calls.slice(0, 2) };
const test = sampled([FULL, DAMAGED], [DAMAGED]);

/** The sum of all layout shifts that no hand caused, as the browser measures it. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shifts = { sum: 0 };
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) shifts.sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
}

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
]) {
  test(`Load does not move while its answers come, at ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport);
    const shifts = await watchShifts(page);
    // Slower than a person reads the head, each at its own time.
    for (const [path, ms] of [
      [/\/load$/, 300],
      [/\/ledger$/, 700],
      [/\/git$/, 900],
      [/\.woff2/, 200],
    ] as const)
      await page.route(path, async (route) => {
        await new Promise((done) => setTimeout(done, ms));
        await route.continue();
      });
    await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
    await expect(page.getByTestId("verdict")).toBeVisible();
    await expect(page.getByText("The chart shows the real load.")).toBeVisible();
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(500);
    expect(await shifts()).toBeLessThan(0.05);
  });
}

test("a preset of the what-if panel moves neither the tabs nor what is below them", async ({ page }) => {
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
    await expect(page.getByText("The chart shows the real load.")).toBeVisible();
    const top = async () => (await page.getByRole("tablist", { name: "Views of this session" }).boundingBox())!.y;
    const before = await top();
    await page.getByRole("button", { name: "Offload 2k" }).click();
    await expect(page.getByRole("rowheader", { name: "With this policy" })).toBeVisible();
    expect(await top()).toBe(before);
  }
});

test("Context does not move while its answer comes, at 820 px", async ({ page }) => {
  await page.setViewportSize({ width: 820, height: 1100 });
  const shifts = await watchShifts(page);
  await page.route(/\/context\b/, async (route) => {
    await new Promise((done) => setTimeout(done, 600));
    await route.continue();
  });
  await page.goto(`/sessions/${idOf(FULL)}?tab=context`);
  await expect(page.getByRole("table", { name: "Messages of the context" })).toBeVisible();
  await page.waitForTimeout(500);
  expect(await shifts()).toBeLessThan(0.05);
});

for (const width of [1440, 900, 390])
  for (const [name, path, last] of [
    ["Compact", `/sessions/${idOf(FULL)}/compact?tail=0`, "Ledger of the compaction"],
    ["Carry on", `/sessions/${idOf(FULL)}/compact?tail=0&show=carry-on`, "Lines of the new file"],
    ["Compare", `/sessions/compare?a=${idOf(FULL)}&b=${idOf(DAMAGED)}`, "What differs"],
  ] as const)
    test(`${name} does not move while its answers come, at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 900 });
      const shifts = await watchShifts(page);
      for (const [path, ms] of [
        [/\/load$/, 200],
        [/\/ledger$/, 600],
        [/\/compactions$/, 900],
        [/\/carry-on\/plan$/, 600],
      ] as const)
        await page.route(path, async (route) => {
          await new Promise((done) => setTimeout(done, ms));
          await route.continue();
        });
      await page.goto(path);
      await expect(page.getByLabel(last, { exact: true })).toBeVisible();
      await page.waitForLoadState("networkidle");
      await page.waitForTimeout(500);
      expect(await shifts()).toBeLessThan(0.05);
    });

test("the playground does not move while its artifacts and its result come", async ({ page, server }) => {
  const { artifacts } = (await (await server.ask("GET", `/api/artifacts?session=${idOf(DAMAGED)}`)).json()) as {
    artifacts: { pointer: string }[];
  };
  const shifts = await watchShifts(page);
  let asked = 0;
  await page.route(/\/api\/artifacts\?/, async (route) => {
    asked += 1;
    await new Promise((done) => setTimeout(done, 150 * asked));
    await route.continue();
  });
  await page.goto(`/playground?artifact=${encodeURIComponent(artifacts[0]!.pointer)}&program=.`);
  await expect(page.getByRole("region", { name: "Artifact" }).getByRole("listitem").first()).toBeVisible();
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
  expect(await shifts()).toBeLessThan(0.01);
});

for (const width of [1024, 390])
  test(`lists do not move when their pages come alive, at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/");
    await page.waitForLoadState("networkidle");
    const shifts = await watchShifts(page);
    for (const path of ["/", "/artifacts", "/sources"]) {
      await page.goto(path);
      await expect(page.locator("tbody tr[data-row]").first()).toBeVisible();
      await page.waitForLoadState("networkidle");
      await page.waitForTimeout(500);
      expect(await shifts(), path).toBeLessThan(0.005);
    }
  });

test("Settings do not move while what they say of the archive comes", async ({ page }) => {
  const shifts = await watchShifts(page);
  for (const [tab, path, last] of [
    ["retention", /\/api\/retention\/stats$/, "What stays"],
    ["policy", /\/presets\/savings$/, "Values"],
  ] as const) {
    await page.route(path, async (route) => {
      await new Promise((done) => setTimeout(done, 600));
      await route.continue();
    });
    await page.goto(`/settings?tab=${tab}`);
    await expect(page.getByRole("heading", { name: last })).toBeVisible();
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(500);
    expect(await shifts(), tab).toBeLessThan(0.002);
  }
});

for (const width of [1440, 900])
  test(`the first session of a browser, with its hints, does not move at ${width} px`, async ({ page, context }) => {
    await context.clearCookies({ name: "hints" });
    await page.setViewportSize({ width, height: 900 });
    const shifts = await watchShifts(page);
    await page.route(/\/load$/, async (route) => {
      await new Promise((done) => setTimeout(done, 400));
      await route.continue();
    });
    await page.goto(`/sessions/${idOf(FULL)}`);
    await expect(page.getByRole("complementary", { name: "First hints" })).toBeVisible();
    await expect(page.locator("article").first()).toBeVisible();
    await page.waitForTimeout(800);
    expect(await shifts()).toBeLessThan(0.02);
  });

test("the first page of a browser that was never here does not move, at 390 px", async ({ browser, server }) => {
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  const shifts = await watchShifts(page);
  const { link } = (await (await server.ask("POST", "/api/launch")).json()) as { link: string };
  await page.goto(link);
  await expect(page.locator("tbody tr[data-row]").first()).toBeVisible();
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
  expect(await shifts()).toBeLessThan(0.005);
  await context.close();
});

test("with forced colours a legend keeps its colours, and what is selected an edge", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
  const swatch = page
    .getByRole("row", { name: /^Tool results/ })
    .locator("[aria-hidden=true]")
    .first();
  await expect(swatch).toHaveCSS("forced-color-adjust", "none");
  await expect(page.getByRole("button", { name: "Culprits", pressed: true })).toHaveCSS("outline-style", "solid");
  // So do the parts of a bar.
  const part = page.locator('main [aria-hidden=true] > i[style*="--c-result"]').first();
  await expect(part).toHaveCSS("forced-color-adjust", "none");
  // The track of a slider is a gradient, which forced colours leave out.
  await expect(page.getByRole("slider", { name: /^Offload/ })).toHaveCSS("background-image", /linear-gradient/);
  const edge = (name: RegExp) =>
    page.getByRole("tab", { name }).evaluate((tab) => getComputedStyle(tab).borderBottomColor);
  expect(await edge(/^Load/)).not.toBe(await edge(/^Memory/));
});

test("the lines of an artifact have their looks when they come with the page", async ({ page, server }) => {
  const { artifacts } = (await (await server.ask("GET", "/api/artifacts?limit=1")).json()) as {
    artifacts: { pointer: string }[];
  };
  const html = await (await page.request.get(`/artifacts/${artifacts[0]!.pointer}`)).text();
  expect(html).toContain('class="artifact-line"');
  const sheets = [...new Set(html.match(/\/_next\/[^"\\]+\.css/g))];
  const rules = await Promise.all(sheets.map(async (sheet) => (await page.request.get(sheet)).text()));
  expect(rules.join("")).toContain(".artifact-line");
});

test.describe("by touch", () => {
  test.use({ hasTouch: true });

  test("a tap says where a number comes from, and another one closes it", async ({ page }) => {
    await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
    const figure = page
      .getByRole("table", { name: /^Composition of call/ })
      .locator("[data-origin=counted], [data-origin=estimated]");
    await figure.first().tap();
    await expect(page.getByRole("tooltip")).toContainText(/counted with a tokenizer|estimated, not counted/);
    await page.locator("h1").tap({ position: { x: 5, y: 5 } });
    await expect(page.getByRole("tooltip")).toHaveCount(0);
  });
});

test("the notes on a session's data open by click, and Escape closes them", async ({ page }) => {
  await page.goto(`/sessions/${idOf(DAMAGED)}`);
  await page.getByRole("button", { name: /^Data quality/ }).click();
  await expect(page.getByRole("tooltip")).toContainText(/could not be read/);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("tooltip")).toHaveCount(0);
});

test("a tab names its session, and what of it is shown", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveTitle("Sessions · Plimsoll");
  await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
  await expect(page).toHaveTitle("Fill the hold to the line · Load · Plimsoll");
  await page.getByRole("tab", { name: /^Tools/ }).click();
  await expect(page).toHaveTitle("Fill the hold to the line · Tools · Plimsoll");
  await page.getByRole("tab", { name: /^Transcript/ }).click();
  await expect(page).toHaveTitle("Fill the hold to the line · Plimsoll");
  await page.goto(`/sessions/${idOf(FULL)}/compact`);
  await expect(page).toHaveTitle("Fill the hold to the line · Compact · Plimsoll");
  await page.goto(`/sessions/compare?a=${idOf(FULL)}`);
  await expect(page).toHaveTitle("Fill the hold to the line · Compare · Plimsoll");
});

test("a tab that is opened while the page wakes names itself, on a slow machine too", async ({ page, context }) => {
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 2 });
  // The head came alive after the first click in three of four tries, and took the title back.
  for (let round = 0; round < 3; round++) {
    await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
    await page.getByRole("tab", { name: /^Tools/ }).click();
    await expect(page.getByRole("tab", { name: /^Tools/ })).toHaveAttribute("aria-selected", "true");
    await page.waitForLoadState("networkidle");
    await expect(page).toHaveTitle("Fill the hold to the line · Tools · Plimsoll");
  }
});

test("the verdict is copied with its title, facts and table, and leads nowhere", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/sessions/${idOf(FULL)}?tab=load`);
  await page.getByRole("button", { name: "Copy Markdown" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/^## Fill the hold to the line\n/);
  expect(text).toContain("- Time: 2026-03-02 09:00 UTC to 2026-03-02");
  expect(text).toContain("| # | Item |");
  expect(text).not.toMatch(/\]\(|https?:/);
});

test("a server that stopped before its stream of changes began is said too", async ({ browser }) => {
  const server = await startServer();
  const context = await browser.newContext({ baseURL: server.url });
  await server.signIn(context);
  const page = await context.newPage();
  let isRefused = false;
  await page.route("**/api/changes", (route) => {
    isRefused = true;
    return route.abort("connectionrefused");
  });
  await page.goto("/settings?tab=about");
  await expect.poll(() => isRefused).toBe(true);
  const banner = page.getByRole("alert").filter({ hasText: "Plimsoll does not answer" });
  await expect(banner).toHaveCount(0);
  await server.stop("SIGKILL");
  await expect(banner).toBeVisible();
  await context.close();
});

test("what failed while the server was stopped is asked again when it is back, without a hand", async ({ browser }) => {
  const server = await startServer();
  const context = await browser.newContext({ baseURL: server.url });
  await server.signIn(context);
  const page = await context.newPage();
  await page.goto("/search?q=rope");
  await expect(page.getByText("Nothing found")).toBeVisible();
  server.process.kill("SIGKILL");
  const banner = page.getByRole("alert").filter({ hasText: "Start it again" });
  await expect(banner.first()).toBeVisible();
  await page.getByRole("combobox", { name: "Search everything" }).fill("anchor");
  const failure = page.getByText("This search could not be run");
  await expect(failure).toBeVisible();
  const again = await startServer({ archive: server.archive, args: ["--port", String(server.port)] });
  await expect(failure).toHaveCount(0);
  await expect(page.getByText("Nothing found")).toBeVisible();
  await context.close();
  await again.stop();
  await server.stop().catch(() => {});
});

test("a stopped server is said on the page, links stay in it, and Retry goes on", async ({ browser }) => {
  const server = await startServer();
  const archive = server.archive;
  const context = await browser.newContext({ baseURL: server.url });
  await server.signIn(context);
  const page = await context.newPage();
  await page.goto("/settings?tab=about");
  await expect(page.getByText(/^watching /)).toBeVisible();
  await page.waitForLoadState("networkidle");
  server.process.kill("SIGKILL");
  const banner = page.getByRole("alert").filter({ hasText: "Plimsoll does not answer" });
  await expect(banner).toBeVisible();
  for (const go of [
    () => page.getByRole("link", { name: "Artifacts" }).click(),
    () => page.getByRole("link", { name: "Plimsoll" }).click(),
    () => pressShortcut(page, "g-p"),
  ]) {
    await go();
    await page.waitForTimeout(300);
    await expect(page).toHaveURL(/\/settings\?tab=about$/);
    await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  }
  await banner.getByRole("button", { name: "Retry" }).click();
  await expect(banner).toContainText("Still no answer");
  const again = await startServer({ archive, args: ["--port", String(server.port)] });
  // The stream of changes may be back before the hand is.
  await banner
    .getByRole("button", { name: "Retry" })
    .click({ timeout: 3000 })
    .catch(() => {});
  await expect(banner).toHaveCount(0);
  await page.getByRole("link", { name: "Artifacts" }).click();
  await expect(page).toHaveURL(/\/artifacts$/);
  await context.close();
  await again.stop();
  await server.stop().catch(() => {});
});
