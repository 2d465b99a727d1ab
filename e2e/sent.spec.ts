// A session whose file holds its requests: Context shows what was sent, and Load what stood before the conversation.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { answer, jsonl, OTHER_SESSION, prompt, SESSION, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { OTHER_RECORDS } from "#lib/formats/claude-code/testing-claude-requests.ts";
import { axeFindings } from "./axe.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

type Held = {
  readonly server: TestServer;
  readonly id: string;
  /** An older session, without requests. */ readonly bare: string;
};

const BARE = [
  prompt("bare", -900, "Which tide?"),
  answer("low", -899, "low", text("Low."), { usage: used(400, 0, 0, 3) }),
];

const test = base.extend<object, { held: Held }>({
  held: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const sources = mkdtempSync(join(tmpdir(), "plimsoll-sent-"));
      const lines = OTHER_RECORDS.map(
        (record) => `${JSON.stringify({ ...record, sessionId: SESSION, version: "2.1.330" })}\n`,
      );
      writeFileSync(join(sources, `${SESSION}.jsonl`), lines.join(""));
      const older = BARE.map((record) => ({ ...record, sessionId: OTHER_SESSION, version: "2.1.219" }));
      writeFileSync(join(sources, `${OTHER_SESSION}.jsonl`), jsonl(...older));
      const server = await startServer({ sources: [sources] });
      let [id, bare] = ["", ""];
      await expect(async () => {
        const { sessions } = (await (await server.ask("GET", "/api/sessions")).json()) as {
          sessions: { id: string; title: string }[];
        };
        bare = sessions.find(({ title }) => title === "Which tide?")!.id;
        id = sessions.find((one) => one.id !== bare)!.id;
      }).toPass({ timeout: 20_000 });
      await use({ server, id, bare });
      await server.stop();
      rmSync(sources, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  baseURL: async ({ held }, use) => use(held.server.url),
});
test.beforeEach(async ({ context, held }) => held.server.signIn(context));

test("Context opens as sent: system prompt, tools, roles and cache marks; other providers are a click away", async ({
  page,
  held,
}) => {
  await page.goto(`/sessions/${held.id}?tab=context`);
  const rows = page.getByRole("table", { name: "Messages of the context" }).locator("tbody tr[data-row]");
  await expect(page.getByRole("button", { name: "As sent", pressed: true })).toBeVisible();
  // All calls are as full: it opens at the first.
  await expect(rows).toHaveCount(4);
  await page.keyboard.press("]");
  await expect(rows).toHaveCount(6);
  await expect(rows.nth(0)).toContainText(/system.*cache.*You are a pilot\./);
  await expect(rows.nth(1)).toContainText(/tools.*Bash/);
  await expect(rows.nth(5)).toContainText(/user.*new.*cache.*boats/);
  await expect(page.getByRole("group", { name: "Payload as sent" })).toContainText('"max_tokens": 1000');
  await rows.nth(4).getByTitle("Show the whole message").click();
  await expect(page.getByRole("region", { name: "Message 5" })).toContainText('Bash {"command":"ls"}');
  await page.getByRole("button", { name: "OpenAI chat" }).click();
  await expect(rows).toHaveCount(4);
  await expect(page.getByRole("group", { name: "Payload as openai-chat" })).toBeVisible();
});

test("Load offers what an older session's hidden prefix may hold, marked as inferred", async ({ page, held }) => {
  await page.goto(`/sessions/${held.bare}?tab=load`);
  const inferred = page.getByTestId("inferred-parts");
  await inferred.getByText(/^Hidden prefix, ~\d+ tokens: 2 inferred parts$/).click();
  await expect(inferred).toContainText("Inferred from Go., a session of version 2.1.330. No sum includes them.");
  const rows = inferred.getByRole("table", { name: "Inferred parts of the hidden prefix" }).locator("tbody tr");
  await expect(rows).toHaveText([/^BashTool\?\d+ inferred$/, /^You are a pilot\.System prompt\?\d+ inferred$/]);
  await expect(inferred).toContainText(/\d+ of the hidden prefix are not explained by them\./);
  expect(await axeFindings(page)).toEqual([]);
  await inferred.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(held.id));
});

test("a request without an answer, and a compaction's own, are places of the context", async ({ page, held }) => {
  const { compactions, requests } = (await (
    await held.server.ask("GET", `/api/sessions/${held.id}/requests?answered=no`)
  ).json()) as { compactions: { seq: number }[]; requests: { seq: number }[] };
  await page.goto(`/sessions/${held.id}?tab=context&event=${compactions[0]!.seq}`);
  const rows = page.getByRole("table", { name: "Messages of the context" }).locator("tbody tr[data-row]");
  const payload = page.getByRole("group", { name: "Payload as sent" });
  await expect(page.getByTestId("other-requests")).toHaveText(
    `2 requests without an answer in the file: event ${requests[0]!.seq}, ${requests[1]!.seq}`,
  );
  await page.getByTestId("own-request").getByRole("link").click();
  await expect(page.getByTestId("context-sum")).toContainText("7 messages");
  await expect(page.getByTestId("context-sum")).toContainText("sent for a compaction");
  await expect(rows.filter({ hasText: "Summarise." })).toContainText(/user.*new/);
  await expect(payload).toContainText("Summarise.");
  expect(await axeFindings(page)).toEqual([]);
  await page.getByTestId("other-requests").getByRole("link").first().click();
  await expect(page.getByTestId("context-sum")).toContainText("sent, without an answer in the file");
  await expect(page).toHaveURL(new RegExp(`event=${requests[0]!.seq}`));
  await expect(rows.filter({ hasText: "On." })).toContainText(/user.*new.*cache/);
  await page.goto(`/sessions/${held.id}?tab=context&event=${compactions[1]!.seq}`);
  await expect(page.getByTestId("own-request")).toHaveText("The file does not hold this compaction's own request.");
  // A session without such requests has no word of them.
  await page.goto(`/sessions/${held.bare}?tab=context`);
  await expect(page.getByTestId("context-sum")).toBeVisible();
  await expect(page.getByTestId("other-requests")).toHaveCount(0);
});
