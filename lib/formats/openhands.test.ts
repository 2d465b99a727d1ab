// OpenHands' trajectories, benchmark outputs and events of its SDK. All is written by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, events, patches, recordsOf } from "./codex/testing-codex.ts";
import { openHands } from "./openhands.ts";

const fixture = (name: string): Uint8Array => readFileSync(join(import.meta.dirname, "fixtures", name));

function read(bytes: Uint8Array, path = "x") {
  const file = { path, head: bytes.subarray(0, 65_536), sidecars: new Map<string, string>() };
  const state = openHands.start(file);
  const whole = [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }];
  const records = isDocument(openHands as never, file) ? whole : recordsOf(bytes);
  const drafts: Draft[] = records.flatMap((record) => openHands.parse(record, state));
  return { drafts, name: openHands.identify(state), isDocument: isDocument(openHands as never, file) };
}
const trajectory = () => read(fixture("openhands-synthetic-trajectory.json"));
const output = () => read(fixture("openhands-synthetic-output.jsonl"));
const stream = () => read(fixture("openhands-synthetic-events.jsonl"));

test("actions are calls and observations their results; the words of an answer stand once, before its calls", () => {
  const { drafts, isDocument: isWhole } = trajectory();
  expect(isWhole).toBe(true);
  const all = bodies(drafts).filter(({ type }) => type !== "meta");
  expect(all).toMatchObject([
    { type: "system", text: "You dive." },
    { type: "user", text: "Count the corals.", images: [{ mediaType: "image/png" }] },
    { type: "assistant", text: "I look twice." },
    { type: "tool_call", toolCallId: "a1", toolName: "execute_bash", input: { command: "ls" } },
    { type: "tool_call", toolCallId: "a2", toolName: "str_replace_editor" },
    { type: "tool_result", toolCallId: "a1", isError: false, detail: { exitCode: 0 } },
    { type: "tool_result", toolCallId: "a2", isError: true },
    { type: "compaction", text: "It looked." },
    { type: "assistant", text: "All done." },
    { type: "tool_call", toolName: "finish" },
  ]);
  expect(events(drafts)[0]!.ts).toBe(Date.UTC(2025, 3, 30, 16, 32, 54, 707));
});

test("an answer with two calls is one model call, with the tokens that it says", () => {
  const own = new Map(calls(trajectory().drafts).map((call) => [call.key, call.usage]));
  expect([...own]).toMatchObject([
    ["r1", { inputUncached: 500, cacheRead: 300, cacheWrite: 200, output: 40 }],
    ["r2", { inputUncached: 1200, output: 10 }],
  ]);
});

test("an output of a benchmark is a session an instance, none the child of another", () => {
  const { drafts, isDocument: isWhole } = output();
  expect(isWhole).toBe(false);
  expect([...new Set(events(drafts).map(({ lane }) => lane))]).toEqual(["", "reef__corals-2-2", "reef__corals-3-3"]);
  const about = (lane: string) =>
    Object.assign(
      {},
      ...drafts.flatMap((draft) => (draft.kind === "session" && draft.lane === lane ? [draft.patch] : [])),
    ) as object;
  expect(about("")).toMatchObject({ title: "reef__corals-1", agentName: "OpenHands CodeActAgent" });
  expect(about("reef__corals-2-2")).toMatchObject({ title: "reef__corals-2", relation: "root", model: "openai/llama" });
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({
    usd: 0.5,
    usage: { "claude-sonnet-4": { inputUncached: 1700, cacheRead: 300, output: 50 } },
  });
});

test("where no answer names its tokens, a call has what the run's sum grew by; pairs of old outputs are read too", () => {
  const { drafts } = output();
  const second = calls(drafts).filter(({ lane }) => lane === "reef__corals-2-2");
  expect(second.map(({ usage }) => [usage!.inputUncached, usage!.output])).toEqual([
    [100, 5],
    [150, 4],
  ]);
  const third = events(drafts).filter(({ lane, body }) => lane === "reef__corals-3-3" && body.type !== "meta");
  expect(third.map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Count." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolName: "run", input: { command: "ls" } },
    { type: "tool_result", text: "fan.txt" },
  ]);
});

test("sums of the SDK become the tokens of the answer that follows; the condenser's are calls of their own", () => {
  const { drafts } = stream();
  const own = calls(drafts);
  expect(own.map(({ usage }) => [usage!.inputUncached, usage!.cacheRead, usage!.output])).toEqual([
    [400, 100, 20],
    // Before the answer, whose tokens are the last that are known.
    [80, 0, 8],
    [200, 400, 10],
  ]);
  const answered = events(drafts)
    .filter(({ body }) => body.type === "tool_call")
    .map(({ callKey }) => callKey);
  expect(answered).toEqual([own[0]!.key, own[0]!.key, own[0]!.key]);
  expect(events(drafts).find(({ body }) => body.type === "assistant" && body.text === "One fan.")!.callKey).toBe(
    own[2]!.key,
  );
  expect(drafts.findLast(({ kind }) => kind === "reported")).toMatchObject({
    usd: 0.02,
    usage: { minimax: { inputUncached: 680, output: 38 } },
  });
});

test("events of the SDK are messages, reasoning, calls, results, errors and compactions; an unknown kind is a note", () => {
  const { drafts } = stream();
  expect(bodies(drafts).filter(({ type }) => type !== "meta")).toMatchObject([
    { type: "system", text: "You dive." },
    { type: "user", text: "Count the corals." },
    { type: "user", text: "Reefs are old.", injected: "reminder" },
    { type: "reasoning", text: "Where?" },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "t1", input: { command: "ls" } },
    { type: "tool_call", toolCallId: "t2" },
    { type: "tool_call", toolCallId: "t9", input: '{"command": ' },
    { type: "tool_result", toolCallId: "t1", isError: false },
    { type: "tool_result", toolCallId: "t2", isError: true, detail: { exitCode: 2 } },
    { type: "tool_result", toolCallId: "t9", isError: true },
    { type: "compaction", text: "It looked." },
    { type: "assistant", text: "One fan." },
    { type: "error", text: "Out of air.", code: "NoAir" },
  ]);
  expect(bodies(drafts)).toContainEqual(expect.objectContaining({ subtype: "FutureEvent" }));
  expect(patches(drafts)).toMatchObject({ title: "Count the corals.", model: "minimax" });
});

test("an agent over ACP: its calls are told several times and stand once, and its cache is counted beside its prompts", () => {
  const event = (id: string, kind: string, more: object): object => ({
    ...{ id, kind, source: "agent", timestamp: "2026-09-01T10:00:00", ...more },
  });
  const stats = (id: string, prompt: number, read: number, write: number, output: number): object =>
    event(id, "ConversationStateUpdateEvent", {
      ...{ source: "environment", key: "stats" },
      value: {
        usage_to_metrics: {
          default: {
            ...{ model_name: "claude-opus-5", accumulated_cost: 0.5 },
            accumulated_token_usage: {
              ...{
                prompt_tokens: prompt,
                completion_tokens: output,
                cache_read_tokens: read,
                cache_write_tokens: write,
              },
            },
          },
        },
      },
    });
  const tool = (id: string, status: string, more: object): object =>
    event(id, "ACPToolCallEvent", { tool_call_id: "t1", title: "Read tides.md", tool_kind: "read", status, ...more });
  const lines = [
    event("e1", "MessageEvent", {
      source: "user",
      llm_message: { role: "user", content: [{ type: "text", text: "Read" }] },
    }),
    tool("e2", "in_progress", { raw_input: { path: "tides.md" } }),
    tool("e3", "in_progress", { raw_input: { path: "tides.md" } }),
    tool("e4", "completed", { raw_input: { path: "tides.md" }, raw_output: "low", content: [] }),
    stats("e5", 10, 0, 9000, 60),
    event("e6", "MessageEvent", { llm_message: { role: "assistant", content: [{ type: "text", text: "Low." }] } }),
    stats("e7", 9030, 9000, 9100, 90),
  ];
  const { drafts } = read(new TextEncoder().encode(lines.map((one) => JSON.stringify(one)).join("\n")));
  expect(bodies(drafts).filter(({ type }) => type !== "meta")).toMatchObject([
    { type: "user", text: "Read" },
    { type: "tool_call", toolCallId: "t1", toolName: "read", input: { path: "tides.md" } },
    { type: "tool_result", toolCallId: "t1", text: "low", isError: false },
    { type: "assistant", text: "Low." },
  ]);
  expect(calls(drafts).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 10, cacheRead: 0, cacheWrite: 9000, output: 60 },
    { inputUncached: 9020, cacheRead: 9000, cacheWrite: 100, output: 30 },
  ]);
});

test("other lists and lines are none of OpenHands'", () => {
  const others = [
    [{ id: 1, action: "run" }],
    [{ source: "agent", id: 0 }],
    { kind: "Event", id: "x", source: "agent" },
    { history: [{ role: "user", content: "x" }] },
    { instance_id: "x", model_patch: "" },
  ];
  for (const other of others) {
    const head = new TextEncoder().encode(JSON.stringify(other));
    expect(openHands.detect({ path: "x", head, sidecars: new Map() }), JSON.stringify(other)).toBe(false);
  }
});

/** Events of a run of `count` calls, each of one action, behind the events that it begins with. */
function run(count: number, prompts = [500, 700, 900, 1100]): object[] {
  const at = { timestamp: "2026-06-16T05:39:10" };
  const call = (n: number): object[] => {
    const prompt = prompts.slice(0, n + 1).reduce((sum, one) => sum + one, 0);
    const sum = {
      ...{ prompt_tokens: prompt, completion_tokens: 10 * (n + 1), cache_read_tokens: 100 * n },
      per_turn_token: prompts[n]! + 10,
    };
    const metrics = { model_name: "m", accumulated_cost: 0.5 * (n + 1), accumulated_token_usage: sum };
    return [
      {
        ...{ id: `s${n}`, ...at, source: "environment", kind: "ConversationStateUpdateEvent", key: "stats" },
        value: { usage_to_metrics: { default: metrics } },
      },
      {
        ...{
          id: `a${n}`,
          ...at,
          source: "agent",
          kind: "ActionEvent",
          llm_response_id: `r${n}`,
          tool_call_id: `t${n}`,
        },
        ...{ tool_name: "terminal", thought: [], action: { command: "ls" } },
      },
      {
        ...{ id: `o${n}`, ...at, source: "environment", kind: "ObservationEvent", tool_call_id: `t${n}` },
        ...{ action_id: `a${n}`, observation: { content: [] } },
      },
    ];
  };
  return [
    { id: "p", ...at, source: "agent", kind: "SystemPromptEvent", system_prompt: { text: "You dive." } },
    { id: "u", ...at, source: "user", kind: "MessageEvent", llm_message: { role: "user", content: "Count." } },
    ...Array.from({ length: count }, (_, n) => call(n)).flat(),
  ];
}

const readLines = (all: readonly object[]) =>
  read(Buffer.from(all.map((one) => `${JSON.stringify(one)}\n`).join(""))).drafts;

test("an event with an earlier parent goes on from there", () => {
  const said = (id: string, parent: string | null, more: object) => ({
    ...{ id, timestamp: "2026-09-23T09:42:19.4", ...(parent !== null && { parent_id: parent }) },
    ...{ kind: "MessageEvent", source: "user", llm_message: { role: "user", content: id } },
    ...more,
  });
  const drafts = readLines([
    said("p", null, { source: "agent", kind: "SystemPromptEvent", system_prompt: { text: "Dive." } }),
    said("u1", "p", {}),
    said("s", null, { source: "environment", kind: "ConversationStateUpdateEvent", key: "state", value: "idle" }),
    said("a1", "u1", { source: "agent" }),
    said("u2", "p", {}),
    said("a2", "u2", { source: "agent" }),
  ]);
  const events = drafts.flatMap((draft) => (draft.kind === "event" ? [draft] : []));
  expect(events.map(({ body }) => body.type)).toEqual(["system", "user", "meta", "user", "rewind", "user", "user"]);
  expect(events[4]).toMatchObject({ body: { after: "p" }, isRecord: false, recordKey: null });
});

test("a stream that begins in the middle of its run has its own calls, and not those before", () => {
  const all = run(4);
  const known = (drafts: Draft[]): number[] =>
    calls(drafts).flatMap(({ usage }) => (usage === null ? [] : usage.inputUncached + usage.cacheRead));
  const reported = (drafts: Draft[]) => drafts.findLast((draft) => draft.kind === "reported");
  expect(known(readLines(all))).toEqual([500, 700, 900, 1100]);
  // A client may leave the system prompt out.
  expect(known(readLines(all.slice(1)))).toEqual([500, 700, 900, 1100]);
  expect(known(readLines(all.slice(3)))).toEqual([900, 1100]);
  for (const from of [4, 5]) {
    const cut = readLines(all.slice(from));
    expect(known(cut)).toEqual([900, 1100]);
    expect(calls(cut)).toHaveLength(3);
    expect(reported(cut)).toMatchObject({ usd: 1, usage: { m: { output: 20 } } });
    expect(patches(cut)).toMatchObject({ quality: expect.stringContaining("in the middle of a run") as unknown });
  }
  const [first, second] = [all.slice(0, 8), all.slice(8)].map(readLines);
  expect([...known(first!), ...known(second!)]).toEqual([500, 700, 1100]);
});

test("a stream that begins with what the agent did begins in the middle of its run, also where no sum says so", () => {
  const all = JSON.parse(JSON.stringify(run(2)).replaceAll(/,"per_turn_token":\d+/g, "")) as object[];
  const known = (drafts: Draft[]) => calls(drafts).flatMap(({ usage }) => usage ?? []);
  expect(known(readLines(all.slice(1)))).toHaveLength(2);
  const at = { timestamp: "2026-06-16T05:39:10" };
  const error = {
    id: "e",
    ...at,
    source: "agent",
    kind: "AgentErrorEvent",
    tool_call_id: "t0",
    error: "No such tool.",
  };
  const cut = { id: "c", ...at, source: "environment", kind: "Condensation", forgotten_event_ids: ["u"], summary: "S" };
  const answer = { id: "m", ...at, source: "agent", kind: "MessageEvent", llm_message: { content: "Six." } };
  for (const first of [all[3]!, error, cut, answer]) {
    const drafts = readLines([first, ...all.slice(5)]);
    expect(known(drafts)).toEqual([]);
    expect(patches(drafts)).toMatchObject({ quality: expect.stringContaining("in the middle of a run") as unknown });
  }
});

test("a half-written last line of a stream is no session of its own", () => {
  const lines = run(1).map((one) => JSON.stringify(one));
  const drafts = read(Buffer.from(`${lines.join("\n")}\n${lines[2]!.slice(0, 90)}`)).drafts;
  expect(new Set(drafts.flatMap((draft) => ("lane" in draft ? draft.lane : [])))).toEqual(new Set([""]));
  expect(drafts.filter(({ kind }) => kind === "problem")).toHaveLength(1);
});

test("the session's model is the agent's own, whatever else the sums name; without one it is that of calls", () => {
  const sum = (model: string, prompt: number) => ({
    ...{ model_name: model, accumulated_cost: 0 },
    accumulated_token_usage: { prompt_tokens: prompt, completion_tokens: prompt / 10 },
  });
  const at = (second: number) => ({ timestamp: `2026-02-01T10:00:0${second}` });
  const stats = (second: number, sums: object) => ({
    ...{ id: `s${second}`, ...at(second), source: "environment", kind: "ConversationStateUpdateEvent", key: "stats" },
    value: { usage_to_metrics: sums },
  });
  const run = (...all: object[]) => {
    const first = { id: "p", ...at(0), source: "agent", kind: "SystemPromptEvent", system_prompt: { text: "Dive." } };
    const text = [first, ...all].map((one) => JSON.stringify(one)).join("\n");
    return read(new TextEncoder().encode(`${text}\n`)).drafts;
  };
  const small = (prompt: number) => ({ condenser: sum("small", prompt) });
  const answer = {
    ...{ id: "a", ...at(3), source: "agent", kind: "MessageEvent", llm_response_id: "r1" },
    llm_message: { role: "assistant", content: [{ type: "text", text: "Seven." }] },
  };
  const both = run(stats(1, { ...small(0), agent: sum("large", 1000) }), answer);
  expect(patches(both)).toMatchObject({ model: "large" });
  expect(calls(both)).toMatchObject([{ model: "large", usage: { inputUncached: 1000 } }]);
  const later = run(stats(1, small(500)), stats(2, { ...small(500), agent: sum("large", 1000) }), answer);
  expect(patches(later)).toMatchObject({ model: "large" });
  expect(calls(later).map(({ model }) => model)).toEqual(["small", "large"]);
  expect(patches(run(stats(1, { main: sum("medium", 100), ...small(0) })))).toMatchObject({ model: "medium" });
});

test("a file of one later event is part of a conversation, and no session", () => {
  const action = (id: number) => ({
    ...{ id, timestamp: "2026-02-01T10:00:00", source: "agent", message: "", action: "run", args: { command: "ls" } },
    tool_call_metadata: { tool_call_id: "t1", model_response: { id: "r1", usage: { prompt_tokens: 9 } } },
  });
  const bytes = (...all: object[]) => new TextEncoder().encode(all.map((one) => JSON.stringify(one)).join("\n"));
  for (const path of ["/x/events/3.json", "3.json", "event_000003_0a1b2c3d.json"]) {
    const { drafts, name } = read(bytes(action(3)), path);
    expect([drafts.map(({ kind }) => kind), name]).toEqual([["problem"], null]);
    expect(drafts).toMatchObject([{ reason: "One event of a conversation. Import its folder." }]);
  }
  expect(calls(read(bytes(action(3), action(4)), "3.json").drafts)).not.toEqual([]);
  expect(calls(read(bytes(action(0)), "0.json").drafts)).toHaveLength(1);
  expect(calls(read(bytes(action(3)), "run.jsonl").drafts)).toHaveLength(1);
});

const readList = (all: readonly object[]) => read(new TextEncoder().encode(JSON.stringify(all)));
const spent = (prompt: number, output: number, usd: number) => ({
  accumulated_cost: usd,
  accumulated_token_usage: {
    ...{ model: "claude-3-7-sonnet", prompt_tokens: prompt, completion_tokens: output },
    ...{ cache_read_tokens: 0, cache_write_tokens: 0 },
  },
});
const byAgent = (id: number, more: object) => ({ id, timestamp: "2025-05-01T10:00:00", source: "agent", ...more });

test("a trajectory's sums are the agent's own totals, and what a condensation used is a call", () => {
  const answered = (id: string, prompt: number, output: number) => ({
    function_name: "execute_bash",
    ...{ tool_call_id: `t${id}`, total_calls_in_response: 1 },
    model_response: {
      id,
      model: "claude-3-7-sonnet",
      choices: [{ message: { role: "assistant", content: "I look." } }],
      usage: { prompt_tokens: prompt, completion_tokens: output },
    },
  });
  const { drafts } = readList([
    { ...byAgent(0, { action: "message", args: { content: "Count." } }), source: "user" },
    byAgent(1, {
      action: "run",
      args: { command: "ls" },
      tool_call_metadata: answered("a", 1000, 50),
      llm_metrics: spent(1000, 50, 0.25),
    }),
    byAgent(2, { action: "condensation", args: { summary: "S" }, llm_metrics: spent(6000, 150, 0.5) }),
    byAgent(3, {
      action: "finish",
      args: {},
      tool_call_metadata: answered("b", 2000, 60),
      llm_metrics: spent(8000, 210, 0.75),
    }),
  ]);
  expect(calls(drafts).map(({ model, usage }) => [model, usage?.inputUncached, usage?.output])).toEqual([
    ["claude-3-7-sonnet", 1000, 50],
    ["claude-3-7-sonnet", 5000, 100],
    ["claude-3-7-sonnet", 2000, 60],
  ]);
  expect(drafts.filter((draft) => draft.kind === "reported").at(-1)).toMatchObject({
    usd: 0.75,
    usage: { "claude-3-7-sonnet": { inputUncached: 8000, output: 210 } },
  });
});

test("a trajectory that sums dollars alone has them", () => {
  const { drafts } = readList([
    { ...byAgent(0, { action: "message", args: { content: "Count." } }), source: "user" },
    byAgent(1, { action: "run", args: { command: "ls" }, llm_metrics: { accumulated_cost: 0.25, token_usages: [] } }),
  ]);
  expect(drafts.filter((draft) => draft.kind === "reported").at(-1)).toMatchObject({ usd: 0.25 });
});
