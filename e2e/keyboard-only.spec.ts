// The four uses of the product with the keyboard alone: no pointer is moved or pressed here.
import { expect, type Locator, type Page } from "@playwright/test";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const VOYAGE: Sample = {
  id: sampleId(71),
  prompt: "Find why the hold is full",
  calls: Array.from({ length: 12 }, (_, at) => ({
    tool: "Read",
    input: { file_path: `/home/sailor/hold/crate-${at}.txt` },
    output:
      at === 3 ? JSON.stringify({ crates: Array.from({ length: 900 }, (__, n) => ({ n, kg: n % 7 })) }) : filler(2000),
    prompt: 30_000 + at * 9000,
  })),
};
const test = sampled([VOYAGE]);

/** Tab stops of a page that a reader would still walk. */
const MOST_STOPS = 90;

/** Walks with Tab until it stands on the element, as a person without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${String(target)} within ${MOST_STOPS} stops.`);
}

async function pressOn(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

test("why it blew up: from the list to the culprit's event, and back", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("tbody tr[data-row]").first()).toBeVisible();
  await pressShortcut(page, "j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/sessions/${idOf(VOYAGE)}`));
  await tabTo(page, page.getByRole("tab", { name: "Transcript" }));
  await page.keyboard.press("ArrowRight");
  await expect(page.getByTestId("verdict")).toBeVisible();
  await pressOn(page, page.getByTestId("verdict").getByRole("link").first());
  await pressShortcut(page, "[");
  await expect(page).toHaveURL(/event=\d+/);
  await pressOn(page, page.getByRole("button", { name: "Open in the transcript" }));
  await expect(page.locator("article[aria-current=true]")).toBeVisible();
  await page.goBack();
  await expect(page.getByTestId("verdict")).toBeVisible();
});

test("what the model saw, and what a compaction would leave: tried, saved as a plan, discarded", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}?tab=context`);
  await expect(page.getByTestId("context-sum")).toContainText("Context sent with call 12");
  await pressShortcut(page, "[");
  await expect(page.getByTestId("context-sum")).toContainText("Context sent with call 11");
  await page.goto(`/sessions/${idOf(VOYAGE)}/compact?tail=0`);
  await expect(page.getByTestId("verdict")).toContainText("down to");
  await pressOn(page, page.getByRole("button", { name: "Save as a plan" }));
  await expect(page.getByTestId("done")).toContainText("Saved as a plan");
  await pressOn(page, page.getByRole("button", { name: "Discard plan" }));
  await expect(page.getByTestId("done")).toContainText("Plan discarded.");
});

test("asking the bytes: an artifact is found, a program is typed and run", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("tbody tr[data-row]").first()).toBeVisible();
  await pressShortcut(page, "g-a");
  await expect(page).toHaveURL(/\/artifacts/);
  await expect(page.locator("tbody tr[data-row]").first()).toBeVisible();
  await pressShortcut(page, "j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/artifacts\/art/);
  await pressShortcut(page, "g-p");
  await expect(page).toHaveURL(/\/playground/);
  await pressOn(page, page.getByRole("button", { name: /^crate-3/ }));
  await expect(page).toHaveURL(/input=|artifact=|of=/);
  await tabTo(page, page.getByRole("textbox", { name: /^jq program/ }));
  await page.keyboard.type(".crates | length");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByRole("region", { name: "Result" })).toContainText("900");
});

test("a store for agents: a token is created and revoked", async ({ page }) => {
  await page.goto("/settings?tab=tokens");
  const form = page.getByRole("form", { name: "New token" });
  await tabTo(page, form.getByLabel("Name"));
  await page.keyboard.type("deckhand");
  await pressOn(page, form.getByRole("button", { name: "Create token" }));
  await expect(page.getByRole("region", { name: "The new token" })).toContainText("plm_");
  const row = page.getByRole("row", { name: /deckhand/ });
  await pressOn(page, row.getByRole("button", { name: /Revoke/ }));
  const dialog = page.getByRole("dialog");
  await pressOn(page, dialog.getByRole("button", { name: /Revoke/ }));
  await expect(row).toContainText(/revoked/i);
});

test("the first stop of a page leads past the bar", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}`);
  await expect(page.getByRole("tab", { name: "Transcript" })).toBeVisible();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
});

test("a form that is closed gives the focus back to its button", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}?tab=memory`);
  const add = page.getByRole("button", { name: "Add an item" });
  await pressOn(page, add);
  await expect(page.getByRole("textbox", { name: "Text" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(add).toBeFocused();
  for (const text of ["The hold is full of crates", "The crates are full of sand"]) {
    await pressOn(page, add);
    await page.keyboard.type(text);
    await pressOn(page, page.getByRole("button", { name: "Add", exact: true }));
    await expect(page.getByText(text)).toBeVisible();
  }
  await expect(add).toBeFocused();
  const edit = page.getByRole("button", { name: "Edit", exact: true }).first();
  await pressOn(page, edit);
  await page.keyboard.press("Escape");
  await expect(edit).toBeFocused();
  await page.goto("/search?q=crate");
  const save = page.getByRole("button", { name: "Save search" });
  await pressOn(page, save);
  await page.keyboard.press("Escape");
  await expect(save).toBeFocused();
});

test("no field of the policy takes the focus below the bar that saves it", async ({ page }) => {
  await page.goto("/settings");
  const fields = page.locator("main form").getByRole("spinbutton").or(page.locator("main form").getByRole("textbox"));
  await expect(fields.first()).toBeVisible();
  for (const field of await fields.all()) {
    await tabTo(page, field);
    const isCovered = await field.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) !== element;
    });
    expect(isCovered, (await field.getAttribute("id")) ?? "").toBe(false);
  }
});

test("the field that finds within a session has the ring of every field", async ({ page }) => {
  await page.goto(`/sessions/${idOf(VOYAGE)}`);
  await pressShortcut(page, "/");
  const field = page.getByRole("combobox", { name: "Find in this session" });
  await expect(field).toBeFocused();
  await expect(field.locator("xpath=..")).toHaveCSS("outline-width", "2px");
  await expect(field.locator("xpath=..")).toHaveCSS("outline-style", "solid");
});
