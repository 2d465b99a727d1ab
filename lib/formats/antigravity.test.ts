// Antigravity's transcripts: results after the answer that asked for them, tokens where a step has them, and two transcripts of one conversation.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { antigravity } from "./antigravity.ts";

const lines = readFileSync(join(import.meta.dirname, "fixtures/antigravity-synthetic-session.jsonl"), "utf8")
  .trim()
  .split("\n");
const LOGS = "/home/ada/.gemini/antigravity/brain/0c0c0000-0000-4000-8000-000000000001/.system_generated/logs";

function read(path: string) {
  const state = antigravity.start({ path, head: Buffer.from(lines.join("\n")), sidecars: new Map() });
  const drafts = lines.flatMap((text, i): Draft[] =>
    antigravity.parse({ bytes: Buffer.from(text), byteStart: 0, byteEnd: text.length, line: i + 1 }, state),
  );
  return { drafts, id: antigravity.identify(state) };
}

test("a step of a tool is the result of the oldest call that waits; arguments are unwrapped", () => {
  const { drafts, id } = read(`${LOGS}/transcript_full.jsonl`);
  expect(id).toBe("0c0c0000-0000-4000-8000-000000000001");
  const bodies = drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
  const calls = bodies.flatMap((body) => (body.type === "tool_call" ? [[body.toolName, body.input]] : []));
  expect(calls).toEqual([
    ["view_file", { AbsolutePath: "/home/ada/sluice.txt", StartLine: 1 }],
    ["run_command", { CommandLine: "ls gates", Blocking: true }],
  ]);
  const results = bodies.flatMap((body) => (body.type === "tool_result" ? [[body.text, body.isError]] : []));
  expect(results).toEqual([
    ["1: open at low water", false],
    ["ls: gates: No such file or directory", true],
  ]);
  expect(bodies.filter((body) => body.type === "user").map((body) => "injected" in body && body.injected)).toEqual([
    false,
    "system_message",
    false,
    "generic",
  ]);
});

test("tokens are those of the step, and the model is the one that was chosen", () => {
  const calls = read(`${LOGS}/transcript.jsonl`).drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
  expect(calls.map(({ model, usage }) => [model, usage?.inputUncached, usage?.cacheRead, usage?.output])).toEqual([
    ["gemini-3.1-pro", 1200, 300, 42],
    ["gemini-3.1-pro", undefined, undefined, undefined],
  ]);
});

test("the shorter transcript has no record that the full one lacks", () => {
  const keysOf = (name: string): (string | null)[] =>
    read(`${LOGS}/${name}`).drafts.flatMap((draft) => (draft.kind === "event" ? [draft.recordKey] : []));
  const [full, short] = [new Set(keysOf("transcript_full.jsonl")), keysOf("transcript.jsonl")];
  expect(short.filter((key) => !full.has(key))).toEqual([]);
  expect(full.size).toBeGreaterThan(new Set(short).size);
  expect(antigravity.wants(`${LOGS}/chunks/transcript/0.jsonl`)).toBe(false);
});

const step = (n: number, type: string, more: object, source = "MODEL") =>
  JSON.stringify({ step_index: n, source, type, status: "DONE", created_at: `2026-07-01T10:00:${10 + n}Z`, ...more });
const calling = (...names: string[]) => ({ tool_calls: names.map((name) => ({ name, args: {} })) });

function bodiesOf(texts: readonly string[]) {
  const path = `${LOGS}/transcript.jsonl`;
  const state = antigravity.start({ path, head: Buffer.from(texts[0]!), sidecars: new Map() });
  return texts.flatMap((text, i) => {
    const drafts = antigravity.parse(
      { bytes: Buffer.from(text), byteStart: i * 1000, byteEnd: i * 1000 + text.length, line: i + 1 },
      state,
    );
    return drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
  });
}

test("a step is the result of a call of its own tool: one that failed before it ran has none", () => {
  const bodies = bodiesOf([
    step(0, "PLANNER_RESPONSE", calling("view_file", "run_command", "send_message")),
    step(1, "ERROR_MESSAGE", { error: "No such argument." }, "SYSTEM"),
    step(2, "RUN_COMMAND", { content: "two gates" }),
    step(3, "GENERIC", { content: "sent" }),
    step(4, "PLANNER_RESPONSE", calling("write_to_file", "tide_table")),
    step(5, "CODE_ACTION", { content: "written" }),
    step(6, "TIDE_TABLE", { content: "low at nine" }),
  ]);
  const names = new Map(
    bodies.flatMap((body) => (body.type === "tool_call" ? [[body.toolCallId, body.toolName]] : [])),
  );
  const results = bodies.flatMap((body) =>
    body.type === "tool_result" ? [[names.get(body.toolCallId), body.text]] : [],
  );
  expect(results).toEqual([
    ["run_command", "two gates"],
    ["send_message", "sent"],
    ["write_to_file", "written"],
    ["tide_table", "low at nine"],
  ]);
});

test("an error stands in a field of its own, where the step has no content", () => {
  expect(bodiesOf([step(0, "ERROR_MESSAGE", { error: "The model is busy." }, "SYSTEM")]).slice(-1)).toEqual([
    { type: "error", text: "The model is busy." },
  ]);
});
