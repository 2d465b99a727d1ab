import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

// A server of its own: it counts the rows, and others have artifacts too.
test.use({ wishes: {} });

const LARGE = filler(120_000, "keel");

test.beforeEach(async ({ server, page }) => {
  const call = (tool: string, input: Record<string, unknown>, output: string) => ({
    tool,
    input,
    output,
    prompt: 9_000,
  });
  writeSample(join(server.dir, "sources"), {
    id: sampleId(1),
    prompt: "Measure the hull",
    calls: [
      call("Read", { file_path: "/home/sailor/hull.txt" }, LARGE),
      call(
        "Bash",
        { command: "cat tides.json" },
        JSON.stringify(Array.from({ length: 400 }, (_, at) => ({ tide: at }))),
      ),
      call("Bash", { command: "true" }, "small enough to stay"),
    ],
  });
  await page.goto("/artifacts");
  await expect(page.getByRole("table", { name: "Artifacts" }).getByRole("row")).toHaveCount(3);
});

test("outputs over 4,096 bytes are listed, largest first, and the small one is not", async ({ page }) => {
  await expect(page.getByText(/^2 artifacts, kept whole/)).toBeVisible();
  const first = page.getByRole("table", { name: "Artifacts" }).getByRole("row").nth(1);
  await expect(first).toContainText("120 kB");
  await expect(first).toContainText("Measure the hull");
  await page.getByRole("button", { name: "Size" }).click();
  await expect(page.getByRole("table", { name: "Artifacts" }).getByRole("row").nth(2)).toContainText("120 kB");
});

test("they are narrowed by tool, and the choice is in the URL", async ({ page }) => {
  await page.getByRole("button", { name: "Tool: any" }).click();
  await page.getByRole("menuitemcheckbox", { name: /Bash/ }).click();
  await expect(page.getByRole("table", { name: "Artifacts" }).getByRole("row")).toHaveCount(2);
  await expect(page).toHaveURL(/tool=Bash/);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByRole("table", { name: "Artifacts" }).getByRole("row")).toHaveCount(3);
});

test("the bytes of an output are one click away, and they are the bytes", async ({ page }) => {
  const row = page.getByRole("table", { name: "Artifacts" }).getByRole("row").filter({ hasText: "120 kB" });
  const downloading = page.waitForEvent("download");
  await row.getByRole("link", { name: /^Download/ }).click();
  const stream = await (await downloading).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe(LARGE);
});

test("the session of an output opens where it came in", async ({ page }) => {
  await page.getByRole("table", { name: "Artifacts" }).getByRole("link", { name: "Measure the hull" }).first().click();
  await expect(page).toHaveURL(/\/sessions\/s_[0-9a-f]{16}\?event=\d+/);
});

test("a command names its output, in the list and on its page", async ({ page }) => {
  const row = page.getByRole("table", { name: "Artifacts" }).getByRole("row").filter({ hasText: "cat tides.json" });
  await expect(row).toContainText(/bash-\d+\.json/);
  await row.getByRole("link", { name: "cat tides.json" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("cat tides.json");
  await expect(page.getByText(/^bash-\d+\.json$/)).toBeVisible();
});

test("a digest is shown whole, or not at all", async ({ page }) => {
  const digests = page.getByRole("table", { name: "Artifacts" }).getByText(/^art_[0-9a-f]{16}$/);
  const shown = () =>
    digests.evaluateAll((all) =>
      all.flatMap((digest) => {
        const own = digest.getBoundingClientRect();
        const cell = digest.closest("td")!.getBoundingClientRect();
        if (own.top >= cell.bottom - 1 || own.width < 1) return [];
        return [own.right <= cell.right + 1 && digest.scrollWidth <= digest.clientWidth + 1 ? "whole" : "cut"];
      }),
    );
  expect(await shown()).toEqual(["whole", "whole"]);
  for (const width of [1150, 1024, 900, 600]) {
    await page.setViewportSize({ width, height: 768 });
    await page.waitForTimeout(300);
    expect(await shown(), `${width} px`).not.toContain("cut");
  }
});

test("axe finds nothing serious", async ({ page }) => {
  expect(await axeFindings(page)).toEqual([]);
});

// The last one: it adds a session to those that all tests share.
test("an image has a thumbnail, made of its stored bytes", async ({ page, server }) => {
  // One red pixel.
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
  const image = [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
  const path = writeSample(join(server.dir, "sources"), {
    id: sampleId(2),
    prompt: "Look at the hull",
    calls: [{ tool: "Screenshot", input: {}, output: "IMAGE", prompt: 9000 }],
  });
  writeFileSync(path, readFileSync(path, "utf8").replace('"IMAGE"', JSON.stringify(image)));
  const thumbnail = page.getByRole("table", { name: "Artifacts" }).locator("img");
  await expect(thumbnail).toHaveCount(1);
  await expect(thumbnail).toHaveAttribute("src", /^\/api\/artifacts\/[^/]+\/raw\?inline=1$/);
  await expect.poll(() => thumbnail.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1);
});
