// What a session cost: its own calls and, apart, those that it was copied with; what is not known is said, not hidden.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import {
  answer,
  jsonl,
  OTHER_SESSION,
  prompt,
  SESSION,
  text,
  used,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { startServer, test as base, type TestServer } from "./test-server.ts";

/** Opus at list price: 1000 × $5 + 2,000,000 × $10 an hour + 100 × $25 a million = $20.01. */
const shared = (sessionId: string): Rec[] => [
  prompt("1", 1, "Chart the harbour", { sessionId }),
  answer("2", 2, "a", text("Charted."), {
    model: "claude-opus-4-5",
    usage: { ...used(1000, 0, 2_000_000, 100), cache_creation: { ephemeral_1h_input_tokens: 2_000_000 } },
    more: { sessionId },
  }),
];

/** $1.00 read and 0.0125 out; its output is the start of a stream. And one call of a model that no table names. */
const fork: readonly Rec[] = [
  ...shared(OTHER_SESSION),
  prompt("3", 3, "Now the buoys", { sessionId: OTHER_SESSION }),
  answer("4", 4, "b", text("Counted."), {
    model: "claude-opus-4-5",
    usage: used(0, 2_000_000, 0, 500),
    stop: null,
    more: { sessionId: OTHER_SESSION },
  }),
  answer("5", 5, "c", text("Unknown."), {
    model: "odd-model",
    usage: used(10, 0, 0, 5),
    more: { sessionId: OTHER_SESSION },
  }),
];

const UNPRICED = "11111111-2222-4333-8444-000000000077";
const unpriced: readonly Rec[] = [
  prompt("6", 6, "Name the wind", { sessionId: UNPRICED }),
  answer("7", 7, "d", text("North."), {
    model: "odd-model",
    usage: used(10, 0, 0, 5),
    more: { sessionId: UNPRICED },
  }),
];

const test = base.extend<object, { server: TestServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const sources = mkdtempSync(join(tmpdir(), "plimsoll-cost-"));
      const sessions: [string, readonly Rec[]][] = [
        [SESSION, shared(SESSION)],
        [OTHER_SESSION, fork],
        [UNPRICED, unpriced],
      ];
      for (const [id, records] of sessions) writeFileSync(join(sources, `${id}.jsonl`), jsonl(...records));
      const server = await startServer({ sources: [sources] });
      await expect(async () => {
        const { total } = (await (await server.ask("GET", "/api/sessions")).json()) as { total: number };
        expect(total).toBe(3);
      }).toPass({ timeout: 20_000 });
      await use(server);
      await server.stop();
      rmSync(sources, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
});

test("list, header and settings say the same own spend, the inherited apart, and what is not known", async ({
  page,
  server,
}) => {
  await page.goto("/?sort=cost");
  await expect(page.getByText("$20.01", { exact: true })).toBeVisible();
  await expect(page.getByText("≥ $1.01", { exact: true })).toBeVisible();
  await expect(page.getByText("+ $20.01 inherited, 1 call unpriced")).toBeAttached();

  // A phone has no column for it: it is said below the row.
  const wide = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText("+ $20.01 inherited, 1 call unpriced")).toBeInViewport();
  expect((await page.getByText("+ $20.01 inherited, 1 call unpriced").boundingBox())!.width).toBeGreaterThan(100);
  await page.setViewportSize(wide);

  const { id } = (await (await server.ask("GET", `/api/sessions/claude-code:${OTHER_SESSION}`)).json()) as {
    id: string;
  };
  await page.goto(`/sessions/${id}?tab=load`);
  const cost = page.getByRole("button", { name: "Cost: ≥ $1.01 + $20.01 inherited, 1 call unpriced" });
  await expect(cost).toBeVisible();
  // A click that comes before the page is alive is lost.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await cost.hover();
    await expect(page.getByText("1 of 2 calls has no price (odd-model).")).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 20_000 });
  await expect(
    page.getByText("The output of 1 of 2 calls is only the count at the start of the stream."),
  ).toBeVisible();
  await page.getByRole("button", { name: "Offload 2k" }).click();
  await expect(page.getByRole("row", { name: /^Input cost/ })).toContainText("≥ $1.00");

  await page.goto("/settings?tab=models");
  const row = page.getByRole("table", { name: "Models" }).getByRole("row", { name: /claude-opus-4-5/ });
  await expect(row).toContainText("≥ $21.02");
  await expect(row).toContainText("10.00");
});

test("where no price is known a dash stands in every list, and a partial sum is a lower bound", async ({
  page,
  server,
}) => {
  await page.goto("/?sort=cost");
  const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
  await expect(row("Name the wind").getByTitle(/has no price \(odd-model\)/)).toHaveText("–");
  await expect(page.getByLabel("Sums of the list")).toContainText("≥ $21.02");
  for (const period of ["sessions", "daily"]) {
    await page.goto(`/usage?range=all&by=model&rows=groups&period=${period}`);
    const name = period === "sessions" ? "Name the wind" : "odd-model";
    await expect(row(name).getByTitle("no price known")).toHaveText("–");
    await expect(page.getByRole("main")).not.toContainText("$0.00");
  }
  await expect(page.getByLabel("Chart")).toContainText("≥ $21.02");
  await page.goto("/usage?range=all&model=odd-model");
  await expect(page.getByRole("main")).toContainText(/30 tokens in 2 calls, no price known/);
  await page.goto("/settings?tab=models");
  await expect(row("odd-model").getByTitle("no price known")).toBeVisible();
  const { id } = (await (await server.ask("GET", `/api/sessions/claude-code:${UNPRICED}`)).json()) as { id: string };
  await page.goto(`/sessions/${id}?tab=load`);
  await expect(page.getByRole("button", { name: "Cost: 1 call unpriced" })).toBeVisible();
});
