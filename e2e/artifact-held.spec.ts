// The artifact page and the transcript of a session that Plimsoll holds: two truths, history, deletion, tombstones.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { systemHost } from "../bin/system-host.ts";
import { closeArchive, openArchive } from "../lib/archive/archive.ts";
import { createSession } from "../lib/archive/artifacts/create-session.ts";
import { storeArtifact } from "../lib/archive/artifacts/store-artifact.ts";
import { axeFindings } from "./axe.ts";
import { heldTest } from "./held-server.ts";
import { pressShortcut } from "./press-shortcut.ts";

const HOSTILE = `<img src=x onerror="window.__xss=1">\u202egnp.exe ${"very long ".repeat(1000)}`;

const test = heldTest(async (dir, session) => {
  const archive = await openArchive({ dir, host: systemHost() });
  const store = (name: string, text: string, ttlSeconds?: number) =>
    storeArtifact(
      archive,
      { session, name, ...(ttlSeconds !== undefined && { ttlSeconds }) },
      new TextEncoder().encode(text),
    );
  await store(HOSTILE, "named by somebody hostile");
  await store("rotten.txt", "these bytes will rot ".repeat(400));
  await store("brief.txt", "soon gone", 0.001);
  await store("to-go.txt", "this one is deleted in a test");
  await store("from-list.txt", "this one is deleted from the list");
  const ending = await createSession(archive, { id: "ending", title: "A run that ends" });
  await storeArtifact(archive, { session: ending.id, name: "last-plan.md" }, new TextEncoder().encode("# Plan"));
  await storeArtifact(archive, { session: ending.id, toolName: "bash" }, new TextEncoder().encode("ebb"));
  await closeArchive(archive);
});

const history = (page: Page) => page.getByRole("complementary", { name: "History of the artifact" });
const section = (page: Page, name: string) => history(page).getByRole("region", { name });
const path = (pointer: string) => `/artifacts/${encodeURIComponent(pointer)}`;

async function openNamed(page: Page, name: string): Promise<void> {
  await page.goto(`/artifacts?q=${encodeURIComponent(name)}`);
  await page
    .getByRole("table", { name: "Artifacts" })
    .getByRole("link", { name: name.slice(0, 20) })
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(name.slice(0, 4));
}

test("an offloaded artifact says what the model saw, what that saved, why, and who read it back", async ({
  page,
  held,
}) => {
  await page.goto(path(held.offloaded));
  await expect(section(page, "In the context")).toContainText(
    /The model saw an envelope of .* tokens in place of .*saved/,
  );
  await section(page, "In the context").getByText("The envelope").click();
  await expect(section(page, "In the context").locator("pre")).toContainText('"artifact_id":"art_');
  await expect(section(page, "Decision")).toContainText("73,431 bytes are over the limit of 8,000 bytes");
  await section(page, "Decision").getByText("What the other presets would have done").click();
  await expect(section(page, "Decision").getByRole("row", { name: /agentium/ })).toContainText("51,200");
  await expect(section(page, "Read back")).toContainText("3 times");
  await expect(section(page, "Read back")).toContainText(".bookings | length");
  await expect(section(page, "Shape")).toContainText(".bookings array of 900", { useInnerText: true });
  await expect(section(page, "Same bytes elsewhere")).toContainText("1 place");
  await expect(section(page, "Checksum")).toContainText("the stored bytes match it");
  await section(page, "Read back").getByRole("link", { name: "9", exact: true }).click();
  await expect(page).toHaveURL(/event=9/);
  await expect(page.locator("article[aria-current=true]")).toContainText(".bookings | length");
});

test("in the transcript an offloaded output is one row with two truths", async ({ page, held }) => {
  await page.goto(`/sessions/${held.session}`);
  const row = page.locator("article").filter({ hasText: "fetch_bookings" }).first();
  const seen = row.getByRole("region", { name: "What the model saw" });
  await expect(seen).toContainText("size_bytes: 73431");
  await expect(seen).toContainText(/~[\d,]+ estimated tokens saved|tokens saved/);
  await expect(row.getByRole("region", { name: "What is stored" })).toContainText("array(900) of object(5 keys)");
  await expect(
    row.getByRole("region", { name: "What is stored" }).getByRole("link", { name: "Download" }),
  ).toBeVisible();
  await seen.getByRole("button", { name: "13 grep" }).click();
  await expect(page.locator("article[aria-current=true]")).toContainText("MV Tern 4");
});

test("what an offload saved is drawn beside what came: as long as its column, and open where it is longer", async ({
  page,
  held,
}) => {
  await page.goto(`/sessions/${held.session}`);
  const bar = page.locator('[data-bar="whole"]').first();
  await expect(bar).toBeVisible();
  await expect(bar).toHaveAttribute("title", /^Longer than this column/);
  const drawn = (one: typeof bar) =>
    one.evaluate((element) => {
      const { borderLeftWidth, borderRightWidth, maskImage } = getComputedStyle(element);
      return { borderLeftWidth, borderRightWidth, maskImage, width: element.getBoundingClientRect().width };
    });
  const saved = await drawn(bar);
  expect(saved).toMatchObject({ borderLeftWidth: "0px", borderRightWidth: "1px" });
  expect(saved.maskImage).toContain("linear-gradient");
  const weights = page.locator('[data-bar="weight"]');
  const widths = await weights.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  // The heaviest row of the epoch fills the column; the saved output would be longer than that.
  expect(saved.width).toBe(Math.max(...widths));
  expect(Math.min(...widths)).toBeLessThan(saved.width);
});

test("an error shows its end, where the reason stands", async ({ page, held }) => {
  await page.goto(`/sessions/${held.session}`);
  const row = page.locator("article").filter({ hasText: "run_tests" }).first();
  await expect(row.getByRole("region", { name: "What is stored" })).toContainText("Tests  1 failed, 700 passed");
});

test("it is copied for a shell, for the command line and for a model", async ({ page, context, held }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(path(held.offloaded));
  const copied = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page.getByRole("button", { name: "Copied" }).first()).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied("Copy as curl")).toMatch(
    /^curl -H "Authorization: Bearer \$PLIMSOLL_TOKEN" -o 'fetch_bookings_call_2' 'http/,
  );
  expect(await copied("Copy as command")).toBe(`plimsoll cat ${held.offloaded}`);
  expect(JSON.parse(await copied("Copy as tool call"))).toMatchObject({ name: "artifact_read" });
});

test("deleting tells what goes before, and leaves a tombstone that says what was there", async ({ page, server }) => {
  await openNamed(page, "to-go.txt");
  await page.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this artifact?" });
  await expect(dialog).toContainText("gone for good");
  await expect(dialog).toContainText("The row stays as a tombstone");
  // The careful answer has the focus.
  await expect(dialog.getByRole("button", { name: "Keep it" })).toBeFocused();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await expect(page.getByText("this one is deleted in a test")).toBeVisible();
  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: /^Delete \d+ B$/ }).click();
  await expect(page.getByRole("heading", { name: "This artifact was deleted" })).toBeVisible();
  await expect(page.getByText(/It was .*to-go\.txt.*, 29 B in 1 line of text\/plain/)).toBeVisible();
  await expect(page.getByRole("link", { name: /^Download/ })).toHaveCount(0);
  const pointer = decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
  const raw = await server.ask("GET", `/api/artifacts/${encodeURIComponent(pointer)}/raw`);
  expect(raw.status).toBeGreaterThanOrEqual(400);
  expect(await axeFindings(page)).toEqual([]);
});

test("what shares its bytes is deleted alone", async ({ page, held }) => {
  await page.goto(path(held.offloaded));
  await page.keyboard.press("Delete");
  const dialog = page.getByRole("dialog", { name: "Delete this artifact?" });
  await expect(dialog).toContainText("Its bytes stay: 1 other artifact has the same");
  await expect(dialog).toContainText(/events? points? to it/);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("the row that the keyboard is on is deleted after the same question", async ({ page }) => {
  await page.goto("/artifacts?q=from-list");
  const table = page.getByRole("table", { name: "Artifacts" });
  await expect(table.getByRole("row")).toHaveCount(2);
  const dialog = page.getByRole("dialog", { name: "Delete this artifact?" });
  await pressShortcut(page, "j");
  await pressShortcut(page, "Delete");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: /^Delete \d+ B$/ }).click();
  await expect(table.getByRole("row").nth(1)).toContainText("deleted");
  await page.getByRole("button", { name: "State: any" }).click();
  await page.getByRole("menuitemcheckbox", { name: "live" }).click();
  await expect(page).toHaveURL(/state=live/);
  await expect(page.getByText("No artifact matches")).toBeVisible();
});

test("what has expired is not read, and says when it did", async ({ page }) => {
  await openNamed(page, "brief.txt");
  await expect(page.getByRole("heading", { name: "This artifact has expired" })).toBeVisible();
  await expect(page.getByText("soon gone")).toHaveCount(0);
});

test("damaged bytes are not shown, and the page says what heals them", async ({ page, held, server }) => {
  const answer = (await (await server.ask("GET", "/api/artifacts?q=rotten")).json()) as {
    artifacts: { digest: string }[];
  };
  const digest = answer.artifacts[0]?.digest ?? "";
  const blob = readdirSync(join(held.dir, "blobs"), { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(digest),
  );
  writeFileSync(join(held.dir, "blobs", blob ?? ""), "rotten ".repeat(1200));
  await openNamed(page, "rotten.txt");
  await expect(page.getByText("The stored bytes are damaged")).toBeVisible();
  await expect(page.getByText("Store the same content again")).toBeVisible();
  await expect(page.getByRole("link", { name: /^Download/ })).toHaveCount(0);
  // It is as true the second time, when the blob lies in quarantine.
  await page.reload();
  await expect(page.getByText("The stored bytes are damaged")).toBeVisible();
});

test("a hostile name is text, stays in its place and turns nothing around", async ({ page }) => {
  const strange: string[] = [];
  page.on("request", (request) => request.url().endsWith("/x") && strange.push(request.url()));
  await openNamed(page, "<img src=x");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("U+202E");
  expect(await page.evaluate(() => (window as unknown as Record<string, unknown>)["__xss"])).toBeUndefined();
  expect(strange).toEqual([]);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: "Delete…" }).click();
  const box = await page.getByRole("dialog").boundingBox();
  expect(box?.height).toBeLessThan(660);
});

test("on a narrow page content and history stand behind each other, and the choice is in the URL", async ({
  page,
  held,
}) => {
  await page.setViewportSize({ width: 800, height: 900 });
  await page.goto(path(held.offloaded));
  await expect(history(page)).toBeHidden();
  await page.getByRole("button", { name: "History", exact: true }).click();
  await expect(page).toHaveURL(/side=history/);
  await expect(section(page, "Decision")).toBeVisible();
});

test("axe finds nothing serious on the artifact and its transcript, light and dark", async ({ page, held }) => {
  await page.goto(path(held.offloaded));
  await expect(section(page, "Decision")).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.goto(`/sessions/${held.session}`);
  await expect(page.getByRole("region", { name: "What is stored" }).first()).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
});

test("all artifacts of a session are deleted together, after a preview", async ({ page, server }) => {
  const { id } = (await (await server.ask("GET", "/api/sessions/plimsoll:ending")).json()) as { id: string };
  await page.goto(`/sessions/${id}?tab=artifacts`);
  await page.getByRole("button", { name: "Delete all artifacts…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete all artifacts of this session?" });
  await expect(dialog).toContainText("2 artifacts, 9 B, can no longer be read.");
  await expect(dialog.getByRole("list", { name: "Artifacts with a name" })).toContainText("last-plan.md");
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Keep them" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Delete all artifacts…" }).click();
  await dialog.getByRole("button", { name: "Delete 2 artifacts" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("2 artifacts of this session, none still stored.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete all artifacts…" })).toHaveCount(0);
});
