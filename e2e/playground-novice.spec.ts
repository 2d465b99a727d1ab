// The playground for somebody new to jq: a click writes the filter, an error offers what was meant, each stage is shown.
import { expect, type Page } from "@playwright/test";
import { systemHost } from "../bin/system-host.ts";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";
import type { TestServer } from "./test-server.ts";

const JOBS = { jobs: [1, 2, 3, 4, 5].map((id) => ({ id, status: id % 2 === 0 ? "failed" : "ok", host: `h${id}` })) };

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  const store = (name: string, contentType: string, text: string) =>
    storeArtifact(archive, { session, name, contentType }, new TextEncoder().encode(text));
  await store("notes.txt", "text/plain", "the newest, and no JSON\n");
  await store("jobs.json", "application/json", JSON.stringify(JOBS));
  await store("log.txt", "text/plain", "the newest, and no JSON either\n");
  await closeArchive(archive);
});

const result = (page: Page) => page.getByRole("region", { name: "The result" });
const runNote = (page: Page) => page.getByRole("status", { name: "The run" });
const program = (page: Page) => new URL(page.url()).searchParams.get("program");

async function open(page: Page, server: TestServer, request: Record<string, string>): Promise<void> {
  const answer = await server.ask("GET", "/api/artifacts?q=jobs.json");
  const { artifacts } = (await answer.json()) as { artifacts: { pointer: string }[] };
  const artifact = artifacts[0]?.pointer ?? "";
  await page.goto(`/playground?${new URLSearchParams({ artifact, ...request }).toString()}`);
  await expect(page.getByRole("textbox", { name: /^jq program/ })).toBeVisible();
}

test("a click on a value selects by it, a click on a key goes to it, and both are undone", async ({ page, server }) => {
  await open(page, server, {});
  await expect(runNote(page)).toContainText("1 value");
  await result(page).getByText('"failed"').first().click();
  await expect(runNote(page)).toContainText("2 values");
  await expect.poll(() => program(page)).toBe('.jobs[] | select(.status == "failed")');
  await result(page).getByText('"host"').first().click();
  await expect.poll(() => program(page)).toBe('.jobs[] | select(.status == "failed") | .host');
  await expect(result(page)).toContainText('"h2"');
  await expect(result(page)).not.toContainText('"ok"');
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => program(page)).toBe('.jobs[] | select(.status == "failed")');
  // The editor's own way back goes further.
  await page.getByRole("textbox", { name: /^jq program/ }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => program(page)).toBe(null);
});

test("by keyboard, the panel of a line has the same filters", async ({ page, server }) => {
  await open(page, server, { program: ".jobs[0]" });
  await expect(result(page)).toContainText('"ok"');
  await result(page).getByRole("button", { name: "Line 3: source of this value" }).focus();
  await page.keyboard.press("Enter");
  const filter = page.getByRole("button", { name: 'select(.status == "ok")' });
  await filter.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => program(page)).toBe('.jobs[0] | select(.status == "ok")');
});

test("a value of the shape goes on from where the program is", async ({ page, server }) => {
  await open(page, server, { program: ".jobs[]" });
  await page.getByRole("treeitem", { name: /^\.jobs/ }).waitFor();
  await page.getByRole("tree").focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowRight"])
    await page.keyboard.press(key);
  await page.getByRole("treeitem", { name: /failed/ }).click();
  await expect.poll(() => program(page)).toBe('.jobs[] | select(.status == "failed")');
  await expect(runNote(page)).toContainText("2 values");
});

test("a cell of the table selects by its value; a row says where it comes from", async ({ page, server }) => {
  await open(page, server, { program: ".jobs[]", view: "table" });
  await page.getByRole("rowheader", { name: "2", exact: true }).click();
  const row = page.getByRole("region", { name: "Row 2", exact: true });
  await expect(row.getByRole("region", { name: "Source" })).toContainText("value found in");
  await expect(row.getByRole("button", { name: "select(.id == 2)" })).toBeVisible();
  await page.getByRole("gridcell", { name: "failed" }).first().click();
  await expect.poll(() => program(page)).toBe('.jobs[] | select(.status == "failed")');
  await expect(runNote(page)).toContainText("2 values");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => program(page)).toBe(".jobs[]");
});

test("an error offers the program that was meant, which runs when it is taken", async ({ page, server }) => {
  for (const [wrong, meant, found] of [
    ['.jobs | select(.status == "failed")', '.jobs | map(select(.status == "failed"))', "1 value"],
    [".jobs.host", ".jobs[].host", "5 values"],
    ["'.jobs[]'", ".jobs[]", "5 values"],
    ["jobs | length", ".jobs | length", "1 value"],
  ] as const) {
    await open(page, server, { program: wrong });
    const offer = page.getByRole("button", { name: meant, exact: true });
    await expect(offer).toBeVisible();
    await offer.click();
    await expect.poll(() => program(page)).toBe(meant);
    await expect(runNote(page)).toContainText(found);
    await expect(page.getByText("Did you mean")).toHaveCount(0);
  }
});

test("each stage tells how many values it gives, and the first of them", async ({ page, server }) => {
  await open(page, server, { program: '.jobs[] | select(.status == "ok") | .host' });
  await page.getByRole("button", { name: "Stages" }).click();
  const stages = page.getByRole("region", { name: "Stages" }).getByRole("listitem");
  await expect(stages).toHaveCount(3);
  await expect(stages.nth(0)).toContainText("5 values");
  await expect(stages.nth(1)).toContainText("3 values");
  await expect(stages.nth(1)).toContainText('{"id":1,"status":"ok","host":"h1"}');
  await expect(stages.nth(2)).toContainText('"h5"');
  expect(await axeFindings(page)).toEqual([]);
  // A stage that fails says so; those behind it are not run.
  await open(page, server, { program: ".jobs | .status | length", stages: "true" });
  await expect(stages).toHaveCount(2);
  await expect(stages.nth(1)).toContainText("Runtime error");
});

test("the picker names the session of its artifacts, and has JSON first", async ({ page }) => {
  await page.goto("/playground");
  const picker = page.getByRole("region", { name: "Artifact" });
  await expect(picker.getByRole("heading", { level: 3 }).first()).toBeVisible();
  await expect(picker.getByRole("listitem").filter({ hasText: "log.txt" })).toBeVisible();
  const names = await picker.getByRole("listitem").allInnerTexts();
  const at = (name: string) => names.findIndex((text) => text.includes(name));
  expect(at("jobs.json")).toBeGreaterThanOrEqual(0);
  // The log is newer.
  expect(at("jobs.json")).toBeLessThan(at("log.txt"));
});
