// The inspector beside the transcript: any row in five ways, jq and grep in place, every call that carried it, and the trail from
// an event to its context, load, culprit and artifact, and back. Sessions are written by hand.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, writeSample, type Sample } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const BERTHS = JSON.stringify({ berths: [{ name: "north" }, { name: "south" }] });
const CHART = JSON.stringify({ soundings: Array.from({ length: 300 }, (_, at) => ({ at, depth: at % 17 })) });

/** Three reads of one file, of which two are large; a command run twice; a failure. */
const TRIP: Sample = {
  id: sampleId(71),
  prompt: "Look at the berths",
  calls: [
    { tool: "Read", input: { file_path: "/harbour/chart.json" }, output: CHART, prompt: 9000 },
    { tool: "Bash", input: { command: "berths --json" }, output: BERTHS, prompt: 15_000 },
    {
      tool: "Read",
      input: { file_path: "/harbour/chart.json", offset: 40, limit: 20 },
      output: "no such lines",
      prompt: 15_200,
    },
    {
      tool: "Bash",
      input: { command: "berths --json" },
      output: BERTHS.replace("south", "quay"),
      prompt: 15_400,
      then: "And the log?",
    },
    { tool: "Bash", input: { command: "cat log.txt" }, output: filler(9000), prompt: 15_700 },
  ],
};

/** One large read that twelve calls carried. */
const DRAG: Sample = {
  id: sampleId(72),
  prompt: "Why does it drag?",
  calls: Array.from({ length: 13 }, (_, at) => ({
    tool: at === 0 ? "Read" : "Bash",
    input: at === 0 ? { file_path: "/harbour/anchor.log" } : { command: `haul ${at}` },
    output: at === 0 ? filler(60_000) : "ok",
    prompt: at === 0 ? 9000 : 30_000 + at * 100,
  })),
};

const line = (at: number, type: string, more: object): string =>
  `${JSON.stringify({
    parentUuid: null,
    uuid: `71717171-0000-4000-8000-${String(at).padStart(12, "0")}`,
    isSidechain: false,
    sessionId: TRIP.id,
    cwd: "/home/sailor/harbour",
    version: "2.1.219",
    timestamp: new Date(Date.parse("2026-03-02T10:00:00.000Z") + at * 1000).toISOString(),
    type,
    ...more,
  })}\n`;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** One of each of the other kinds of events. */
const OTHERS = [
  line(1, "assistant", {
    requestId: "req_71",
    message: {
      id: "msg_71",
      role: "assistant",
      type: "message",
      model: "claude-opus-4-5",
      content: [
        { type: "thinking", thinking: "The tide turns at noon.", signature: "c2lnbmF0dXJl" },
        { type: "text", text: "Two berths are free." },
      ],
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 18_500,
        cache_creation_input_tokens: 0,
        output_tokens: 60,
      },
    },
  }),
  line(2, "user", {
    message: {
      role: "user",
      content: [
        { type: "text", text: "This is the quay" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ],
    },
  }),
  line(3, "system", { subtype: "compact_boundary", compactMetadata: { trigger: "manual", preTokens: 18_700 } }),
  line(4, "user", { isCompactSummary: true, message: { role: "user", content: "Summary: two berths." } }),
  line(5, "a-type-of-tomorrow", { note: "kept as it is" }),
  line(6, "system", { subtype: "informational", content: "The harbour is closed at night.", level: "info" }),
  line(7, "system", { subtype: "api_error", error: { message: "overloaded" } }),
];

/** Codex writes its instructions into the log: a system event. */
const CODEX = "71000000-0000-7000-8000-000000000071";
const CODEX_LINES = [
  {
    type: "session_meta",
    payload: { id: CODEX, cwd: "/harbour", base_instructions: { text: "You keep the harbour." } },
  },
  {
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Look out" }] },
  },
].map((record) => `${JSON.stringify({ timestamp: "2026-03-02T09:00:00.000Z", ...record })}\n`);

const test = base.extend<object, { projects: string }>({
  projects: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-inspector-"));
      mkdirSync(join(dir, "projects"));
      const path = writeSample(join(dir, "projects"), TRIP);
      appendFileSync(path, OTHERS.join(""));
      const anHourAgo = Date.now() / 1000 - 3600;
      utimesSync(path, anHourAgo, anHourAgo);
      utimesSync(writeSample(join(dir, "projects"), DRAG), anHourAgo, anHourAgo);
      const codex = join(dir, "projects", `rollout-2026-03-02T09-00-00-${CODEX}.jsonl`);
      writeFileSync(codex, CODEX_LINES.join(""));
      utimesSync(codex, anHourAgo, anHourAgo);
      await use(join(dir, "projects"));
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  server: [
    async ({ projects }, use) => {
      const server = await startServer({ sources: [projects] });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

const idOf = (native: string): string => `s_${createHash("sha256").update(native).digest("hex").slice(0, 16)}`;
const ID = idOf(`claude-code:${TRIP.id}`);
const DRAG_ID = idOf(`claude-code:${DRAG.id}`);
const CODEX_ID = idOf(`codex:${CODEX}`);
const panel = (page: Page) => page.getByRole("complementary", { name: /^Event|^Inspector/u });
const row = (page: Page, seq: number) => page.locator(`article[data-seq="${seq}"]`);
const view = (page: Page, name: string) => panel(page).getByRole("button", { name, exact: true });
const number = (page: Page, seq: number) => row(page, seq).getByRole("button", { name: `Event ${seq}` });

async function open(page: Page, server: TestServer, query = ""): Promise<void> {
  await expect.poll(async () => (await server.ask("GET", `/api/sessions/${ID}`)).status, { timeout: 20_000 }).toBe(200);
  await page.goto(`/sessions/${ID}${query}`);
  await expect(page.getByRole("feed", { name: "Transcript" }).locator("[data-head], h3").first()).toBeVisible();
}

type Told = { events: { seq: number; type: string; toolName: string | null; text: string }[] };
async function events(server: TestServer, id: string): Promise<Told["events"]> {
  return ((await (await server.ask("GET", `/api/sessions/${id}/events`)).json()) as Told).events;
}

test("i opens a panel beside the list, j and k move it, Escape gives the focus back", async ({ page, server }) => {
  await open(page, server);
  await pressShortcut(page, "i");
  await expect(panel(page)).toBeVisible();
  await expect(panel(page)).toBeFocused();
  await expect(page).toHaveURL(/inspect=rendered/);
  await expect(panel(page).getByRole("heading", { name: /^Event 1/u })).toBeVisible();
  await page.keyboard.press("j");
  await expect(panel(page).getByRole("heading", { name: /^Event 2 Read/u })).toBeVisible();
  await expect(row(page, 2)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("k");
  await expect(panel(page).getByRole("heading", { name: /^Event 1/u })).toBeVisible();
  await panel(page).getByRole("button", { name: "Next event" }).click();
  await expect(page).toHaveURL(/event=2/);
  // Digits choose how it is shown, and the address says it.
  await page.keyboard.press("5");
  await expect(page).toHaveURL(/inspect=lifetime/);
  await page.reload();
  await expect(panel(page).getByTestId("lifetime")).toContainText("Carried by");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/inspect/);
  await expect(number(page, 2)).toBeFocused();
});

test("what folds in the rendered view can be folded, and opened again", async ({ page, server }) => {
  await open(page, server, "?event=11&inspect=rendered");
  await expect(panel(page).getByText(/All \d+ lines shown/u)).toBeVisible();
  await panel(page).getByRole("button", { name: "Show less" }).click();
  await expect(panel(page).getByText(/^First \d+ of \d+ lines shown/u)).toBeVisible();
  await panel(page).getByRole("button", { name: "Show all" }).click();
  await expect(panel(page).getByText(/All \d+ lines shown/u)).toBeVisible();
});

test("a click on a row's number opens it, and the list stays", async ({ page, server }) => {
  await open(page, server);
  await number(page, 4).click();
  await expect(panel(page)).toContainText("berths --json");
  await number(page, 2).click();
  await expect(panel(page).getByRole("heading", { name: /^Event 2/u })).toBeVisible();
  await expect(row(page, 4)).toBeVisible();
  await panel(page).getByRole("button", { name: "Close inspector" }).click();
  await expect(panel(page)).toHaveCount(0);
  // Back brings back what was open before.
  await page.getByRole("button", { name: "sent 5×" }).first().click();
  await expect(page).toHaveURL(/inspect=lifetime/);
  await page.goBack();
  await expect(panel(page)).toHaveCount(0);
});

const ALL_TYPES = [
  "assistant",
  "compaction",
  "error",
  "meta",
  "reasoning",
  "rewind",
  "system",
  "tool_call",
  "tool_result",
  "unknown",
  "user",
];

test("every kind of event is shown in each of the five ways", async ({ page, server }) => {
  await open(page, server, "?hidden=true");
  const kinds = new Map(
    (await Promise.all([ID, CODEX_ID].map(async (id) => (await events(server, id)).map((one) => ({ ...one, id })))))
      .flat()
      .map(({ type, seq, id }) => [type, { seq, id }]),
  );
  expect([...kinds.keys()].toSorted()).toEqual(ALL_TYPES);
  for (const { seq, id } of kinds.values()) {
    await page.goto(`/sessions/${id}?hidden=true&event=${seq}&inspect=rendered`);
    await expect(panel(page).getByRole("heading", { name: /^Event \d/u })).toBeVisible();
    await expect(panel(page).getByRole("group", { name: "Event, rendered" })).not.toBeEmpty();
    await pressShortcut(page, "2");
    await expect(panel(page).getByRole("group", { name: "Raw record" })).toContainText('"type"');
    await page.keyboard.press("3");
    await expect(
      panel(page)
        .getByText(/Text in the log|Artifact page/u)
        .first(),
    ).toBeVisible();
    await page.keyboard.press("4");
    await expect(panel(page).getByTestId("seen")).toHaveText(/Sent with call|No model call was sent/u);
    await page.keyboard.press("5");
    await expect(panel(page).getByTestId("lifetime")).toHaveText(/Carried by|no model call/iu);
    await expect(panel(page).getByRole("alert")).toHaveCount(0);
  }
});

test("jq and grep run in place, over the artifact, the text and the record", async ({ page, server }) => {
  await open(page, server, "?event=2&inspect=stored");
  await expect(panel(page).getByRole("link", { name: "Artifact page" }).first()).toBeVisible();
  await view(page, "jq").click();
  await expect(page).toHaveURL(/ask=jq/);
  const program = panel(page).locator("#jq-editor textarea, #jq-editor [contenteditable]").first();
  await program.focus();
  await page.keyboard.insertText(".soundings | length");
  await expect(panel(page).getByRole("region", { name: "jq" })).toContainText("300");
  await page.keyboard.press("Escape");
  await view(page, "grep").click();
  await panel(page).getByRole("searchbox", { name: "Pattern" }).fill('"depth":16');
  await expect(panel(page).getByRole("region", { name: "grep" })).toContainText("depth");
  // A short output is no artifact: its text is asked.
  await page.goto(`/sessions/${ID}?event=4&inspect=stored&ask=jq&program=.berths[1].name`);
  await expect(panel(page)).toContainText("No artifact");
  await expect(panel(page).getByRole("region", { name: "jq" })).toContainText('"south"');
  await page.goto(`/sessions/${ID}?event=4&inspect=raw&ask=grep&pattern=toolu_`);
  await expect(panel(page).getByRole("region", { name: "grep" })).toContainText("tool_use_id");
  await expect(panel(page).getByRole("region", { name: "grep" }).getByRole("status")).toContainText(/^\d lines$/u);
  // What is closed leaves nothing of it in the address.
  await panel(page).getByRole("button", { name: "Close inspector" }).click();
  await expect(page).not.toHaveURL(/pattern|ask|program/u);
});

test("every call that carried it leads to Load and to Context there, and back", async ({ page, server }) => {
  await open(page, server, "?event=2&inspect=lifetime");
  const carried = panel(page).getByRole("group", { name: "5 calls carried it" });
  await expect(carried.getByRole("listitem")).toHaveCount(5);
  type Lifetime = { calls: { call: number; tokens: number }[]; lifetimeTokens: number };
  const told = (await (await server.ask("GET", `/api/sessions/${ID}/events/2/lifetime`)).json()) as Lifetime;
  expect(told.calls.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(told.lifetimeTokens);
  await carried.getByRole("link", { name: "call 3", exact: true }).click();
  await expect(page).toHaveURL(/tab=load/);
  await expect(page.getByRole("tab", { name: "Load" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("Call 3", { exact: false }).first()).toBeVisible();
  await page.getByRole("link", { name: "Back to event 2" }).click();
  await expect(page).toHaveURL(/event=2/);
  await expect(panel(page).getByTestId("lifetime")).toBeVisible();
  await panel(page).getByRole("link", { name: "context at call 3" }).click();
  await expect(page.getByTestId("context-sum")).toContainText("Context sent with call 3");
  // By key, too; and the browser's own way back.
  await pressShortcut(page, "u");
  await expect(panel(page).getByTestId("lifetime")).toBeVisible();
  await expect(page).not.toHaveURL(/tab=context/);
  await page.goBack();
  await expect(page.getByTestId("context-sum")).toBeVisible();
});

test("what the model saw is told at the first call and at the last", async ({ page, server }) => {
  await open(page, server, "?event=4&inspect=seen");
  await expect(panel(page).getByTestId("seen")).toContainText("Sent with call 3");
  await expect(
    panel(page)
      .getByRole("region", { name: /^Message/u })
      .last(),
  ).toContainText(BERTHS);
  await panel(page).getByRole("button", { name: "Last call" }).click();
  await expect(panel(page).getByTestId("seen")).toContainText("Sent with call 6");
  await panel(page).getByRole("link", { name: "Context at call 6" }).click();
  // From a message of the context to its event.
  await expect(page.getByTestId("context-sum")).toContainText("call 6");
  await page
    .getByRole("table", { name: "Messages of the context" })
    .getByRole("link", { name: "4", exact: true })
    .click();
  await expect(row(page, 4)).toHaveAttribute("aria-current", "true");
});

test("an output is compared with the one of the same call, and with others of its file", async ({ page, server }) => {
  await open(page, server, "?event=8&inspect=rendered");
  await pressShortcut(page, "d");
  const items = page.getByRole("menuitem");
  await expect(items.first()).toHaveText(/Earlier, same call: event 4/u);
  await items.first().click();
  await expect(page).toHaveURL(/\/artifacts\/compare\?left=s_[0-9a-f]+\.5&right=s_[0-9a-f]+\.9/u);
  await expect(page.getByRole("region", { name: "Left" })).toContainText("text in the log");
  await expect(page.locator('[data-kind="add"]').first()).toContainText("quay");
  await page.getByRole("region", { name: "Right" }).getByRole("link", { name: "event 9" }).click();
  await expect(row(page, 8)).toHaveAttribute("aria-current", "true");
  // Of a file that was read before: an artifact on one side, a text of the log on the other.
  await page.goto(`/sessions/${ID}?event=6&inspect=rendered`);
  await panel(page).getByRole("button", { name: "Compare with" }).click();
  await expect(page.getByRole("menuitem").first()).toHaveText(/Earlier, same file: event 2/u);
  await page.getByRole("menuitem").first().click();
  await expect(page).toHaveURL(/left=art%3A[^&]+&right=s_/u);
  await expect(page.getByRole("region", { name: "Left" }).getByRole("link").first()).toHaveText(/chart\.json|Read/u);
});

test("the trail goes by key: context, load, artifact", async ({ page, server }) => {
  await open(page, server, "?event=2&inspect=rendered");
  await pressShortcut(page, "c");
  await expect(page.getByTestId("context-sum")).toBeVisible();
  await pressShortcut(page, "u");
  await expect(panel(page)).toBeVisible();
  await pressShortcut(page, "l");
  await expect(page.getByRole("tab", { name: "Load" })).toHaveAttribute("aria-selected", "true");
  await pressShortcut(page, "u");
  await pressShortcut(page, "a");
  await expect(page).toHaveURL(/\/artifacts\/art/u);
  await page.getByRole("complementary").getByRole("link", { name: "event 2" }).click();
  await expect(row(page, 2)).toHaveAttribute("aria-current", "true");
  await page.goBack();
  await page
    .getByRole("complementary")
    .getByRole("link", { name: /^5 model calls/u })
    .click();
  await expect(panel(page).getByTestId("lifetime")).toContainText("Carried by 5 of 6 calls");
});

test("a culprit's row on Load leads to the calls that carried it, and the inspector to the culprit", async ({
  page,
  server,
}) => {
  await expect.poll(async () => (await server.ask("GET", `/api/sessions/${DRAG_ID}`)).status).toBe(200);
  await page.goto(`/sessions/${DRAG_ID}?tab=load&culprit=oversized-output.3`);
  await page.getByRole("link", { name: "List its calls" }).click();
  await expect(panel(page).getByTestId("lifetime")).toContainText("Carried by 12 of 13 calls: 2–13.");
  const culprit = panel(page).getByRole("link", { name: /^Culprit 1/u });
  await expect(culprit).toContainText("avoidable");
  await pressShortcut(page, "l");
  await expect(page).toHaveURL(/tab=load/u);
  await expect(page.getByRole("link", { name: "List its calls" })).toBeVisible();
  await page.getByRole("link", { name: /^Back to event/u }).click();
  await expect(culprit).toBeVisible();
});

test("the guide lists its keys", async ({ page, server }) => {
  await open(page, server, "?event=2&inspect=rendered");
  await pressShortcut(page, "?");
  const shortcuts = page.getByRole("region", { name: "Shortcuts" });
  for (const words of ["Close inspector", "Show lifetime", "Context here", "Artifact page", "Compare with…"])
    await expect(shortcuts).toContainText(words);
});

test("axe finds nothing serious in any view, light and dark", async ({ page, server }) => {
  await open(page, server, "?event=2&inspect=lifetime");
  for (const name of ["Lifetime", "Stored", "Seen by model", "Raw"]) {
    await view(page, name).click();
    await expect(panel(page).getByRole("group").last()).toBeVisible();
    expect(await axeFindings(page)).toEqual([]);
  }
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("it is a sheet of the whole width, with its own steps", async ({ page, server }) => {
    await open(page, server);
    await number(page, 2).click();
    const sheet = page.getByRole("dialog", { name: /^Event 2/u });
    await expect(sheet).toBeVisible();
    expect((await sheet.boundingBox())?.width).toBe(390);
    await sheet.getByRole("button", { name: "Next event" }).click();
    await expect(page.getByRole("dialog", { name: /^Event 4/u })).toBeVisible();
    await page.getByRole("button", { name: "Lifetime" }).click();
    await expect(page.getByTestId("lifetime")).toBeVisible();
    // The last column of the list ends inside the sheet, whatever its numbers are.
    const link = await page
      .getByRole("link", { name: /^context at call/u })
      .first()
      .boundingBox();
    expect((link?.x ?? 999) + (link?.width ?? 0)).toBeLessThanOrEqual(390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
});
