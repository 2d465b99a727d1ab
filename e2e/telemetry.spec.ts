// Telemetry that came: Sources says from whom, and its session is there, with what the agent reported.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { axeFindings } from "./axe.ts";
import { startServer, test } from "./test-server.ts";

const FIXTURE = join(import.meta.dirname, "../lib/formats/fixtures/otlp-synthetic-claude.otlp.jsonl");

test("telemetry is a session, and Sources names who sent it", async ({ page, context }) => {
  const server = await startServer({ sources: [] });
  try {
    await server.signIn(context);
    for (const line of readFileSync(FIXTURE, "utf8").trim().split("\n"))
      expect((await server.ask("POST", "/v1/logs", JSON.parse(line))).status).toBe(200);
    await page.goto(`${server.url}/sources`);
    await expect(page.getByRole("region", { name: "Telemetry" })).toContainText("Telemetry of claude-code6 records");
    expect(await axeFindings(page)).toEqual([]);
    let id = "";
    await expect(async () => {
      const answer = (await (await server.ask("GET", "/api/sessions")).json()) as { sessions: { id: string }[] };
      id = answer.sessions[0]!.id;
    }).toPass({ timeout: 20_000 });
    await page.goto(`${server.url}/sessions/${id}`);
    await expect(page.getByText("Let me look.")).toBeVisible();
    await expect(page.getByLabel(/Data quality: .*Reported by telemetry/).first()).toBeVisible();
  } finally {
    await server.stop();
  }
});
