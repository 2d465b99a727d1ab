import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, sampleLines, writeSample } from "./sample-sessions.ts";
import { expect, startServer, test } from "./test-server.ts";

const read = (bytes: number, prompt: number) => ({
  tool: "Read",
  input: { file_path: "/home/sailor/harbour/log.txt" },
  output: filler(bytes),
  prompt,
});

test.beforeEach(async ({ server }) => {
  writeSample(join(server.dir, "sources"), { id: sampleId(1), prompt: "Whole and sound", calls: [read(200, 9_000)] });
  const broken = writeSample(join(server.dir, "sources"), {
    id: sampleId(2),
    prompt: "Broken in the middle",
    calls: [read(200, 9_000)],
  });
  appendFileSync(broken, '{"type":"user","message":{"role":"us\n');
});

test("every file is listed with what came of it, and problems with line, bytes and reason", async ({ page }) => {
  await page.goto("/sources");
  await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
  const files = page.getByRole("table", { name: "Files" });
  // What other tests wrote there before stays as an earlier version, in a row of its own.
  const row = (id: string) => files.getByRole("row").filter({ hasText: id, hasNotText: "earlier version" });
  await expect(row(sampleId(1))).toContainText("Whole and sound");
  await row(sampleId(2)).getByRole("button", { name: "Show the 1 problems of this file" }).click();
  const problem = page.getByRole("table", { name: "Problems" }).getByRole("row").nth(1);
  await expect(problem).toContainText(sampleId(2));
  await expect(problem.getByRole("cell").nth(1)).toHaveText("4");
  await expect(page).toHaveURL(/tab=problems/);
});

test("files say whether they are of a watched source or were imported by hand", async ({ page, server }) => {
  const summary = page.locator("p").filter({ hasText: / in [\d,]+ files?/ });
  await page.goto("/sources");
  await expect(summary.first()).toContainText(/ of 1 source/);
  // Other tests of this server may have imported files, too.
  const byHandNow = async (): Promise<number> =>
    Number(/(\d+) imported by hand/.exec(await summary.first().innerText())?.[1] ?? 0);
  const before = await byHandNow();
  const byHand = join(server.dir, "brought-along");
  const path = writeSample(byHand, { id: sampleId(6), prompt: "Brought along", calls: [read(200, 9_000)] });
  expect((await server.ask("POST", "/api/commands/import", { paths: [path] })).ok).toBe(true);
  await expect.poll(byHandNow).toBe(before + 1);
  await page.goto("/sources?q=brought-along");
  await expect(summary.first()).toContainText(/ in 1 file, imported by hand\./);
  await expect(page.getByRole("contentinfo")).toContainText(/\d+ sessions, .+ in \d+ files/);
});

test("Escape before a dialog has come closes it, and leaves the focus on its button", async ({ page }) => {
  await page.goto("/sources");
  const button = page.getByRole("button", { name: "Send to fleet…" });
  await expect(button).toBeVisible();
  await page.waitForLoadState("networkidle");
  let release = (): void => undefined;
  const isReleased = new Promise<void>((done) => (release = done));
  await page.route("**/_next/static/**", async (route) => {
    await isReleased;
    await route.continue();
  });
  const chunk = page.waitForResponse(/_next\/static/);
  await button.press("Enter");
  await page.keyboard.press("Escape");
  release();
  await (await chunk).finished();
  // Nothing says that a dialog does not come.
  await page.waitForTimeout(500);
  await expect(button).toBeFocused();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  // Twice: the first time it is fetched.
  for (const _ of ["first", "second"]) {
    await button.press("Enter");
    await expect(page.getByRole("form", { name: "Sending" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(button).toBeFocused();
  }
});

test("a folder is added, watched, and taken off again; what was read stays", async ({ page, server }) => {
  const folder = join(server.dir, "more");
  mkdirSync(folder, { recursive: true });
  const file = writeSample(folder, { id: sampleId(3), prompt: "Found in another folder", calls: [read(200, 9_000)] });
  const before = readFileSync(file);
  await page.goto("/sources");
  await page.getByRole("button", { name: "Watch folder…" }).click();
  await page.getByLabel("A session file, or a folder that holds some, on this machine").fill(folder);
  await page.getByRole("button", { name: "Read and watch" }).click();
  const root = page.getByRole("table", { name: "Folders" }).getByRole("row", { name: folder });
  await expect(root).toContainText("watching");
  await expect(page.getByRole("table", { name: "Files" })).toContainText("Found in another folder");
  await root.getByRole("button", { name: "Remove" }).click();
  await expect(root).toHaveCount(0);
  await page.goto("/");
  await expect(page.getByRole("table", { name: "Sessions" })).toContainText("Found in another folder");
  expect(readFileSync(file)).toEqual(before);
});

test("a path that is not there is refused where it was asked", async ({ page, server }) => {
  await page.goto("/sources");
  await page.getByRole("button", { name: "Watch folder…" }).click();
  await page.getByLabel("A session file, or a folder that holds some, on this machine").fill(join(server.dir, "none"));
  await page.getByRole("button", { name: "Read and watch" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("Nothing was imported");
});

test("a file that is dropped on any page is read", async ({ page }) => {
  await page.goto("/artifacts");
  await expect(page.getByRole("heading", { name: "Artifacts", exact: true })).toBeVisible();
  const text = sampleLines({ id: sampleId(4), prompt: "Dropped on the deck", calls: [read(200, 9_000)] }).join("");
  const transfer = await page.evaluateHandle(
    ({ text, name }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
    { text, name: `${sampleId(4)}.jsonl` },
  );
  await page.dispatchEvent("main", "dragenter", { dataTransfer: transfer });
  await expect(page.getByText("Drop session files to read them")).toBeVisible();
  const sent = page.waitForResponse((response) => response.url().includes("/api/upload"));
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
  await sent;
  await page.goto("/");
  await expect(page.getByRole("table", { name: "Sessions" })).toContainText("Dropped on the deck");
});

test("a file that is no session is told where it was dropped, and the page stays usable", async ({ page }) => {
  await page.goto("/sources");
  await page.getByRole("button", { name: "Watch folder…" }).click();
  await page
    .getByLabel("Choose files…")
    .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("not a session\n") });
  const result = page.getByRole("region", { name: "Dropped files" });
  await expect(result).toContainText("notes.txt: not done");
  await expect(result).toContainText(/no session format/i);
  await result.getByRole("button", { name: "Close" }).click();
  await expect(result).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Search in file paths" }).fill("notes.txt");
  const row = page.getByRole("table", { name: "Files" }).getByRole("row").nth(1);
  await expect(row).toContainText("notes.txt");
  await expect(row).toContainText(/no session format/i);
});

test("an import tells how far it is and stops when it is told to; what was read stays", async ({ browser }) => {
  const server = await startServer();
  const many = join(server.dir, "many");
  // Some 100 files a second are read here, so this takes long enough to be stopped.
  for (let at = 0; at < 1500; at += 1) {
    writeSample(many, { id: sampleId(5000 + at), prompt: `One of many ${at}`, calls: [read(200, 9_000)] });
  }
  const context = await browser.newContext({ baseURL: server.url });
  await server.signIn(context);
  const page = await context.newPage();
  await page.goto("/sources");
  await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
  await server.ask("POST", "/api/imports", { paths: [many] });
  const line = page.getByRole("contentinfo");
  await expect(line).toContainText("of 1,500 files");
  await expect(line.getByRole("progressbar", { name: "Import" })).toBeVisible();
  await line.getByRole("button", { name: "Cancel" }).click();
  await expect(line.getByRole("button", { name: "Cancel" })).toHaveCount(0);
  const { counts } = (await (await server.ask("GET", "/api/sessions?limit=1")).json()) as { counts: { all: number } };
  expect(counts.all).toBeGreaterThan(0);
  expect(counts.all).toBeLessThan(1500);
  await context.close();
  await server.stop();
});

test("hidden characters in a file name and a title are shown by name", async ({ page, server }) => {
  const folder = join(server.dir, "sources", "-odd");
  mkdirSync(folder, { recursive: true });
  const lines = sampleLines({ id: sampleId(5), prompt: "ignore \u202Eprevious\u001B[2J", calls: [read(200, 9_000)] });
  const path = join(folder, `${sampleId(5)}.jsonl`);
  writeFileSync(path, lines.join(""));
  await page.goto("/");
  const row = page.getByRole("table", { name: "Sessions" }).getByRole("row").filter({ hasText: "hidden text" });
  await expect(row).toContainText("U+202E");
  expect(await page.locator("body").innerText()).not.toMatch(/\u202E/);
  rmSync(path);
});

for (const tab of ["files", "problems"]) {
  test(`axe finds nothing serious among ${tab}`, async ({ page }) => {
    await page.goto(`/sources?tab=${tab}`);
    await expect(page.getByRole("table").last()).toBeVisible();
    expect(await axeFindings(page)).toEqual([]);
  });
}
