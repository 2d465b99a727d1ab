// Settings, offload policy: what each preset would have saved on the sessions that are here, found out in the background.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { filler, sampleId, writeSample } from "./sample-sessions.ts";
import { startServer, test as base } from "./test-server.ts";

/** Each call brings an output of 20 KB: about 6,000 tokens, three a session. */
const sample = (at: number) => ({
  id: sampleId(800 + at),
  prompt: `Sound the depth ${at}`,
  calls: [20_000, 27_000, 34_000, 41_000].map((prompt) => ({
    tool: "Read",
    input: { file_path: "/home/sailor/harbour/depths.md" },
    output: filler(20_000),
    prompt,
  })),
});

const test = base.extend<object, { logs: string }>({
  logs: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const logs = mkdtempSync(join(tmpdir(), "plimsoll-presets-"));
      for (const at of [0, 1]) writeSample(logs, sample(at));
      await use(logs);
      rmSync(logs, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  server: [
    async ({ logs }, use) => {
      const server = await startServer({ sources: [logs] });
      await expect(async () => {
        const { total } = (await (await server.ask("GET", "/api/sessions")).json()) as { total: number };
        expect(total).toBe(2);
      }).toPass({ timeout: 20_000 });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

test("every preset says what it would have saved, and a new session is replayed when asked", async ({ page, logs }) => {
  await page.goto("/settings");
  await expect(page.getByText(/^Replayed 2 sessions with 244,?.*prompt tokens/)).toBeVisible({ timeout: 20_000 });
  const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name} `) });
  // Of 122,000 tokens a session six times 6,250: three outputs less in the last prompt, two and one in those before.
  await expect(row("plimsoll")).toContainText(/estimated [\d.]+k 3\d\u2009%/);
  await expect(row("agentium")).toContainText("estimated 0");
  expect(await axeFindings(page)).toEqual([]);
  writeSample(logs, sample(2));
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("Sessions came or changed since.")).toBeVisible({ timeout: 1500 });
  }).toPass({ timeout: 30_000 });
  await page.getByRole("button", { name: "Replay those" }).click();
  await expect(page.getByText(/^Replayed 3 sessions/)).toBeVisible({ timeout: 20_000 });
});

test("a slider's question is answered with the curve, also for tools that are named twice", async ({ server }) => {
  const ask = (query: string) => server.ask("GET", `/api/sessions/claude-code:${sampleId(800)}/whatif?${query}`);
  const result = (await (await ask("offload=2000&reread=0.5&dropTools=one&dropTools=two")).json()) as {
    policy: { dropTools: string[] };
    calls: { actual: number; predicted: number }[];
    label: string;
  };
  expect(result.policy.dropTools).toEqual(["one", "two"]);
  expect(result.calls.map(({ actual }) => actual)).toEqual([20_000, 27_000, 34_000, 41_000]);
  expect(
    result.calls.every(({ actual, predicted }, at) => (at === 0 ? predicted === actual : predicted < actual)),
  ).toBe(true);
  expect(result.label).toBe("same turns assumed");
  expect((await ask("reread=2")).status).toBe(400);
});
