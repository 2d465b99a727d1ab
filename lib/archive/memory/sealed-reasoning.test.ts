// Reasoning that only the provider can read: shown by its size, and sent back as it was. Synthetic, in the shapes of a run of
// Codex 0.169.0.
import { expect, test } from "vitest";
import { at, client, counted, linesOf, said, tokens, TURN } from "#lib/formats/codex/testing-codex.ts";
import { contextQuery, type ContextForm } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { contextOf, contextPayload } from "./context.ts";

const ID = "01a207cd-c64f-7082-a7ca-a0b60f9259b7";
const SEALED = "c2VhbGVk".repeat(40);
const thought = (id: string, sealed: string | null) => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: "I shall look." }],
  content: null,
  encrypted_content: sealed,
});
const beside = { internal_chat_message_metadata_passthrough: { turn_id: TURN } };

const ROLLOUT = linesOf(
  at({ id: ID, cwd: "/home/ada/harbour", cli_version: "0.169.0" }, "session_meta"),
  client({ type: "task_started", turn_id: TURN, model_context_window: 100_000 }),
  at({ turn_id: TURN, model: "gpt-5.5" }, "turn_context"),
  said("user", "What is here?"),
  at({ ...thought("rs_1", SEALED), ...beside }),
  said("assistant", "I list it."),
  at({ type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "c" }),
  at({ type: "function_call_output", call_id: "c", output: "boats" }),
  counted(tokens(2000, 0, 120, 100), tokens(2000, 0, 120, 100)),
  at({ ...thought("rs_2", SEALED), ...beside }),
  said("assistant", "Boats."),
  counted(tokens(4100, 2000, 180, 150), tokens(2100, 2000, 60, 50)),
  said("user", "And now?"),
  at({ ...thought("rs_3", SEALED), ...beside }),
);

const inSession = (check: (archive: Archive) => Promise<void>) =>
  inArchive(async (archive, logs) => {
    await importPaths(archive, [put(logs, `rollout-2026-11-23T09-00-00-${ID}.jsonl`, ROLLOUT)]);
    await check(archive);
  });
const inputOf = async (archive: Archive, as: ContextForm) =>
  (JSON.parse((await contextPayload(archive, `codex:${ID}`, { as })).json) as { input: Record<string, unknown>[] })
    .input;

test("a request has what was sealed where it stood, without what the agent keeps beside it", () =>
  inSession(async (archive) => {
    const input = await inputOf(archive, "openai-responses");
    expect(input.map(({ type, role, content }) => [type, role, content])).toEqual([
      ["message", "user", "What is here?"],
      ["reasoning", undefined, null],
      ["message", "assistant", "I list it."],
      ["function_call", undefined, undefined],
      ["function_call_output", undefined, undefined],
      ["reasoning", undefined, null],
      ["message", "assistant", "Boats."],
      // What was thought last led to nothing yet: the service would refuse it.
      ["message", "user", "And now?"],
    ]);
    expect(input[1]).toEqual(thought("rs_1", SEALED));
    expect(input[5]).toEqual(thought("rs_2", SEALED));
    expect(input[3]).toMatchObject({ name: "exec_command", call_id: "c", arguments: '{"cmd":"ls"}' });
  }));

test("a row says how much is sealed and what it weighs, by the reasoning that the provider reported", () =>
  inSession(async (archive) => {
    const { messages } = await contextOf(archive, `codex:${ID}`, contextQuery.parse({}), { counted: true });
    expect(messages.map(({ sealed }) => sealed?.bytes ?? 0)).toEqual([0, 320, 0, 320, 0, 320]);
    expect(messages[1]!.sealed).toMatchObject({ tokens: 100, origin: "reported" });
    expect(messages[3]!.sealed).toMatchObject({ tokens: 50, origin: "reported" });
    expect(messages[5]!.sealed!.origin).toBe("estimated");
  }));

test("another provider is sent nothing of it, and a file that is gone from the archive sends none", () =>
  inSession(async (archive) => {
    const { json } = await contextPayload(archive, `codex:${ID}`, { as: "openai-chat" });
    expect(json).not.toContain(SEALED);
    archive.sqlite.prepare("DELETE FROM raw_blocks").run();
    const input = await inputOf(archive, "openai-responses");
    expect(input.map(({ type }) => type)).not.toContain("reasoning");
    expect(input).toHaveLength(6);
  }));
