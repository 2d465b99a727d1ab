// Trajectories of Trae Agent: requests and steps that say the same once, counts by provider, documents that were cut.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";
import { traeAgent } from "./trae-agent.ts";

const TRAJECTORY = readFileSync(join(import.meta.dirname, "fixtures/trae-agent-synthetic-trajectory.json"), "utf8");
type Json = Record<string, unknown>;
const DOCUMENT = JSON.parse(TRAJECTORY) as Json & { llm_interactions: Json[]; agent_steps: Json[] };

const fileOf = (text: string) => ({
  path: "trajectory_20260901_100000.json",
  head: Buffer.from(text),
  sidecars: new Map(),
});
function read(value: string | object = TRAJECTORY): Draft[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const bytes = Buffer.from(text);
  return traeAgent.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, traeAgent.start(fileOf(text)));
}
const bodies = (drafts: Draft[]) =>
  events(drafts).flatMap(({ body, ...rest }) => (rest.isRecord === false ? [] : [body]));
const withUsage = (provider: string, usage: object): object => {
  const [first] = DOCUMENT.llm_interactions;
  const response = { ...(first!["response"] as Json), usage };
  return { ...DOCUMENT, llm_interactions: [{ ...first, provider, response }], agent_steps: [] };
};

test("what was sent, said, called and came back stands once, in its order", () => {
  expect(bodies(read())).toMatchObject([
    { type: "system", subtype: "prompt" },
    { type: "user", text: expect.stringContaining("Count the eiders") as string },
    { type: "assistant", text: "I count the lines." },
    { type: "tool_call", toolName: "bash", input: { command: "wc -l eiders.txt" } },
    { type: "tool_result", toolCallId: "toolu_01synthetic", text: "12 eiders.txt", isError: false },
    { type: "assistant", text: "Twelve. And the tide?" },
    { type: "tool_call" },
    { type: "tool_result", isError: true, text: "Tool call failed with error:\nNo such file: tide.txt" },
    { type: "assistant", text: "The tool execution failed. (synthetic)" },
    { type: "assistant", text: "There is no tide." },
    { type: "user", injected: "client" },
    { type: "tool_call", toolName: "task_done" },
    { type: "tool_result", text: "Task done." },
  ]);
  expect(events(read()).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
  expect(patches(read())).toMatchObject({
    ...{ agentName: "Trae Agent", title: "Count the eiders (synthetic)", cwd: "/home/ada/bay" },
    ...{ model: "synthetic-tern-20260801", startedAt: new Date(2026, 8, 1, 10, 0, 0, 250).getTime() },
  });
});

test("each request is a call with its tokens; the cache stands beside Anthropic's input, and in that of others", () => {
  expect(calls(read()).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 1200, cacheRead: 8000, cacheWrite: 300, output: 40 },
    { inputUncached: 50, cacheRead: 9500, output: 30 },
    { inputUncached: 70, cacheRead: 9600, output: 10 },
    { inputUncached: 20, cacheRead: 9700, output: 15 },
  ]);
  const usage = { input_tokens: 1000, output_tokens: 50, cache_read_input_tokens: 600, reasoning_tokens: 20 };
  expect(calls(read(withUsage("openai", usage)))[0]!.usage).toMatchObject({
    ...{ inputUncached: 400, cacheRead: 600, output: 50, reasoning: 20 },
  });
  // A client that was given no counts writes zeros.
  expect(calls(read(withUsage("openai", { input_tokens: 0, output_tokens: 0 })))[0]!.usage).toBeNull();
});

test("a trajectory without requests is read from its steps", () => {
  const drafts = read({ ...DOCUMENT, llm_interactions: [] });
  expect(bodies(drafts).map(({ type }) => type)).toEqual([
    ...["user", "assistant", "tool_call", "tool_result", "assistant", "tool_call", "tool_result", "assistant"],
    ...["assistant", "tool_call", "tool_result"],
  ]);
  expect(calls(drafts).map(({ usage }) => usage?.inputUncached)).toEqual([1200, 50, 70, 20]);
});

test("a step that failed is an error", () => {
  const [first] = DOCUMENT.agent_steps;
  const drafts = read({ ...DOCUMENT, agent_steps: [{ ...first, error: "The provider is busy (synthetic)" }] });
  expect(bodies(drafts).at(-1)).toMatchObject({ type: "error", text: "The provider is busy (synthetic)" });
});

test("an id that comes again is of another call", () => {
  const [one, two, ...rest] = DOCUMENT.llm_interactions;
  const again = JSON.parse(
    JSON.stringify([two, ...rest]).replaceAll("toolu_02synthetic", "toolu_01synthetic"),
  ) as Json[];
  const all = bodies(read({ ...DOCUMENT, llm_interactions: [one, ...again], agent_steps: [] }));
  const ids = all.flatMap((body) => (body.type === "tool_call" ? [body.toolCallId] : []));
  expect(new Set(ids).size).toBe(3);
  const results = all.flatMap((body) => (body.type === "tool_result" ? [body.toolCallId] : []));
  expect(results).toEqual(ids.slice(0, 2));
});

test("a last call whose id came before has its own result, which only a step has", () => {
  const again = TRAJECTORY.replaceAll(/toolu_0[23]synthetic/g, "toolu_01synthetic");
  const results = bodies(read(again)).flatMap((body) => (body.type === "tool_result" ? [body] : []));
  expect(results.map(({ text }) => text)).toEqual([
    ...["12 eiders.txt", "Tool call failed with error:\nNo such file: tide.txt", "Task done."],
  ]);
  expect(new Set(results.map(({ toolCallId }) => toolCallId)).size).toBe(3);
});

test("a document that was cut anywhere is read as far as it goes, and says so", () => {
  const whole = bodies(read()).map(({ type }) => type);
  for (let end = 400; end < TRAJECTORY.length - 1; end += 211) {
    const drafts = read(TRAJECTORY.slice(0, end));
    expect(
      drafts.some(({ kind }) => kind === "problem"),
      `cut at ${end}`,
    ).toBe(true);
    const types = bodies(drafts).map(({ type }) => type);
    expect(whole.join().startsWith(types.join()) || types.length <= 1, `cut at ${end}: ${types.join()}`).toBe(true);
  }
});

test("other documents are not known", () => {
  const isKnown = (value: object): boolean => traeAgent.detect(fileOf(JSON.stringify(value)));
  expect(isKnown(DOCUMENT)).toBe(true);
  expect(isKnown({ task: "x", start_time: "y", steps: [] })).toBe(false);
  expect(isKnown({ llm_interactions: [], agent_steps: [] })).toBe(false);
  expect(traeAgent.sources({ HOME: "/home/ada" }, "linux")).toEqual([]);
  expect(traeAgent.wants("/home/ada/bay/trajectories/trajectory_20260901_100000.json")).toBe(true);
  expect(traeAgent.wants("/home/ada/bay/trajectories/notes.json")).toBe(false);
});
