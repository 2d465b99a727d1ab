import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { filesTest } from "./files-server.ts";

const GROUNDS = ["sand", "sand", "shell", "rock", "mud", "sand"];
const soundings = Array.from({ length: 120 }, (_, at) => ({
  at: `09:${String(at % 60).padStart(2, "0")}`,
  fathoms: at / 4,
  ground: GROUNDS[at % 6],
  ...(at % 3 === 0 && { "taken by": { name: "the mate", watch: at % 2 === 0 ? "first" : "dog" } }),
}));
const FILES = {
  "chart.json": JSON.stringify({ harbour: "Rye", lights: { red: 2, green: 1 }, soundings }),
  "watch.jsonl": [
    ...[...soundings, ...soundings].slice(0, 180).map((one) => JSON.stringify(one)),
    "the watch slept here",
  ].join("\n"),
  "tides.csv": `port,high,low\n${Array.from({ length: 900 }, (_, at) => `${["Rye", "Hull"][at % 2]},${at / 10},${at % 7}`).join("\n")}`,
  // More than completion asks jq about.
  "season.json": JSON.stringify({ soundings: Array.from({ length: 300 }, () => soundings).flat() }),
  "log.txt": "no shape here\n".repeat(500),
};

const { test, pointerOf, openArtifact } = filesTest(FILES, 43);

const shape = (page: Page) => page.getByRole("region", { name: "Shape" });
const row = (page: Page, name: string | RegExp) => shape(page).getByRole("treeitem", { name });

test("a document is told place by place, with counts", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json");
  await expect(shape(page)).toContainText("3 keys, all read");
  await expect(row(page, ".harbour string")).toContainText("all");
  await row(page, /^\.soundings array of 120/)
    .locator("span[aria-hidden]")
    .first()
    .click();
  await row(page, /^\.\[\] object/)
    .locator("span[aria-hidden]")
    .first()
    .click();
  await expect(row(page, '.["taken by"]? object')).toContainText("40");
  await row(page, ".fathoms number").locator("span[aria-hidden]").first().click();
  await expect(shape(page)).toContainText("numbers from 0 to 29.75");
  await row(page, ".ground string").locator("span[aria-hidden]").first().click();
  await expect(row(page, /^sand/)).toContainText("60");
});

test("JSON lines say which of them are none, a table tells of its columns", async ({ page, server }) => {
  await openArtifact(page, server, "watch.jsonl");
  await expect(shape(page)).toContainText("180 values, all read");
  await expect(shape(page)).toContainText("1 line is not JSON, the first is line 181.");
  await expect(row(page, /^sand/)).toContainText("90");
  await openArtifact(page, server, "tides.csv");
  await expect(shape(page)).toContainText("900 rows, all read");
  await expect(row(page, /^Rye/)).toContainText("450");
  // jq reads no table.
  await row(page, ".high number").click();
  await expect(page).not.toHaveURL(/program/);
});

test("a text has no outline, and its door says why", async ({ page, server }) => {
  await openArtifact(page, server, "log.txt");
  await expect(shape(page)).toContainText("text(500 lines)");
  const answer = await server.ask("GET", `/api/artifacts/${await pointerOf(server, "log.txt")}/shape`);
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain("neither JSON nor a table");
});

test("a place that is picked opens the jq panel with its program", async ({ page, server }) => {
  await openArtifact(page, server, "watch.jsonl");
  await row(page, ".fathoms number").click();
  await expect(page).toHaveURL(/panel=jq/);
  expect(new URL(page.url()).searchParams.get("program")).toBe(".fathoms");
  await row(page, /^sand/).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("program")).toBe('select(.ground == "sand")');
  await page.goBack();
  await expect.poll(() => new URL(page.url()).searchParams.get("program")).toBe(".fathoms");
});

test("by keyboard alone: it opens, closes, moves and picks", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json");
  const tree = shape(page).getByRole("tree");
  await tree.focus();
  const at = async () => page.locator(`#${CSS_ESCAPE(await tree.getAttribute("aria-activedescendant"))}`);
  await expect(await at()).toContainText(".harbour");
  await page.keyboard.press("End");
  await expect(await at()).toContainText(".soundings");
  await page.keyboard.press("ArrowRight");
  await expect(await at()).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowRight");
  await expect(await at()).toContainText(".[]");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(await at()).toContainText(".fathoms");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/panel=jq/);
  expect(new URL(page.url()).searchParams.get("program")).toBe(".soundings[].fathoms");
  await tree.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(await at()).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("Home");
  await expect(await at()).toContainText(".harbour");
});

/** An id of React's as a selector. */
const CSS_ESCAPE = (id: string | null): string => (id ?? "").replace(/[^\w-]/g, "\\$&");

/**
 * Types what the editor is to complete. It asks jq for half a second, which on a busy machine may pass before jq has started:
 * the last letter is then typed again, as by hand.
 */
async function typeUntil(page: Page, text: string, ...shown: readonly string[]): Promise<void> {
  const list = page.locator(".suggest-widget");
  await page.keyboard.type(text);
  await expect(async () => {
    try {
      for (const one of shown) await expect(list).toContainText(one, { timeout: 3000 });
    } catch (late) {
      await page.keyboard.press("Backspace");
      await page.keyboard.type(text.slice(-1));
      throw late;
    }
  }).toPass({ timeout: 30_000 });
}

test("the editor completes keys of the data, and says what functions do", async ({ page, server }) => {
  await page.goto(`/playground?artifact=${await pointerOf(server, "chart.json")}`);
  await expect(row(page, ".harbour string")).toBeVisible();
  const editor = page.locator(".monaco-editor").first();
  await editor.locator(".view-lines").click();
  await typeUntil(page, ".soundings[] | select(.fa", ".fathoms", "number, in all 120");
  await page.keyboard.press("Enter");
  await typeUntil(page, " > 3) | .tak", "object, in 35 of 107", "{} where it is missing");
  await page.keyboard.press("Enter");
  await typeUntil(page, " | ascii_down", "The letters A to Z in small.");
  await page.keyboard.press("Enter");
  const text = async () => (await editor.locator(".view-lines").innerText()).replaceAll("\u00A0", " ");
  await expect.poll(text).toBe('.soundings[] | select(.fathoms > 3) | .["taken by"] | ascii_downcase');
  await editor.getByText("select", { exact: true }).hover();
  await expect(page.locator(".monaco-hover").first()).toContainText("Lets its input pass where the condition holds");
});

test("of a large document the editor completes the keys of its shape", async ({ page, server }) => {
  await page.goto(`/playground?artifact=${await pointerOf(server, "season.json")}`);
  await expect(row(page, /^\.soundings array of 36,000/)).toBeVisible();
  await page.locator(".monaco-editor .view-lines").first().click();
  const list = page.locator(".suggest-widget");
  await page.keyboard.type(".soundings | map(select(.fa");
  await expect(list).toContainText("number, in all 36,000");
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  await openArtifact(page, server, "watch.jsonl");
  await expect(row(page, /^sand/)).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
});
