// Sessions of Hermes: messages in the shape of a chat, sums of the session, and how sessions hang together. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodies, calls, events, fileOf, linesOf, patches, recordsOf } from "./codex/testing-codex.ts";
import { hermes } from "./hermes.ts";

function read(bytes: Uint8Array) {
  const state = hermes.start(fileOf("state.db#x", bytes));
  return recordsOf(bytes).flatMap((record) => hermes.parse(record, state));
}

const fixture = () => read(readFileSync(join(import.meta.dirname, "fixtures/hermes-synthetic-database.jsonl")));
const sessionRow = (more: object) => ({ table: "sessions", row: { id: "s2", source: "cli", started_at: 1, ...more } });
const totalsRow = (more: object) => ({ table: "totals", row: { id: "s2", model: "m1", ...more } });

test("messages, thoughts, calls and their results; what was undone left the conversation, and a summary is one", () => {
  const drafts = fixture();
  expect(patches(drafts)).toMatchObject({
    ...{ agentName: "Hermes", cwd: "/home/ada/puffins", branch: "main", startedAt: 1_788_257_700_500 },
  });
  expect(bodies(drafts)).toMatchObject([
    { type: "meta", subtype: "session", text: "cli" },
    { type: "system", text: "You are a synthetic assistant." },
    { type: "user", text: "How many puffins are on the rock?" },
    { type: "reasoning", text: "The file has one bird a line." },
    { type: "assistant", text: "I count the lines." },
    { type: "tool_call", toolCallId: "call_p1", toolName: "terminal", input: { command: "wc -l rock.txt" } },
    { type: "tool_result", toolCallId: "call_p1", text: '{"output": "31 rock.txt", "exit_code": 0}' },
    { type: "assistant", text: "Thirty-one puffins." },
    { type: "user", text: "And the auks?" },
    { type: "assistant", text: "I see no auks." },
    { type: "rewind" },
    { type: "compaction", kind: "full" },
    { type: "user", injected: "summary" },
    { type: "user", text: "What is this bird?", images: [{ mediaType: "image/png" }] },
    { type: "reasoning", text: "", encrypted: true, signatureChars: 12 },
    { type: "assistant", text: "A puffin." },
    { type: "meta", subtype: "totals" },
  ]);
  const all = events(drafts);
  const rewind = all.find(({ body }) => body.type === "rewind")!;
  const kept = all.find(({ body }) => body.type === "assistant" && body.text === "Thirty-one puffins.")!;
  expect(rewind.body).toMatchObject({ after: kept.recordKey });
  expect(all.filter(({ startsTurn }) => startsTurn)).toHaveLength(3);
});

test("no call has a usage: the sums are the session's, with those of other tasks beside them", () => {
  const drafts = fixture();
  expect(calls(drafts).map(({ model, usage }) => ({ model, usage }))).toEqual(
    Array.from({ length: 4 }, () => ({ model: "anthropic/claude-sonnet-4.6", usage: null })),
  );
  expect(drafts.filter(({ kind }) => kind === "reported")).toMatchObject([
    {
      usd: 0.0129,
      usage: {
        "anthropic/claude-sonnet-4.6": {
          ...{ inputUncached: 1200, cacheRead: 5400, cacheWrite: 300, output: 90, reasoning: 20 },
        },
        "openai/gpt-5-mini": { inputUncached: 210, output: 8 },
      },
    },
  ]);
});

test("rows of models that lack a part of the session leave its own sum; nothing counted is nothing reported", () => {
  const part = { task: "", model: "m2", input_tokens: 10, output_tokens: 1 };
  const drafts = read(linesOf(sessionRow({}), totalsRow({ input_tokens: 100, output_tokens: 5, models: [part] })));
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({
    ...{ usd: null, usage: { m1: { inputUncached: 100, output: 5 } } },
  });
  const none = read(linesOf(sessionRow({}), totalsRow({ input_tokens: 0, estimated_cost_usd: 0 })));
  expect(none.some(({ kind }) => kind === "reported")).toBe(false);
});

test.each([
  [{ model_config: { _delegate_from: "s1" } }, { parent: "s1", relation: "subagent" }],
  [{ model_config: { _branched_from: "s1" } }, { parent: "s1", relation: "fork" }],
  [{ parent_end: "compression" }, { parent: "s1", relation: "continuation" }],
  [
    { parent_end: "compression", model_config: { _delegate_from: "s0" } },
    { parent: "s1", relation: "continuation" },
  ],
  [{ parent_end: "branched" }, { parent: "s1", relation: "fork" }],
  [{}, { parent: "s1", relation: "subagent" }],
])("a session below another, by its marks and by the end of that one: %j", (more, above) => {
  expect(patches(read(linesOf(sessionRow({ parent_session_id: "s1", ...more }))))).toMatchObject(above);
});

test("after a reset a session is one of its own", () => {
  for (const more of [{ parent_end: "daily" }, { model_config: { _reset_from: "s1" } }])
    expect(patches(read(linesOf(sessionRow({ parent_session_id: "s1", ...more }))))).not.toHaveProperty("parent");
});

test("its database lies in its home, with one for each profile", () => {
  expect(hermes.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.hermes/state.db",
    "/home/ada/.hermes/profiles/*/state.db",
  ]);
  expect(hermes.sources({ HOME: "/home/ada", HERMES_HOME: "/data/h" }, "darwin")[0]).toBe("/data/h/state.db");
  expect(hermes.sources({ LOCALAPPDATA: "C:\\L" }, "win32")[0]).toBe("C:\\L\\hermes\\state.db");
});
