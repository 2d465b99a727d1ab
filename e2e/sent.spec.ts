// A session whose file holds its requests: Context shows what was sent, and Load what stood before the conversation.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { SESSION_RECORDS } from "#lib/formats/claude-code/testing-claude-requests.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

type Held = { readonly server: TestServer; readonly id: string };

const test = base.extend<object, { held: Held }>({
  held: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const sources = mkdtempSync(join(tmpdir(), "plimsoll-sent-"));
      const lines = SESSION_RECORDS.map((record) => `${JSON.stringify({ ...record, sessionId: SESSION })}\n`);
      writeFileSync(join(sources, `${SESSION}.jsonl`), lines.join(""));
      const server = await startServer({ sources: [sources] });
      let id = "";
      await expect(async () => {
        const { sessions } = (await (await server.ask("GET", "/api/sessions")).json()) as {
          sessions: { id: string }[];
        };
        id = sessions[0]!.id;
      }).toPass({ timeout: 20_000 });
      await use({ server, id });
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
  // Both calls are as full: it opens at the first.
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
