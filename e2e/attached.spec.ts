// Memory folders of agents on the sources page: attached by their path, looked at again, let go. The folder stays as it is.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { filesIn, makeFolder } from "../lib/archive/memory/testing-directories.ts";
import { axeFindings } from "./axe.ts";
import { expect, test } from "./test-server.ts";

const folders = (page: Page) => page.getByRole("region", { name: "Connected memory folders" });
const path = (page: Page) => page.getByLabel("The memory folder of an Autobyteus agent, on this machine");

const LATER = `${JSON.stringify({ id: "rt_1780000000000", ts: 1_780_000_000, turn_id: "turn_9000", seq: 1, trace_type: "user", content: "Later", source_event: "e" })}\n`;

test("a folder is attached, looked at again and detached by keyboard, and no byte of it changes", async ({
  page,
  server,
}) => {
  const folder = join(server.dir, "memory", "agents", "harbour_7");
  makeFolder(folder, 6);
  const before = filesIn(folder);
  await page.goto("/sources");
  await expect(folders(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Connect agent memory…" }).press("Enter");
  // The dialog is loaded when it is asked for.
  await expect(path(page)).toBeFocused();
  await page.keyboard.type(folder);
  await page.keyboard.press("Enter");
  const row = folders(page).getByRole("row").filter({ hasText: folder });
  await expect(row).toContainText("2");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(filesIn(folder)).toEqual(before);

  appendFileSync(join(folder, "raw_traces.jsonl"), LATER);
  const grown = filesIn(folder);
  await row.getByRole("button", { name: `Read again: ${folder}` }).press("Enter");
  await expect(folders(page).getByText("1 new event.")).toBeVisible();
  await row.getByRole("button", { name: `Read again: ${folder}` }).press("Enter");
  await expect(folders(page).getByText("Nothing new there.")).toBeVisible();

  const session = (await row.getByRole("link").getAttribute("href")) as string;
  await row.getByRole("button", { name: `Disconnect ${folder}` }).press("Enter");
  await expect(folders(page)).toHaveCount(0);
  expect(filesIn(folder)).toEqual(grown);
  await page.goto(session);
  await expect(page.getByRole("tab", { name: "Memory" })).toHaveAttribute("aria-selected", "true");
  await page.goto("/");
  await expect(page.getByRole("table", { name: "Sessions" })).toContainText("harbour_7");

  await page.goto("/sources");
  await page.getByRole("button", { name: "Connect agent memory…" }).click();
  await path(page).fill(folder);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(row.getByRole("link")).toHaveAttribute("href", session);
  await row.getByRole("button", { name: `Disconnect ${folder}` }).click();
  await expect(folders(page)).toHaveCount(0);
});

test("what is no memory folder is refused where it was asked", async ({ page, server }) => {
  mkdirSync(join(server.dir, "plain"), { recursive: true });
  await page.goto("/sources");
  await page.getByRole("button", { name: "Connect agent memory…" }).click();
  await expect(page.getByRole("button", { name: "Connect", exact: true })).toBeDisabled();
  for (const [name, why] of [
    ["none", "Nothing at"],
    ["plain", "has no Autobyteus memory files"],
  ] as const) {
    await path(page).fill(join(server.dir, name));
    await path(page).press("Enter");
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText(why);
  }
  await page.keyboard.press("Escape");
  await expect(folders(page)).toHaveCount(0);
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  const folder = join(server.dir, "memory", "agents", "pier_bright");
  makeFolder(folder, 3);
  expect((await server.ask("POST", "/api/attached", { path: folder })).status).toBe(200);
  await page.goto("/sources");
  await expect(folders(page)).toContainText("pier");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Connect agent memory…" }).click();
  await expect(path(page)).toBeFocused();
  expect(await axeFindings(page)).toEqual([]);
});
