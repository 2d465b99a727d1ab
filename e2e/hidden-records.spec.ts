// A session whose file holds no message, only records that are hidden at first. Synthetic.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { idOf } from "./sampled.ts";
import { sampleId } from "./sample-sessions.ts";
import { expect, test } from "./test-server.ts";

test("a transcript of hidden records alone says so, and shows them", async ({ page, server }) => {
  const projects = join(server.dir, "sources", "projects", "-home-sailor-quay");
  mkdirSync(projects, { recursive: true });
  const record = {
    ...{ type: "system", subtype: "local_command", content: "<local-command-stdout>moored</local-command-stdout>" },
    ...{ uuid: "aaaaaaaa-0000-4000-8000-000000000096", parentUuid: null, sessionId: sampleId(96), version: "2.1.40" },
    ...{ timestamp: "2026-03-02T09:00:00.000Z", cwd: "/home/sailor/quay", isSidechain: false, userType: "external" },
  };
  writeFileSync(join(projects, `${sampleId(96)}.jsonl`), `${JSON.stringify(record)}\n`);
  const id = idOf({ id: sampleId(96), prompt: "", calls: [] });
  await expect.poll(async () => (await server.ask("GET", `/api/sessions/${id}`)).status).toBe(200);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/sessions/${id}`);
  await expect(page.getByText("No messages")).toBeVisible();
  await page.getByRole("button", { name: "Show 1 hidden record" }).click();
  await expect(page.getByRole("feed").getByRole("article")).toHaveCount(1);
});
