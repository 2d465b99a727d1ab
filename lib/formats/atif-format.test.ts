// ATIF. All is written by hand; figures of a fixture are counted from its JSON by other means.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import { RESULT_ALONE } from "./atif/atif-steps.ts";
import { atif } from "./atif.ts";
import { bodies, calls, events, linesOf, patches } from "./codex/testing-codex.ts";
import { headValue, parseJson } from "./json-parts.ts";

const fixture = (name: string): Uint8Array => readFileSync(join(import.meta.dirname, "fixtures", name));
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value, null, 2));

function read(bytes: Uint8Array) {
  const state = atif.start({ path: "trajectory.json", head: bytes.subarray(0, 65_536), sidecars: new Map() });
  const drafts: Draft[] = atif.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, name: atif.identify(state) };
}

const session = () => read(fixture("atif-synthetic-session.json"));
const trajectory = (steps: readonly unknown[], more: object = {}) => ({
  schema_version: "ATIF-v1.6",
  session_id: "s1",
  agent: { name: "reef-agent", version: "1" },
  steps,
  ...more,
});

test("a step becomes reasoning, words, calls and results, each with the bytes of its step", () => {
  const { drafts, name } = session();
  expect(name).toBe("a71f5e55-0000-4000-8000-000000000a01");
  const third = events(drafts).filter(({ callKey }) => callKey !== null && callKey === calls(drafts)[0]!.key);
  expect(third.map(({ body }) => body)).toMatchObject([
    { type: "reasoning", text: "Two places to look in." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "c1", input: { command: "cat corals.txt" } },
    { type: "tool_call", toolCallId: "c2", input: '{"command": "ls ' },
    { type: "tool_call", toolCallId: "c3", input: { at: "picture" } },
  ]);
  const text = new TextDecoder().decode(fixture("atif-synthetic-session.json"));
  for (const { byteStart, byteEnd } of third)
    expect(JSON.parse(text.slice(byteStart, byteEnd))).toMatchObject({ step_id: 3 });
  expect(
    bodies(drafts)
      .filter(({ type }) => type === "tool_result")
      .slice(0, 3),
  ).toMatchObject([
    { toolCallId: "c2", isError: true, detail: { exitCode: 2 } },
    { toolCallId: "c1", isError: false },
    { toolCallId: "c3", text: "" },
  ]);
  expect(bodies(drafts)).toContainEqual({ type: "user", text: "The tide turned.", injected: "environment" });
  expect(patches(drafts)).toMatchObject({ agentName: "reef-agent", agentVersion: "2.1.0", model: "gpt-4o" });
});

test("a result that stands alone in our own export is a result of its call, and no words of the environment", () => {
  const step = { step_id: 1, source: "system", message: RESULT_ALONE, extra: { tool_call_id: "t9" } };
  const { drafts } = read(bytesOf(trajectory([{ ...step, observation: { results: [{ content: "late" }] } }])));
  expect(bodies(drafts).filter(({ type }) => type !== "meta")).toMatchObject([
    { type: "tool_result", toolCallId: "t9", text: "late" },
  ]);
});

test("cached tokens are part of the prompt; totals of the trajectory stand beside, and a difference is said", () => {
  const { drafts } = session();
  expect(calls(drafts)[0]!.usage).toEqual({
    ...{
      inputUncached: 400,
      cacheRead: 400,
      cacheWrite: 100,
      cacheWrite1h: 0,
      output: 60,
      reasoning: 20,
      webSearches: 0,
    },
  });
  const reported = drafts.find(({ kind }) => kind === "reported");
  expect(reported).toMatchObject({
    usd: 0.0071,
    usage: { "gpt-4o": { inputUncached: 2700, cacheRead: 400, output: 145 } },
  });
  expect(drafts).toContainEqual(
    expect.objectContaining({
      patch: { quality: expect.stringContaining("3,100 prompt and 145 output tokens; its steps have 2,600 and 95") },
    }),
  );
});

test("one result for several calls without an id is the last one's", () => {
  const all = bodies(session().drafts);
  const made = all.filter((body) => body.type === "tool_call").slice(3);
  const result = all.filter((body) => body.type === "tool_result").at(-1);
  expect(made).toHaveLength(2);
  expect(result).toMatchObject({ text: "2 corals.txt\nWed", toolCallId: made[1]!.toolCallId });
});

test("images inside are kept, others are named", () => {
  const prompt = events(session().drafts).find(({ body }) => body.type === "user")!;
  expect(prompt.attachments).toMatchObject([{ mediaType: "image/png" }]);
  expect(prompt.body).toMatchObject({
    text: expect.stringContaining("[image pictures/reef.jpg]"),
    images: [{ attachment: 0 }],
  });
});

test("a handoff to summarizers is a compaction that leaves the first prompt", () => {
  const { drafts } = session();
  const first = events(drafts).find(({ body }) => body.type === "user")!;
  expect(bodies(drafts).filter(({ type }) => type === "compaction")).toMatchObject([
    { kind: "full", trigger: "auto", preserved: [first.recordKey] },
  ]);
  expect(bodies(drafts)).toContainEqual(
    expect.objectContaining({
      subtype: "subagent",
      name: "a71f5e55-0000-4000-8000-000000000a01-summarization-1-summary",
    }),
  );
});

test("runs inside a trajectory are sub-agents, tied to their call; one in another is one too", () => {
  const { drafts, name } = read(fixture("atif-synthetic-embedded.json"));
  expect(name).toBe("run-0a7/parent-doc");
  expect(drafts).toContainEqual({ kind: "link", lane: "", toolCallId: "d1", agentId: "child" });
  expect([...new Set(events(drafts).map(({ lane }) => lane))]).toEqual(["", "child", "grandchild"]);
  const relations = drafts.flatMap((draft) =>
    draft.kind === "session" && draft.patch.relation !== undefined ? [[draft.lane, draft.patch.relation]] : [],
  );
  expect(relations).toEqual([
    ["child", "subagent"],
    ["grandchild", "subagent"],
  ]);
  // A step without a model call is none.
  expect(calls(drafts).map(({ lane }) => lane)).toEqual(["", "child", "grandchild"]);
  expect(bodies(drafts)).toContainEqual(
    expect.objectContaining({ type: "compaction", text: "The reef was asked about, and a diver sent." }),
  );
});

test("a copied step has the name that it has where it was made; a new one that says the same has not", () => {
  const user = { step_id: 1, source: "user", message: "Count." };
  const agent = { step_id: 2, source: "agent", message: "Done.", metrics: { prompt_tokens: 5, completion_tokens: 1 } };
  const before = read(bytesOf(trajectory([user, agent])));
  const steps = [
    { ...user, is_copied_context: true },
    { ...agent, step_id: 3 },
  ];
  const after = read(bytesOf(trajectory(steps, { session_id: "s1-cont-1" })));
  const keys = ({ drafts }: typeof before) => events(drafts).flatMap(({ recordKey }) => recordKey ?? []);
  expect(keys(after)[0]).toBe(keys(before)[0]);
  expect(keys(after)[1]).not.toBe(keys(before)[1]);
  expect(patches(after.drafts)).toMatchObject({ parent: "s1", relation: "continuation" });
  const second = read(bytesOf(trajectory(steps, { session_id: "s1-cont-2" })));
  expect(patches(second.drafts)).toMatchObject({ parent: "s1-cont-1" });
});

test("who a sub-agent's own file belongs to is in its name, or said by its agent", () => {
  const steps = [{ step_id: 1, source: "user", message: "Sum up." }];
  const named = read(bytesOf(trajectory(steps, { session_id: "s1-summarization-2-questions" })));
  expect(patches(named.drafts)).toMatchObject({ parent: "s1", relation: "subagent" });
  const agent = { name: "x", version: "1", extra: { parent_session_id: "s9" } };
  expect(patches(read(bytesOf(trajectory(steps, { agent }))).drafts)).toMatchObject({
    parent: "s9",
    relation: "subagent",
  });
});

test("a document that ends too early gives what stands before, and says where it ends", () => {
  const whole = fixture("atif-synthetic-session.json");
  const cut = whole.subarray(0, new TextDecoder().decode(whole).indexOf('"step_id": 7') + 40);
  const { drafts, name } = read(cut);
  expect(name).toBe("a71f5e55-0000-4000-8000-000000000a01");
  expect(events(drafts).filter(({ body }) => body.type === "assistant")).toHaveLength(1);
  expect(drafts.filter(({ kind }) => kind === "problem")).toMatchObject([
    { byteEnd: cut.length, reason: expect.stringContaining("ends too early") },
  ]);
});

test("a list that a brace closes has its last part all the same", () => {
  const damaged = new TextEncoder().encode('[x: {"ticker": "REEF"}}], "observation": {}}]}');
  const told = read(damaged).drafts.flatMap((draft) =>
    draft.kind === "event" || draft.kind === "problem" ? [[draft.byteStart, draft.byteEnd]] : [],
  );
  expect(told).toEqual([
    [1, 22],
    [23, damaged.length],
  ]);
});

test("NaN among log probabilities, a text instead of steps' parts, and steps that are no objects lose nothing else", () => {
  const text = JSON.stringify(
    trajectory([
      { step_id: 1, source: "agent", message: "NaN is a word", metrics: { prompt_tokens: 3, logprobs: ["@"] } },
      7,
    ]),
  ).replace('"@"', "NaN, -Infinity");
  const { drafts } = read(new TextEncoder().encode(text));
  expect(bodies(drafts)).toContainEqual({ type: "assistant", text: "NaN is a word" });
  expect(calls(drafts)[0]!.usage).toMatchObject({ inputUncached: 3 });
  expect(drafts.filter(({ kind }) => kind === "problem")).toHaveLength(1);
});

test("ordinary JSON is none: package.json, a list of steps, a schema of another kind", () => {
  const others = [
    { name: "x", version: "1.0.0", steps: [] },
    { schema_version: 3, agent: "a", steps: [{}] },
    [1],
    "ATIF-v1.6",
    { jobs: { build: { steps: [{ run: "x" }] } } },
  ];
  for (const other of others)
    expect(atif.detect({ path: "x.json", head: bytesOf(other), sidecars: new Map() }), JSON.stringify(other)).toBe(
      false,
    );
  const late = {
    agent: { name: "x", version: "1", tool_definitions: [{ name: "a".repeat(70_000) }] },
    schema_version: "ATIF-v1.7",
  };
  expect(atif.detect({ path: "x.json", head: bytesOf(late).subarray(0, 65_536), sidecars: new Map() })).toBe(true);
});

test("the head of a document is read as far as it goes", () => {
  const value = { a: [1, { b: "x\\y", c: [true, null] }], d: "tail", e: { f: 2 } };
  const text = JSON.stringify(value);
  for (let cut = 1; cut <= text.length; cut++)
    expect(headValue(new TextEncoder().encode(text.slice(0, cut)))).toBeDefined();
  expect(headValue(new TextEncoder().encode(text.slice(0, 30)))).toMatchObject({ a: [1, { b: "x\\y" }] });
  expect(headValue(linesOf({ a: 1 }, { b: 2 }))).toEqual({ a: 1 });
  expect(parseJson('{"a": NaN, "b": "NaN -Infinity"}')).toEqual({ a: null, b: "NaN -Infinity" });
});

test("totals of steps without counts are the session's, where they can be of nothing else", () => {
  const steps = [
    { step_id: 1, source: "user", message: "Count." },
    { step_id: 2, source: "agent", message: "Twelve." },
  ];
  const final_metrics = { total_prompt_tokens: 4100, total_completion_tokens: 180, total_cached_tokens: 300 };
  const lost = (value: object) => read(bytesOf(value)).drafts.filter(({ kind }) => kind === "lost");
  const usage = { ...NO_USAGE, inputUncached: 3800, cacheRead: 300, output: 180 };
  expect(lost(trajectory(steps, { final_metrics }))).toEqual([{ kind: "lost", lane: "", usage }]);
  const counted = [steps[0], { ...steps[1], metrics: { prompt_tokens: 9, completion_tokens: 1 } }];
  const started = {
    ...{ step_id: 3, source: "agent", message: "", tool_calls: [{ tool_call_id: "c1", function_name: "run" }] },
    observation: { results: [{ source_call_id: "c1", subagent_trajectory_ref: [{ session_id: "s2" }] }] },
  };
  const inside = [trajectory(steps, { session_id: "s2" })];
  for (const other of [
    trajectory(counted, { final_metrics }),
    trajectory([...steps, started], { final_metrics }),
    trajectory(steps, { final_metrics, subagent_trajectories: inside }),
    trajectory(steps, { final_metrics, session_id: "s1-cont-1" }),
    trajectory([{ ...steps[1], is_copied_context: true }, ...steps], { final_metrics }),
  ])
    expect(lost(other)).toEqual([]);
});

test("cache writes for an hour and searches stand in what the provider said of a step", () => {
  const extra = {
    ...{ cache_creation_input_tokens: 500, cache_read_input_tokens: 9000, server_tool_use: { web_search_requests: 2 } },
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 400 },
  };
  const metrics = { prompt_tokens: 9503, completion_tokens: 10, cached_tokens: 9000, extra };
  const { drafts } = read(bytesOf(trajectory([{ step_id: 1, source: "agent", message: "So.", metrics }])));
  expect(calls(drafts)[0]!.usage).toEqual({
    ...NO_USAGE,
    ...{ inputUncached: 3, cacheRead: 9000, cacheWrite: 500, cacheWrite1h: 400, output: 10, webSearches: 2 },
  });
});

test("audio is named, and is no image", () => {
  const part = (path: string) => ({ type: "audio", source: { media_type: "audio/wav", path, duration_sec: 3 } });
  const untyped = { type: "audio", source: { data: "UklG" } };
  const message = [
    { type: "text", text: "Listen." },
    part("sounds/reef.wav"),
    part("data:audio/wav;base64,UklG"),
    untyped,
  ];
  const { drafts } = read(bytesOf(trajectory([{ step_id: 1, source: "user", message }])));
  const [prompt] = events(drafts).filter(({ body }) => body.type === "user");
  expect(prompt).toMatchObject({ body: { text: "Listen.\n[audio sounds/reef.wav]\n[audio audio/wav]\n[audio]" } });
  expect(prompt!.attachments ?? []).toEqual([]);
});
