// Which view an artifact of JSON opens in, and what the address says of it. The tree itself: json-tree.spec.ts.
import { expect, type Page } from "@playwright/test";
import { filesTest } from "./files-server.ts";

const soundings = Array.from({ length: 200 }, (_, at) => `{"at":${at},"fathoms":${at / 4},"ground":"sand"}`);
const CHART = `{"none":-0,"soundings":[${soundings.join(",")}]}`;
const WATCH = [...soundings.slice(0, 120), "the watch slept here", ...soundings.slice(120)].join("\n");
const CODE = Array.from({ length: 400 }, (_, at) => `export const depth${at} = "fathom"; // ${at}`).join("\n");
const FILES = { "chart.json": CHART, "watch.jsonl": WATCH, "depth.ts": CODE };

const { test, openArtifact } = filesTest(FILES, 41);

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
