// Markdown as it reads, and images with what they weigh.
import { deflateSync, crc32 } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { systemHost } from "../bin/system-host.ts";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";

/** A PNG of one colour whose right half is clear. */
function png(width: number, height: number): Uint8Array {
  const chunk = (name: string, body: Buffer): Buffer => {
    const all = Buffer.concat([Buffer.alloc(4), Buffer.from(name), body, Buffer.alloc(4)]);
    all.writeUInt32BE(body.length, 0);
    all.writeUInt32BE(crc32(all.subarray(4, 8 + body.length)), 8 + body.length);
    return all;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width / 2; x += 1) rows.set([40, 90, 200, 255], y * (width * 4 + 1) + 1 + x * 4);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const STRANGE = `# The harbour

<script>window.__ran = 1</script><img src="https://example.org/spy.png" onerror="window.__ran=2">

![a spy](https://example.org/spy.png) and [the chart](https://example.org/chart) and [a trap](javascript:window.__ran=3).

| berth | draught |
| --- | ---: |
| north | 7.5 |

- [x] moored
- turn \u202Eback

\`\`\`
code
\`\`\`
`;
const long = `# Log\n\n${Array.from({ length: 4000 }, (_, at) => `## Watch ${at}\n\nThe tide stood at **${(at * 37) % 500} cm** and the wind was *west*. See [the chart][c]. ${"Calm. ".repeat(20)}`).join("\n\n")}\n\n[c]: https://example.org/chart\n`;

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  const store = (name: string, body: string | Uint8Array, contentType: string) =>
    storeArtifact(
      archive,
      { session, name, contentType, turn: 1 },
      typeof body === "string" ? new TextEncoder().encode(body) : body,
    );
  try {
    await store("strange.md", STRANGE, "text/markdown");
    await store("long.md", long.slice(0, 950_000), "text/markdown");
    await store("huge.md", long.repeat(2), "text/markdown");
    await store("chart.png", png(2400, 1200), "image/png");
    await store("no.png", "not an image at all", "image/png");
    await store("torn.png", png(600, 400).subarray(0, 60), "image/png");
  } finally {
    await closeArchive(archive);
  }
});

async function openNamed(page: Page, name: string, query = "") {
  const answer = await page.request.get(`/api/artifacts?q=${name}`);
  const { artifacts } = (await answer.json()) as { artifacts: { pointer: string; name: string | null }[] };
  const found = artifacts.find((artifact) => artifact.name === name);
  if (!found) throw new Error(`${name} is not among the artifacts`);
  await page.goto(`/artifacts/${encodeURIComponent(found.pointer)}${query}`);
}

const documentOf = (page: Page) => page.getByRole("region", { name: "The document" });

test("Markdown is read, and nothing in it runs, is fetched or hides", async ({ page, server }) => {
  const strange: string[] = [];
  page.on("request", (request) => !request.url().startsWith(server.url) && strange.push(request.url()));
  await openNamed(page, "strange.md");
  await expect(documentOf(page).getByRole("heading", { name: "The harbour" })).toBeVisible();
  await expect(documentOf(page)).toContainText("<script>window.__ran = 1</script>");
  await expect(documentOf(page)).toContainText("image “a spy”, example.org");
  await expect(documentOf(page)).toContainText("U+202E");
  await expect(documentOf(page).getByRole("cell", { name: "7.5" })).toBeVisible();
  await expect(documentOf(page).locator("img")).toHaveCount(0);
  await documentOf(page).getByText("a trap").click();
  await documentOf(page).getByRole("button", { name: "the chart" }).click();
  await expect(page.getByRole("dialog")).toContainText("https://example.org/chart");
  expect(await page.evaluate(() => (window as unknown as Record<string, unknown>)["__ran"])).toBeUndefined();
  expect(strange).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Lines" }).click();
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText("| berth | draught |");
});

test("a long document is drawn as it is scrolled to, without holding the page", async ({ page }) => {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { longTasks: tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
      buffered: true,
    });
  });
  await openNamed(page, "long.md");
  await expect(documentOf(page).getByRole("heading", { name: "Watch 0", exact: true })).toBeVisible();
  const drawn = await documentOf(page).getByRole("heading", { level: 2 }).count();
  expect(drawn).toBeLessThan(400);
  await page.evaluate(() => ((globalThis as unknown as { longTasks: number[] }).longTasks.length = 0));
  await documentOf(page).evaluate((box) => (box.scrollTop = box.scrollHeight / 2));
  await expect.poll(() => documentOf(page).getByRole("heading", { level: 2 }).count()).toBeGreaterThan(drawn);
  // Its links know their addresses, which stand at the end.
  await expect(documentOf(page).getByRole("button", { name: "the chart" }).first()).toBeAttached();
});

test("over 1 MB Markdown stands by its lines, and says so", async ({ page }) => {
  await openNamed(page, "huge.md", "?view=rendered");
  await expect(page.getByText(/over 1\.0 MB Markdown is shown by its lines/)).toBeVisible();
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText("## Watch 0");
});

test("an image is fitted or whole, and says what it weighs by which rule", async ({ page }) => {
  await openNamed(page, "chart.png");
  const image = page.getByRole("img", { name: "chart.png" });
  await expect(image).toBeVisible();
  await expect(page.getByText("2,400 × 1,200 px")).toBeVisible();
  expect((await image.boundingBox())?.width).toBeLessThan(1400);
  await expect(page.getByText("made smaller to 1568 × 784")).toBeVisible();
  await expect(page.getByRole("definition").filter({ hasText: /^~1,600/ })).toBeVisible();
  await expect(page.getByText("estimated: 85 and 170 for each of 6 tiles of 512 px")).toBeVisible();
  await expect(page.getByText("estimated: 258 for each of 8 tiles of 768 px")).toBeVisible();
  await page.getByRole("button", { name: "100\u2009%" }).click();
  await expect.poll(async () => (await image.boundingBox())?.width).toBe(2400);
  await expect(page).toHaveURL(/zoom=whole/);
});

test("a broken image says so and shows its bytes, one that is cut short what there is of it", async ({ page }) => {
  await openNamed(page, "no.png");
  await expect(page.getByText("This browser cannot draw it")).toBeVisible();
  await expect(page.getByRole("region", { name: "Bytes of the artifact" })).toContainText("6e 6f 74 20 61 6e");
  await openNamed(page, "torn.png");
  await expect(page.getByText("Cut short or damaged")).toBeVisible();
});

test("axe finds nothing serious in Markdown and images, light and dark", async ({ page }) => {
  await openNamed(page, "strange.md");
  await expect(documentOf(page).getByRole("heading", { name: "The harbour" })).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await openNamed(page, "chart.png");
  await expect(page.getByText("estimated: 85 and 170")).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
});
