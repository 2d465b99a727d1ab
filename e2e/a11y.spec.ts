// Every page, tab and dialog under axe, light and dark (memory and comparison: their own files); and a tour of the house by keyboard alone.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { axeFindings } from "./axe.ts";
import { expect, type Page } from "@playwright/test";
import { pressShortcut, shortcutHolds } from "./press-shortcut.ts";
import { filler, sampleId, writeSample, type SampleCall } from "./sample-sessions.ts";
import { test as base } from "./test-server.ts";

type Stored = { readonly session: string; readonly artifacts: Readonly<Record<string, string>> };

const call = (tool: string, input: Record<string, unknown>, output: string, prompt: number): SampleCall => ({
  tool,
  input,
  output,
  prompt,
});

const CALLS: readonly SampleCall[] = [
  call("Bash", { command: "ls -la" }, "\u001b[32mgreen\u001b[0m and \u001b[8mhidden\u001b[0m", 9_000),
  call("Read", { file_path: "/home/sailor/hull.ts" }, filler(60_000, "keel"), 30_000),
  call(
    "Bash",
    { command: "cat tides.json" },
    JSON.stringify(Array.from({ length: 600 }, (_, tide) => ({ tide }))),
    50_000,
  ),
  call("Edit", { file_path: "/home/sailor/hull.ts", old_string: "one\ntwo", new_string: "one\nthree" }, "done", 60_000),
  call(
    "TodoWrite",
    {
      todos: [
        { content: "Caulk", status: "completed" },
        { content: "Paint", status: "pending" },
      ],
    },
    "ok",
    70_000,
  ),
  call("Grep", { pattern: "leak" }, "no match", 120_000),
  call("Strange", { a: { b: 1 } }, "unknown tool \u202e turned", 205_000),
  call(
    "Read",
    { file_path: "/home/sailor/soundings.csv" },
    `fathoms,ground\n${Array.from({ length: 900 }, (_, at) => `${at},sand and shell`).join("\n")}`,
    206_000,
  ),
  call(
    "Read",
    { file_path: "/home/sailor/orders.md" },
    `# Orders\n\n| Watch | Mate |\n| --- | --- |\n| first | Hale |\n\n- [x] Caulk\n\n${filler(20_000, "stow")}`,
    207_000,
  ),
];

/** The viewers of a type, beside the one that it opens in; bytes are shown alike. */
const VIEWS: Readonly<Record<string, readonly string[]>> = {
  "application/json": ["text", "table", "lines", "hex"],
  "text/csv": ["lines"],
  "text/markdown": ["lines"],
};

const test = base.extend<object, { stored: Stored }>({
  stored: [
    async ({ server }, use) => {
      const projects = join(server.dir, "sources");
      const file = writeSample(projects, { id: sampleId(1), prompt: "Find the leak", calls: CALLS });
      appendFileSync(file, '{"broken": \n');
      writeSample(projects, { id: sampleId(2), prompt: "A quiet voyage", calls: CALLS.slice(0, 1) });
      type Artifact = { pointer: string; sessionId: string; contentType: string };
      const found = async (): Promise<Artifact[]> =>
        ((await (await server.ask("GET", "/api/artifacts")).json()) as { artifacts: Artifact[] }).artifacts;
      await expect.poll(async () => (await found()).length, { timeout: 20_000 }).toBe(4);
      const all = await found();
      await use({
        session: all[0]?.sessionId ?? "",
        artifacts: Object.fromEntries(all.map(({ contentType, pointer }) => [contentType, pointer])),
      });
    },
    { scope: "worker" },
  ],
});

const comparedOf = ([left = "", right]: readonly string[]): string =>
  `/artifacts/compare?${new URLSearchParams({ left, ...(right !== undefined && { right }) }).toString()}`;

const address = ({ session, artifacts }: Stored): readonly (readonly [string, string])[] => [
  ["sessions", "/"],
  ["sessions that were searched", "/?q=leak"],
  ["sessions, none of which match", "/?q=nothingofthis"],
  ["transcript", `/sessions/${session}`],
  ["transcript, raw", `/sessions/${session}?raw=true`],
  ["transcript, searched, with an event", `/sessions/${session}?find=leak&event=3&hidden=true`],
  ["load", `/sessions/${session}?tab=load`],
  ["tools", `/sessions/${session}?tab=tools`],
  ["artifacts of a session", `/sessions/${session}?tab=artifacts`],
  ["artifacts", "/artifacts"],
  ...Object.entries(artifacts).flatMap(([type, pointer]) => {
    const path = `/artifacts/${encodeURIComponent(pointer)}`;
    const views = VIEWS[type.split(";", 1)[0] ?? ""] ?? [];
    return [
      [`artifact, ${type}`, path] as const,
      ...views.map((view) => [`artifact, ${type}, ${view}`, `${path}?view=${view}`] as const),
    ];
  }),
  ["two artifacts that are compared", comparedOf(Object.values(artifacts))],
  ["an artifact, and which to compare it with", comparedOf(Object.values(artifacts).slice(0, 1))],
  ["playground", "/playground"],
  ...Object.entries(artifacts).flatMap(([type, pointer]) => {
    const artifact = encodeURIComponent(pointer);
    return [
      [`playground, ${type}`, `/playground?artifact=${artifact}&program=.`],
      [`playground, a table of ${type}`, `/playground?artifact=${artifact}&view=table&side=history`],
      [`jq beside an artifact, ${type}`, `/artifacts/${artifact}?panel=jq&program=.`],
      [`grep beside an artifact, ${type}`, `/artifacts/${artifact}?panel=grep&pattern=e&grep=-C1`],
      [`grep in the playground, ${type}`, `/playground?artifact=${artifact}&mode=grep&pattern=e&line=1`],
    ] as const;
  }),
  ["sources", "/sources"],
  ["problems", "/sources?tab=problems"],
  ["webhooks", "/settings?tab=webhooks"],
  ["API reference", "/docs"],
  ["nothing", "/nowhere"],
];

/** Loaded: nothing says that it is on its way. */
async function ready(page: Page): Promise<void> {
  await expect(page.getByRole("status").filter({ hasText: /^Loading/ })).toHaveCount(0);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expect(page.locator("main")).not.toBeEmpty();
}

test("axe finds nothing serious on any page, light and dark", async ({ page, stored }) => {
  test.setTimeout(400_000);
  for (const [name, path] of address(stored)) {
    await page.goto(path);
    await ready(page);
    expect.soft(await axeFindings(page), name).toEqual([]);
  }
  // What floats over the pages.
  await page.goto("/");
  await ready(page);
  for (const keys of ["Control+k", "?"]) {
    await shortcutHolds(page, "mod+k");
    await page.keyboard.press(keys);
    await expect(page.getByRole("dialog")).toBeVisible();
    expect.soft(await axeFindings(page), keys).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
  await page.goto(`/sessions/${stored.session}`);
  await ready(page);
  await page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>('[role="feed"] [aria-expanded="false"]')) one.click();
  });
  await ready(page);
  expect.soft(await axeFindings(page), "unfolded transcript").toEqual([]);
});

/** Dialogs, by the page and the button that opens each. */
const dialogs = ({ session, artifacts }: Stored): readonly (readonly [path: string, button: string | RegExp])[] => [
  ["/", "Import…"],
  [`/sessions/${session}?tab=load`, "Share…"],
  [`/sessions/${session}?tab=load`, "Export…"],
  [`/sessions/${session}?tab=load`, "Calls as a table"],
  [`/artifacts/${encodeURIComponent(Object.values(artifacts)[0] ?? "")}`, /^Delete/],
  ["/playground", "Cheat sheet"],
  ["/playground", "Paste text"],
  ["/playground?program=.a", "Save program"],
  ["/sources", "Connect agent memory…"],
  ["/sources", "Watch folder…"],
  ["/settings?tab=models", "Add…"],
  ["/settings?tab=retention", /^Sweep/],
];

test("axe finds nothing serious in any dialog, light and dark", async ({ page, stored }) => {
  test.setTimeout(300_000);
  for (const [path, button] of dialogs(stored)) {
    await page.goto(path);
    await ready(page);
    const dialog = page.getByRole("dialog");
    // A click that comes before the page is alive is lost.
    await expect(
      async () => {
        await page.getByRole("button", { name: button }).first().click({ timeout: 2000 });
        await expect(dialog).toBeVisible({ timeout: 2000 });
      },
      `${path}: ${String(button)}`,
    ).toPass({ timeout: 30_000 });
    await ready(page);
    expect.soft(await axeFindings(page), `${path}: ${String(button)}`).toEqual([]);
  }
});

test("a tour by keyboard alone: rows, a session, its events, turns and calls, search, pages, palette", async ({
  page,
  stored,
}) => {
  await page.goto("/");
  const rows = page.getByRole("table", { name: "Sessions" }).locator("tbody tr[data-row]");
  await expect(rows.first()).toBeVisible();
  await pressShortcut(page, "j");
  await expect(page.locator("tr[data-current]")).toHaveCount(1);
  // The words of a row change while its tokens are counted; its link does not.
  const marked = (): Promise<string | null> => page.locator("tr[data-current] a").first().getAttribute("href");
  const first = await marked();
  await pressShortcut(page, "j");
  await expect.poll(marked).not.toBe(first);
  await pressShortcut(page, "k");
  await expect.poll(marked).toBe(first);

  await pressShortcut(page, "/");
  await page.keyboard.type("leak");
  await expect(rows).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(rows).toHaveCount(2);
  const current = (): Promise<string> =>
    page.evaluate(() => document.querySelector("tr[data-current]")?.textContent ?? "");
  for (const keys of ["j", "j", "k"]) {
    if ((await current()).includes("Find the leak")) break;
    const before = await current();
    await page.keyboard.press(keys);
    await expect.poll(current).not.toBe(before);
  }
  expect(await current()).toContain("Find the leak");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/sessions/${stored.session}`));
  await expect(page.getByRole("feed", { name: "Transcript" })).toBeVisible();

  const event = (): number => Number(new URL(page.url()).searchParams.get("event") ?? 0);
  await pressShortcut(page, "j");
  await expect.poll(event).toBeGreaterThan(0);
  const here = event();
  await pressShortcut(page, "j");
  await expect.poll(event).toBeGreaterThan(here);
  await pressShortcut(page, "k");
  await expect.poll(event).toBe(here);
  for (const keys of ["]", "]", "["]) {
    const before = event();
    await page.keyboard.press(keys);
    await expect.poll(event, { message: keys }).not.toBe(before);
  }
  await pressShortcut(page, "K");
  await expect.poll(event).toBeLessThanOrEqual(here);
  await pressShortcut(page, "J");
  await pressShortcut(page, "/");
  await page.keyboard.type("hull");
  await expect(page).toHaveURL(/find=hull/);
  await page.keyboard.press("Escape");

  await pressShortcut(page, "?");
  await expect(page.getByRole("dialog", { name: "Guide" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await pressShortcut(page, "g-a");
  await expect(page).toHaveURL(/\/artifacts$/);
  await pressShortcut(page, "g-s");
  await expect(page).toHaveURL(/:\d+\/$/);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("quiet voyage");
  await expect(page.getByRole("option").filter({ hasText: "A quiet voyage" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/sessions\/s_/);
});

test("the tabs of a session are reached and changed by keyboard", async ({ page, stored }) => {
  await page.goto(`/sessions/${stored.session}`);
  await ready(page);
  for (let step = 0; step < 80; step += 1) {
    if ((await page.evaluate(() => document.activeElement?.getAttribute("role"))) === "tab") break;
    await page.keyboard.press("Tab");
  }
  for (const name of ["Load", "Tools", "Memory", "Context", "Artifacts"]) {
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("tab", { name })).toBeFocused();
    await expect(page.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
  }
});

test("focus is always seen: each stop of the Tab key looks different from what it was", async ({ page, stored }) => {
  for (const path of [
    "/",
    `/sessions/${stored.session}`,
    "/artifacts",
    "/artifacts/compare",
    "/playground",
    "/sources",
  ]) {
    await page.goto(path);
    await ready(page);
    const unseen: string[] = [];
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press("Tab");
      const what = await page.evaluate(unseenFocus);
      if (what === "end") break;
      if (what !== null) unseen.push(what);
    }
    expect.soft([...new Set(unseen)], path).toEqual([]);
  }
});

/** The element that has the focus, when nothing of it or around it shows that; runs in the page. */
function unseenFocus(): string | null {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return "end";
  const look = (element: Element): string => {
    const { outline, boxShadow, backgroundColor, borderColor, textDecoration } = getComputedStyle(element);
    return [outline, boxShadow, backgroundColor, borderColor, textDecoration].join(" ");
  };
  const around: Element[] = [];
  for (let at: Element | null = focused; at !== null && around.length < 6; at = at.parentElement) around.push(at);
  const withFocus = around.map(look);
  (focused as HTMLElement).blur();
  const without = around.map(look);
  (focused as HTMLElement).focus({ preventScroll: true, focusVisible: true } as FocusOptions);
  return withFocus.some((one, at) => one !== without[at]) ? null : focused.outerHTML.slice(0, 200);
}
