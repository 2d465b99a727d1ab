// A Codex session: the table of its calls has what the agent counts itself beside the file and the list price.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { at, client, counted, said, tokens } from "#lib/formats/codex/testing-codex.ts";
import { axeFindings } from "./axe.ts";
import { startServer, test } from "./test-server.ts";

const NATIVE = "019f0000-0000-7000-8000-0000000000aa";
const RECORDS = [
  at({ id: NATIVE, cwd: "/x", cli_version: "0.169.0" }, "session_meta"),
  at({ model: "gpt-5.5", turn_id: "t" }, "turn_context"),
  client({ type: "user_message", message: "Which tide?" }),
  said("assistant", "Low."),
  counted(tokens(1000, 400, 100), tokens(1000, 400, 100)),
  said("assistant", "High."),
  counted(tokens(4000, 1400, 300), tokens(2000, 1000, 150)),
];

test("the table of calls says file, agent and list price, and where they differ", async ({ page, context }) => {
  const sources = mkdtempSync(join(tmpdir(), "plimsoll-reported-"));
  const lines = RECORDS.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(sources, `rollout-2026-01-02T03-04-05-${NATIVE}.jsonl`), lines.join(""));
  const server = await startServer({ sources: [sources] });
  try {
    await server.signIn(context);
    let id = "";
    await expect(async () => {
      const answer = (await (await server.ask("GET", "/api/sessions")).json()) as { sessions: { id: string }[] };
      id = answer.sessions[0]!.id;
    }).toPass({ timeout: 20_000 });
    await page.goto(`${server.url}/sessions/${id}?tab=load`);
    await page.getByRole("button", { name: "Calls as a table" }).click();
    const dialog = page.getByRole("dialog", { name: "Load by model call" });
    await expect(dialog.getByTestId("reported-calls")).toHaveText(
      "The agent counts 1 of 2 calls as the file does (prompt and output). At call 2 the agent counts 3,200 tokens; the file has 2,150.",
    );
    await expect(dialog.getByRole("columnheader").filter({ hasText: /File|Agent|List price/ })).toHaveText([
      "File",
      "Agent",
      "List price",
    ]);
    await expect(dialog.getByRole("row").nth(1)).toHaveText(/1,1001,100(?:<?\$[\d.]+|–)$/);
    await expect(dialog.getByRole("row").nth(2)).toHaveText(/2,150≠ 3,200(?:<?\$[\d.]+|–)$/);
    expect(await axeFindings(page)).toEqual([]);
  } finally {
    await server.stop();
    rmSync(sources, { recursive: true, force: true });
  }
});
