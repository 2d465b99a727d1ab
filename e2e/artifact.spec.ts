import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const LOG = Array.from({ length: 50_000 }, (_, at) => `2026-03-02 09:00:00 watch ${at + 1} all is well`).join("\n");
const CODE = Array.from({ length: 400 }, (_, at) => `export const depth${at} = "fathom"; // ${at}`).join("\n");
const PAGE = `<!doctype html><script>window.__xss = 1</script><img src="https://canary.test/x.png">${"<p>x</p>\n".repeat(800)}`;

const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-artifact-"));
      mkdirSync(join(dir, "projects"));
      const read = (file: string, output: string, prompt: number) => ({
        tool: "Read",
        input: { file_path: `/home/sailor/harbour/${file}` },
        output,
        prompt,
      });
      writeSample(join(dir, "projects"), {
        id: sampleId(21),
        prompt: "Keep the log",
        calls: [
          read("watch.log", LOG, 9000),
          read("depth.ts", CODE, 20_000),
          read("page.html", PAGE, 30_000),
          read("a.txt", "x", 31_000),
        ],
      });
      const server = await startServer({ sources: [join(dir, "projects")] });
      await use(server);
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

type Listed = { artifacts: { pointer: string; digest: string; name: string | null }[] };

async function openArtifact(page: Page, server: TestServer, name: string, query = "") {
  const list = async () => ((await (await server.ask("GET", "/api/artifacts")).json()) as Listed).artifacts;
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(3);
  const found = (await list()).find((artifact) => artifact.name === name);
  if (!found) throw new Error(`${name} is not among the artifacts`);
  await page.goto(`/artifacts/${encodeURIComponent(found.pointer)}${query}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
  return found;
}

const lines = (page: Page) => page.getByRole("region", { name: "Text of the artifact" });

test("an artifact says what it is, where it came from and how long it stayed", async ({ page, server }) => {
  const { digest } = await openArtifact(page, server, "watch.log");
  expect(digest).toBe(createHash("sha256").update(LOG).digest("hex"));
  await expect(page.getByText(digest)).toBeVisible();
  await expect(page.getByText("entered at call 2, resident 3 calls")).toBeVisible();
  await page.getByRole("link", { name: /^Keep the log, event \d+$/ }).click();
  await expect(page.locator("article[aria-current=true]")).toContainText("watch.log");
});

test("a long text is read where the reader looks, to its last line", async ({ page, server }) => {
  await openArtifact(page, server, "watch.log");
  await expect(lines(page).getByText("watch 1 all is well")).toBeVisible();
  await lines(page).focus();
  await page.keyboard.press("End");
  await expect(lines(page).getByText("watch 50000 all is well")).toBeVisible();
  expect(await lines(page).locator(".artifact-line").count()).toBeLessThan(120);
});

test("a line has an address of its own", async ({ page, server }) => {
  await openArtifact(page, server, "watch.log", "?line=31415");
  await expect(lines(page).getByText("watch 31415 all is well")).toBeVisible();
  // The lines stand before the page listens.
  await expect(async () => {
    await page.getByRole("button", { name: "Line 31418" }).click();
    await expect(page).toHaveURL(/line=31418/, { timeout: 1000 });
  }).toPass();
});

test("code is in colour, and its text unchanged", async ({ page, server }) => {
  await openArtifact(page, server, "depth.ts");
  const first = lines(page).locator(".artifact-line code").first();
  await expect(first).toHaveText('export const depth0 = "fathom"; // 0');
  await expect(first.locator("span[style*=color]").first()).toBeVisible();
});

test("the download is the output, byte for byte, and parts of it can be asked for", async ({ page, server }) => {
  const { pointer } = await openArtifact(page, server, "depth.ts");
  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name: /^Download/ }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe("depth.ts");
  expect((await readFile(await download.path())).toString()).toBe(CODE);
  const part = await page.request.get(`/api/artifacts/${encodeURIComponent(pointer)}/raw`, {
    headers: { range: "bytes=0-5" },
  });
  expect([part.status(), await part.text()]).toEqual([206, "export"]);
});

test("a page that a tool fetched is shown as its source and does nothing", async ({ page, server }) => {
  const strange: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) strange.push(request.url());
  });
  await openArtifact(page, server, "page.html");
  await expect(lines(page).getByText("window.__xss", { exact: false }).first()).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as Record<string, unknown>)["__xss"])).toBeUndefined();
  expect(strange).toEqual([]);
});

test("an artifact that is not there is said plainly", async ({ page }) => {
  const answer = await page.goto("/artifacts/art%3A00000000-0000-4000-8000-000000000000");
  expect(answer?.status()).toBe(404);
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  await openArtifact(page, server, "depth.ts");
  await expect(lines(page).locator("span[style*=color]").first()).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
});
