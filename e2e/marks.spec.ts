// What a person marks: a star, labels and a note, on a session and on an event; found again by fields, and searches that are saved.
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const sample = (number: number, prompt: string): Sample => ({
  id: sampleId(number),
  prompt,
  calls: [{ tool: "Bash", input: { command: "tides" }, output: "high at six", prompt: 9000 }],
});
const WALL = sample(71, "Mend the harbour wall");
const TIDE = sample(72, "List the tides");
const LOG = sample(73, "Keep the log");
const test = sampled([WALL, TIDE, LOG]);

const rows = (page: Page) => page.getByRole("table", { name: "Sessions" }).locator("tbody tr[data-row]");
const dialog = (page: Page) => page.getByRole("dialog");

/** A label and a note in the layer that is open. */
async function write(page: Page, label: string, note: string): Promise<void> {
  await dialog(page).getByRole("textbox", { name: "New label" }).fill(label);
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByRole("button", { name: label.slice(0, 8) })).toHaveAttribute("aria-pressed", "true");
  await dialog(page).getByRole("textbox", { name: "Note" }).fill(note);
  await dialog(page).getByRole("button", { name: "Save note" }).click();
  await expect(dialog(page)).toHaveCount(0);
}

test("a session and an event are marked, and found by their marks", async ({ page, server }) => {
  await page.goto(`/sessions/${idOf(WALL)}`);
  await page.getByRole("button", { name: "Star this session" }).click();
  await expect(page.getByRole("button", { name: "Remove the star from this session" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("button", { name: "Label this session, or write a note" }).click();
  expect(await axeFindings(page)).toEqual([]);
  await write(page, "to <b>ask\u202e", "Why does it lean?");
  const header = page.getByRole("main").first();
  await expect(header).toContainText("to <b>ask");
  await expect(header.getByLabel("Note: Why does it lean?")).toBeVisible();
  // An event has its own.
  await page.goto(`/sessions/${idOf(TIDE)}?event=2&inspect=rendered`);
  await page.getByRole("button", { name: "Label this event, or write a note" }).click();
  await write(page, "tide", "high");
  await page.goto(`/?${new URLSearchParams({ q: "is:starred" })}`);
  await expect(rows(page)).toHaveText([/Mend the harbour wall/]);
  await page.goto(`/?${new URLSearchParams({ q: "label:tide" })}`);
  await expect(rows(page)).toHaveText([/List the tides/]);
  // A label longer than the field takes is refused by its door in words.
  const long = { kind: "label", value: "x".repeat(5000), on: true, seq: null };
  const refused = await server.ask("PUT", `/api/sessions/${idOf(WALL)}/marks`, long);
  expect(refused.status).toBe(400);
});

test("a mark on a tool's result is shown with the call that it is of, and taken away there", async ({
  page,
  server,
}) => {
  const { events } = (await (await server.ask("GET", `/api/sessions/${idOf(WALL)}/events?limit=20`)).json()) as {
    events: { seq: number; type: string }[];
  };
  const { seq } = events.find(({ type }) => type === "tool_result")!;
  const marks = `/api/sessions/${idOf(WALL)}/marks`;
  await server.ask("PUT", marks, { kind: "label", value: "look again", on: true, seq });
  await server.ask("PUT", marks, { kind: "star", on: true, seq });
  await page.goto(`/sessions/${idOf(WALL)}?event=${seq}&inspect=rendered`);
  const inspector = page.getByRole("complementary", { name: /^Event \d/ });
  await expect(inspector).toContainText("look again");
  await inspector.getByRole("button", { name: "Remove the star from this result" }).click();
  await expect(inspector.getByRole("button", { name: "Star this result" })).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
});

test("a row of the transcript carries the marks of its event, a call's those of its result too", async ({
  page,
  server,
}) => {
  const { events } = (await (await server.ask("GET", `/api/sessions/${idOf(LOG)}/events?limit=20`)).json()) as {
    events: { seq: number; type: string }[];
  };
  const seqOf = (wanted: string): number => events.find(({ type }) => type === wanted)!.seq;
  const marks = `/api/sessions/${idOf(LOG)}/marks`;
  await server.ask("PUT", marks, { kind: "label", value: "<b>spring", on: true, seq: seqOf("tool_result") });
  await server.ask("PUT", marks, { kind: "note", value: "not the tide table", seq: seqOf("tool_call") });
  await page.goto(`/sessions/${idOf(LOG)}`);
  const row = (seq: number) =>
    page.getByRole("article").filter({ has: page.getByRole("button", { name: `Event ${seq}`, exact: true }) });
  const call = row(seqOf("tool_call"));
  await expect(call).toContainText("<b>spring");
  await expect(call).toContainText("Note: not the tide table");
  const said = row(seqOf("user"));
  await expect(said).not.toContainText("Starred");
  // What is marked in the inspector is seen at once.
  await said.getByRole("button", { name: /^Event/ }).click();
  await page.getByRole("button", { name: "Star this event" }).click();
  await expect(page.getByRole("article").filter({ hasText: "Keep the log" }).first()).toContainText("Starred");
  expect(await axeFindings(page)).toEqual([]);
});

test("two labels at once are both shown, whichever answer comes first", async ({ page }) => {
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/sessions/${idOf(TIDE)}/marks`, async (route) => {
    if (!route.request().postData()?.includes("ebb")) return route.fallback();
    const response = await route.fetch();
    await held.promise;
    await route.fulfill({ response });
  });
  await page.goto(`/sessions/${idOf(TIDE)}`);
  await page.getByRole("button", { name: "Label this session, or write a note" }).click();
  const label = dialog(page).getByRole("textbox", { name: "New label" });
  for (const name of ["ebb", "flood"]) {
    await label.fill(name);
    await label.press("Enter");
  }
  await page.waitForTimeout(500);
  held.resolve();
  for (const name of ["ebb", "flood"])
    await expect(dialog(page).getByRole("button", { name })).toHaveAttribute("aria-pressed", "true");
});

test("a search is saved, offered and deleted", async ({ page }) => {
  await page.goto(`/search?${new URLSearchParams({ q: "tides" })}`);
  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByRole("textbox", { name: "Name of the search" }).fill("High water");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Saved as High water")).toBeVisible();
  await page.goto("/search");
  const saved = page.getByRole("region", { name: "Saved searches" });
  await saved.getByRole("button", { name: /^High water/ }).click();
  await expect(page).toHaveURL(/q=tides/);
  await page.goto("/search");
  await saved.getByRole("button", { name: "Delete the saved search High water" }).click();
  await expect(saved).toHaveCount(0);
});

test("what one tab marks, saves or mutes the other shows, and a note is not replaced unseen", async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto(`/sessions/${idOf(TIDE)}`);
    await tab.getByRole("button", { name: "Label this session, or write a note" }).click();
  }
  const [note, theirs] = [page, other].map((tab) => dialog(tab).getByRole("textbox", { name: "Note" }));
  await theirs!.fill("half a thought");
  await note!.fill("the whole of it");
  await dialog(page).getByRole("button", { name: "Save note" }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(dialog(other).getByRole("alert")).toContainText("Changed elsewhere to “the whole of it”.");
  await expect(theirs!).toHaveValue("half a thought");
  await other.goto("/search");
  await page.goto("/search?q=tides");
  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByRole("textbox", { name: "Name of the search" }).fill("tide tables");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Saved as tide tables")).toBeVisible();
  const saved = other.getByRole("region", { name: "Saved searches" });
  await expect(saved).toContainText("tide tables");
  await saved.getByRole("button", { name: "Delete the saved search tide tables" }).click();
  await expect(page.getByRole("button", { name: "Save search" })).toBeVisible();
});

test("saved searches are renamed and deleted by the keyboard, and the focus stays with them", async ({ page }) => {
  for (const [q, name] of [
    ["tides", "Ebb"],
    ["wall", "Wall"],
  ] as const) {
    await page.goto(`/search?q=${q}`);
    await page.getByRole("button", { name: "Save search" }).press("Enter");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await expect(page.getByText(`Saved as ${name}`)).toBeVisible();
    await expect(page.getByRole("button", { name: `Rename the saved search ${name}` })).toBeFocused();
  }
  await page.goto("/search");
  const saved = page.getByRole("region", { name: "Saved searches" });
  await saved.getByRole("button", { name: "Rename the saved search Ebb" }).press("Enter");
  await page.keyboard.press("Escape");
  const rename = saved.getByRole("button", { name: "Rename the saved search Ebb" });
  await expect(rename).toBeFocused();
  await rename.press("Enter");
  await page.keyboard.type("Zenith");
  await page.keyboard.press("Enter");
  await expect(saved.getByRole("button", { name: "Rename the saved search Zenith" })).toBeFocused();
  await page.reload();
  await expect(saved.getByRole("listitem")).toHaveText([/^Wall/, /^Zenith/]);
  await saved.getByRole("button", { name: "Delete the saved search Wall" }).press("Enter");
  await expect(saved.getByRole("listitem")).toHaveText([/^Zenith/]);
  await expect(saved.getByRole("button", { name: /^Zenith/ })).toBeFocused();
  await saved.getByRole("button", { name: "Delete the saved search Zenith" }).press("Enter");
  await expect(saved).toHaveCount(0);
  await expect(page.getByRole("combobox", { name: "Search everything" })).toBeFocused();
});
