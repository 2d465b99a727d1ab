// The Summarizer section of the settings: off, set up, tried, moved, switched off again. The model is a server of this test.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";

const KEY = "sk-e2e-4711-abcdefghijklmnop-wxyz";

type Model = { readonly url: string; readonly requests: IncomingHttpHeaders[]; fails: boolean };

const test = heldTest().extend<object, { model: Model }>({
  model: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const model: Model & { url: string } = { url: "", requests: [], fails: false };
      const server: Server = createServer((request, response) => {
        model.requests.push(request.headers);
        request.resume();
        response.writeHead(model.fails ? 401 : 200, { "content-type": "application/json" });
        const message = { role: "assistant", content: "ready" };
        response.end(
          JSON.stringify(
            model.fails
              ? { error: { message: "no such key" } }
              : { model: "harbour-1", choices: [{ finish_reason: "stop", message }] },
          ),
        );
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await use(model);
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    { scope: "worker" },
  ],
});

async function open(page: Page): Promise<void> {
  await page.goto("/settings?tab=summarizer");
  await expect(page.getByLabel("Kind")).toBeVisible();
}

/** As a person who was here before has left it: each test stands alone. */
async function setUp(page: Page, server: { readonly url: string }, model: Model): Promise<void> {
  const saved = await page.request.put("/api/settings/summarizer", {
    data: { kind: "openai", baseUrl: `${model.url}/v1`, model: "harbour-1", apiKey: KEY },
    headers: { origin: server.url },
  });
  expect(saved.status()).toBe(200);
  await open(page);
}

const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });

test("is off, and says that nothing leaves this machine", async ({ page, model }) => {
  await open(page);
  await expect(page.getByLabel("Kind")).toHaveValue("off");
  await expect(page.getByText("Nothing leaves this machine")).toBeVisible();
  await expect(page.getByLabel("Base URL")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Try it" })).toHaveCount(0);
  await expect(save(page)).toBeDisabled();
  expect(model.requests).toEqual([]);
});

test("a model is set up, says what would go where, is tried, and its key is not shown again", async ({
  page,
  model,
  server,
}) => {
  await open(page);
  await expect(async () => {
    await page.getByLabel("Kind").selectOption("openai");
    await expect(page.getByLabel("Base URL")).toBeVisible({ timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  await page.getByLabel("Base URL").fill("http://models.example/v1");
  await expect(page.getByText("Plain http works only for this machine")).toBeVisible();
  await expect(save(page)).toBeDisabled();
  await page.getByLabel("Base URL").fill(`${model.url}/v1`);
  await expect(page.getByText(`are sent to ${model.url}/v1/chat/completions, on this machine`)).toBeVisible();
  await page.getByLabel("Model").fill("harbour-1");
  await page.getByLabel("Key", { exact: true }).fill(KEY);
  await expect(page.getByLabel("Key", { exact: true })).toHaveAttribute("type", "password");
  await save(page).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  expect(model.requests).toEqual([]);
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.getByText("It answered “ready” in")).toContainText("as harbour-1");
  expect(model.requests.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`]);
  await page.reload();
  await expect(page.getByText("Key: set, ends in wxyz.")).toBeVisible();
  await expect(page.getByLabel("Key", { exact: true })).toHaveValue("");
  expect(await page.content()).not.toContain(KEY.slice(0, -4));
  const file = join(server.archive, "summarizer.key");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(KEY);
});

test("a model that refuses is told of in its own words", async ({ page, model, server }) => {
  await setUp(page, server, model);
  model.fails = true;
  const alert = page.getByRole("region", { name: "Try it" }).getByRole("alert");
  await expect(async () => {
    await page.getByRole("button", { name: "Try it" }).click({ timeout: 1500 });
    await expect(alert).toContainText("did not accept the key (401)", { timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  await expect(alert).toContainText("no such key");
  model.fails = false;
});

test("another base URL loses the key, and says so before", async ({ page, model, server }) => {
  await setUp(page, server, model);
  const count = model.requests.length;
  await expect(async () => {
    await page.getByLabel("Base URL").fill(model.url);
    await expect(page.getByText("will be removed")).toBeVisible({ timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  await save(page).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(page.getByLabel("Key", { exact: true })).toHaveAttribute("placeholder", "not set");
  await page.getByRole("button", { name: "Try it" }).click();
  await expect(page.getByText("It answered “ready” in")).toBeVisible();
  expect(model.requests.slice(count).map(({ authorization }) => authorization)).toEqual([undefined]);
});

test("axe finds nothing serious where a model is set up, light and dark", async ({ page, model, server }) => {
  await setUp(page, server, model);
  await page.waitForLoadState("networkidle");
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 400, height: 800 });
  expect(await axeFindings(page)).toEqual([]);
  const isWider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(isWider).toBe(false);
});

test("is switched off again, and asks nobody", async ({ page, model, server }) => {
  await setUp(page, server, model);
  await expect(async () => {
    await page.getByLabel("Kind").selectOption("off");
    await expect(page.getByText("Nothing leaves this machine")).toBeVisible({ timeout: 1500 });
  }).toPass({ timeout: 20_000 });
  await save(page).click();
  await expect(page.getByRole("button", { name: "Try it" })).toHaveCount(0);
  const count = model.requests.length;
  const tried = await page.request.post("/api/settings/summarizer/try", {
    data: {},
    headers: { origin: server.url },
  });
  expect(tried.status()).toBe(409);
  expect(model.requests.length).toBe(count);
});
