// Tables of CSV, JSON lines and lists: read, sorted and filtered in a worker.
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { systemHost } from "../bin/system-host.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";

const ROWS = 100_000;
const PORTS = ["Hull", "Deal", "Cork", "Brest", "Vigo"];
const harbour = [
  "id,ship,port,draught_m,paid,remark",
  ...Array.from(
    { length: ROWS },
    (_, at) =>
      `${1000 + at},MV ${["Tern", "Petrel", "Skua"][at % 3]} ${at % 977},${PORTS[at % 5]},${((at * 7919) % 10_007) / 100},${at % 9 !== 0},"berth ${at % 41}, quay ${at % 7}"`,
  ),
].join("\n");
const LONG = "x".repeat(1_000_000);
const odd = [
  "\uFEFFname,name,,__proto__,sum",
  '"two\r\nlines",a,b,c,9007199254740993',
  "=1+1,@cmd,,d,9007199254740992",
  "",
  "short",
  `long,${LONG},e,f,1e400`,
  "turn \u202Eback,<b>bold</b>,g,h,-2,more",
].join("\r\n");
const lines = [
  ...Array.from(
    { length: 300 },
    (_, at) => `{"at":${at},"fathoms":${(at * 37) % 101},"ground":{"kind":"sand"},"__proto__":${at}}`,
  ),
  "the watch slept here",
  '{"at":9007199254740993,"at":9007199254740993,"fathoms":null}',
].join("\n");
const wide = JSON.stringify(
  Array.from({ length: 400 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`key_${at}`, row * at])),
  ),
);

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  try {
    const store = (name: string, contentType: string, text: string) =>
      storeArtifact(archive, { session, name, contentType, turn: 1 }, new TextEncoder().encode(text));
    await store("harbour.csv", "text/csv", harbour);
    await store("odd.csv", "text/csv", odd);
    await store("soundings.jsonl", "application/x-ndjson", lines);
    await store(
      "long.csv",
      "text/csv",
      `at,word\n${Array.from({ length: 1_050_000 }, (_, at) => `${at},w${at % 10}`).join("\n")}`,
    );
    await store("wide.json", "application/json", wide);
  } finally {
    await closeArchive(archive);
  }
});

async function openTable(page: Page, name: string, query = "") {
  const answer = await page.request.get(`/api/artifacts?q=${encodeURIComponent(name)}`);
  const { artifacts } = (await answer.json()) as { artifacts: { pointer: string; name: string | null }[] };
  const found = artifacts.find((artifact) => artifact.name === name);
  if (!found) throw new Error(`${name} is not among the artifacts`);
  await page.goto(`/artifacts/${encodeURIComponent(found.pointer)}?view=table${query}`);
  await expect(grid(page)).toHaveAttribute("aria-busy", "false");
}

const grid = (page: Page) => page.getByRole("grid");
const head = (page: Page, name: string) =>
  grid(page).getByRole("columnheader", { name: new RegExp(`^${name}(?: |$)`, "u") });
/** The cells of a column that are on screen, from the top. */
const shown = async (page: Page, column: number, count = 5) => {
  const cells = grid(page).locator(`[role=gridcell][aria-colindex="${column + 2}"]`);
  return (await cells.allInnerTexts()).slice(0, count);
};

test("100,000 rows of CSV are sorted and filtered, and the choice is in the address", async ({ page }) => {
  await openTable(page, "harbour.csv");
  await expect(grid(page)).toHaveAttribute("aria-rowcount", String(ROWS + 1));
  await expect(page.getByText(`${ROWS.toLocaleString("en-US")} rows, 6 columns.`)).toBeVisible();
  await expect.poll(() => shown(page, 1, 2)).toEqual(["MV Tern 0", "MV Petrel 1"]);
  await head(page, "draught_m").getByRole("button").click();
  await expect(head(page, "draught_m")).toHaveAttribute("aria-sort", "descending");
  await expect.poll(() => shown(page, 3, 3)).toEqual(["100.06", "100.06", "100.06"]);
  await expect(page).toHaveURL(/tsort=4\.desc/);
  await page.getByRole("searchbox", { name: "Find in the rows" }).fill("PETREL 97");
  await expect(page.getByRole("status", { name: "Found" })).toHaveText(/^\d{1,2},?\d* found$/);
  await page.getByRole("button", { name: "Filter by a column" }).click();
  await page.getByRole("menuitem", { name: /draught_m/ }).click();
  await page.keyboard.type("<=10");
  const left = async () => {
    const ships = await shown(page, 1, 10);
    const draughts = (await shown(page, 3, 10)).map(Number);
    return (
      ships.length === 10 &&
      ships.every((ship) => ship.includes("Petrel 97")) &&
      draughts.every((one) => one > 0 && one <= 10)
    );
  };
  await expect.poll(left).toBe(true);
  await page.reload();
  await expect(page.getByRole("textbox", { name: /Filter draught_m/ })).toHaveValue("<=10");
  await expect.poll(left).toBe(true);
});

test("the worker sorts, not the page", async ({ page }) => {
  await openTable(page, "harbour.csv");
  expect(page.workers().map((worker) => new URL(worker.url()).pathname)).toContain("/workers/table-worker.js");
  await page.getByRole("button", { name: "Lines" }).click();
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toBeVisible();
  await expect.poll(() => page.workers().length).toBe(0);
});

test("by keyboard alone: sort, walk, open a row, close it", async ({ page }) => {
  await openTable(page, "harbour.csv");
  await grid(page).focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(head(page, "draught_m")).toHaveAttribute("aria-sort", "descending");
  await page.keyboard.press("Enter");
  await expect(head(page, "draught_m")).toHaveAttribute("aria-sort", "ascending");
  const before = (await head(page, "draught_m").boundingBox())?.width ?? 0;
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(async () => (await head(page, "draught_m").boundingBox())?.width ?? 0).toBeGreaterThan(before);
  await page.keyboard.press("ControlOrMeta+End");
  await expect.poll(() => grid(page).getAttribute("aria-activedescendant")).toBe(`cell-${ROWS - 1}-3`);
  await expect(page.locator(`#cell-${ROWS - 1}-3`)).toHaveText("100.06");
  await page.keyboard.press("Enter");
  const row = page.getByRole("region", { name: /^Row [\d,]+$/ });
  await expect(row.locator("dt")).toHaveText(["id", "ship", "port", "draught_m", "paid", "remark"]);
  await expect(page).toHaveURL(/trow=/);
  await page.keyboard.press("Escape");
  await expect(row).toHaveCount(0);
});

test("what is odd stays as it is written", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openTable(page, "odd.csv");
  await expect(grid(page).getByRole("columnheader")).toContainText([
    "#",
    "name",
    "name (2)",
    "column 3",
    "__proto__",
    "sum",
    "column 6",
  ]);
  await expect(page.getByText("5 rows, 6 columns.")).toBeVisible();
  await expect(page.getByText("2 rows have more or fewer cells than the head.")).toBeVisible();
  await expect(page.getByText("1 empty line was passed over.")).toBeVisible();
  await expect(grid(page)).toContainText("U+202E");
  await expect(grid(page)).toContainText("<b>bold</b>");
  // 2^53+1 stands over 2^53, and what is missing last.
  await head(page, "sum").getByRole("button").click();
  await expect.poll(() => shown(page, 4)).toEqual(["1e400", "9007199254740993", "9007199254740992", "-2", "–"]);
  await grid(page).getByRole("gridcell", { name: "long", exact: true }).click();
  const row = page.getByRole("region", { name: "Row 4" });
  await expect(row).toContainText("first 4,000 of 1,000,000 characters");
  await row.getByRole("button", { name: "Show all" }).click();
  await expect(row.locator("dd").nth(1)).toHaveText(LONG);
  await row.getByRole("button", { name: "Copy as JSON" }).click();
  await expect(row.getByText("Copied")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('"__proto__":"f"');
  expect(copied).toContain('"sum":1e400');
  expect(copied.length).toBeGreaterThan(1_000_000);
});

test("JSON lines keep their numbers, nested values are short JSON, and a line that is none is shown", async ({
  page,
}) => {
  await openTable(page, "soundings.jsonl");
  await expect(page.getByText("1 line is not JSON and is shown in the column “value”.")).toBeVisible();
  await expect(page.getByText("1 row says a key twice: the last one counts.")).toBeVisible();
  await expect.poll(() => shown(page, 2, 1)).toEqual(['{"kind":"sand"}']);
  await head(page, "at").getByRole("button").click();
  await expect.poll(() => shown(page, 0, 2)).toEqual(["9007199254740993", "299"]);
});

test("200 columns are drawn as they are scrolled to, and can be left out", async ({ page }) => {
  await openTable(page, "wide.json");
  await expect(grid(page)).toHaveAttribute("aria-colcount", "201");
  expect(await grid(page).getByRole("gridcell").count()).toBeLessThan(1500);
  await grid(page).focus();
  await page.keyboard.press("End");
  await expect(head(page, "key_199")).toBeVisible();
  await expect(grid(page).locator('[role=gridcell][aria-colindex="201"]').nth(2)).toHaveText("398");
  await page.getByRole("button", { name: "Columns that are shown" }).click();
  await page.getByRole("menuitem", { name: "Hide all but the first" }).click();
  await expect(grid(page)).toHaveAttribute("aria-colcount", "2");
  await page.getByRole("button", { name: "Columns that are shown" }).click();
  await page.getByRole("menuitemcheckbox", { name: /^key_7 / }).click();
  await page.keyboard.press("Escape");
  await expect(grid(page)).toHaveAttribute("aria-colcount", "3");
  await expect(page).toHaveURL(/thide=/);
});

/** The number of the first row that is seen under the head. */
const firstRow = (page: Page): Promise<number> =>
  grid(page).evaluate((box) => {
    const top = box.getBoundingClientRect().top + 28;
    const rows = [...box.querySelectorAll("[aria-rowindex]")].slice(1);
    const seen = rows.find((row) => row.getBoundingClientRect().bottom > top + 1);
    return Number(seen?.getAttribute("aria-rowindex"));
  });

test("a million rows are the most, the cap is said with the download, and the end is reached", async ({ page }) => {
  await openTable(page, "long.csv");
  await expect(page.getByText("The first 1,000,000 rows are shown, which is the most.")).toBeVisible();
  await expect(page.getByRole("link", { name: /^Download all/ })).toBeVisible();
  await grid(page).focus();
  await page.keyboard.press("ControlOrMeta+End");
  await expect(page.locator("#cell-999999-0")).toHaveText("999999");
  await expect(page.locator("#cell-999999-0")).toBeInViewport();
  await page.keyboard.press("PageUp");
  await page.keyboard.press("ArrowUp");
  const at = (await grid(page).getAttribute("aria-activedescendant")) ?? "";
  await expect(page.locator(`#${at}`)).toBeInViewport();
  // 28 million px are more than a browser holds: the bar goes to a share of the rows, the wheel as far as anywhere.
  await grid(page).evaluate((box) => (box.scrollTop = box.scrollHeight / 2));
  await expect.poll(() => firstRow(page)).toBeGreaterThan(490_000);
  const middle = await firstRow(page);
  await grid(page).hover();
  await page.mouse.wheel(0, 280);
  await expect.poll(() => firstRow(page)).toBe(middle + 10);
});

test("reading can be ended, and what was read stays", async ({ page }) => {
  // A disk that gives nothing, until the test is over.
  await page.context().route(/\/raw$/, () => {});
  const answer = await page.request.get("/api/artifacts?q=long.csv");
  const { artifacts } = (await answer.json()) as { artifacts: { pointer: string }[] };
  await page.goto(`/artifacts/${encodeURIComponent(artifacts[0]?.pointer ?? "")}?view=table`);
  await expect(page.getByText(/^Reading: 0 rows, 0 B of [\d.]+ MB$/)).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText(/Stopped by you after 0 B of [\d.]+ MB\./)).toBeVisible();
  await expect(page.getByRole("link", { name: /^Download all/ })).toBeVisible();
});

test("what is shown is downloaded as CSV, and no formula runs in it", async ({ page }) => {
  await openTable(page, "odd.csv", "&tfilter=5:=9007199254740992");
  await expect(grid(page)).toHaveAttribute("aria-rowcount", "2");
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe("odd.csv");
  expect(readFileSync(await file.path(), "utf8")).toBe(
    "name,name (2),column 3,__proto__,sum,column 6\r\n'=1+1,'@cmd,,d,9007199254740992,\r\n",
  );
});

test("axe finds nothing serious in a table, light and dark", async ({ page }) => {
  await openTable(page, "harbour.csv", "&tsort=4.desc&trow=4&tfilter=3:hull");
  await expect(page.getByRole("region", { name: "Row 4" })).toContainText("Brest");
  expect(await axeFindings(page)).toEqual([]);
});
