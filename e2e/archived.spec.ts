// Transcripts that OpenClaw put aside, and removing a session: each is asked for on a page, and is gone or there on another.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { axeFindings } from "./axe.ts";
import { expect, test } from "./test-server.ts";

const FIXTURE = join(import.meta.dirname, "../lib/formats/fixtures/openclaw-synthetic-session.jsonl");

/** A copy of the fixture under other ids and another first prompt. */
function writeTranscript(path: string, id: string, prompt: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const text = readFileSync(FIXTURE, "utf8").replaceAll("7c1d2e3f", id).replace("Is the harbour open?", prompt);
  writeFileSync(path, text.replaceAll("2026-03-02T09", `2026-03-0${id.at(-1)}T09`));
  return path;
}

test("reset and deleted transcripts are read when they are asked for; a removed session is gone", async ({
  page,
  server,
}) => {
  const folder = join(server.dir, "sources", "claw");
  const sessions = join(folder, "agents/main/sessions");
  writeTranscript(join(sessions, "a.jsonl"), "aaaaaaa3", "Is the harbour open?");
  const wreck = writeTranscript(
    join(sessions, "b.jsonl.deleted.2026-02-16T22-26-33.000Z"),
    "bbbbbbb4",
    "Where is the wreck?",
  );
  await page.goto("/");
  const list = page.getByRole("table", { name: "Sessions" });
  await expect(list).toContainText("Is the harbour open?");
  await expect(list).not.toContainText("Where is the wreck?");

  await page.goto("/sources");
  const option = page.getByRole("checkbox", { name: /^Read reset and deleted transcripts of/ });
  await expect(option).not.toBeChecked();
  await option.click();
  await expect(option).toBeChecked();
  expect(await axeFindings(page)).toEqual([]);

  await page.goto("/");
  const row = list.getByRole("row").filter({ hasText: "Where is the wreck?" });
  await expect(row).toContainText("deleted");
  await row.hover();
  await row.getByRole("checkbox").click();
  await page.getByRole("button", { name: "Remove session…" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove this session from Plimsoll?" });
  await expect(dialog).toContainText("14 events and 0 artifacts leave lists, search and figures.");
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Remove session" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row).toHaveCount(0);
  expect(existsSync(wreck)).toBe(true);
  await page.goto("/?q=wreck");
  await expect(page.getByRole("table", { name: "Sessions" })).toHaveCount(0);
});
