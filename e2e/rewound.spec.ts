// A session in which a person went back, and old results were sent shorter: the transcript, the chart and the context say so.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { axeFindings } from "./axe.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

type Held = { readonly server: TestServer; readonly id: string };
type Events = { readonly events: readonly { readonly seq: number; readonly text: string }[] };

const test = base.extend<object, { held: Held }>({
  held: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const sources = mkdtempSync(join(tmpdir(), "plimsoll-rewound-"));
      const fixture = join(import.meta.dirname, "../lib/formats/fixtures/claude-code-synthetic-rewind.jsonl");
      copyFileSync(fixture, join(sources, `${SESSION}.jsonl`));
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

test("a rewind is a row, a break of the chart, and the end of what it took out of the context", async ({
  page,
  held: { server, id },
}) => {
  const { events } = (await (await server.ask("GET", `/api/sessions/${id}/events`)).json()) as Events;
  const seqOf = (text: string): number => events.find((event) => event.text === text)!.seq;
  await page.goto(`/sessions/${id}?event=${seqOf("I cannot.")}`);
  const [first, last] = [seqOf("Name them."), seqOf("I cannot.")];
  await expect(page.getByText(`events ${first}–${last} left the context`)).toBeVisible();
  await expect(page.getByText("1 result cleared")).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.goto(`/sessions/${id}?tab=load`);
  await expect(page.getByText(/^rewound [\d.]+k? → /).first()).toBeVisible();
  await page.goto(`/sessions/${id}?tab=context&event=${seqOf("Painted.")}&as=anthropic`);
  const rows = page.getByRole("table", { name: "Messages of the context" }).locator("tbody tr[data-row]");
  await expect(rows.filter({ hasText: "Paint them." })).toHaveCount(1);
  await expect(rows.filter({ hasText: "Name them." })).toHaveText(/left\s*Name them\./);
  await expect(page.getByText("Tool result saved to:").first()).toBeVisible();
  await page.goto(`/sessions/${id}?tab=context&event=${seqOf("Begun.")}&as=anthropic`);
  await expect(rows.filter({ hasText: "Begin again." })).toHaveCount(1);
  await expect(rows.filter({ hasText: "Count the boats." })).toHaveText(/left\s*Count the boats\./);
});
