// JSON as a tree and as laid-out text, from the byte index of the server.
import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { filesTest } from "./files-server.ts";
import { pressShortcut, shortcutHolds } from "./press-shortcut.ts";
import type { TestServer } from "./test-server.ts";

const KEPT = '"large":9007199254740993,"huge":1e400,"none":-0,"same":1,"same":2';
const soundings = Array.from({ length: 200 }, (_, at) => `{"at":${at},"fathoms":${at / 4},"ground":"sand"}`);
const LOG = `the log of the ship ${"and what was seen ".repeat(900)}`;
const CHART = `{${KEPT},"note":"turn \u202Eback","a b":{"__proto__":{"then":1}},"half":"\\ud800","log":"${LOG}","soundings":[${soundings.join(",")}]}`;
const WATCH = [...soundings.slice(0, 120), "the watch slept here", ...soundings.slice(120)].join("\n");
const HOLD = `[${Array.from({ length: 64_000 }, (_, at) => `{"cask":${at},"what":"salted beef, second sort","where":"aft, below the magazine"}`).join(",")}]`;
// What is over 256 KB is called JSON for how it begins and ends.
const TORN = `{\n"a": 1,\n"b": ${"x".repeat(300_000)}\n}`;
const DEEP = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
const FILES = { "chart.json": CHART, "watch.jsonl": WATCH, "hold.json": HOLD, "torn.json": TORN, "deep.json": DEEP };

const { test, openArtifact: openFile } = filesTest(FILES, 42);

async function openArtifact(page: Page, server: TestServer, name: string, query = ""): Promise<void> {
  await openFile(page, server, name, query);
  // Rows that came with the page hear a key once its script has run.
  await expect(page.locator('[role="tree"][aria-busy="true"]')).toHaveCount(0);
  if (query.includes("view=text")) await shortcutHolds(page, "/");
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

const tree = (page: Page) => page.getByRole("tree", { name: "Values of the artifact" });
const row = (page: Page, text: string | RegExp) => tree(page).getByRole("treeitem").filter({ hasText: text }).first();
const chosen = (page: Page) => tree(page).getByRole("treeitem", { selected: true });
const text = (page: Page) => page.getByRole("region", { name: "Text of the artifact, laid out" });
const foot = (page: Page) => page.getByRole("region", { name: "The chosen value" });

test("JSON opens as a tree; its numbers and keys are those that are stored, and what is odd is marked", async ({
  page,
  server,
}) => {
  const complaints = complaintsOf(page, server);
  await openArtifact(page, server, "chart.json");
  await expect(row(page, "large: 9007199254740993")).toContainText("inexact → 9007199254740992");
  await expect(row(page, "huge: 1e400")).toContainText("inexact → Infinity");
  await expect(row(page, "none: -0")).not.toContainText("inexact");
  await expect(row(page, "same: 1")).toContainText("same key twice");
  await expect(row(page, "same: 2")).toContainText("same key twice");
  await expect(row(page, "half: ")).toContainText("half a character");
  await expect(row(page, "note: ")).toContainText("U+202E");
  await expect(row(page, "log: ")).toContainText(`… ${LOG.length.toLocaleString("en-US")} characters`);
  await expect(row(page, "soundings: ")).toContainText("[200]");
  await expect(page.getByText("1 object has the same key twice; 2 numbers are not exact as doubles")).toBeVisible();
  expect(complaints).toEqual([]);
});

test("the keyboard walks, unfolds and folds, and the address says what is chosen", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json");
  await tree(page).focus();
  for (let i = 0; i < 7; i++) await page.keyboard.press("ArrowDown");
  await expect(chosen(page)).toContainText("a b: ");
  await expect.poll(() => new URL(page.url()).searchParams.get("path")).toBe('.["a b"]');
  await page.keyboard.press("ArrowRight");
  await expect(row(page, "__proto__: ")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(chosen(page)).toContainText("__proto__: {1}");
  await page.keyboard.press("*");
  await expect(row(page, "then: 1")).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(row(page, "then: 1")).toHaveCount(0);
  await page.keyboard.press("ArrowLeft");
  await expect(chosen(page)).toContainText("a b: ");
  await page.keyboard.press("End");
  await expect(chosen(page)).toContainText("soundings: ");
  await page.keyboard.press("Enter");
  await expect(row(page, "0: {3}")).toBeVisible();
  await page.keyboard.press("End");
  await expect(chosen(page)).toContainText("199: {3}");
  await expect(foot(page)).toContainText(".soundings[199]");
  await expect.poll(() => new URL(page.url()).searchParams.get("path")).toBe(".soundings[199]");
  await page.reload();
  await expect(chosen(page)).toContainText("199: {3}");
});

test("a path in the address is unfolded to, and one that leads too far says so", async ({ page, server }) => {
  await openArtifact(page, server, "hold.json", `?path=${encodeURIComponent(".[40000].where")}`);
  await expect(chosen(page)).toContainText('where: "aft, below the magazine"');
  await expect(foot(page)).toContainText(".[40000].where");
  await openArtifact(page, server, "hold.json", `?path=${encodeURIComponent(".[40000].nothing.there")}`);
  await expect(foot(page)).toContainText("There is nothing at .[40000].nothing.there");
  // Longer than the address takes to be written: it stays as it was given, until another value is chosen.
  await page.waitForTimeout(600);
  expect(new URL(page.url()).searchParams.get("path")).toBe(".[40000].nothing.there");
  await expect(foot(page)).toContainText("There is nothing at .[40000].nothing.there");
  await chosen(page).press("ArrowDown");
  await expect.poll(() => new URL(page.url()).searchParams.get("path")).toBe(".[40001]");
  await expect(foot(page)).not.toContainText("There is nothing");
});

test("search goes on, back and round, and counts", async ({ page, server }) => {
  await openArtifact(page, server, "hold.json");
  await expect(row(page, "0: {3}")).toBeVisible();
  await pressShortcut(page, "/");
  await page.keyboard.type("6399");
  await expect(chosen(page)).toContainText("cask: 6399");
  await expect(page.getByLabel("Found", { exact: true })).toHaveText("1 of 16");
  await page.keyboard.press("Enter");
  await expect(chosen(page)).toContainText("cask: 16399");
  await expect(page.getByLabel("Found", { exact: true })).toHaveText("2 of 16");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await expect(chosen(page)).toContainText("cask: 63999");
  await expect(page.getByLabel("Found", { exact: true })).toHaveText("16 of 16, from the other end");
  await expect(foot(page)).toContainText(".[63999].cask");
  await page.getByRole("button", { name: "Aa" }).click();
  await page.getByLabel("Find keys and values").fill("SALTED");
  await expect(page.getByLabel("Found", { exact: true })).toHaveText("not found");
  await page.getByRole("button", { name: "Aa" }).click();
  await expect(page.getByLabel("Found", { exact: true })).toHaveText(/of 10,000\+/);
});

test("what is chosen is copied as a jq program and as it is stored, and opened in jq", async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await openArtifact(page, server, "chart.json");
  await row(page, "a b: ").click();
  await page.getByRole("button", { name: "Copy path" }).click();
  await expect.poll(copied).toBe('.["a b"]');
  await page.getByRole("button", { name: "Copy value" }).click();
  await expect.poll(copied).toBe('{"__proto__":{"then":1}}');
  await row(page, "log: ").click();
  await page.getByRole("button", { name: /^Show all/ }).click();
  await expect(page.getByRole("region", { name: "The whole string" })).toContainText(LOG.trim().slice(-200));
  await page.getByRole("button", { name: "Open in jq" }).click();
  await expect(page).toHaveURL(/panel=jq/);
  await expect(page).toHaveURL(/program=\.log/);
});

test("the values of a stream are one below the other, and what is no JSON among them is said", async ({
  page,
  server,
}) => {
  await openArtifact(page, server, "watch.jsonl");
  await expect(tree(page).getByRole("treeitem").first()).toHaveText(/201 values/);
  await expect(page.getByText("201 JSON lines, 1 invalid (line 121, column 2)")).toBeVisible();
  await pressShortcut(page, "/");
  await page.keyboard.type("slept");
  await expect(chosen(page)).toContainText("120: the watch slept here");
  await expect(chosen(page)).toContainText("not JSON");
});

test("a broken document is shown up to the break, with the place", async ({ page, server }) => {
  await openArtifact(page, server, "torn.json");
  await expect(page.getByText("It stops being JSON at line 3, column 6")).toBeVisible();
  await expect(row(page, "a: 1")).toBeVisible();
  await expect(tree(page).getByRole("treeitem").first()).toContainText("breaks off");
});

test("100,000 levels are unfolded as far as is sensible", async ({ page, server }) => {
  await openArtifact(page, server, "deep.json");
  await tree(page).focus();
  await page.keyboard.press("*");
  await expect.poll(() => tree(page).getByRole("treeitem").count()).toBeGreaterThan(20);
  await page.keyboard.press("End");
  await expect(chosen(page)).toContainText("depth > 512, collapsed");
});

test("as text it is laid out, folded and searched, and a line leads to its value", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json", "?view=text");
  for (const line of ['"large": 9007199254740993,', '"huge": 1e400,', '"none": -0,', '"same": 1,', '"same": 2,'])
    await expect(text(page)).toContainText(line);
  await text(page).getByRole("button", { name: "Fold line 8" }).click();
  await expect(text(page)).not.toContainText("__proto__");
  await pressShortcut(page, "/");
  await expect(page.getByRole("searchbox", { name: "Find keys and values" })).toBeFocused();
  await page.keyboard.type("then");
  await expect(text(page)).toContainText('"then": 1');
  await expect(foot(page)).toContainText('.["a b"].__proto__.then');
  await page.getByRole("button", { name: "Tree", exact: true }).click();
  await expect(chosen(page)).toContainText("then: 1");
  await openArtifact(page, server, "hold.json", "?view=text");
  await text(page).focus();
  await page.keyboard.press("End");
  await expect(text(page)).toContainText('"cask": 63999,');
  await text(page).getByRole("button", { name: "Line 320,000", exact: true }).click();
  await expect(foot(page)).toContainText(".[63999].where");
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  for (const view of ["tree", "text"]) {
    await openArtifact(page, server, "chart.json", `?view=${view}&find=same&path=.note`);
    await expect(foot(page)).toContainText(".note");
    await expect(page.getByLabel("Found", { exact: true })).toHaveText("1 of 2");
    expect(await axeFindings(page)).toEqual([]);
  }
});
