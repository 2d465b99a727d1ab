// Every kind of layer over a page, by keyboard: it has a name, takes the focus and holds it where it is modal; Escape closes it and
// nothing below it, and the focus goes back to what opened it.
import { expect, type Page } from "@playwright/test";
import { shortcutHolds } from "./press-shortcut.ts";
import { filler, sampleId, type Sample } from "./sample-sessions.ts";
import { idOf, sampled } from "./sampled.ts";

const VOYAGE: Sample = {
  id: sampleId(91),
  prompt: "Find why the hold is full",
  calls: Array.from({ length: 4 }, (_, at) => ({
    tool: "Read",
    input: { file_path: `/home/sailor/hold/crate-${at}.txt` },
    output: filler(9000),
    prompt: 30_000 + at * 9000,
  })),
};
const test = sampled([VOYAGE]);

type Layer = {
  readonly role: "dialog" | "menu";
  /** Where it opens, and the button that opens it. */
  readonly on: string;
  readonly button: string | RegExp;
  readonly name: string | RegExp;
};

const session = `/sessions/${idOf(VOYAGE)}`;
const dialog = (on: string, button: string | RegExp, name: string | RegExp): Layer => ({
  role: "dialog",
  on,
  button,
  name,
});
const menu = (on: string, button: RegExp): Layer => ({ role: "menu", on, button, name: button });

const LAYERS: readonly Layer[] = [
  dialog("/", /^Search everything/, "Search everything"),
  dialog("/", "Guide", "Guide"),
  dialog("/", "Import…", "Import"),
  menu("/", /^Agent:/),
  menu("/", /^Sort:/),
  menu("/", /^View:/),
  dialog(`${session}?event=3&inspect=rendered`, /^Label this session/, "Labels and note"),
  dialog(`${session}?event=3&inspect=rendered`, /^Label this event/, "Labels and note"),
  menu(session, /^Tools:/),
  dialog(`${session}?tab=load`, "Export…", "Export session"),
  dialog(`${session}?tab=load`, "Restore…", /^Restore/),
  dialog(`${session}?tab=load`, "Calls as a table", "Load by model call"),
  menu(`${session}?tab=load`, /^Copy policy/),
  menu("/artifacts", /^Type:/),
  dialog("/playground", "Cheat sheet", "Cheat sheet"),
  dialog("/playground", "Paste text", "Pasted text"),
  menu("/usage", /^Range:/),
  menu("/findings", /^Kind:/),
  dialog("/sources", /^Watch folder/, "Import"),
  dialog("/sources", /^Connect agent memory/, "Connect agent memory"),
  dialog("/sources", /^Send to fleet/, "Send to a fleet"),
  dialog("/settings?tab=models", "Add…", /^Set a window/),
  dialog("/settings?tab=retention", /^Sweep now/, "Sweep now?"),
];

/** More presses of Tab than any of them has stops. */
const STOPS = 40;

for (const { role, on, button, name } of LAYERS)
  test(`${role} of ${String(button)} on ${on.replace(session, "a session")}`, async ({ page }) => {
    await page.goto(on);
    await shortcutHolds(page, "mod+k");
    const opener = page.getByRole("button", { name: button, exact: true }).first();
    await opener.focus();
    const before = page.url();
    await page.keyboard.press("Enter");
    const layer = page.getByRole(role, { name });
    await expect(layer).toBeVisible();
    await expect.poll(() => hasFocus(page, role)).toBe(true);
    if (role === "dialog")
      for (let stop = 0; stop < STOPS; stop++) {
        await page.keyboard.press("Tab");
        // Its guard, behind the last control, hands the focus on.
        await expect.poll(() => hasFocus(page, role), { intervals: [20] }).toBe(true);
      }
    await page.keyboard.press("Escape");
    await expect(layer).toHaveCount(0);
    await expect(opener).toBeFocused();
    expect(page.url()).toBe(before);
  });

const hasFocus = (page: Page, role: string): Promise<boolean> =>
  page.evaluate((of) => document.activeElement?.closest(`[role=${of}]`) !== null, role);
