// SWE-agent and mini-SWE-agent. All is written by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft, Format } from "#lib/kernel/draft.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { sweAgent } from "./swe-agent.ts";

const fixture = (name: string): Uint8Array => readFileSync(join(import.meta.dirname, "fixtures", name));
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value, null, 1));

function read<S>(format: Format<S>, bytes: Uint8Array) {
  const state = format.start({ path: "x", head: bytes.subarray(0, 65_536), sidecars: new Map() });
  const drafts: Draft[] = format.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, name: format.identify(state) };
}
const old = () => read(sweAgent, fixture("swe-agent-synthetic-old.traj"));
const retry = () => read(sweAgent, fixture("swe-agent-synthetic-retry.traj"));
const mini = () => read(miniSweAgent, fixture("mini-swe-agent-synthetic-session.traj.json"));

test("a step is a thought, a command and what it gave; its commands have names, all others are the shell's", () => {
  const all = bodies(old().drafts);
  expect(all.filter(({ type }) => type === "system" || type === "user")).toMatchObject([
    { type: "system", text: "SETTING: You are a diver." },
    { injected: "demonstration" },
    { text: expect.stringContaining("Fans are five.") },
    { text: "Your output was not formatted correctly.", injected: "environment" },
  ]);
  expect(all.filter((body) => body.type === "tool_call").map(({ toolName }) => toolName)).toEqual([
    ...["open", "edit", "bash", "submit"],
  ]);
  expect(all.filter((body) => body.type === "tool_result").map(({ isError }) => isError)).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(patches(old().drafts)).toMatchObject({ agentName: "SWE-agent", title: "Fans are five." });
});

test("tokens and dollars are the agent's totals of the run, of no call", () => {
  const { drafts } = old();
  expect(calls(drafts)).toHaveLength(5);
  expect(calls(drafts).every(({ usage }) => usage === null)).toBe(true);
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({
    usd: 1.25,
    usage: { unknown: { inputUncached: 12_000, output: 130 } },
  });
});

test("where the agent counts no request, no model is called", () => {
  const value = JSON.parse(new TextDecoder().decode(fixture("swe-agent-synthetic-old.traj"))) as {
    info: { model_stats: object };
  };
  value.info.model_stats = { api_calls: 0, tokens_sent: 0, instance_cost: 0 };
  const { drafts } = read(sweAgent, bytesOf(value));
  expect(calls(drafts)).toEqual([]);
  expect(drafts.some(({ kind }) => kind === "reported")).toBe(false);
  expect(bodies(drafts).filter(({ type }) => type === "assistant").length).toBeGreaterThan(0);
});

const run = (apiCalls: number, ...steps: object[]) =>
  read(
    sweAgent,
    bytesOf({
      ...{ environment: "reef", trajectory: steps, history: [{ role: "user", content: "Count.", agent: "main" }] },
      info: { exit_status: "exit_cost", model_stats: { api_calls: apiCalls, tokens_sent: 9, tokens_received: 1 } },
    }),
  ).drafts;
const took = (action: string, response: string) => ({
  action,
  observation: "",
  response,
  thought: response,
  state: {},
});

test("a step that ended the run without an answer is no call of the model", () => {
  const drafts = run(1, took("ls", "I look."), { ...took("", ""), thought: "Exit due to cost limit." });
  expect(calls(drafts)).toHaveLength(1);
  expect(bodies(drafts)).toContainEqual({ type: "assistant", text: "Exit due to cost limit." });
});

test("answers that the agent refused, and asked for again, are calls that stand in no step", () => {
  const drafts = run(3, took("ls", "I look."));
  expect(calls(drafts).map(({ usage }) => usage)).toEqual([null, null, null]);
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(3);
  expect(bodies(drafts).filter((body) => body.type === "meta" && body.subtype === "model call")).toHaveLength(2);
});

test("calls stand as the model made them, under names of their own; reasoning too", () => {
  const { drafts } = retry();
  const own = events(drafts)
    .filter(({ lane }) => lane === "")
    .map(({ body }) => body);
  expect(own.filter((body) => body.type === "tool_call")).toMatchObject([
    { toolName: "bash", toolCallId: "call_same", input: { command: "ls -F" } },
    { toolName: "str_replace_editor", input: '{"command":"view",' },
    { toolName: "submit", toolCallId: "call_3" },
  ]);
  expect(new Set(own.flatMap((body) => (body.type === "tool_call" ? [body.toolCallId] : []))).size).toBe(3);
  expect(own).toContainEqual({ type: "reasoning", text: "Where?", signatureChars: 4 });
  expect(own.filter((body) => body.type === "tool_result")).toMatchObject([
    { detail: { durationMs: 250 }, saw: "full" },
    { saw: "preview" },
    {},
  ]);
  expect(patches(drafts)).toMatchObject({ agentVersion: "1.1.0", model: "claude-sonnet-4" });
});

test("attempts beside the best one are runs of their own", () => {
  const { drafts } = retry();
  expect([...new Set(events(drafts).map(({ lane }) => lane))]).toEqual(["", "attempt-1"]);
  expect(calls(drafts)).toHaveLength(6);
});

test("a file of messages alone, as demonstrations are, has its commands and results", () => {
  const { drafts } = read(sweAgent, fixture("swe-agent-synthetic-history.traj"));
  expect(bodies(drafts).filter(({ type }) => type !== "meta")).toMatchObject([
    { type: "system" },
    { type: "user", text: "How many?" },
    { type: "assistant", text: "I count." },
    { type: "tool_call", toolName: "bash", input: { command: "wc -l corals\n" } },
    { type: "tool_result", text: "7 corals" },
    { type: "assistant", text: "Seven." },
    { type: "tool_call", toolName: "submit" },
  ]);
});

test("a document that grows keeps the names of its steps", () => {
  const value = JSON.parse(new TextDecoder().decode(fixture("swe-agent-synthetic-old.traj"))) as {
    trajectory: object[];
  };
  const before = { ...value, trajectory: value.trajectory.slice(0, 3) };
  const [names, more] = [before, value].map((one) => sweAgent.recordNames!(bytesOf(one))!);
  expect(more!.slice(0, 3)).toEqual(names);
  expect(read(sweAgent, bytesOf(before)).name).toBe(old().name);
  expect(sweAgent.recordNames!(bytesOf(value).subarray(0, 400))).toBeNull();
});

test("mini: a command in a fence is a call, and what comes next is its result", () => {
  const { drafts } = read(miniSweAgent, fixture("mini-swe-agent-synthetic-messages.json"));
  expect(bodies(drafts).filter(({ type }) => type !== "meta" && type !== "assistant")).toMatchObject([
    { type: "system" },
    { type: "user", text: "Please solve this issue: fans are five." },
    { type: "tool_call", toolName: "bash", input: { command: "cat corals.py" } },
    { type: "tool_result", detail: { exitCode: 1 } },
    { type: "user", injected: "environment" },
    { type: "tool_call", input: { command: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" } },
    { type: "tool_result", text: "diff --git a/corals.py" },
  ]);
});

test("mini: an output without items is an empty one, and the rest is read", () => {
  const said = JSON.stringify({
    trajectory_format: "mini-swe-agent-1.1",
    info: {},
    messages: [
      { role: "user", content: "Count." },
      { type: "function_call_output", call_id: "t1", output: [] },
      { role: "assistant", content: "Seven." },
    ],
  });
  expect(bodies(read(miniSweAgent, new TextEncoder().encode(said)).drafts).slice(1)).toMatchObject([
    { type: "user", text: "Count." },
    { type: "tool_result", toolCallId: "t1", text: "" },
    { type: "assistant", text: "Seven." },
  ]);
});

test("mini: usage is what each answer says; items of Responses are read, and a long output is kept whole", () => {
  const { drafts } = mini();
  expect(calls(drafts).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 150, cacheRead: 300, cacheWrite: 50, output: 20 },
    { inputUncached: 650, cacheRead: 0, cacheWrite: 50, output: 10 },
  ]);
  expect(calls(drafts).map(({ model, ts }) => [model, ts])).toEqual([
    ["claude-sonnet-4", 1_770_000_000_250],
    ["claude-sonnet-4", 1_770_000_002_000],
  ]);
  const results = events(drafts).filter(({ body }) => body.type === "tool_result");
  expect(results.map(({ body }) => body)).toMatchObject([
    { toolCallId: "t1", saw: "preview" },
    { toolCallId: "t2", isError: true },
  ]);
  expect(results[0]!.fullText).toHaveLength(44);
  expect(bodies(drafts)).toContainEqual(expect.objectContaining({ type: "reasoning", text: "Done?" }));
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.03 });
});

const runOf = (...messages: object[]) =>
  read(miniSweAgent, bytesOf({ trajectory_format: "mini-swe-agent-1.1", info: {}, messages }));

test("mini: an empty message behind a command is its result", () => {
  const { drafts } = read(
    miniSweAgent,
    bytesOf([
      { role: "user", content: "Dive." },
      { role: "assistant", content: "Done.\n\n```mswea_bash_command\ntrue\n```" },
      { role: "user", content: "" },
    ]),
  );
  const [made, result] = bodies(drafts).slice(-2);
  expect(result).toMatchObject({ type: "tool_result", text: "" });
  expect(made).toMatchObject({ type: "tool_call", toolCallId: (result as { toolCallId: string }).toolCallId });
});

test("mini: an answer in a wrong format is a call, with the usage that the message about it has", () => {
  const response = {
    ...{ object: "chat.completion", model: "coral-1", usage: { prompt_tokens: 1000, completion_tokens: 40 } },
    choices: [{ message: { role: "assistant", content: "I only think." } }],
  };
  const { drafts } = runOf(
    { role: "user", content: "Count." },
    {
      ...{ role: "user", content: "No command was found." },
      extra: { interrupt_type: "FormatError", response, cost: 0.01, timestamp: 1_770_000_000 },
    },
    { role: "assistant", content: "Seven.", extra: { response: { ...response, usage: { prompt_tokens: 1100 } } } },
  );
  expect(calls(drafts)).toMatchObject([
    { model: "coral-1", ts: 1_770_000_000_000, usage: { inputUncached: 1000, output: 40 } },
    { usage: { inputUncached: 1100 } },
  ]);
  expect(bodies(drafts).slice(1)).toMatchObject([
    { type: "user", text: "Count." },
    { type: "meta", subtype: "FormatError", text: "I only think." },
    { type: "user", text: "No command was found.", injected: "environment" },
    { type: "assistant", text: "Seven." },
  ]);
});

test("mini: a response of the Responses API that is the message itself has its model and usage", () => {
  const { drafts } = runOf(
    { role: "user", content: "Count." },
    {
      ...{ object: "response", model: "coral-2", extra: { cost: 0.01, timestamp: 1_770_000_000 } },
      output: [{ type: "function_call", name: "bash", call_id: "c1", arguments: '{"command":"ls"}' }],
      usage: {
        ...{ input_tokens: 1000, input_tokens_details: { cached_tokens: 300 } },
        ...{ output_tokens: 50, output_tokens_details: { reasoning_tokens: 20 } },
      },
    },
  );
  expect(calls(drafts)).toMatchObject([
    { model: "coral-2", usage: { inputUncached: 700, cacheRead: 300, output: 50, reasoning: 20 } },
  ]);
  expect(patches(drafts)).toMatchObject({ model: "coral-2" });
});

test("ordinary JSON and plain messages are neither", () => {
  const others = [
    { history: [{ role: "user", content: "Hello" }] },
    { trajectory: [{ x: 1, y: 2 }] },
    [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "```bash\nls\n```" },
    ],
    { messages: [{ role: "user", content: "Hello" }], info: {} },
    { name: "package", version: "1.0.0" },
  ];
  for (const other of others)
    for (const format of [sweAgent, miniSweAgent])
      expect(format.detect({ path: "x", head: bytesOf(other), sidecars: new Map() }), JSON.stringify(other)).toBe(
        false,
      );
});
