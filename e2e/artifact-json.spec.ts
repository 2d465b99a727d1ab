// Which view an artifact of JSON opens in, and what the address says of it. The tree itself: json-tree.spec.ts.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./server.ts";

const soundings = Array.from({ length: 200 }, (_, at) => `{"at":${at},"fathoms":${at / 4},"ground":"sand"}`);
const CHART = `{"none":-0,"soundings":[${soundings.join(",")}]}`;
const WATCH = [...soundings.slice(0, 120), "the watch slept here", ...soundings.slice(120)].join("\n");
const CODE = Array.from({ length: 400 }, (_, at) => `export const depth${at} = "fathom"; // ${at}`).join("\n");
const FILES = { "chart.json": CHART, "watch.jsonl": WATCH, "depth.ts": CODE };

const test = base.extend({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-json-"));
      mkdirSync(join(dir, "projects"));
      const calls = Object.entries(FILES).map(([file, output], at) => ({
        tool: "Read",
        input: { file_path: `/home/sailor/harbour/${file}` },
        output,
        prompt: 9000 + at * 5000,
      }));
      writeSample(join(dir, "projects"), { id: sampleId(41), prompt: "Read the charts", calls });
      const server = await startServer({ sources: [join(dir, "projects")] });
      await use(server);
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

type Listed = { artifacts: { pointer: string; name: string | null }[] };

async function openArtifact(page: Page, server: TestServer, name: string, query = "") {
  const list = async () => ((await (await server.ask("GET", "/api/artifacts")).json()) as Listed).artifacts;
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(Object.keys(FILES).length);
  const found = (await list()).find((artifact) => artifact.name === name);
  if (!found) throw new Error(`${name} is not among the artifacts`);
  await page.goto(`/artifacts/${encodeURIComponent(found.pointer)}${query}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
}

const editorScripts = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith("/monaco/")),
  );

test("what is chosen is in the address: tree, text, as stored by lines", async ({ page, server }) => {
  await openArtifact(page, server, "chart.json");
  await expect(page.getByRole("tree", { name: "Values of the artifact" })).toContainText("none: -0");
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await expect(page.getByRole("region", { name: "Text of the artifact, laid out" })).toContainText('"none": -0,');
  await expect(page).toHaveURL(/view=text/);
  await page.reload();
  await expect(page.getByRole("region", { name: "Text of the artifact, laid out" })).toContainText('"none": -0,');
  await page.getByRole("button", { name: "Lines" }).click();
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText('"none":-0');
});

test("an address of a line is one of a stored line", async ({ page, server }) => {
  await openArtifact(page, server, "watch.jsonl", "?line=121");
  await expect(page.getByRole("region", { name: "Text of the artifact" })).toContainText("the watch slept here");
});

test("looking at an artifact loads no editor, nor does the page of sessions", async ({ page, server }) => {
  for (const open of [
    () => openArtifact(page, server, "chart.json"),
    () => openArtifact(page, server, "chart.json", "?view=text"),
    () => openArtifact(page, server, "depth.ts"),
    () => page.goto("/"),
  ]) {
    await open();
    await page.waitForLoadState("networkidle");
    expect(await editorScripts(page)).toEqual([]);
  }
});
