// Names that have no place to break: what stands beside them keeps its room.
import { expect } from "@playwright/test";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";
import { sideways } from "./sideways.ts";

const UNBROKEN: Sample = {
  id: sampleId(62),
  prompt: "w".repeat(400),
  cwd: `/home/${"folder".repeat(30)}`,
  branch: "branch".repeat(30),
  calls: [
    {
      tool: `mcp__${"harbour".repeat(25)}`,
      input: { file_path: `/${"stone".repeat(60)}` },
      output: filler(3000),
      prompt: 40_000,
    },
  ],
};
const test = sampled([UNBROKEN]);

for (const width of [1440, 1024, 390])
  test(`a title, folder, branch and tool without a space leave the rest its room, at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const tab of ["transcript", "load", "tools", "memory", "context", "artifacts"]) {
      await page.goto(`/sessions/${idOf(UNBROKEN)}?tab=${tab}`);
      const heading = page.getByRole("heading", { level: 1 });
      await expect(heading).toContainText("wwww");
      expect((await heading.boundingBox())?.width, tab).toBeGreaterThan(150);
      await expect(page.getByRole("button", { name: "Star this session" })).toBeInViewport({ ratio: 1 });
      if (tab === "load") await expect(page.getByRole("button", { name: /^mcp__/ }).first()).toBeVisible();
      await expect.poll(() => sideways(page), tab).toEqual([]);
      if (tab === "load")
        await expect(page.getByTitle(UNBROKEN.cwd ?? "", { exact: true })).toBeInViewport({ ratio: 1 });
      if (tab === "transcript" && width > 390)
        await expect(page.getByRole("article").getByText(/ kB$/).first()).toBeInViewport({ ratio: 1 });
    }
  });

for (const width of [1440, 390])
  test(`a raw record keeps to its column: its lines scroll in it, beside the weight, at ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/sessions/${idOf(UNBROKEN)}`);
    await page.getByRole("button", { name: "Raw" }).click();
    const record = page.getByRole("group", { name: /^Record of event/ });
    await expect(record.first()).toContainText('"type"');
    const rows = page.getByRole("article").filter({ has: record });
    for (const row of await rows.all()) {
      const weight = (await row.locator(".num[data-beside]").boundingBox())!;
      for (const one of await row.getByRole("group", { name: /^Record of event/ }).all()) {
        const box = (await one.boundingBox())!;
        const isBeside = weight.y < box.y + box.height && width > 390;
        expect(box.x + box.width).toBeLessThanOrEqual(isBeside ? weight.x : width);
      }
    }
    await expect.poll(() => sideways(page)).toEqual([]);
  });
