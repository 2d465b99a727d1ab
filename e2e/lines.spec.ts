// Lines of a text, the search through them, and the bytes of what is no text.
import { expect, type Page } from "@playwright/test";
import { systemHost } from "../bin/system-host.ts";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";
import { pressShortcut } from "./press-shortcut.ts";

const ESC = "\u001b";
const COUNT = 20_000;
const LEVELS = [`${ESC}[1;31mERROR${ESC}[0m`, `${ESC}[33mWARN${ESC}[0m`, "info", "info", "info"];

/** Every fifth line is an error, in colour; line 40 is long, line 60 would hide something. */
const lineOf = (at: number): string => {
  const line = `12:00:${String(at % 60).padStart(2, "0")} ${LEVELS[at % LEVELS.length]} quay-${at % 7} watch ${at + 1}`;
  if (at === 39) return `${line} ${"rope ".repeat(30_000)}`;
  if (at === 59) return `${line} ${ESC}[2Jgone ${ESC}]0;title\u0007\u202eflow`;
  if (at % 50 === 9) return `${line} ${"a long tale of ropes and knots ".repeat(20)}`;
  return line;
};
const LOG = Array.from({ length: COUNT }, (_, at) => lineOf(at)).join("\n");
const BYTES = Uint8Array.from({ length: 70_000 }, (_, at) => (at % 256 === 0 ? 0 : at * 7));

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  const store = (name: string, contentType: string, bytes: Uint8Array) =>
    storeArtifact(archive, { session, name, contentType }, bytes);
  await store("quay.log", "text/plain", new TextEncoder().encode(LOG));
  await store("chart.bin", "application/octet-stream", BYTES);
  await store("to-go.log", "text/plain", new TextEncoder().encode("one\ntwo\nthree\n".repeat(5000)));
  await closeArchive(archive);
});

type Listed = { artifacts: { pointer: string; name: string | null }[] };
type Server = { ask(method: string, path: string): Promise<Response> };

async function open(page: Page, server: Server, name: string, query = ""): Promise<string> {
  const { artifacts } = (await (await server.ask("GET", `/api/artifacts?q=${name}`)).json()) as Listed;
  const pointer = artifacts.find((artifact) => artifact.name === name)!.pointer;
  await page.goto(`/artifacts/${encodeURIComponent(pointer)}${query}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
  // The text stands before the page listens.
  await page.waitForFunction(() =>
    [
      ...document.querySelectorAll(
        "[aria-label='Text of the artifact'], [aria-label='Bytes of the artifact'], label input",
      ),
    ].every((element) => Object.keys(element).some((key) => key.startsWith("__reactProps"))),
  );
  return pointer;
}

const text = (page: Page) => page.getByRole("region", { name: "Text of the artifact" });
const line = (page: Page, number: number) => text(page).locator(`[data-line="${number}"]`);
/** Its number: a line is as wide as the widest beside it, and most of that is out of sight. */
const number = (page: Page, at: number) => line(page, at).getByRole("button", { name: `Line ${at}`, exact: true });
const list = (page: Page) => page.getByRole("region", { name: "Lines that match" });
const pattern = (page: Page) => page.getByRole("searchbox", { name: "Pattern" });
const searchNote = (page: Page) => page.getByRole("status", { name: "The search" });
const marked = (page: Page, name: string) =>
  page.evaluate((key) => [...(CSS.highlights.get(key) ?? [])].map((range) => (range as Range).toString()), name);

test.beforeEach(({ context }) => context.grantPermissions(["clipboard-read", "clipboard-write"]));

test("terminal output is in its colours, and what it would have hidden is told", async ({ page, server }) => {
  await open(page, server, "quay.log");
  await expect(line(page, 1).locator("code")).toHaveText("12:00:00 ERROR quay-0 watch 1");
  await expect(line(page, 1).locator("span.font-semibold")).toHaveText("ERROR");
  await page.getByRole("textbox", { name: "Go to line" }).fill("60");
  await page.keyboard.press("Enter");
  await expect(line(page, 60)).toContainText("gone U+202Eflow");
  await expect(line(page, 60).getByText("hidden text")).toBeVisible();
  await page.getByRole("button", { name: "Colours" }).click();
  await expect(line(page, 61)).toContainText("ESC[1;31mERROR");
  await expect(page).toHaveURL(/ansi=false/);
});

test("every line is reached by keyboard, by number and by address", async ({ page, server }) => {
  await open(page, server, "quay.log");
  await pressShortcut(page, "G");
  await expect(number(page, COUNT)).toBeInViewport({ ratio: 0.9 });
  await pressShortcut(page, "g-g");
  await expect(number(page, 1)).toBeInViewport({ ratio: 0.9 });
  await pressShortcut(page, ":");
  await page.keyboard.type("12,345");
  await page.keyboard.press("Enter");
  await expect(number(page, 12_345)).toBeInViewport({ ratio: 0.9 });
  await expect(page).toHaveURL(/line=12345/);
  await text(page).focus();
  await page.keyboard.press("End");
  await expect(number(page, COUNT)).toBeInViewport({ ratio: 0.9 });
  await page.keyboard.press("PageUp");
  await expect(number(page, COUNT)).not.toBeInViewport();
  await page.getByRole("textbox", { name: "Go to line" }).fill("999999999");
  await page.keyboard.press("Enter");
  await expect(number(page, COUNT)).toBeInViewport({ ratio: 0.9 });
});

test("wrapped lines are as high as they are, and a jump is exact all the same", async ({ page, server }) => {
  await open(page, server, "quay.log", "?line=9000&wrap=true");
  await expect(number(page, 9000)).toBeInViewport({ ratio: 0.9 });
  await expect.poll(async () => (await line(page, 9010).boundingBox())!.height).toBeGreaterThan(36);
  const { x, width } = (await text(page).boundingBox())!;
  const tale = (await line(page, 9010).locator("code").boundingBox())!;
  expect(tale.x + tale.width).toBeLessThanOrEqual(x + width + 1);
  await pressShortcut(page, "G");
  await expect(number(page, COUNT)).toBeInViewport({ ratio: 0.9 });
  for (const at of [15_011, 40, 9010]) {
    await page.getByRole("textbox", { name: "Go to line" }).fill(String(at));
    await page.keyboard.press("Enter");
    await expect(number(page, at)).toBeInViewport({ ratio: 0.9 });
  }
  await page.getByRole("textbox", { name: "Go to line" }).blur();
  // The line on top stays there.
  await pressShortcut(page, "w");
  await expect(page).not.toHaveURL(/wrap/);
  await expect(number(page, 9010)).toBeInViewport({ ratio: 0.9 });
});

test("scrolling through wrapped lines shows each of them", async ({ page, server }) => {
  await open(page, server, "quay.log", "?line=9000&wrap=true");
  await expect(number(page, 9000)).toBeInViewport({ ratio: 0.9 });
  await text(page).hover();
  const seen = new Set<number>();
  for (let i = 0; i < 25; i++) {
    for (const one of await text(page).evaluate((box) => {
      const { top, bottom } = box.getBoundingClientRect();
      return [...box.querySelectorAll<HTMLElement>("[data-line]")]
        .filter((row) => row.getBoundingClientRect().top < bottom && row.getBoundingClientRect().bottom > top)
        .map((row) => Number(row.dataset["line"]));
    }))
      seen.add(one);
    await page.mouse.wheel(0, 200);
    await page.waitForTimeout(40);
  }
  const numbers = [...seen].sort((a, b) => a - b);
  expect(numbers.at(-1)! - numbers[0]!).toBeGreaterThan(150);
  expect(numbers.length).toBe(numbers.at(-1)! - numbers[0]! + 1);
});

test("a long line is cut, says so, and shows more of itself", async ({ page, server }) => {
  await open(page, server, "quay.log", "?line=40");
  await expect(line(page, 40)).toContainText("4,000 of 150,0");
  await line(page, 40).getByRole("button", { name: "Show more of line 40" }).click();
  await expect(line(page, 40)).toContainText("20,000 of 150,0");
  await line(page, 40).getByRole("button", { name: "Show more of line 40" }).click();
  await expect(line(page, 40)).toContainText("100,000 of 150,0");
  await expect(line(page, 40)).toContainText("the download has them all");
});

test("lines are chosen with Shift, stand in the address, and are copied as they are stored", async ({
  page,
  server,
}) => {
  await open(page, server, "quay.log");
  await line(page, 3).getByRole("button").click();
  await line(page, 12)
    .getByRole("button")
    .click({ modifiers: ["Shift"] });
  await expect(page).toHaveURL(/line=3&to=12|to=12&line=3/);
  await expect(text(page).locator("[data-chosen]")).toHaveCount(10);
  await page.getByRole("button", { name: "Copy lines" }).click();
  await expect(page.getByText("Copied", { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LOG.split("\n").slice(2, 12).join("\n"));
  await text(page).focus();
  await page.keyboard.press("Shift+ArrowDown");
  await expect(page).toHaveURL(/to=13/);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(text(page).locator("[data-chosen]")).toHaveCount(0);
  // A line that is longer than any answer is not copied in part.
  await open(page, server, "quay.log", "?line=40");
  await page.getByRole("button", { name: "Copy line" }).click();
  await expect(page.getByText("Line 40 is too long to be copied")).toBeVisible();
});

test("grep lists lines as one types, marks them here and there, and steps from one to the next", async ({
  page,
  server,
}) => {
  await open(page, server, "quay.log");
  await page.getByRole("button", { name: "grep", exact: true }).click();
  await expect(pattern(page)).toBeFocused();
  await page.keyboard.type("quay-[35] watch [0-9]+5$");
  const matches = LOG.split("\n").filter((one) => /quay-[35] watch [0-9]+5$/.test(one)).length;
  await expect(searchNote(page)).toContainText(`${matches.toLocaleString("en-US")} lines match`);
  await expect.poll(() => marked(page, "grep-list")).toContain("quay-3 watch 25");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/line=25(&|$)/);
  await expect(line(page, 25)).toHaveAttribute("data-chosen");
  await expect.poll(() => marked(page, "grep-text")).toContain("quay-3 watch 25");
  await page.keyboard.press("Escape");
  await pressShortcut(page, "n");
  await pressShortcut(page, "n");
  await expect(line(page, 95)).toHaveAttribute("data-chosen");
  await expect(page.getByText(`3 of ${matches.toLocaleString("en-US")}`)).toBeVisible();
  await pressShortcut(page, "N");
  await expect(page).toHaveURL(/line=75(&|$)|line=55(&|$)/);
  await list(page).focus();
  await page.keyboard.press("End");
  await list(page).getByRole("button").last().click();
  await expect(text(page).locator("[data-chosen]")).toBeInViewport();
  await pressShortcut(page, "n");
  await expect(line(page, 25)).toBeInViewport();
});

test("options and lines around a match stand in the address, which brings all of it back", async ({ page, server }) => {
  await open(page, server, "quay.log", "?panel=grep&pattern=error");
  await expect(searchNote(page)).toContainText("No line matches");
  await page.getByRole("button", { name: /\(-i\)/ }).click();
  await expect(searchNote(page)).toContainText("4,000 lines match");
  await page.getByRole("spinbutton", { name: /\(-A\)/ }).fill("1");
  await expect(list(page).locator("[data-context]").first()).toBeVisible();
  await expect(list(page).locator("[data-gap]").first()).toBeVisible();
  await page.getByRole("spinbutton", { name: /\(-C\)/ }).fill("0");
  await page.getByRole("button", { name: /\(-v\)/ }).click();
  await expect(searchNote(page)).toContainText("16,000 lines match");
  await expect(page.getByText("of 16,000 are listed")).toBeVisible();
  await expect.poll(() => marked(page, "grep-list")).toEqual([]);
  await page.reload();
  await expect(pattern(page)).toHaveValue("error");
  await expect(page.getByRole("button", { name: /\(-v\)/ })).toHaveAttribute("aria-pressed", "true");
  await expect(searchNote(page)).toContainText("16,000 lines match");
});

test("a pattern that cannot be searched for is told why, and the next one is searched", async ({ page, server }) => {
  await open(page, server, "quay.log", "?panel=grep");
  const alert = page.getByRole("alert").filter({ hasText: "cannot be searched" });
  await pattern(page).fill("(quay");
  await expect(alert).toContainText("has a ( without its )");
  await pattern(page).fill("(quay)-\\1");
  await expect(alert).toContainText("refers back with \\1, which linear-time search cannot");
  await pattern(page).fill("quay-1 watch 2$");
  await expect(searchNote(page)).toContainText("1 line matches");
  await expect(alert).toHaveCount(0);
  await open(page, server, "quay.log", "?panel=grep&pattern=quay&grep=--recursive");
  await expect(page.getByRole("alert").filter({ hasText: "--recursive" })).toBeVisible();
  await page.getByRole("button", { name: /\(-i\)/ }).click();
  await expect(searchNote(page)).toContainText("20,000 lines match");
});

test("a search that was stopped can run longer, and each key ends the search before", async ({ page, server }) => {
  await open(page, server, "quay.log", "?panel=grep");
  const requested: { pattern: string; deadlineMs: number }[] = [];
  const ended: string[] = [];
  page.on("requestfailed", (request) => {
    if (request.url().endsWith("/api/playground/grep")) ended.push(request.postDataJSON().pattern);
  });
  await page.route("**/api/playground/grep", async (route) => {
    const run = route.request().postDataJSON() as { pattern: string; deadlineMs: number };
    requested.push(run);
    if (run.pattern === "slow") return;
    if (run.deadlineMs > 2000) return route.continue();
    const end = {
      type: "end",
      ok: false,
      matches: 0,
      isCounted: false,
      omitted: 0,
      ms: 2000,
      deadlineMs: 2000,
      runId: null,
    };
    const failure = { kind: "timeout", message: "The search ran over 2000 ms and was stopped." };
    await route.fulfill({ contentType: "application/x-ndjson", body: `${JSON.stringify({ ...end, failure })}\n` });
  });
  await pattern(page).fill("slow");
  await expect.poll(() => requested.length).toBe(1);
  await pattern(page).fill("watch 7$");
  await expect.poll(() => ended).toEqual(["slow"]);
  await expect(searchNote(page)).toContainText("Stopped at the deadline");
  await page.getByRole("button", { name: "Run longer: up to 60 s" }).click();
  await expect(searchNote(page)).toContainText("1 line matches");
  expect(requested.at(-1)).toMatchObject({ pattern: "watch 7$", deadlineMs: 60_000 });
});

test("the same search is copied for a shell and for a model", async ({ page, server }) => {
  const pointer = await open(page, server, "quay.log", "?panel=grep&pattern=it's&grep=-i");
  await page.getByRole("button", { name: "Copy as", exact: true }).click();
  await page.getByRole("menuitem", { name: /plimsoll grep/ }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`plimsoll grep -n -i -- ${pointer} 'it'\\''s'`);
});

test("in the playground the lines around a match stand below it", async ({ page, server }) => {
  const pointer = await open(page, server, "quay.log");
  await page.goto(`/playground?mode=grep&artifact=${encodeURIComponent(pointer)}&pattern=watch%2015000$`);
  await expect(searchNote(page)).toContainText("1 line matches");
  await expect(text(page)).toHaveCount(0);
  await pattern(page).press("Enter");
  await expect(page).toHaveURL(/line=15000/);
  await expect(number(page, 15_000)).toBeInViewport({ ratio: 0.9 });
  await expect(number(page, 15_003)).toBeInViewport({ ratio: 0.9 });
  await expect.poll(() => marked(page, "grep-text")).toEqual(["watch 15000"]);
  // As high as everywhere, and in colour.
  expect((await line(page, 15_000).boundingBox())!.height).toBe(18);
  await expect(line(page, 15_002).locator("span", { hasText: "WARN" }).last()).not.toHaveCSS(
    "color",
    await line(page, 15_002).evaluate((element) => getComputedStyle(element).color),
  );
  // What is no text is not searched.
  const { artifacts } = (await (await server.ask("GET", "/api/artifacts?q=chart.bin")).json()) as Listed;
  await page.goto(`/playground?mode=grep&artifact=${encodeURIComponent(artifacts[0]!.pointer)}`);
  await expect(page.getByRole("alert").filter({ hasText: "grep searches lines of text" })).toBeVisible();
});

test("an artifact that is deleted while it is open says so, and its bytes are asked for no more", async ({
  page,
  server,
}) => {
  const pointer = await open(page, server, "to-go.log", "?panel=grep&pattern=two");
  await expect(searchNote(page)).toContainText("5,000 lines match");
  expect((await server.ask("DELETE", `/api/artifacts/${encodeURIComponent(pointer)}`)).ok).toBe(true);
  await expect(page.getByRole("heading", { name: "This artifact was deleted" })).toBeVisible();
  await expect(searchNote(page)).toHaveCount(0);
});

test("bytes are shown sixteen a row, and any of them is gone to", async ({ page, server }) => {
  await open(page, server, "chart.bin");
  const bytes = page.getByRole("region", { name: "Bytes of the artifact" });
  await expect(bytes.locator(".artifact-line").first()).toContainText("00000000");
  await expect(bytes.locator(".artifact-line").first()).toContainText(
    "00 07 0e 15 1c 23 2a 31  38 3f 46 4d 54 5b 62 69",
  );
  await pressShortcut(page, ":");
  await page.keyboard.type("0x10001");
  await page.keyboard.press("Enter");
  await expect(bytes.locator("[data-chosen]")).toContainText("00010000");
  await expect(page.getByText("65,537 = 0x10001")).toBeVisible();
  await bytes.focus();
  await page.keyboard.press("End");
  await expect(bytes.getByText("00011160")).toBeInViewport();
  await expect(page.getByRole("button", { name: "grep", exact: true })).toHaveCount(0);
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  await open(page, server, "quay.log", "?panel=grep&pattern=watch&grep=-i%20-C1&line=61&to=63");
  await expect(searchNote(page)).toContainText("lines match");
  expect(await axeFindings(page)).toEqual([]);
  await open(page, server, "chart.bin");
  expect(await axeFindings(page)).toEqual([]);
});
