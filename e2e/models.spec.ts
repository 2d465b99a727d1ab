// Settings, Models and Calibration: what a person sets comes before the table and the sessions follow; the error of the
// estimates is measured, and constants are fitted and given back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const WEB = "/home/sailor/web";
/** One call more than a fit needs transitions. */
const LONG = 501;

const test = base.extend<object, { server: TestServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const sources = mkdtempSync(join(tmpdir(), "plimsoll-models-"));
      for (const [at, cwd] of [WEB, `${WEB}site`].entries())
        writeSample(sources, {
          id: sampleId(700 + at),
          prompt: `Chart the harbour ${at}`,
          cwd,
          calls: [80_000, 120_000].map((prompt) => ({ tool: "Read", input: {}, output: filler(400), prompt })),
        });
      writeSample(sources, {
        id: sampleId(710),
        prompt: "Count every buoy",
        cwd: "/home/sailor/long",
        calls: Array.from({ length: LONG }, (_, at) => ({
          tool: "Read",
          input: {},
          output: filler(200 + (at % 7) * 100),
          prompt: 20_000 + at * 200,
        })),
      });
      const server = await startServer({ sources: [sources] });
      await expect(async () => expect((await sessions(server)).length).toBe(3)).toPass({ timeout: 20_000 });
      await use(server);
      await server.stop();
      rmSync(sources, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

type Row = { cwd: string; peak: { loadLine: number; loadLineOrigin: string }; cost: { usd: number } };
const sessions = async (server: TestServer): Promise<Row[]> =>
  ((await (await server.ask("GET", "/api/sessions")).json()) as { sessions: Row[] }).sessions;

const rowOf = async (server: TestServer, cwd: string): Promise<Row> =>
  (await sessions(server)).find((row) => row.cwd === cwd)!;

test("a window for one project and a price for all of them are set, followed, edited and taken back", async ({
  page,
  server,
}) => {
  const before = await rowOf(server, WEB);
  expect(before.peak.loadLine).toBe(167_000);
  await page.goto("/settings?tab=models");
  const models = page.getByRole("table", { name: "Models" });
  await expect(models.getByRole("row", { name: /claude-opus-4-5/ })).toContainText("known of its version, 3 sessions");
  // A click that comes before the page is alive is lost.
  await expect(async () => {
    await page.getByRole("button", { name: "Add…" }).click({ timeout: 1500 });
    await expect(page.getByRole("dialog")).toBeVisible({ timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Model").fill("claude-opus-*");
  await dialog.getByLabel("Project").fill(WEB);
  await dialog.getByLabel("Window").fill("150k");
  await dialog.getByRole("button", { name: "Save" }).click();
  const set = page.getByRole("table", { name: "Set by you" });
  await expect(set.getByRole("row", { name: /claude-opus-\*/ })).toContainText("150,000");
  await expect(page.getByText("Saved, and every figure follows it.")).toBeVisible();
  const followed = await rowOf(server, WEB);
  expect(followed.peak).toMatchObject({ loadLine: 150_000, loadLineOrigin: "set in settings" });
  expect((await rowOf(server, `${WEB}site`)).peak.loadLine).toBe(167_000);

  await models.getByRole("button", { name: "Set the numbers of claude-opus-4-5" }).click();
  await expect(dialog.getByLabel("Cache read")).toHaveAttribute("placeholder", "0.50 (table)");
  await dialog.getByLabel("Cache read").fill("50");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(set.getByRole("row")).toHaveCount(3);
  await expect(async () => {
    for (const cwd of [WEB, `${WEB}site`]) expect((await rowOf(server, cwd)).cost.usd).toBeGreaterThan(9);
  }).toPass({ timeout: 10_000 });

  await set.getByRole("button", { name: "Edit claude-opus-*" }).click();
  await expect(dialog.getByLabel("Window")).toHaveValue("150,000");
  await dialog.getByLabel("Window").fill("130,000");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(set.getByRole("row", { name: /claude-opus-\*/ })).toContainText("130,000");

  for (const _ of ["the window", "the price"])
    await set
      .getByRole("button", { name: /^Remove/ })
      .first()
      .click();
  await expect(page.getByText("None. Set a window if an agent compacts earlier")).toBeVisible();
  await expect(async () =>
    expect(await rowOf(server, WEB)).toMatchObject({ peak: before.peak, cost: before.cost }),
  ).toPass({
    timeout: 10_000,
  });
});

test("a value that cannot be is explained beside its field, and refused at the door", async ({ page, server }) => {
  await page.goto("/settings?tab=models");
  await expect(async () => {
    await page.getByRole("button", { name: "Add…" }).click({ timeout: 1500 });
    await expect(page.getByRole("dialog")).toBeVisible({ timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Model").fill("claude-opus-4-5");
  await expect(dialog.getByText("Is empty; give it a window or a price.")).toBeVisible();
  await dialog.getByLabel("Window").fill("lots");
  await expect(dialog.getByText("A number of tokens, such as 200,000 or 200k.")).toBeVisible();
  await dialog.getByLabel("Window").fill("12");
  await expect(dialog.getByText("Is under 1,000 tokens.")).toBeVisible();
  await expect(dialog.getByLabel("Window")).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
  const refused = await server.ask("PUT", "/api/settings/models", { overrides: [{ match: "a", window: 12 }] });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("under 1,000 tokens");
});

test("the error is measured, constants are fitted and given back", async ({ page, server }) => {
  await page.goto("/settings?tab=calibration");
  const models = page.getByRole("table", { name: "Error by model" });
  await expect(models.getByRole("row", { name: /^Claude up to 4\.6/ })).toContainText("can be made", {
    timeout: 20_000,
  });
  await expect(page.getByText(/^Estimates miss [\d,.]+\u2009% of what prompts grow by/)).toBeVisible();
  await expect(page.getByText("Measured on 502 transitions of 3 sessions.")).toBeVisible();
  await expect(page.getByRole("table", { name: "Error by session" })).toContainText("Count every buoy");
  const classes = page.getByRole("table", { name: "Error and constants by class" });
  await expect(classes).toContainText("998 transitions, 11 sessions");
  await page.getByRole("button", { name: "Fit to these sessions" }).click();
  await expect(models.getByText("in use", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(classes).toContainText("502 transitions of 3 sessions of this archive");
  await expect(page.getByText("Measured on the sessions used for the fit.")).toBeVisible();
  await page.reload();
  // The button comes with the page, and hears a click once its script has run.
  await page.waitForLoadState("networkidle");
  await expect(page.getByRole("button", { name: "Fit again" })).toBeVisible();
  await page.getByRole("button", { name: "Back to the shipped constants" }).click();
  await expect(classes).toContainText("998 transitions, 11 sessions", { timeout: 20_000 });
  await expect(page.getByRole("button", { name: "Fit to these sessions" })).toBeEnabled();
  expect((await server.ask("POST", "/api/settings/calibration", { do: "guess" })).status).toBe(400);
});

test("an archive without sessions says how many transitions are missing", async ({ browser }) => {
  const empty = await startServer({ sources: [] });
  const context = await browser.newContext();
  await empty.signIn(context);
  const page = await context.newPage();
  await page.goto(`${empty.url}/settings?tab=calibration`);
  await expect(page.getByRole("heading", { name: "Nothing to measure yet" })).toBeVisible();
  await expect(page.getByText("A fit needs 500 transitions")).toBeVisible();
  await expect(page.getByRole("button", { name: "Fit to these sessions" })).toBeDisabled();
  await context.close();
  await empty.stop();
});

test("axe finds nothing serious, light and dark", async ({ page, server }) => {
  await server.ask("PUT", "/api/settings/models", { overrides: [{ match: "*", project: WEB, output: 3 }] });
  await page.goto("/settings?tab=models");
  await expect(page.getByRole("table", { name: "Set by you" })).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: /^Edit/ }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await server.ask("PUT", "/api/settings/models", { overrides: [] });
  await page.goto("/settings?tab=calibration");
  await expect(page.getByRole("table", { name: "Error by session" })).toBeVisible({ timeout: 20_000 });
  await page.waitForLoadState("networkidle");
  expect(await axeFindings(page)).toEqual([]);
});
