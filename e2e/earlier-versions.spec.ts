import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

const write = (dir: string, prompt: string, calls: number) =>
  writeSample(join(dir, "sources"), {
    id: sampleId(77),
    prompt,
    calls: Array.from({ length: calls }, (_, n) => ({
      tool: "Read",
      input: { file_path: `/home/sailor/harbour/log-${calls}-${n}.txt` },
      output: filler(300 + n),
      prompt: 9000 + n,
    })),
  });

test("what a file held before it was rewritten is beside its session, and leads back", async ({ page, server }) => {
  mkdirSync(join(server.dir, "sources"), { recursive: true });
  write(server.dir, "Before it was rewritten", 6);
  await page.goto("/");
  const table = page.getByRole("table", { name: "Sessions" });
  await expect(table).toContainText("Before it was rewritten");
  write(server.dir, "After it was rewritten", 2);
  await expect(table).toContainText("After it was rewritten");
  await expect(table).not.toContainText("Before it was rewritten");
  await table.getByRole("link", { name: /After it was rewritten/ }).click();
  await page.getByRole("button", { name: "1 earlier version" }).click();
  const layer = page.getByRole("dialog", { name: "Earlier versions of the file" });
  await expect(layer).toContainText(/Version 1.*replaced.*records?, .*kB/);
  await expect(layer).toContainText(/events? removed, \d+ changed, \d+ added since/);
  await expect(layer.getByRole("list", { name: "Differences" }).getByRole("listitem").first()).toContainText("event ");
  expect(await axeFindings(page)).toEqual([]);
  const raw = await layer.getByRole("link", { name: "Download bytes" }).getAttribute("href");
  expect(await (await page.request.get(raw!)).text()).toContain("Before it was rewritten");
  await layer.getByRole("link", { name: "Version 1" }).click();
  const header = page.getByRole("banner").or(page.locator("header")).filter({ hasText: "Before it was rewritten" });
  await expect(header.first()).toContainText("earlier version 1");
  await header.getByRole("link", { name: "current version" }).click();
  await expect(page.getByRole("heading", { name: /After it was rewritten/, level: 1 })).toBeVisible();

  await page.goto("/sources?status=earlier%20version");
  const row = page.getByRole("table", { name: "Files" }).getByRole("row").filter({ hasText: "version 1 of" });
  await expect(row).toContainText("no longer holds");
  const href = await row.getByRole("link", { name: "Bytes" }).getAttribute("href");
  const bytes = await (await page.request.get(href!)).text();
  expect(bytes).toContain("Before it was rewritten");
  expect(bytes).not.toContain("After it was rewritten");
});

test("imports that run and wait are listed by the API", async ({ server }) => {
  const answer = (await (await server.ask("GET", "/api/imports")).json()) as { jobs: unknown[] };
  expect(Array.isArray(answer.jobs)).toBe(true);
  const refused = await server.ask("POST", "/api/imports/none", {});
  expect(refused.status).toBe(404);
});
