// A session that leaves: reviewed, masked and written in the formats of one dialog. A report opens elsewhere: without Plimsoll, a
// network, or scripts.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base } from "./test-server.ts";

const TOKEN = `ghp_${"z9".repeat(18)}`;
const HOSTILE = '</pre><script>document.title = "run"</script><img src="http://evil.example/x.png">\u202e';

const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-share-"));
      const projects = join(dir, "projects");
      mkdirSync(projects);
      const first = `${HOSTILE} token ${TOKEN} in /home/sailor/.env\n`;
      const calls = Array.from({ length: 12 }, (_, at) => ({
        tool: "Read",
        input: { file_path: `/home/sailor/log-${at}.txt` },
        output: at === 1 ? first + filler(300_000, "charts") : filler(1000, "log"),
        prompt: at < 2 ? 20_000 : 112_000 + at * 400,
      }));
      writeSample(projects, { id: sampleId(7), prompt: `Find the leak ${HOSTILE}`, calls });
      const server = await startServer({ sources: [projects] });
      await use(server);
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

async function openShare(page: Page): Promise<void> {
  await page.goto(`/sessions/claude-code:${sampleId(7)}?tab=load`);
  await page.getByRole("button", { name: "Share…" }).click();
  await expect(page.getByRole("list", { name: "Findings" })).toBeVisible();
}

const secret = (page: Page) => page.getByRole("checkbox", { name: TOKEN.slice(0, 12) });

async function download(page: Page): Promise<{ path: string; text: string }> {
  const coming = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Download" }).click();
  const path = join(mkdtempSync(join(tmpdir(), "plimsoll-report-")), "report.html");
  await (await coming).saveAs(path);
  return { path, text: readFileSync(path, "utf8") };
}

test("what looks private is listed first: a secret is masked, unless somebody accepts it", async ({ page }) => {
  await openShare(page);
  expect(await axeFindings(page)).toEqual([]);
  await expect(secret(page)).toBeChecked();
  await expect(
    page.getByRole("list", { name: "Findings" }).getByRole("checkbox", { name: /^sailor/ }),
  ).not.toBeChecked();
  expect((await download(page)).text).not.toContain(TOKEN);
  await secret(page).uncheck();
  expect((await download(page)).text).toContain(TOKEN);
  await page.getByRole("checkbox", { name: "User names" }).check();
  await page.getByRole("checkbox", { name: "Secrets" }).uncheck();
  await page.getByRole("checkbox", { name: "Secrets" }).check();
  await expect(secret(page)).toBeChecked();
  const { text } = await download(page);
  expect(text).not.toMatch(/ghp_|sailor/);
  expect(text).toMatch(/Masked: 1 secret and 1 user name/);
});

test("a transcript, ATIF and a bundle leave from the same dialog, with the same masks", async ({ page }) => {
  await page.goto(`/sessions/claude-code:${sampleId(7)}?tab=load`);
  await page.getByRole("button", { name: "Export…" }).click();
  await expect(page.getByRole("radio", { name: "Transcript" })).toBeChecked();
  await expect(secret(page)).toBeChecked();
  const transcript = (await download(page)).text;
  expect(transcript).toMatch(/^# Find the leak/);
  expect(transcript).not.toContain(TOKEN);
  expect(transcript).toContain("| `[secret 1]` | secret |");
  await page.getByRole("radio", { name: "ATIF 1.7" }).check();
  await expect(secret(page)).toBeChecked();
  await secret(page).uncheck();
  const { steps } = JSON.parse((await download(page)).text) as { steps: object[] };
  expect(JSON.stringify(steps)).toContain(TOKEN);
  await page.getByRole("radio", { name: "Bundle" }).check();
  await expect(page.getByText("An exact copy.")).toBeVisible();
  await secret(page).check();
  await expect(page.getByText("its bytes differ from the original")).toBeVisible();
  expect((await download(page)).text.slice(0, 2)).toBe("PK");
  expect(await axeFindings(page)).toEqual([]);
});

test("excerpts are chosen, and an event that is not there is refused", async ({ page }) => {
  await openShare(page);
  await page.getByRole("textbox", { name: "Number of an event" }).fill("1");
  await page.getByRole("button", { name: "Add event" }).click();
  await expect(page.getByRole("checkbox", { name: "Event 1 " })).toBeChecked();
  expect((await download(page)).text).toContain("<b>Event 1, user</b>");
  await page.getByRole("textbox", { name: "Number of an event" }).fill("9999");
  await page.getByRole("button", { name: "Add event" }).click();
  await expect(page.getByText(/has no event 9999/)).toBeVisible();
  await page.getByRole("button", { name: "Use the top culprits" }).click();
  await expect(secret(page)).toBeVisible();
});

test("the page opens without scripts and without a network, asks for nothing, and is clean under axe", async ({
  page,
  browser,
}) => {
  await openShare(page);
  const { path } = await download(page);
  for (const javaScriptEnabled of [false, true]) {
    const context = await browser.newContext({ javaScriptEnabled, offline: true });
    const reader = await context.newPage();
    const asked: string[] = [];
    const said: string[] = [];
    reader.on("request", (request) => asked.push(request.url()));
    reader.on("console", (message) => said.push(message.text()));
    await reader.goto(pathToFileURL(path).href);
    await expect(reader.getByRole("heading", { level: 1 })).toContainText("Find the leak </pre><script>");
    await expect(reader.getByRole("img", { name: /Prompt tokens of 12 model calls/ })).toBeVisible();
    await expect(reader.getByText("[secret 1]").first()).toBeVisible();
    await expect(reader.getByText("U+202E").first()).toBeVisible();
    expect(await reader.title()).toMatch(/^Find the leak/);
    if (javaScriptEnabled) expect(await axeFindings(reader)).toEqual([]);
    expect(asked).toEqual([pathToFileURL(path).href]);
    expect(said).toEqual([]);
    await context.close();
  }
});
