// The API page: every endpoint, found by a word, with an example that can be copied; nothing is fetched from elsewhere.
import { expect } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { test } from "./test-server.ts";

test("an endpoint is found, opened and copied, from the settings to its example", async ({ page, server }) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(server.url)) foreign.push(request.url());
  });
  await page.goto("/settings?tab=tokens");
  await page.getByRole("link", { name: "API reference" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API" })).toBeVisible();
  await expect(page.getByRole("region", { name: "artifacts" })).toBeVisible();
  await page.getByRole("searchbox", { name: "Search endpoints" }).fill("record tool output");
  await expect(page.getByLabel("Found")).toHaveText(/^1 of \d+$/);
  await page.getByRole("button", { name: /POST .*\/outputs/ }).click();
  await expect(page.getByRole("region", { name: "Example" })).toContainText("--data-binary");
  await expect(page.getByRole("region", { name: "Answer · application/json" })).toContainText("decision");
  await expect(page).toHaveURL(/op=POST/);
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole("searchbox", { name: "Search endpoints" }).fill("");
  expect(await axeFindings(page)).toEqual([]);
  expect(foreign).toEqual([]);
});
