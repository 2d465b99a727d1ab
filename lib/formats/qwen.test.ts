// Qwen Code's chats. All are written by hand; figures of a fixture are counted from its JSON by other means.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft, SourceFile } from "#lib/kernel/draft.ts";
import { bodies, calls, events, linesOf, patches, recordsOf } from "./codex/testing-codex.ts";
import { qwen } from "./qwen.ts";

const fixture = (name: string): Record<string, unknown>[] =>
  readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const SESSION = "5e1ec7ed-0000-4000-8000-00000000c0de";

function read(values: readonly unknown[], { path = "a.jsonl", meta }: { path?: string; meta?: object } = {}) {
  const bytes = linesOf(...values);
  const sidecars = new Map(meta === undefined ? [] : [[path.replace(".jsonl", ".meta.json"), JSON.stringify(meta)]]);
  const file: SourceFile = { path, head: bytes.subarray(0, 65_536), sidecars };
  const state = qwen.start(file);
  const drafts: Draft[] = recordsOf(bytes).flatMap((record) => qwen.parse(record, state));
  return { drafts, name: qwen.identify(state) };
}

let tip: string | null = null;
let count = 0;
const record = (type: string, more: object): Record<string, unknown> => {
  const uuid = `u${++count}`;
  const made = { uuid, parentUuid: tip, sessionId: SESSION, timestamp: "2026-09-01T08:00:00.000Z", type, ...more };
  tip = uuid;
  return made;
};
const begin = (): void => void ([tip, count] = [null, 0]);
const says = (role: "user" | "model", ...parts: object[]) => ({ message: { role, parts } });
const counts = (prompt: number, output: number, thoughts: number, total: number, cached = 0) => ({
  promptTokenCount: prompt,
  candidatesTokenCount: output,
  thoughtsTokenCount: thoughts,
  totalTokenCount: total,
  cachedContentTokenCount: cached,
});

test("calls and tokens are those of its answers, and of the one that telemetry alone tells of", () => {
  const records = fixture("qwen-synthetic-session.jsonl");
  const told = records.flatMap((one) => {
    const event = (one["systemPayload"] as { uiEvent?: Record<string, unknown> } | undefined)?.uiEvent ?? {};
    return event["event.name"] === "qwen-code.api_response" ? [event as Record<string, number>] : [];
  });
  const { drafts, name } = read(records);
  expect(name).toBe(SESSION);
  const byKey = new Map(calls(drafts).map((call) => [call.key, call]));
  expect([...byKey.keys()]).toEqual(["resp_a", "resp_b", "resp_summary", "resp_c", "resp_d"]);
  // Every answer that has a record has two drafts of one call.
  expect(calls(drafts)).toHaveLength(9);
  for (const event of told) {
    const { usage } = byKey.get(String(event["response_id"]))!;
    const { inputUncached, cacheRead, output } = usage!;
    expect(inputUncached + cacheRead).toBe(event["input_token_count"]);
    expect(cacheRead).toBe(event["cached_content_token_count"]);
    expect(output).toBe(event["total_token_count"]! - event["input_token_count"]!);
  }
  expect(patches(drafts)).toMatchObject({ agentName: "Qwen Code", agentVersion: "0.24.4", cwd: "/home/ada/reef" });
});

test("a compaction's history stands for what came before, and keeps what it repeats", () => {
  const { drafts } = read(fixture("qwen-synthetic-session.jsonl"));
  const all = events(drafts);
  const at = all.findIndex(({ body }) => body.type === "compaction");
  const prompt = all.find(({ body }) => body.type === "user" && body.text === "Write it down.");
  expect(all[at]!.body).toMatchObject({ kind: "full", trigger: "auto", tokensBefore: 1430, tokensAfter: 300 });
  expect(all[at]!.body).toMatchObject({ preserved: [prompt!.recordKey] });
  expect(all.slice(at + 1, at + 3).map(({ body }) => body)).toMatchObject([
    { type: "user", injected: "summary", text: "<state_snapshot>Seven corals were counted.</state_snapshot>" },
    { type: "assistant", text: "Got it." },
  ]);
  expect(all.filter(({ body }) => body.type === "user" && body.text === "Write it down.")).toHaveLength(1);
});

test("a rewind is where a record goes on from an earlier one; a title that was written once more is none", () => {
  const { drafts } = read(fixture("qwen-synthetic-session.jsonl"));
  const rewinds = bodies(drafts).filter(({ type }) => type === "rewind");
  expect(rewinds).toEqual([{ type: "rewind", text: "", after: "00000000-0000-4000-8000-000000000008" }]);
  expect(patches(drafts)).toMatchObject({ title: "Corals of the reef" });
});

test("thoughts are inside the output where the total says so, and beside it where it does not", () => {
  begin();
  const answer = (usage: object) => record("assistant", { ...says("model", { text: "Yes." }), usageMetadata: usage });
  const { drafts } = read([
    record("user", says("user", { text: "?" })),
    answer(counts(100, 30, 10, 130, 40)),
    answer(counts(100, 30, 10, 140, 40)),
    answer({ promptTokenCount: 100, candidatesTokenCount: 30, thoughtsTokenCount: 10, toolUsePromptTokenCount: 7 }),
    record("assistant", says("model", { text: "Broken off." })),
  ]);
  expect(calls(drafts).map(({ usage }) => usage && [usage.inputUncached, usage.cacheRead, usage.output])).toEqual([
    [60, 40, 30],
    [60, 40, 40],
    [107, 0, 40],
    null,
  ]);
});

test("a sub-agent belongs to the call that started it, and its answer in several records is one call", () => {
  const meta = { toolUseId: "call_x", description: "Counts fans", persistedCliFlags: { model: "qwen3-max" } };
  const { drafts, name } = read(fixture("qwen-synthetic-subagent.jsonl"), { path: "agent-x1.jsonl", meta });
  expect(name).toBe(`${SESSION}/general-x1`);
  expect(patches(drafts)).toMatchObject({
    parent: SESSION,
    relation: "subagent",
    parentToolCallId: "call_x",
    model: "qwen3-max",
  });
  const titles = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));
  expect(titles[0]).toBe("Counts fans");
  const call = events(drafts).find(({ body }) => body.type === "tool_call")!;
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(2);
  expect(call.callKey).toBe(calls(drafts)[0]!.key);
});

test("what a parent's telemetry tells of a sub-agent stands apart, under the agent's name", () => {
  begin();
  const told = (more: object) =>
    record("system", {
      subtype: "ui_telemetry",
      systemPayload: {
        uiEvent: {
          "event.name": "qwen-code.api_response",
          response_id: "r1",
          input_token_count: 9,
          output_token_count: 1,
          ...more,
        },
      },
    });
  const named = { subagent_name: "fork", prompt_id: `${SESSION}#fork-7#0` };
  const { drafts } = read([told(named), told({ response_id: "r2", prompt_id: `${SESSION}########0` })]);
  expect(calls(drafts).map(({ lane, key }) => [lane, key])).toEqual([
    ["fork-7.progress", "r1"],
    ["", "r2"],
  ]);
});

test("a long output names the file that has all of it, in a folder that is Qwen Code's own", () => {
  begin();
  const path = `/home/ada/.qwen/tmp/${"ab".repeat(32)}/run_shell_command_1.output`;
  const output = `Tool output was too large and has been truncated.\nThe full output has been saved to: ${path}\nTo read …`;
  const { drafts } = read([
    record("assistant", says("model", { functionCall: { id: "c1", name: "run_shell_command", args: {} } })),
    record("tool_result", {
      ...says("user", { functionResponse: { id: "c1", name: "run_shell_command", response: { output } } }),
      toolCallResult: { callId: "c1", status: "error", resultDisplay: { exitCode: 3 } },
    }),
  ]);
  expect(bodies(drafts).at(-1)).toMatchObject({
    saw: "preview",
    storedPath: path,
    offloadedBy: "agent",
    isError: true,
    detail: { exitCode: 3 },
  });
  expect(qwen.fullOutputFolder?.(path)).toBe(`/home/ada/.qwen/tmp/${"ab".repeat(32)}`);
  expect(qwen.fullOutputFolder?.("/etc/passwd.output")).toBeNull();
});

test("is found in its folder and in those that the environment names", () => {
  expect(qwen.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.qwen/projects"]);
  expect(qwen.sources({ HOME: "/home/ada", QWEN_HOME: "/data/q" }, "linux")).toEqual([
    "/data/q/projects",
    "/home/ada/.qwen/projects",
  ]);
  expect(qwen.wants("/q/projects/x/chats/a.jsonl")).toBe(true);
  expect(qwen.wants("/q/projects/x/subagents/s/agent-1.jsonl")).toBe(true);
  // Chats that a person archived, and no ledger of prompts beside them.
  expect(qwen.wants("/q/projects/x/chats/archive/a.jsonl")).toBe(true);
  expect(qwen.wants("C:\\q\\projects\\x\\chats\\archive\\a.jsonl")).toBe(true);
  expect(qwen.wants("/q/projects/x/chats/a.ledger.jsonl")).toBe(false);
  expect(qwen.wants("/q/projects/x/usage_record.jsonl")).toBe(false);
});
