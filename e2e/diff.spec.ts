// Two artifacts beside each other: what differs, folded and walked through.
import { expect, type Page } from "@playwright/test";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { recordOutput } from "../lib/archive/artifacts/record-output.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { deflateSync } from "node:zlib";
import { pngOf } from "../bin/demo/png.ts";
import { systemHost } from "../bin/system-host.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";
import { pressShortcut } from "./press-shortcut.ts";

const log = Array.from(
  { length: 50_000 },
  (_, at) => `${String(at).padStart(5, "0")} tide gauge reads ${(at * 13) % 500} cm`,
);
const later = log.flatMap((line, at) =>
  at === 1200
    ? [line.replace("tide gauge", "spring tide gauge")]
    : at === 30_000
      ? []
      : at === 49_990
        ? [line, "the watch ends \u202E here"]
        : [line],
);
const chart = {
  name: "Breakwater",
  berths: [
    { id: 1, draught: 7.5 },
    { id: 2, draught: 9 },
  ],
  open: true,
};

/** A picture of which each pixel is grey or black. */
function picture(width: number, height: number, isBlack: (x: number, y: number) => boolean): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header.set([8, 0], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => (isBlack(x, y) ? 0 : 240))]),
  );
  return pngOf(["IHDR", header], ["IDAT", deflateSync(Buffer.concat(rows))]);
}

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  const bytes = (text: string) => new TextEncoder().encode(text);
  const store = (name: string, text: string | Uint8Array, contentType?: string) =>
    storeArtifact(
      archive,
      { session, name, turn: 1, ...(contentType === undefined ? {} : { contentType }) },
      typeof text === "string" ? bytes(text) : text,
    );
  try {
    await store("tides.log", log.join("\n"));
    await store("tides.log", later.join("\n"));
    await store("same.log", log.join("\n"));
    await store("chart.json", JSON.stringify(chart));
    await store(
      "chart-again.json",
      `{"open":true,"berths":[{"draught":7.5,"id":1},{"draught":9.5,"id":2}],"name":"Breakwater"}`,
    );
    await store(
      "chart-sorted.json",
      `{"open":true,"berths":[{"draught":7.5,"id":1},{"draught":9,"id":2}],"name":"Breakwater"}`,
    );
    await store(
      "bell.bin",
      Uint8Array.from({ length: 3000 }, (_, at) => (at * 37) % 256),
    );
    await store(
      "bell-again.bin",
      Uint8Array.from({ length: 3000 }, (_, at) => (at === 2010 ? 1 : (at * 37) % 256)),
    );
    await store(
      "chart.png",
      picture(200, 400, () => false),
      "image/png",
    );
    await store(
      "chart-again.png",
      picture(200, 400, (x, y) => (x >= 40 && x < 60 && y === 30) || (x > 100 && y === 290)),
      "image/png",
    );
    await store("noise-a.txt", Array.from({ length: 60_000 }, (_, at) => String((at * 7919) % 60_013)).join("\n"));
    await store("noise-b.txt", Array.from({ length: 60_000 }, (_, at) => String((at * 104_729) % 60_013)).join("\n"));
    await store("long-a.txt", `${"x".repeat(3_000_000)}a\n${"line\n".repeat(600_000)}`);
    await store("long-b.txt", `${"x".repeat(3_000_000)}b\n${"line\n".repeat(600_000)}`);
    for (const [nth, last] of ["calm", "rising"].entries())
      await recordOutput(
        archive,
        {
          session,
          toolName: "read_log",
          toolCallId: `again_${nth}`,
          input: { path: "harbour/swell.log" },
          turn: 2,
          isError: false,
        },
        bytes(`${log.slice(0, 900).join("\n")}\n${last}`),
      );
  } finally {
    await closeArchive(archive);
  }
});

type Listed = { pointer: string; name: string | null; toolName: string | null; createdAt: string };

async function pointersOf(page: Page, query: string, fits: (one: Listed) => boolean): Promise<string[]> {
  const answer = await page.request.get(`/api/artifacts?${query}&sort=created&dir=asc`);
  const { artifacts } = (await answer.json()) as { artifacts: Listed[] };
  return artifacts.filter(fits).map(({ pointer }) => pointer);
}

const named = async (page: Page, name: string) => pointersOf(page, `q=${name}`, (one) => one.name === name);

async function compare(page: Page, left: string, right: string, query = "") {
  await page.goto(`/artifacts/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}${query}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Compare");
}

async function compareNamed(page: Page, left: string, right: string, query = "") {
  const [a] = await named(page, left);
  const [b] = await named(page, right);
  await compare(page, a ?? "", b ?? "", query);
}

const rows = (page: Page) => page.getByRole("region", { name: "Lines that differ, and those around them" });
const totals = (page: Page) => page.getByRole("status", { name: "What differs" });

test("an artifact is compared from its page, first with its versions", async ({ page }) => {
  const [, newer] = await named(page, "tides.log");
  await page.goto(`/artifacts/${encodeURIComponent(newer ?? "")}`);
  await page.getByRole("button", { name: "Compare with" }).click();
  await page.getByRole("menuitem", { name: /Earlier under this name/ }).click();
  await expect(totals(page)).toContainText("+2 −2 lines in 3 changes");
});

test("50,000 lines: what was added, removed and changed, folded, walked by keys, opened", async ({ page }) => {
  const [older, newer] = await named(page, "tides.log");
  await compare(page, older ?? "", newer ?? "");
  await expect(totals(page)).toContainText("+2 −2 lines in 3 changes");
  await expect(rows(page)).toContainText("1,197 unchanged lines");
  // The words that differ are marked inside the line.
  await expect(rows(page).locator("u")).toContainText(["spring "]);
  await expect(rows(page)).toContainText("the watch ends U+202E here");
  // It begins at the first change.
  await expect(totals(page)).toContainText("at 1");
  await expect(rows(page).locator(".diff-row[data-current]")).toContainText("01200 spring tide gauge");
  await pressShortcut(page, "p");
  await expect(totals(page)).toContainText("at 1");
  await pressShortcut(page, "n");
  await pressShortcut(page, "n");
  await expect(totals(page)).toContainText("at 3");
  await page.getByRole("button", { name: "1,197 unchanged lines" }).click();
  await expect(rows(page)).toContainText("00000 tide gauge reads 0 cm");
  await expect(rows(page).locator(".diff-row")).not.toHaveCount(0);
  expect(await rows(page).locator(".diff-row").count()).toBeLessThan(120);
  await page.getByRole("button", { name: "Unified" }).click();
  await expect(page).toHaveURL(/show=unified/);
  await pressShortcut(page, "p");
  await expect(totals(page)).toContainText("at 2");
  await expect(rows(page).locator('.diff-row[data-current] [data-kind="del"]')).toContainText("30000 tide gauge");
});

test("the same bytes are said at once", async ({ page }) => {
  const [older] = await named(page, "tides.log");
  const [same] = await named(page, "same.log");
  await compare(page, older ?? "", same ?? "");
  await expect(page.getByText(/^They are identical: .* with the digest/)).toBeVisible();
  expect(page.workers()).toHaveLength(0);
});

test("what is no text is compared by size and digest", async ({ page }) => {
  await compareNamed(page, "tides.log", "bell.bin");
  await expect(page.getByText(/One side is not text/)).toBeVisible();
  await expect(page.getByText(/They differ: .*3\.0 kB/)).toBeVisible();
  await expect(page.getByText(/They differ first at byte 0/)).toBeVisible();
});

test("bytes and images begin with what differs too", async ({ page }) => {
  await compareNamed(page, "bell.bin", "bell-again.bin");
  await expect(page.getByText("They differ first at byte 2,010")).toBeVisible();
  const around = page.getByRole("table", { name: "Bytes around the first difference" });
  await expect(around.getByRole("row").nth(3)).toContainText("000007d0");
  await page.getByRole("link", { name: "Open right" }).click();
  await expect(page).toHaveURL(/view=hex&offset=2010/);

  await compareNamed(page, "chart.png", "chart-again.png");
  await expect(totals(page)).toContainText("2 regions, at 1");
  const frame = page.getByRole("region", { name: "Right image" }).locator("[data-region]");
  await expect(frame).toHaveCSS("left", "36px");
  await pressShortcut(page, "n");
  await expect(totals(page)).toContainText("at 2");
  await expect(frame).toHaveCSS("top", "286px");
  expect(await axeFindings(page)).toEqual([]);
});

test("JSON is compared as stored, laid out, and with its keys in one order", async ({ page }) => {
  await compareNamed(page, "chart.json", "chart-again.json");
  await expect(totals(page)).toContainText("lines in");
  await page.getByRole("button", { name: "Keys sorted" }).click();
  await expect(totals(page)).toContainText("+1 −1 lines in 1 change");
  await expect(page).toHaveURL(/json=sorted/);
  await expect(rows(page).locator('[data-kind="add"]')).toContainText('"draught": 9.5');
  await page.getByRole("button", { name: "As stored" }).click();
  await expect(totals(page)).toContainText("+1 −1 lines in 1 change");
  await expect(page.getByText("1 line and 1 line compared")).toBeVisible();
  await compareNamed(page, "chart.json", "chart-sorted.json", "&json=sorted");
  await expect(page.getByText("Laid out like this, no line differs.")).toBeVisible();
});

test("what has no lines in common ends in time and says how changes were found", async ({ page }) => {
  await compareNamed(page, "noise-a.txt", "noise-b.txt");
  await expect(page.getByText("changes were found by the lines that occur once")).toBeVisible({ timeout: 30_000 });
});

test("what is over 5 MB is compared as far as that, and says so", async ({ page }) => {
  await compareNamed(page, "long-a.txt", "long-b.txt");
  await expect(page.getByText("The left side is compared as far as its first 5 MB")).toBeVisible();
  await expect(totals(page)).toContainText("+1 −1 lines in 1 change");
  // Of a line of 3 MB the part is shown that differs.
  await expect(rows(page).locator("u")).toHaveText(["a", "b"]);
  await expect(rows(page)).toContainText("2,999,960 characters …");
});

test("another artifact is found by its name, and the sides change places", async ({ page }) => {
  const [older] = await named(page, "tides.log");
  await page.goto(`/artifacts/compare?left=${encodeURIComponent(older ?? "")}`);
  const right = page.getByRole("region", { name: "Right" });
  // What had the same name stands first.
  await expect(right.getByRole("region", { name: "Likely ones" })).toContainText("Under the same name");
  await right.getByRole("searchbox").fill("same.log");
  await right.getByRole("button", { name: /same\.log/ }).click();
  await expect(page.getByText("They are identical")).toBeVisible();
  await page.getByRole("button", { name: "Swap sides" }).click();
  await expect(page.getByRole("region", { name: "Left" })).toContainText("same.log");
});

test("results of one call, before and after it was made again, are likely to be compared", async ({ page }) => {
  const read = await pointersOf(page, "tool=read_log", ({ toolName }) => toolName === "read_log");
  // Three of this tool are stored, of which two came of the same input.
  expect(read).toHaveLength(3);
  await page.goto(`/artifacts/compare?right=${encodeURIComponent(read[2] ?? "")}`);
  const likely = page.getByRole("region", { name: "Likely ones" });
  await expect(likely.getByRole("button")).toHaveCount(1);
  await likely.getByRole("button", { name: /Another result of the same call/ }).click();
  await expect(totals(page)).toContainText("+1 −1 lines in 1 change");
});

test("axe finds nothing serious in a comparison, light and dark", async ({ page }) => {
  const [older, newer] = await named(page, "tides.log");
  await compare(page, older ?? "", newer ?? "");
  await expect(rows(page)).toContainText("1,197 unchanged lines");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Unified" }).click();
  await expect(page).toHaveURL(/show=unified/);
  expect(await axeFindings(page)).toEqual([]);
  await page.goto(`/artifacts/compare?left=${encodeURIComponent(older ?? "")}`);
  await expect(page.getByRole("region", { name: "Right" }).getByRole("searchbox")).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
});
