// Memory, Context and Compact…: the context as a provider gets it, items with their history, a compaction tried, kept beside an
// imported session as a plan, and done and undone in a session that Plimsoll holds.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { answers, completion, GOOD, withModelServer } from "../lib/models/testing-models.ts";
import { axeFindings } from "./axe.ts";
import { pressShortcut } from "./press-shortcut.ts";
import { filler, sampleId, writeSample, type SampleCall } from "./sample-sessions.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

const TURNS = ["Mend pump three", "Never touch the fuel pier", "Count the berths", "Write the log", "Paint the hull"];
const PER_TURN = 4;

/** Five turns of four calls; each call reads or runs something of its own. */
function voyage(): SampleCall[] {
  let prompt = 20_000;
  return TURNS.flatMap((_, turn) =>
    Array.from({ length: PER_TURN }, (__, at) => {
      const name = `t${turn + 1}-${at}`;
      const output = at === 2 ? `Error: pump ${turn} lost pressure\n${filler(900, name)}` : filler(6000, name);
      const call: SampleCall = {
        tool: at === 2 ? "Bash" : "Read",
        input: at === 2 ? { command: `make check-${name}` } : { file_path: `/home/sailor/harbour/${name}.ts` },
        output,
        prompt,
        ...(at === PER_TURN - 1 && turn < TURNS.length - 1 ? { then: TURNS[turn + 1] as string } : {}),
      };
      prompt += 2200;
      return call;
    }),
  );
}

const idOf = (native: string): string => `s_${createHash("sha256").update(native).digest("hex").slice(0, 16)}`;
const VOYAGE = idOf(`claude-code:${sampleId(1)}`);
const QUIET = idOf(`claude-code:${sampleId(2)}`);

const COMPACTED = idOf(`claude-code:${sampleId(3)}`);

/** A session that its agent compacted itself, and then went on with. */
function writeCompacted(projects: string): void {
  const file = writeSample(projects, { id: sampleId(3), prompt: "Look at the pumps", calls: voyage().slice(0, 9) });
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const last = JSON.parse(lines.at(-1)!) as Record<string, unknown>;
  const next = (nth: number, more: object): string =>
    JSON.stringify({
      ...last,
      uuid: `aaaaaaaa-0000-4000-8000-00000000000${nth}`,
      // As Claude Code writes it: the boundary begins a chain of its own.
      parentUuid: nth === 1 ? null : `aaaaaaaa-0000-4000-8000-00000000000${nth - 1}`,
      ...(nth === 1 && { logicalParentUuid: last["uuid"] }),
      timestamp: new Date(Date.parse(String(last["timestamp"])) + nth * 5000).toISOString(),
      ...more,
    });
  const says = (text: string) => ({
    role: "assistant",
    type: "message",
    model: "claude-opus-4-5",
    content: [{ type: "text", text }],
  });
  const added = [
    next(1, { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto" }, message: undefined }),
    next(2, {
      ...{ type: "user", isCompactSummary: true },
      message: { role: "user", content: "The pumps were looked at.\nThe file harbour/t1-0.ts comes next." },
    }),
    next(3, { type: "user", message: { role: "user", content: "Go on" } }),
    next(4, {
      ...{ type: "assistant", requestId: "req_after" },
      message: { id: "msg_after", ...says("I run make check-t1-2 and read /home/sailor/harbour/t1-0.ts again.") },
    }),
  ];
  writeFileSync(file, `${[...lines, ...added].join("\n")}\n`);
}

type Memory = { held: boolean; items: { id: string; text: string }[]; compactions: { id: string; status: string }[] };
type Context = { tokens: number; messages: { label: string }[]; payload: { json: string } };

const test = base.extend<object, { held: string; source: string }>({
  source: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dir = mkdtempSync(join(tmpdir(), "plimsoll-memory-"));
      mkdirSync(join(dir, "projects"));
      const file = writeSample(join(dir, "projects"), {
        id: sampleId(1),
        prompt: TURNS[0] as string,
        calls: voyage(),
      });
      writeSample(join(dir, "projects"), { id: sampleId(2), prompt: "A quiet day", calls: voyage().slice(0, 1) });
      writeCompacted(join(dir, "projects"));
      await use(file);
      rmSync(dir, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  server: [
    async ({ source }, use) => {
      const server = await startServer({ sources: [join(source, "..", "..")] });
      for (const id of [VOYAGE, QUIET])
        await expect
          .poll(async () => (await server.ask("GET", `/api/sessions/${id}/context`)).status, { timeout: 20_000 })
          .toBe(200);
      // Tokens are counted in the background; numbers that still move would move under the tests.
      await expect
        .poll(
          async () =>
            ((await (await server.ask("GET", `/api/sessions/${VOYAGE}/load`)).json()) as { counting: boolean })
              .counting,
          { timeout: 20_000 },
        )
        .toBe(false);
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  held: [async ({ server }, use) => use(await writeHeld(server, "harbour-watch")), { scope: "worker" }],
});

/** A session of ours, as an agent tells it: six turns, each with a call and its result. */
async function writeHeld(server: TestServer, id: string): Promise<string> {
  const made = await server.ask("POST", "/api/sessions", { id, title: "Harbour watch", agentName: "harbour agent" });
  expect(made.status).toBeLessThan(300);
  const session = ((await made.json()) as { id: string }).id;
  const records = Array.from({ length: 6 }, (_, turn) => {
    const toolCallId = `call_${turn}`;
    const event = (body: object, more: object = {}) => ({ record: "event", body, ...more });
    return [
      event({ type: "user", text: `Watch number ${turn}: look at berth ${turn}` }, { startsTurn: true }),
      event({ type: "tool_call", toolCallId, toolName: "read_file", input: { path: `berths/${turn}.json` } }),
      event({ type: "tool_result", toolCallId, text: filler(3000, `berth-${turn}`) }),
      event({ type: "assistant", text: `Berth ${turn} is free until noon.` }),
    ];
  }).flat();
  const result = await server.ask("POST", `/api/sessions/${session}/events`, { records });
  expect(await result.text()).toContain("seqs");
  return session;
}

const read = async <Answer>(server: TestServer, path: string): Promise<Answer> =>
  (await (await server.ask("GET", path)).json()) as Answer;

const rows = (page: Page) => page.getByRole("table", { name: "Messages of the context" }).locator("tbody tr[data-row]");
const payload = (page: Page) => page.getByRole("group", { name: /^Payload as/ });
const verdict = (page: Page) => page.getByTestId("verdict");
const ledger = (page: Page) => page.getByRole("table", { name: "Ledger of the compaction" });
const items = (page: Page) => page.getByRole("region", { name: "Memory items" });

test("Context opens at the fullest call, with one row a message and the sum that the provider reported", async ({
  page,
}) => {
  await page.goto(`/sessions/${VOYAGE}?tab=context`);
  await expect(page.getByTestId("context-sum")).toContainText("Context sent with call 20");
  // 20 calls: five prompts, nineteen calls with their results.
  await expect(page.getByTestId("context-sum")).toContainText("43 messages");
  await expect(page.getByTestId("hidden-prefix")).toContainText("hidden prefix");
  await expect(page.getByTestId("hidden-prefix")).toContainText("= 61,800 the provider reported");
  await expect(rows(page).first()).toContainText(TURNS[0] as string);
  await expect(rows(page).first().locator("[data-origin]")).toHaveAttribute("title", /; \d+ by the tokenizer alone$/);
  await pressShortcut(page, "[");
  await expect(page.getByTestId("context-sum")).toContainText("Context sent with call 19");
});

test("what entered since the previous call stands alone when it is asked for", async ({ page }) => {
  await page.goto(`/sessions/${VOYAGE}?tab=context`);
  await page.getByRole("button", { name: /^Entered/ }).click();
  await expect(page).toHaveURL(/change=new/);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).last()).toContainText("new");
  await page.getByRole("button", { name: /^Left/ }).click();
  await expect(page.getByText("No messages were removed.")).toBeVisible();
});

test("each provider gets its own payload, to read, to copy and whole to download", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/sessions/${VOYAGE}?tab=context`);
  // That of the session's own model first.
  await expect(page.getByRole("button", { name: "Anthropic", pressed: true })).toBeVisible();
  await expect(payload(page)).toContainText('"tool_use"');
  await page.getByRole("button", { name: "OpenAI chat" }).click();
  await expect(page).toHaveURL(/as=openai-chat/);
  await expect(payload(page)).toContainText('"tool_calls"');
  await page.reload();
  await expect(payload(page)).toContainText('"tool_calls"');
  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  const whole = JSON.parse((await readFile(await (await coming).path())).toString()) as { messages: unknown[] };
  expect(whole.messages.length).toBeGreaterThan(20);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await expect(page.getByText("Copied")).toBeVisible();
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(whole);
  for (const name of ["Responses", "Gemini", "Text"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(payload(page)).toContainText(TURNS[0] as string);
  }
});

test("an event in the address is the place of the context, and its number leads into the transcript", async ({
  page,
}) => {
  await page.goto(`/sessions/${VOYAGE}?tab=context&event=2`);
  await expect(page.getByTestId("context-sum")).toContainText("Context sent with call 1: 1 message");
  await rows(page).getByRole("link", { name: "1", exact: true }).click();
  await expect(page.getByRole("tab", { name: "Transcript" })).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/event=1/);
  await page.goBack();
  await expect(page.getByRole("tab", { name: "Context" })).toHaveAttribute("aria-selected", "true");
});

test("an empty memory teaches what it is, and takes a fact that a person writes down", async ({ page }) => {
  await page.goto(`/sessions/${QUIET}?tab=memory`);
  await expect(page.getByRole("heading", { name: "No memory yet" })).toBeVisible();
  await expect(page.getByText("The agent's file is never changed")).toBeVisible();
  await page.getByRole("button", { name: "Add an item" }).click();
  const form = page.getByRole("form", { name: "New item" });
  await expect(form.getByRole("button", { name: "Add", exact: true })).toBeDisabled();
  await form.getByLabel("Text").fill("The fuel pier is closed on Mondays");
  await form.getByLabel("Category").selectOption("user_preference");
  await form.getByLabel("Tags (comma-separated)").fill("pier, monday");
  await form.getByLabel("Source events").fill("9-2");
  await expect(form.getByText("is not an event number")).toBeVisible();
  await form.getByLabel("Source events").fill("1");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const item = items(page).getByRole("listitem").filter({ hasText: "closed on Mondays" });
  await expect(item).toContainText("user preference");
  await expect(item).toContainText("#monday");
  await expect(item).toContainText("written by hand");
  await expect(item.getByRole("link", { name: "1", exact: true })).toBeVisible();
});

test("an item is edited, pinned, deleted and brought back, and its history keeps what it said", async ({
  page,
  server,
}) => {
  await server.ask("POST", `/api/sessions/${VOYAGE}/memory`, { do: "add", kind: "semantic", text: "Old words" });
  await page.goto(`/sessions/${VOYAGE}?tab=memory`);
  const first = items(page).getByRole("listitem").filter({ hasText: "Old words" });
  await first.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("form", { name: "Edit the item" }).getByLabel("Text").fill("New words");
  await page.getByRole("form", { name: "Edit the item" }).getByLabel("Salience").fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  const item = items(page).getByRole("listitem").filter({ hasText: "New words" });
  await expect(item).toContainText("salience 7");
  await item.getByRole("button", { name: "Pin" }).click();
  await expect(item.getByRole("button", { name: "Unpin" })).toBeVisible();
  await item.getByRole("button", { name: "Delete" }).click();
  await expect(item).toHaveCount(0);
  await page.getByRole("button", { name: /^Deleted/ }).click();
  await expect(page).toHaveURL(/items=deleted/);
  await item.getByRole("button", { name: "Bring back" }).click();
  await expect(item).toHaveCount(0);
  await page.getByRole("button", { name: /^All/ }).click();
  await item.getByRole("button", { name: "History" }).click();
  const history = page.getByRole("list", { name: "History of this item" });
  await expect(history).toContainText("was: Old words");
  for (const did of ["Edited", "Pinned", "Deleted", "Brought back"]) await expect(history).toContainText(did);
});

test("memory stands on the axis of calls, and an item lights the calls that it came from", async ({ page, server }) => {
  await server.ask("POST", `/api/sessions/${VOYAGE}/memory`, {
    do: "add",
    kind: "semantic",
    text: "On axis",
    seqs: [1],
  });
  await page.goto(`/sessions/${VOYAGE}?tab=memory`);
  const axis = page.getByRole("region", { name: "Memory by model call" });
  await expect(axis.getByText("Epoch 1")).toBeVisible();
  const mark = axis.getByRole("button", { name: "1 semantic item at call 1", exact: true });
  await expect(axis.getByTestId("source-span")).toHaveCount(0);
  await mark.focus();
  await expect(axis.getByTestId("source-span")).toHaveCount(1);
  await mark.press("Enter");
  await expect(page).toHaveURL(/items=semantic/);
  await mark.blur();
  await items(page).getByRole("listitem").filter({ hasText: "On axis" }).hover();
  await expect(axis.getByTestId("source-span")).toHaveCount(1);
});

test("a dry run tells what is kept, summarised and dropped, each line linked to its events", async ({ page }) => {
  await page.goto(`/sessions/${VOYAGE}/compact?tail=1`);
  await expect(verdict(page)).toContainText(/down to/);
  await expect(page.getByText("dry run", { exact: true })).toBeVisible();
  for (const name of ["Kept", "Summarised"])
    await expect(ledger(page).getByRole("rowheader", { name: new RegExp(`^${name}`, "u") })).toBeVisible();
  await expect(ledger(page)).toContainText("Paint the hull");
  await expect(page.getByRole("region", { name: "Evidence kept" })).toContainText("Files");
  const lines = page.getByTestId("summary-lines");
  await expect(lines).toContainText("Never touch the fuel pier");
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await expect(page).toHaveURL(/view=text/);
  await page.getByRole("button", { name: "Difference" }).click();
  await expect(page.getByTestId("context-difference").locator('[data-sign="+"]')).toHaveCount(1);
  await page.getByRole("button", { name: "Linked" }).click();
  const line = lines.getByRole("listitem").filter({ hasText: "Never touch the fuel pier" }).first();
  await line.getByRole("link").first().click();
  await expect(page).toHaveURL(/\/sessions\/s_[0-9a-f]+\?event=\d+/);
  await expect(page.locator("article[aria-current=true]")).toContainText("Never touch the fuel pier");
});

test("the ledger follows the sliders, and the address has what was chosen", async ({ page }) => {
  await page.goto(`/sessions/${VOYAGE}/compact?tail=1`);
  const before = await verdict(page).textContent();
  await page.getByRole("slider", { name: "Turns kept whole at the end" }).press("ArrowRight");
  await expect(page).toHaveURL(/tail=2/);
  await expect(verdict(page)).not.toHaveText(before ?? "");
  await page.getByRole("slider", { name: "Summary, at most" }).press("Home");
  await expect(page).toHaveURL(/budget=1000/);
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(page).not.toHaveURL(/tail=|budget=/);
});

test("of an imported session a plan is kept beside it, its file stays byte for byte, and the plan can be dropped", async ({
  page,
  server,
  source,
}) => {
  const file = readFileSync(source);
  const before = await read<Context>(server, `/api/sessions/${VOYAGE}/context`);
  await page.goto(`/sessions/${VOYAGE}/compact?tail=2`);
  await expect(page.getByText("Imported sessions are read-only")).toBeVisible();
  await page.getByRole("button", { name: "Save as a plan" }).click();
  await expect(page.getByTestId("done")).toContainText("Saved as a plan");
  await expect(page).toHaveURL(/done=cmp_/);
  await page.reload();
  await expect(page.getByTestId("done")).toContainText("Saved as a plan");
  await page.getByRole("link", { name: "See its memory" }).click();
  await expect(items(page)).toContainText("made by a compaction");
  const timeline = page.getByRole("complementary", { name: "Epochs and compactions" });
  await expect(timeline.getByText("plan", { exact: true })).toBeVisible();
  const turn = items(page).getByRole("button", { name: "1", exact: true }).first();
  await turn.click();
  await expect(page).toHaveURL(/turn=1/);
  await expect(items(page)).toContainText("made by a compaction");
  await timeline.getByRole("button", { name: "Discard plan" }).click();
  await expect(timeline.getByText("undone", { exact: true })).toBeVisible();
  expect(readFileSync(source).equals(file)).toBe(true);
  expect((await read<Context>(server, `/api/sessions/${VOYAGE}/context`)).payload).toEqual(before.payload);
});

test("a session of ours is compacted for real, and undo gives its context back", async ({ page, server, held }) => {
  const path = `/api/sessions/${held}/context?as=anthropic`;
  const before = await read<Context>(server, path);
  await page.goto(`/sessions/${held}?tab=memory`);
  await page.getByRole("link", { name: "Compact…" }).first().click();
  await expect(verdict(page)).toContainText("down to");
  await page.getByRole("slider", { name: "Turns kept whole at the end" }).press("Home");
  await page.getByRole("slider", { name: "Summary, at most" }).press("Home");
  await expect(page).toHaveURL(/budget=1000/);
  await expect(page.getByRole("button", { name: "Compact", exact: true })).toBeEnabled();
  await page.getByRole("button", { name: "Compact", exact: true }).click();
  await expect(page.getByTestId("done")).toContainText("Compacted");
  await expect(page).toHaveURL(/done=cmp_/);
  const after = await read<Context>(server, path);
  expect(after.tokens).toBeLessThan(before.tokens);
  await page.getByRole("link", { name: "Show context" }).click();
  await expect(page.getByTestId("context-sum")).toContainText("epoch 2");
  await page.goBack();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("done")).toContainText("Undone.");
  expect((await read<Context>(server, path)).payload).toEqual(before.payload);
  const memory = await read<Memory>(server, `/api/sessions/${held}/memory`);
  expect(memory.held).toBe(true);
  expect(memory.compactions.map(({ status }) => status)).toEqual(["undone"]);
});

test("a summary is edited before it is kept: marked, reset, and kept as it was left", async ({ page, server }) => {
  await page.goto(`/sessions/${VOYAGE}/compact?tail=1&view=edit`);
  const editor = page.getByTestId("summary-editor");
  const lines = editor.getByRole("textbox");
  await expect(lines.nth(3)).toBeVisible();
  const count = await lines.count();
  expect(count).toBeGreaterThan(3);
  const first = await lines.first().inputValue();
  await lines.first().fill("Written by hand");
  await lines.first().press("Tab");
  await expect(editor.getByText("edited")).toHaveCount(1);
  await editor.getByRole("button", { name: "Reset summary" }).click();
  await expect(lines.first()).toHaveValue(first);
  await expect(editor.getByText("edited")).toHaveCount(0);
  // By keyboard: a line behind the last one, and up by one.
  await lines.last().press("Enter");
  await expect(lines).toHaveCount(count + 1);
  await expect(lines.last()).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.type("The berth is paid until May");
  await page.keyboard.press("Alt+ArrowUp");
  await expect(lines.nth(count - 1)).toHaveValue("- The berth is paid until May");
  await editor.getByRole("button", { name: "Remove line 1", exact: true }).click();
  await expect(lines).toHaveCount(count);
  await expect(editor.getByText("edited")).toHaveCount(1);
  await page.getByRole("button", { name: "Save as a plan" }).click();
  await expect(page.getByTestId("done")).toContainText("Saved as a plan");
  const kept = page.getByTestId("summary-lines").getByRole("listitem").filter({ hasText: "paid until May" });
  await expect(kept).toContainText("edited");
  const memory = await read<{ compactions: { summary: string }[] }>(server, `/api/sessions/${VOYAGE}/memory`);
  expect(memory.compactions.some(({ summary }) => summary.includes("The berth is paid until May"))).toBe(true);
  await page.getByRole("button", { name: "Discard plan" }).click();
});

test("the summary stands beside the agent's own, with what each keeps and where they differ", async ({ page }) => {
  await page.goto(`/sessions/${COMPACTED}/compact?tail=0`);
  await page.getByRole("button", { name: "Compare with agent's own" }).click();
  await expect(page).toHaveURL(/own=true/);
  await expect(page.getByText("This summary is of another context.")).toBeVisible();
  await page.getByRole("button", { name: "Compare the same context" }).click();
  await expect(page.getByRole("heading", { name: /Compact at event \d+/ })).toBeVisible();
  await expect(page.getByText("This summary is of another context.")).toBeHidden();
  const kept = page.getByRole("table", { name: "Evidence kept" });
  await expect(kept.getByRole("row").filter({ hasText: "Tokens" })).toContainText(/~[\d,]+.*~[\d,]+/);
  await expect(kept.getByRole("row").filter({ hasText: "Names needed later" })).toContainText(/\d+/);
  const texts = page.getByRole("region", { name: "The two summaries" });
  await expect(texts).toContainText("The pumps were looked at.");
  await expect(texts.getByRole("status", { name: "What differs" })).toContainText("at 1");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Back to compaction" }).click();
  await expect(ledger(page)).toBeVisible();
});

test("nothing to compact is said plainly, with what would leave more", async ({ page }) => {
  await page.goto(`/sessions/${VOYAGE}/compact?tail=30`);
  await expect(page.getByTestId("refusal")).toContainText("Nothing to compact.");
  await expect(page.getByRole("button", { name: "Save as a plan" })).toBeDisabled();
  await page.getByRole("button", { name: "Keep no turn" }).click();
  await expect(page).toHaveURL(/tail=0/);
  await expect(verdict(page)).toContainText("down to");
});

test("a failure and a refusal are told where they happened, and the page stays usable", async ({ page, server }) => {
  const door = `**/api/sessions/${VOYAGE}/compactions`;
  await page.goto(`/sessions/${VOYAGE}/compact?tail=1`);
  await expect(verdict(page)).toContainText("down to");
  const message = "A compaction of this session runs already. Wait for its end.";
  await page.route(door, (route) =>
    route.request().postData()?.includes('"dryRun":false')
      ? route.fulfill({ status: 409, json: { error: { code: "conflict", message } } })
      : route.fallback(),
  );
  await page.getByRole("button", { name: "Save as a plan" }).click();
  await expect(page.getByRole("alert").filter({ hasText: message })).toBeVisible();
  const answer = await server.ask("POST", `/api/sessions/${VOYAGE}/compactions`, { tail: 1000 });
  const asItWas = (await answer.json()) as object;
  const failed = { ...asItWas, status: "failed", reason: "The model answered 429." };
  await page.route(door, (route) => route.fulfill({ json: failed }));
  await page.getByRole("slider", { name: "Turns kept whole at the end" }).press("ArrowRight");
  await expect(page.getByTestId("refusal")).toContainText("The compaction failed. Nothing changed.");
  await expect(page.getByTestId("refusal")).toContainText("The model answered 429.");
  await page.unroute(door);
  await page.getByRole("slider", { name: "Turns kept whole at the end" }).press("ArrowLeft");
  await expect(verdict(page)).toContainText("down to");
});

test("two policies stand side by side on one scale, and one of them is gone on with", async ({ page }) => {
  await page.goto(`/sessions/${VOYAGE}/compact?tail=1`);
  await page.getByRole("button", { name: "Compare policies" }).click();
  const first = page.getByRole("region", { name: "First policy" });
  const second = page.getByRole("region", { name: "Second policy" });
  await expect(first.getByTestId("verdict")).toContainText("down to");
  await second.getByRole("slider", { name: "Turns kept whole at the end" }).press("ArrowRight");
  await expect(page).toHaveURL(/tail2=2/);
  await expect(second.getByTestId("verdict")).not.toHaveText((await first.getByTestId("verdict").textContent()) ?? "");
  await second.getByRole("button", { name: "Use this policy" }).click();
  await expect(page).toHaveURL(/[?&]tail=2/);
  await expect(page).not.toHaveURL(/beside=/);
  await expect(page.getByRole("button", { name: "Save as a plan" })).toBeEnabled();
});

/** As the settings page does: where text is sent only a person says. */
const saveSummarizer = (page: Page, setting: object): Promise<number> =>
  page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    return (await fetch("/api/settings/summarizer", { method: "PUT", headers, body })).status;
  }, JSON.stringify(setting));

test("a model is asked when somebody says so, never as the sliders move, and what it does wrong is told", async ({
  page,
}) => {
  let isBroken = false;
  const good = answers(completion(JSON.stringify(GOOD)));
  const broken = answers({ error: { message: "no" } }, 401);
  await withModelServer(
    (...request) => (isBroken ? broken : good)(...request),
    async (model) => {
      const summarizer = { kind: "openai", baseUrl: model.url, model: "small-1" };
      await page.goto("/settings");
      expect(await saveSummarizer(page, summarizer)).toBe(200);
      await page.goto(`/sessions/${VOYAGE}/compact?tail=1`);
      await expect(verdict(page)).toContainText("down to");
      await page.getByRole("button", { name: "Model", exact: true }).click();
      await expect(page.getByText("receives the turns that are cut")).toBeVisible();
      await page.getByRole("slider", { name: "Turns kept whole at the end" }).press("ArrowRight");
      await expect(page).toHaveURL(/tail=2.*by=small-1|by=small-1.*tail=2/);
      await expect(page.getByRole("button", { name: "Save as a plan" })).toBeDisabled();
      expect(model.requests).toEqual([]);
      await page.getByRole("button", { name: "Ask the model" }).click();
      await expect(page.getByTestId("summary-lines")).toContainText(GOOD.episodic_summary);
      await expect(page.getByRole("button", { name: "Save as a plan" })).toBeEnabled();
      await expect(page.getByText("the model is not called again")).toBeVisible();
      await page.getByRole("button", { name: "Save as a plan" }).click();
      await expect(page.getByTestId("done")).toContainText("Saved as a plan");
      await expect(page.getByTestId("summary-lines")).toContainText(GOOD.episodic_summary);
      expect(model.requests).toHaveLength(1);
      await page.getByRole("button", { name: "Discard plan" }).click();
      await page.getByRole("button", { name: "Another plan" }).click();
      isBroken = true;
      await page.getByRole("button", { name: "Ask again" }).click();
      await expect(page.getByTestId("refusal")).toContainText("The compaction failed. Nothing changed.");
      await expect(page.getByTestId("refusal")).toContainText("did not accept the key");
      await page.getByRole("button", { name: "Summarise without a model" }).click();
      await expect(verdict(page)).toContainText("down to");
    },
  );
  expect(await saveSummarizer(page, { kind: "off" })).toBe(200);
});

test("a recall is tried, and logged with what it asked", async ({ page, server }) => {
  await server.ask("POST", `/api/sessions/${VOYAGE}/memory`, { do: "add", kind: "semantic", text: "Tides matter" });
  await page.goto(`/sessions/${VOYAGE}?tab=memory&event=10`);
  const recalls = page.getByRole("region", { name: "Recalls" });
  const field = recalls.getByRole("textbox", { name: "Recall query" });
  await field.fill("t1-0 harbour file");
  await recalls.getByRole("button", { name: "Recall" }).click();
  await expect(recalls.getByRole("listitem").first()).toContainText("t1-0 harbour file");
});

test("Escape leads back to the session, and the tabs are walked by keyboard", async ({ page }) => {
  await page.goto(`/sessions/${VOYAGE}/compact?tail=1&at=10`);
  await expect(page.getByRole("heading", { name: /Compact at event 10/ })).toBeVisible();
  await expect(page.getByTestId("refusal").or(verdict(page))).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/tab=memory&event=10/);
  await page.getByRole("tab", { name: "Memory" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Context" })).toBeFocused();
  await expect(page.getByTestId("context-sum")).toBeVisible();
});

const PAGES = [
  ["context", `/sessions/${VOYAGE}?tab=context`],
  ["memory", `/sessions/${VOYAGE}?tab=memory`],
  ["empty memory", `/sessions/${QUIET}?tab=memory`],
  ["compact", `/sessions/${VOYAGE}/compact?tail=1`],
  ["difference", `/sessions/${VOYAGE}/compact?tail=1&view=difference`],
  ["edited summary", `/sessions/${VOYAGE}/compact?tail=1&view=edit`],
  ["side by side", `/sessions/${VOYAGE}/compact?tail=1&beside=true`],
  ["nothing to compact", `/sessions/${VOYAGE}/compact?tail=30`],
] as const;

const ready = (page: Page) =>
  page
    .getByTestId("context-sum")
    .or(page.getByRole("button", { name: "Add an item" }))
    .or(verdict(page))
    .or(page.getByTestId("refusal"))
    .first();

for (const [name, path] of PAGES)
  test(`axe finds nothing serious on ${name}, light and dark`, async ({ page }) => {
    await page.goto(path);
    await expect(ready(page)).toBeVisible();
    expect(await axeFindings(page)).toEqual([]);
  });

test("axe finds nothing serious on what unfolds in the memory, light and dark", async ({ page, server }) => {
  const item = {
    do: "add",
    kind: "episodic",
    text: "Berths were counted",
    seqs: [2, 3],
    tags: ["berth"],
  };
  await server.ask("POST", `/api/sessions/${VOYAGE}/memory`, item);
  await server.ask("POST", `/api/sessions/${VOYAGE}/compactions`, { tail: 1, dryRun: false });
  await page.goto(`/sessions/${VOYAGE}?tab=memory`);
  const row = items(page).getByRole("listitem").filter({ hasText: item.text });
  await page.getByRole("button", { name: "Summary", exact: true }).first().click();
  await expect(page.getByRole("group", { name: "Summary" })).toBeVisible();
  for (const name of ["Edit", "History"]) {
    await row.getByRole("button", { name }).click();
    expect(await axeFindings(page), name).toEqual([]);
  }
});

for (const width of [1024, 700, 412])
  test(`at ${width} px nothing is cut off at the side`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const [name, path] of PAGES) {
      await page.goto(path);
      await expect(ready(page)).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width);
    }
  });
