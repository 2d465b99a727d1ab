// The request of a Codex session as it was sent, before and after a compaction. Synthetic, in the shapes of a run of Codex
// 0.169.0: instructions of the developer, an MCP tool whose name is in two parts, and a summary that only `compacted` holds.
import { expect, test } from "vitest";
import { at, client, counted, linesOf, said, tokens, TURN } from "#lib/formats/codex/testing-codex.ts";
import { importPaths } from "../import/import-paths.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { inArchive, put } from "../testing-archive.ts";
import { contextPayload } from "./context.ts";

const ID = "01a207cd-c64f-7082-a7ca-a0b60f9259b7";
const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");
const BASE = `You are Codex. ${words(1500)}`;
const SKILLS = `<skills_instructions>\n${words(300)}\n</skills_instructions>`;
const PERMISSIONS = "<permissions instructions>\nFilesystem sandboxing is off.\n</permissions instructions>";
const ENVIRONMENT = "<environment_context>\n  <cwd>/home/ada/harbour</cwd>\n</environment_context>";
const SUMMARY = `Another language model started to solve this problem and produced a summary. ${words(60)}`;
const developer = said("developer", SKILLS, PERMISSIONS);
const history = [developer, said("user", ENVIRONMENT), said("user", "Work long"), said("user", SUMMARY)];

const ROWS = ["Wall time: 0.0066 seconds\nOutput:", "MCP row 0\nMCP row 1"].map((text) => ({
  type: "input_text",
  text,
}));

const ROLLOUT = linesOf(
  at({ id: ID, cwd: "/home/ada/harbour", cli_version: "0.169.0", base_instructions: { text: BASE } }, "session_meta"),
  client({ type: "task_started", turn_id: TURN, model_context_window: 100_000 }),
  developer,
  said("user", ENVIRONMENT),
  at({ turn_id: TURN, model: "gpt-5.5" }, "turn_context"),
  said("user", "Work long"),
  at({ type: "function_call", name: "fetch_rows", namespace: "mcp__shelf", arguments: '{"n":3}', call_id: "m" }),
  at({ type: "function_call_output", call_id: "m", output: ROWS }),
  at({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch", call_id: "p" }),
  at({ type: "custom_tool_call_output", call_id: "p", output: "apply_patch verification failed: no file" }),
  counted(tokens(2000, 0, 20), tokens(2000, 0, 20)),
  said("assistant", "Two."),
  counted(tokens(4050, 2000, 30), tokens(2050, 2000, 10)),
  at({ message: SUMMARY, replacement_history: history.map(({ payload }) => payload) }, "compacted"),
  said("assistant", "Three."),
  counted(tokens(6020, 2000, 35), tokens(1970, 0, 5)),
  said("assistant", "Done."),
  counted(tokens(8020, 4000, 40), tokens(2000, 1970, 5)),
);

const inputAt = async (at: number | undefined): Promise<Record<string, unknown>[]> => {
  let input: Record<string, unknown>[] = [];
  await inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `rollout-2026-11-23T09-00-00-${ID}.jsonl`, ROLLOUT)]);
    const { json } = await contextPayload(archive, `codex:${ID}`, { as: "openai-responses", ...(at && { at }) });
    input = (JSON.parse(json) as { input: Record<string, unknown>[] }).input;
  });
  return input;
};

test("instructions are the developer's, an MCP call has its name in two parts, and a patch is free text", async () => {
  const input = await inputAt(13);
  expect(input.map(({ role, content }) => [role, content]).slice(0, 5)).toEqual([
    ["developer", BASE],
    ["developer", SKILLS],
    ["developer", PERMISSIONS],
    ["user", ENVIRONMENT],
    ["user", "Work long"],
  ]);
  expect(input[5]).toMatchObject({ type: "function_call", namespace: "mcp__shelf", name: "fetch_rows", call_id: "m" });
  expect(input.slice(6, 9)).toEqual([
    { type: "custom_tool_call", call_id: "p", name: "apply_patch", input: "*** Begin Patch", status: "completed" },
    { type: "function_call_output", call_id: "m", output: ROWS },
    { type: "custom_tool_call_output", call_id: "p", output: "apply_patch verification failed: no file" },
  ]);
});

test("after a compaction stand the instructions, what the new history repeats, and the summary", async () => {
  const input = await inputAt(undefined);
  expect(input.map(({ role, content }) => [role, content])).toEqual([
    ["developer", BASE],
    ["developer", SKILLS],
    ["developer", PERMISSIONS],
    ["user", ENVIRONMENT],
    ["user", "Work long"],
    ["user", SUMMARY],
    ["assistant", "Three."],
    ["assistant", "Done."],
  ]);
});

test("the ledger has them as items: nothing was attached again that the file does not hold", () =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `rollout-2026-11-23T09-00-00-${ID}.jsonl`, ROLLOUT)]);
    const { items, calls } = await sessionLedger(archive, `codex:${ID}`, { counted: true });
    expect(calls.map(({ epoch }) => epoch)).toEqual([1, 1, 2, 2]);
    const after = items.filter(({ enteredAt, leftAt }) => enteredAt <= 3 && (leftAt === null || leftAt > 3));
    expect(after.map(({ kind, label }) => [kind, label.slice(0, 20)])).toEqual([
      ["prefix", "base_instructions Yo"],
      ["prefix", "skills_instructions "],
      ["prefix", "permissions_instruct"],
      ["user", "<environment_context"],
      ["user", "Work long"],
      ["prefix", "System prompt, tools"],
      ["memory", "Another language mod"],
    ]);
  }));

test("a summary that the history repeats as a message stands once", async () => {
  const text = new TextDecoder().decode(ROLLOUT);
  const three = JSON.stringify(said("assistant", "Three."));
  const again = text.replace(three, `${JSON.stringify(said("user", SUMMARY))}\n${three}`);
  await inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `rollout-2026-11-23T09-00-00-${ID}.jsonl`, again)]);
    const { json } = await contextPayload(archive, `codex:${ID}`, { as: "openai-responses" });
    expect(json.split(SUMMARY)).toHaveLength(2);
  });
});
