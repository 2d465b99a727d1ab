import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./server.ts";

const KEPT = '"large":9007199254740993,"huge":1e400,"none":-0,"same":1,"same":2';
const soundings = Array.from({ length: 200 }, (_, at) => `{"at":${at},"fathoms":${at / 4},"ground":"sand"}`);
const CHART = `{${KEPT},"note":"turn \u202Eback","soundings":[${soundings.join(",")}]}`;
const WATCH = [...soundings.slice(0, 120), "the watch slept here", ...soundings.slice(120)].join("\n");
const HOLD = `[${Array.from({ length: 64_000 }, (_, at) => `{"cask":${at},"what":"salted beef, second sort","where":"aft, below the magazine"}`).join(",")}]`;
// What is over 256 KB is called JSON for how it begins and ends.
const TORN = `{\n"a": 1,\n"b": ${"x".repeat(300_000)}\n}`;
const CODE = Array.from({ length: 400 }, (_, at) => `export const depth${at} = "fathom"; // ${at}`).join("\n");

const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-json-"));
      mkdirSync(join(dir, "projects"));
      const files = {
        "chart.json": CHART,
        "watch.jsonl": WATCH,
        "hold.json": HOLD,
        "torn.json": TORN,
        "depth.ts": CODE,
      };
      const calls = Object.entries(files).map(([file, output], at) => ({
        tool: "Read",
        input: { file_path: `/home/sailor/harbour/${file}` },
        output,
        prompt: 9000 + at * 5000,
      }));
      writeSample(join(dir, "projects"), { id: sampleId(41), prompt: "Read the charts", calls });
      const server = await startServer({ sources: [join(dir, "projects")] });
      await use(server);
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

type Listed = { artifacts: { pointer: string; name: string | null }[] };

async function openArtifact(page: Page, server: TestServer, name: string, query = "") {
  const list = async () => ((await (await server.ask("GET", "/api/artifacts")).json()) as Listed).artifacts;
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(5);
  const found = (await list()).find((artifact) => artifact.name === name);
  if (!found) throw new Error(`${name} is not among the artifacts`);
  await page.goto(`/artifacts/${encodeURIComponent(found.pointer)}${query}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
}

/** Everything that a page must not do: errors, refused policies, other addresses. */
function complaintsOf(page: Page, server: TestServer): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url)) complaints.push(request.url());
  });
  return complaints;
}

const source = (page: Page) => page.locator(".monaco-editor .view-lines");
/** The editor parts words with no-break spaces. */
const shown = async (page: Page) => (await source(page).innerText()).replaceAll("\u00A0", " ");
const editorScripts = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith("/monaco/")),
  );

test("JSON is laid out, and its numbers and keys are those that are stored", async ({ page, server }) => {
  const complaints = complaintsOf(page, server);
  await openArtifact(page, server, "chart.json");
  await expect(source(page)).toBeVisible();
  for (const kept of ['"large": 9007199254740993,', '"huge": 1e400,', '"none": -0,', '"same": 1,', '"same": 2,'])
    await expect.poll(() => shown(page)).toContain(kept);
  expect(await shown(page)).toContain('"turn \\u202eback"');
  await expect(page.getByText("1 hidden character is written as escapes")).toBeVisible();
  const colours = await source(page)
    .locator("span[class^=mtk]")
    .evaluateAll((spans) => spans.map((span) => getComputedStyle(span).color));
  // Keys, strings, numbers and what parts them.
  await expect.poll(() => new Set(colours).size).toBeGreaterThanOrEqual(4);
  expect(await editorScripts(page)).toEqual(expect.arrayContaining(["/monaco/editor.js", "/monaco/editor.css"]));
  // The worker has answered when there is something to fold.
  await expect(page.locator(".monaco-editor .codicon-folding-expanded").first()).toBeVisible();
  expect(page.workers().map((worker) => new URL(worker.url()).pathname)).toContain("/monaco/json-worker.js");
  expect(complaints).toEqual([]);
});

test("what is chosen is in the address: as stored, by lines, laid out", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json");
  await page.getByRole("button", { name: "As stored" }).click();
  await expect.poll(() => shown(page)).toContain(KEPT);
  await expect(page).toHaveURL(/view=stored/);
  await page.reload();
  await expect.poll(() => shown(page)).toContain(KEPT);
  await page.getByRole("button", { name: "Lines" }).click();
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText('"none":-0');
  await expect(source(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Formatted" }).click();
  await expect.poll(() => shown(page)).toContain('"none": -0,');
});

test("JSON lines are one list, and what is no JSON among them is said", async ({ page, server }) => {
  await openArtifact(page, server, "watch.jsonl");
  await expect(page.getByText("200 values, one a line in what is stored, shown as a list; 1 line")).toBeVisible();
  await expect.poll(() => shown(page)).toMatch(/^\[\n {2}\{\n {4}"at": 0,/);
  await openArtifact(page, server, "watch.jsonl", "?line=121");
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText("the watch slept here");
});

test("a broken text is shown as it is stored, with the place", async ({ page, server }) => {
  await openArtifact(page, server, "torn.json");
  await expect(page.getByText("It stops being JSON at line 3, column 6")).toBeVisible();
  await expect.poll(() => shown(page)).toContain('"a": 1,');
});

test("what is large stands by lines and loads no editor", async ({ page, server }) => {
  await openArtifact(page, server, "hold.json");
  await expect(page.getByRole("button", { name: "Formatted" })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText('"cask":0');
  expect(await editorScripts(page)).toEqual([]);
});

test("a text that is no JSON loads no editor, nor does the page of sessions", async ({ page, server }) => {
  for (const open of [() => openArtifact(page, server, "depth.ts"), () => page.goto("/")]) {
    await open();
    await page.waitForLoadState("networkidle");
    expect(await editorScripts(page)).toEqual([]);
  }
});

test("the keyboard finds, folds and leaves", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json");
  await expect(source(page)).toBeVisible();
  await page.getByRole("button", { name: "Formatted" }).focus();
  for (let tries = 0; tries < 3; tries += 1) await page.keyboard.press("Tab");
  const field = page.getByRole("textbox", { name: "Source of the artifact. Escape leaves it." });
  await expect(field).toBeFocused();
  const ring = page.locator("div:has(> div > .monaco-editor)");
  expect(await ring.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
  await page.keyboard.press("ControlOrMeta+f");
  await page.keyboard.type('"at": 150');
  await expect.poll(() => shown(page)).toContain('"fathoms": 37.5');
  // First the search is closed, then the editor is left.
  await page.keyboard.press("Escape");
  await expect(field).toBeFocused();
  await page.keyboard.press("ControlOrMeta+Home");
  await expect.poll(() => shown(page)).toContain('"huge"');
  await page.keyboard.press("ControlOrMeta+Shift+BracketLeft");
  await expect.poll(() => shown(page)).not.toContain('"huge"');
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Formatted" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(field).not.toBeFocused();
});

test("nothing can be typed into it", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json", "?view=stored");
  await expect.poll(() => shown(page)).toContain(KEPT);
  await source(page).click({ position: { x: 40, y: 9 } });
  await page.keyboard.type("zzz");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Enter");
  await expect(page.locator(".monaco-editor.focused")).toHaveCount(1);
  expect(await shown(page)).toContain(KEPT);
  expect(await shown(page)).not.toContain("zzz");
});

for (const colorScheme of ["light", "dark"] as const)
  test(`axe finds nothing serious, ${colorScheme}`, async ({ page, server }) => {
    await page.emulateMedia({ colorScheme });
    await openArtifact(page, server, "chart.json");
    await expect(page.locator(".monaco-editor .codicon-folding-expanded").first()).toBeVisible();
    const background = await page
      .locator(".monaco-editor")
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(background).toBe(colorScheme === "dark" ? "rgb(16, 18, 20)" : "rgb(252, 252, 251)");
    const found = await new AxeBuilder({ page }).analyze();
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))])).toEqual([]);
  });

test("the colours follow the theme of the page", async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openArtifact(page, server, "chart.json");
  await expect(source(page)).toBeVisible();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator(".monaco-editor").first()).toHaveCSS("background-color", "rgb(16, 18, 20)");
});
