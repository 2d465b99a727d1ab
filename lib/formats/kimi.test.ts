// Logs of Kimi Code and of kimi-cli. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { kimi } from "./kimi.ts";
import type { KimiState } from "./kimi/kimi-state.ts";

type Drafts = Parameters<typeof bodies>[0];

const FOLDER = "/home/ada/.kimi-code/sessions/wd_auks_0a1b2c3d4e5f/session_5e550000-0000-4000-8000-000000000001";

function drafted(text: string, state: KimiState): Drafts {
  return text
    .trim()
    .split("\n")
    .flatMap((line, i) => {
      const bytes = Buffer.from(line);
      return kimi.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: i + 1 }, state);
    });
}

function read(name: string, path = "wire.jsonl", beside: object | null = null): { drafts: Drafts; state: KimiState } {
  const text = readFileSync(join(import.meta.dirname, `fixtures/kimi-synthetic-${name}.jsonl`), "utf8");
  const sidecars = new Map((kimi.sidecars!(path) ?? []).map((one) => [one, JSON.stringify(beside ?? {})]));
  const state = kimi.start({ path, head: Buffer.from(text), sidecars });
  return { drafts: drafted(text, state), state };
}

const spoken = (drafts: Drafts) => bodies(drafts).filter(({ type }) => type !== "meta");

/** What each call used, all that is said of it taken together. */
function used(drafts: Drafts): Record<string, unknown> {
  const last = calls(drafts).map(({ key, usage }) => [key, usage] as const);
  return Object.fromEntries(last.filter(([key, usage]) => usage !== null || !last.some(([k, u]) => k === key && u)));
}

test("Kimi Code: prompts, steps and results; each request is counted once, and a compaction's is one of its own", () => {
  const { drafts } = read("code");
  expect(spoken(drafts)).toMatchObject([
    { type: "user", text: "Count the auks" },
    { type: "user", injected: "reminder" },
    { type: "reasoning", text: "Look first." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "call_a1", toolName: "Shell", input: { command: "wc -l cliff" } },
    { type: "tool_result", toolCallId: "call_a1", text: "9 auks", isError: false },
    { type: "assistant", text: "Nine auks." },
    { type: "user", text: "And the gulls?" },
    { type: "rewind" },
    { type: "compaction", tokensBefore: 5768, tokensAfter: 300, text: "Nine auks were counted." },
    { type: "user", injected: "summary" },
    { type: "user", text: "Write it down" },
  ]);
  const usage = used(drafts);
  const keys = ["5ee00000-0000-4000-8000-000000000001", "5ee00000-0000-4000-8000-000000000002"];
  expect(keys.map((key) => usage[key])).toMatchObject([
    { inputUncached: 700, cacheRead: 5000, output: 40 },
    // Its step does not say what it used, the record behind it does.
    { inputUncached: 60, cacheRead: 5700, output: 8 },
  ]);
  // A request that was cut off says nothing of its use.
  expect(usage["5ee00000-0000-4000-8000-000000000003"]).toBeNull();
  const others = Object.entries(usage).filter(([key]) => key.startsWith("usage/"));
  expect(others.map(([, value]) => value)).toMatchObject([{ inputUncached: 5800, output: 90 }]);
  expect(Object.keys(usage)).toHaveLength(4);
  expect(new Set(calls(drafts).map(({ model }) => model))).toEqual(new Set(["kimi-for-coding"]));
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(3);
});

test("Kimi Code: prompts that were taken back leave the context before them", () => {
  const { drafts } = read("code");
  const all = events(drafts);
  const answer = all.find(({ body }) => body.type === "assistant" && body.text === "Nine auks.")!;
  expect(all.find(({ body }) => body.type === "rewind")!.body).toMatchObject({ after: answer.recordKey });
});

test("Kimi Code: the file of the session's folder says where it was, and who began it", () => {
  const beside = {
    ...{
      id: "session_5e55",
      version: 2,
      cwd: "/home/ada/auks",
      title: "Auks",
      isCustomTitle: true,
      createdAt: 1_788_256_700_000,
    },
    agents: {
      main: { type: "main" },
      "agent-1": { type: "sub", parentAgentId: "main" },
      "agent-2": { parentAgentId: "agent-1" },
    },
  };
  const at = (agent: string) => read("code", `${FOLDER}/agents/${agent}/wire.jsonl`, beside);
  const main = at("main");
  expect(kimi.identify(main.state)).toBe("session_5e550000-0000-4000-8000-000000000001");
  expect(patches(main.drafts)).toMatchObject({
    cwd: "/home/ada/auks",
    title: "Auks",
    titleRank: 2,
    model: "kimi-for-coding",
  });
  const [one, two] = [at("agent-1"), at("agent-2")];
  expect(kimi.identify(one.state)).toBe("session_5e550000-0000-4000-8000-000000000001.agent-1");
  expect(patches(one.drafts)).toMatchObject({
    ...{ relation: "subagent", parent: "session_5e550000-0000-4000-8000-000000000001", title: "Count the auks" },
  });
  expect(patches(two.drafts)).toMatchObject({ parent: "session_5e550000-0000-4000-8000-000000000001.agent-1" });
});

test("Kimi Code: a compaction keeps words of the person, first and last, before the summary as it is sent", () => {
  const { drafts } = read("compaction", `${FOLDER}/agents/main/wire.jsonl`);
  const keyOf = (text: string) =>
    events(drafts).find(({ body }) => body.type === "user" && body.text === text)!.recordKey!;
  const kept = ["First the ledges", "/count all", "And the gannets"].map(keyOf);
  expect(spoken(drafts).slice(-2)).toMatchObject([
    {
      ...{ type: "compaction", trigger: "auto", tokensBefore: 1320, tokensAfter: 90, text: "Two nests in the north." },
      ...{ preserved: kept, order: [...kept, null] },
    },
    { type: "user", injected: "summary", text: "What follows is your own summary.\n\nTwo nests in the north." },
  ]);
});

test("Kimi Code: what was not taken back is kept by a compaction", () => {
  const said = (text: string) => ({
    type: "context.append_message",
    message: { role: "user", content: [{ type: "text", text }], origin: { kind: "user" } },
  });
  const compaction = { type: "context.apply_compaction", summary: "So far.", keptUserMessageCount: 2 };
  const keptAfter = (count: number) => {
    const records = [said("One"), said("Two"), said("Three"), { type: "context.undo", count }, compaction];
    const lines = records.map((record, i) => JSON.stringify({ ...record, time: i + 1 }));
    const head = Buffer.from(lines.join("\n"));
    const state = kimi.start({ path: "wire.jsonl", head, sidecars: new Map<string, string>() });
    const all = events(lines.flatMap((line) => [...drafted(line, state)]));
    const textOf = new Map(all.map(({ recordKey, body }) => [recordKey, body.type === "user" ? body.text : ""]));
    return all.flatMap(({ body }) =>
      body.type === "compaction" ? (body.preserved ?? []).map((key) => textOf.get(key)) : [],
    );
  };
  expect([keptAfter(0), keptAfter(1)]).toEqual([
    ["Two", "Three"],
    ["One", "Two"],
  ]);
});

test("Kimi Code: a log names its folder, its sub-agents and what failed; profiles and tasks are notes", () => {
  const { drafts, state } = read("compaction", `${FOLDER}/agents/main/wire.jsonl`);
  const id = kimi.identify(state);
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/ledges", model: "kimi-auk" });
  // In the foreground the result names the agent, in the background a record of its own.
  expect(drafts.filter(({ kind }) => kind === "link")).toMatchObject([
    { toolCallId: "Agent_0", agentId: `${id}.agent-0` },
    { toolCallId: "Agent_1", agentId: `${id}.agent-1` },
  ]);
  expect(bodies(drafts).filter(({ type }) => type === "error" || type === "unknown")).toEqual([
    { type: "error", text: "The model is busy.", code: "overloaded" },
  ]);
});

test("Kimi Code: what a sub-agent was sent to do is its prompt, and its title without what the client set before it", () => {
  const task = { kind: "system_trigger", name: "subagent" };
  const content = [{ type: "text", text: "<git-context>\nRemote: none\n</git-context>\nLook north" }];
  const line = JSON.stringify({
    type: "context.append_message",
    message: { role: "user", content, origin: task },
    time: 5,
  });
  const state = kimi.start({ path: "wire.jsonl", head: Buffer.from(line), sidecars: new Map<string, string>() });
  const drafts = drafted(line, state);
  expect(patches(drafts)).toMatchObject({ title: "Look north" });
  expect(events(drafts)).toMatchObject([{ startsTurn: true, body: { type: "user" } }]);
});

test("kimi-cli: a status says what the step used, and a sub-agent's events are a session of its own", () => {
  const { drafts, state } = read(
    "cli",
    "/home/ada/.kimi/sessions/0a1b/5e550000-0000-4000-8000-000000000009/wire.jsonl",
  );
  expect(kimi.identify(state)).toBe("5e550000-0000-4000-8000-000000000009");
  const own = (lane: string) => drafts.filter((draft) => draft.kind !== "problem" && draft.lane === lane);
  expect(spoken(own(""))).toMatchObject([
    { type: "user", text: "Count the skuas" },
    { type: "reasoning", text: "A helper can look." },
    { type: "tool_call", toolCallId: "Task:0", toolName: "Agent", input: { prompt: "Look at the moor" } },
    { type: "tool_result", toolCallId: "Task:0", text: "Four skuas." },
    { type: "assistant", text: "There are four." },
    { type: "compaction", tokensBefore: null },
  ]);
  expect(Object.values(used(own("")))).toMatchObject([
    { inputUncached: 100, cacheRead: 4000, output: 30 },
    { inputUncached: 50, cacheRead: 4100, output: 6 },
  ]);
  expect(drafts.filter(({ kind }) => kind === "link")).toMatchObject([{ toolCallId: "Task:0", agentId: "a1b2c3d4" }]);
  expect(patches(own("a1b2c3d4"))).toMatchObject({ title: "Look at the moor", relation: "subagent" });
  expect(spoken(own("a1b2c3d4"))).toMatchObject([
    { type: "user", text: "Look at the moor" },
    { type: "assistant", text: "Four skuas." },
  ]);
  expect(Object.values(used(own("a1b2c3d4")))).toMatchObject([{ inputUncached: 900, cacheRead: 0, output: 7 }]);
});

test("a name that stands for what the environment says is no model", () => {
  const lines = [
    { type: "config.update", modelAlias: "__kimi_env_model__", time: 1 },
    { type: "llm.request", kind: "loop", model: "kimi-k3", modelAlias: "__kimi_env_model__", time: 2 },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const state = kimi.start({ path: "wire.jsonl", head: Buffer.from(text), sidecars: new Map<string, string>() });
  expect(patches(drafted(text, state))).toMatchObject({ model: "kimi-k3" });
});

test("an event of a sub-agent is read, however deep it is inside of others", () => {
  const deep = 20_000;
  const inner = JSON.stringify({ type: "ContentPart", payload: { type: "text", text: "Three auks" } });
  const open = '{"type":"SubagentEvent","payload":{"agent_id":"a1","parent_tool_call_id":"call_1","event":';
  const line = `{"timestamp":1767607200,"message":${open.repeat(deep)}${inner}${"}}".repeat(deep)}}`;
  const state = kimi.start({ path: "wire.jsonl", head: Buffer.from(line), sidecars: new Map<string, string>() });
  expect(events(drafted(line, state))).toMatchObject([{ lane: "a1", body: { type: "assistant", text: "Three auks" } }]);
});

test("logs of other programs are none of Kimi's", () => {
  const known = (line: object): boolean =>
    kimi.detect({ path: "x", head: Buffer.from(`${JSON.stringify(line)}\n`), sidecars: new Map<string, string>() });
  expect(known({ timestamp: 1, message: { type: "TurnBegin", payload: { user_input: "Auks?" } } })).toBe(true);
  expect(known({ timestamp: 1, message: { type: "order.paid", payload: {} } })).toBe(false);
  for (const type of ["llm.request", "config.update"]) expect(known({ type, time: 1, latency: 2 })).toBe(false);
});

test("sessions lie where Kimi keeps them; a sub-agent's own copy is left", () => {
  expect(kimi.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.kimi-code/sessions",
    "/home/ada/.kimi/sessions",
  ]);
  expect(kimi.sources({ HOME: "/h", KIMI_CODE_HOME: "/k", KIMI_SHARE_DIR: "/s" }, "linux")).toEqual([
    "/k/sessions",
    "/s/sessions",
  ]);
  expect(kimi.wants(`${FOLDER}/agents/main/wire.jsonl`)).toBe(true);
  expect(kimi.wants("/home/ada/.kimi/sessions/0a1b/5e55/context.jsonl")).toBe(false);
  expect(kimi.wants("/home/ada/.kimi/sessions/0a1b/5e55/subagents/a1b2/wire.jsonl")).toBe(false);
});

test("the agents of a swarm are below the call that began them; one that goes on began with another", () => {
  const result = [
    "<agent_swarm_result>",
    "<summary>completed: 2, failed: 1</summary>",
    '<subagent agent_id="agent-3" item="north &amp; east" outcome="completed">Nine auks.</subagent>',
    '<subagent agent_id="agent-4" item="south" outcome="failed">boom</subagent>',
    '<subagent mode="resume" agent_id="agent-1" item="west" outcome="completed">Two.</subagent>',
    '<subagent item="top" state="not_started" outcome="aborted">cancelled</subagent>',
    "</agent_swarm_result>",
  ].join("\n");
  for (const output of [result, [{ type: "text", text: result }]]) {
    const event = { type: "tool.result", parentUuid: "s", toolCallId: "swarm_0", result: { output } };
    const path = `${FOLDER}/agents/main/wire.jsonl`;
    const state = kimi.start({ path, head: Buffer.from(""), sidecars: new Map() });
    const drafts = drafted(JSON.stringify({ type: "context.append_loop_event", event, time: 5 }), state);
    expect(drafts.filter(({ kind }) => kind === "link")).toMatchObject([
      { toolCallId: "swarm_0", agentId: expect.stringMatching(/\.agent-3$/) as unknown },
      { toolCallId: "swarm_0", agentId: expect.stringMatching(/\.agent-4$/) as unknown },
    ]);
  }
});
