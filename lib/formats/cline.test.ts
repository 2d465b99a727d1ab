// Conversations of Cline, Roo and the command line. All are synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { cline } from "./cline.ts";
import { clineUsage } from "./cline/cline-beside.ts";
import { xmlPieces } from "./cline/cline-xml-calls.ts";
import { FORMATS } from "./index.ts";

const TASK = "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1772447000000";
const ROO = "/home/ada/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1772448000000";
const LINE = "/home/ada/.cline/data/sessions/1772446800000_abcde/1772446800000_abcde";

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, "fixtures", `cline-synthetic-${name}`));

function read(bytes: Uint8Array, path: string, beside: Readonly<Record<string, unknown>> = {}): Draft[] {
  const sidecars = new Map(Object.entries(beside).map(([name, value]) => [name, JSON.stringify(value)]));
  const state = cline.start({ path, head: bytes.subarray(0, 65_536), sidecars });
  return cline.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
}

const bodies = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
const calls = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
const patches = (drafts: readonly Draft[]) =>
  Object.assign({}, ...drafts.flatMap((draft) => (draft.kind === "session" ? [draft.patch] : []))) as Record<
    string,
    unknown
  >;
const said = (ts: number, request: object, more: object = {}): object => ({
  ...{ ts, type: "say", say: "api_req_started", text: JSON.stringify(request) },
  ...more,
});

test("a session of the command line has its calls with usage, its prompts unframed and its system prompt", () => {
  const drafts = read(fixture("session.messages.json"), `${LINE}.messages.json`, {
    [`${LINE}.json`]: { cwd: "/home/ada/tides", started_at: "2026-03-02T10:00:00.000Z", metadata: { title: "Tides" } },
  });
  expect(bodies(drafts).find(({ type }) => type === "user")).toMatchObject({ text: "Which tide is highest?" });
  expect(bodies(drafts).find(({ type }) => type === "system")).toMatchObject({ subtype: "prompt" });
  expect(
    calls(drafts).map(({ usage, model }) => [model, usage?.inputUncached, usage?.cacheRead, usage?.output]),
  ).toEqual([
    ["claude-sonnet-4-5", 200, 9000, 81],
    ["claude-sonnet-4-5", 300, 10_200, 33],
  ]);
  expect(bodies(drafts).filter(({ type }) => type === "tool_result")).toMatchObject([
    { text: '[{"query":"cat tides.txt","result":"spring 4.2\\nneap 2.1\\n","success":true}]', isError: false },
    { text: "No file none.txt", isError: true },
  ]);
  expect(patches(drafts)).toMatchObject({ title: "Tides", cwd: "/home/ada/tides", agentVersion: "3.0.65" });
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.0126 });
  expect(bodies(drafts).filter(({ type }) => type === "unknown")).toHaveLength(1);
});

test("a document that does not say who wrote it is known by what its answers cost", () => {
  const metrics = { inputTokens: 7507, outputTokens: 131, cacheReadTokens: 50, cacheWriteTokens: 0, cost: 0.011 };
  const document = {
    sessionId: "cli-1",
    messages: [
      { id: "u1", role: "user", ts: 1_785_320_470_000, content: [{ type: "text", text: "Which tide?" }] },
      { id: "a1", role: "assistant", content: [{ type: "text", text: "Spring." }], modelInfo: { id: "m1" }, metrics },
    ],
  };
  const bytes = Buffer.from(JSON.stringify(document));
  const known = FORMATS.filter((one) => one.detect({ path: "x.json", head: bytes, sidecars: new Map() }));
  expect(known.map(({ id }) => id)).toEqual(["cline"]);
  expect(calls(read(bytes, "x.json"))).toMatchObject([
    { model: "m1", usage: { inputUncached: 7457, cacheRead: 50, output: 131 } },
  ]);
});

test("what the command line compacted stands before the message that came after it", () => {
  const kept = { id: "msg_synth_u2", role: "user", content: [] };
  const messages = [{ id: "sum", role: "user", content: [{ type: "text", text: "So far: tides." }] }, kept];
  const drafts = read(fixture("session.messages.json"), `${LINE}.messages.json`, {
    [`${LINE}.compaction.json`]: { version: 1, source_message_count: 4, messages },
  });
  const types = bodies(drafts).map(({ type }) => type);
  const at = types.indexOf("compaction");
  expect(bodies(drafts)[at]).toMatchObject({ text: "So far: tides.", preserved: ["msg_synth_u2"] });
  expect(
    bodies(drafts)
      .slice(at + 1)
      .map((body) => ("text" in body ? body.text : "")),
  ).toEqual(["So far: tides.", "And the lowest?", '{"type":"hologram","text":"?"}']);
});

test("a sub-agent of the command line belongs to the session that its header names", () => {
  const path = LINE.replace(/[^/]+$/, "1772446800000_abcde__agent_1.messages.json");
  const value = JSON.parse(fixture("session.messages.json").toString()) as object;
  const bytes = Buffer.from(JSON.stringify({ ...value, agent: "subagent" }));
  const state = cline.start({ path, head: bytes, sidecars: new Map() });
  const drafts = cline.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  expect(cline.identify(state)).toBe("1772446800000_abcde__agent_1");
  expect(patches(drafts)).toMatchObject({ parent: "1772446800000_abcde", relation: "subagent" });
});

test("a child of the command line that has an id of its own belongs to the session that its origin names, or that its id begins with", () => {
  const root = "1772446800000_abcde";
  const value = JSON.parse(fixture("session.messages.json").toString()) as object;
  const child = (stem: string, own: string, origin: object) => {
    const bytes = Buffer.from(JSON.stringify({ ...value, agent: "teammate", sessionId: own, origin }));
    const state = cline.start({
      path: LINE.replace(/[^/]+$/, `${stem}.messages.json`),
      head: bytes,
      sidecars: new Map(),
    });
    const { parent, relation } = patches(cline.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state));
    return [cline.identify(state), parent, relation];
  };
  const task = `${root}__teamtask__scout__x7Yz00`;
  expect(child("scout__x7Yz00", task, { parentThreadId: root })).toEqual([task, root, "subagent"]);
  expect(child("scout__x7Yz00", task, {})).toEqual([task, root, "subagent"]);
  expect(child("worker", `${root}__worker`, {})).toEqual([`${root}__worker`, root, "subagent"]);
});

const LEGACY =
  "Warning: this is a legacy conversation, which means tool names may have changed. Please use the most up-to-date tools you are aware of.";

test.each([
  LEGACY,
  "[cline-legacy-resume-warning:v1]\nWarning: this conversation was created by an older Cline runtime. Tool names, …",
])("a task of the editor's older versions that goes on behind %j: what was said before is no call of it", (warning) => {
  const said = (id: string, role: string, text: string, more: object = {}) => ({
    ...{ id, role, content: [{ type: "text", text }], ts: 1_772_447_900_000 },
    ...more,
  });
  const modelInfo = { id: "claude-sonnet-4-5", provider: "anthropic" };
  const counts = { cacheReadTokens: 0, cacheWriteTokens: 0 };
  const messages = [
    said("m1", "user", "Count the corals."),
    said("m2", "assistant", "Three."),
    said("m3", "user", "And the fish?"),
    // The sum of the whole older task.
    said("m4", "assistant", "Nine.", {
      modelInfo,
      metrics: { inputTokens: 900_000, outputTokens: 5000, cost: 4, ...counts },
    }),
    said("m5", "user", warning),
    said("m6", "user", "And the crabs?"),
    said("m7", "assistant", "Two.", {
      modelInfo,
      metrics: { inputTokens: 1200, outputTokens: 4, cost: 0.25, ...counts },
    }),
  ];
  const value = JSON.parse(fixture("session.messages.json").toString()) as object;
  const drafts = read(Buffer.from(JSON.stringify({ ...value, messages })), `${LINE}.messages.json`);
  expect(calls(drafts).map(({ key, usage }) => [key, usage?.inputUncached])).toEqual([["m7", 1200]]);
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.25 });
  const users = drafts.flatMap((draft) => (draft.kind === "event" && draft.body.type === "user" ? [draft] : []));
  expect(users.map(({ startsTurn }) => startsTurn)).toEqual([true, true, false, true]);
  expect(bodies(drafts).filter(({ type }) => type === "assistant")).toHaveLength(3);
});

test("a session in which a tool read the client's own source, with that warning in it, keeps its calls", () => {
  const value = JSON.parse(fixture("session.messages.json").toString()) as { messages: object[] };
  const path = `${LINE}.messages.json`;
  const before = calls(read(fixture("session.messages.json"), path));
  const source = `const MARK = "[cline-legacy-resume-warning:v1]"\nconst WARNING =\n\t"${LEGACY}"`;
  const result = { id: "m98", role: "user", ts: 1_772_447_900_000, content: [] as object[] };
  for (const block of [
    { type: "tool_result", tool_use_id: "t98", name: "read_files", content: [{ type: "text", text: LEGACY }] },
    { type: "text", text: `Look at this:\n${source}` },
  ]) {
    const messages = [...value.messages, { ...result, content: [block] }];
    expect(calls(read(Buffer.from(JSON.stringify({ ...value, messages })), path))).toEqual(before);
  }
  expect(before.length).toBeGreaterThan(0);
});

test("a task has the calls that were written as text, and the usage that stands in the panel", () => {
  const panel = [
    said(1_772_447_000_500, { tokensIn: 40, tokensOut: 0, cancelReason: "streaming_failed" }),
    said(1_772_447_001_000, { tokensIn: 100, tokensOut: 20, cacheWrites: 900, cacheReads: 5, cost: 0.01 }),
    said(1_772_447_004_000, { tokensIn: 50, tokensOut: 30, cacheReads: 1000, cost: 0.02 }),
    said(1_772_447_007_000, { request: "…" }),
  ];
  const drafts = read(fixture("task.json"), `${TASK}/api_conversation_history.json`, {
    [`${TASK}/ui_messages.json`]: panel,
  });
  expect(
    bodies(drafts)
      .filter(({ type }) => type === "tool_call" || type === "tool_result")
      .map((body) => (body.type === "tool_call" ? [body.toolName, body.input] : "text" in body ? body.text : null)),
  ).toEqual([
    ["read_file", { path: "reef.csv" }],
    "brain,3\nfire,2\n",
    ["write_to_file", { path: "sum.txt", content: "5 </content> inside" }],
    "The content was saved.",
    ["attempt_completion", { result: "5 corals" }],
  ]);
  expect(calls(drafts).map(({ usage }) => usage && [usage.inputUncached, usage.cacheRead, usage.cacheWrite])).toEqual([
    [100, 5, 900],
    [50, 1000, 0],
    null,
    [40, 0, 0],
  ]);
  expect(patches(drafts)).toMatchObject({ title: "Count the corals", cwd: "/home/ada/reef", agentName: "Cline" });
  expect(patches(drafts)["quality"]).toBeUndefined();
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.03 });
});

test("what Cline cut out of a task's context leaves it where the cut was made", () => {
  const panel = [said(1_772_447_004_500, { tokensIn: 1, tokensOut: 1 }, { conversationHistoryDeletedRange: [2, 3] })];
  const drafts = read(fixture("task.json"), `${TASK}/api_conversation_history.json`, {
    [`${TASK}/ui_messages.json`]: panel,
  });
  const events = drafts.flatMap((draft) => (draft.kind === "event" ? [draft] : []));
  const at = events.findIndex(({ body }) => body.type === "compaction");
  expect(events[at]!.ts).toBe(1_772_447_006_000);
  expect(events[at]!.body).toMatchObject({
    trigger: "truncation",
    preserved: ["1772447000000/1772447000000.user", "1772447000000/1772447002000.assistant"],
  });
});

test("Roo's summary is a compaction; what it condensed stays in the log", () => {
  const panel = [
    {
      ts: 1_772_448_003_100,
      type: "say",
      say: "condense_context",
      contextCondense: { prevContextTokens: 90, newContextTokens: 9 },
    },
    said(1_772_448_004_000, {
      tokensIn: 1000,
      tokensOut: 5,
      cacheReads: 900,
      cacheWrites: 0,
      apiProtocol: "anthropic",
    }),
  ];
  const drafts = read(fixture("roo.json"), `${ROO}/api_conversation_history.json`, {
    [`${ROO}/ui_messages.json`]: panel,
    [`${ROO}/history_item.json`]: { task: "List", workspace: "/home/ada/wrecks", parentTaskId: "1772447999999" },
  });
  expect(bodies(drafts).find(({ type }) => type === "compaction")).toMatchObject({
    text: "## Conversation Summary\nOne wreck: mary.",
    tokensBefore: 90,
    tokensAfter: 9,
  });
  expect(calls(drafts).at(-1)?.usage).toMatchObject({ inputUncached: 100, cacheRead: 900, output: 5 });
  expect(patches(drafts)).toMatchObject({ agentName: "Roo Code", parent: "1772447999999", relation: "subagent" });
});

test("what Roo's window left out leaves the context when it did, and the mark of it is no prompt", () => {
  const at = (n: number): number => 1_772_448_000_000 + n * 1000;
  const user = (n: number, text: string, more: object = {}) => ({
    role: "user",
    ts: at(n),
    content: [{ type: "text", text }],
    ...more,
  });
  const agent = (n: number, text: string, more: object = {}) => ({
    role: "assistant",
    ts: at(n),
    content: [{ type: "text", text }],
    ...more,
  });
  const hidden = { truncationParent: "t-1" };
  const messages = [
    user(0, "First"),
    agent(1, "One", hidden),
    user(2, "Second", hidden),
    {
      role: "user",
      content: "[Sliding window truncation: 2 messages hidden to reduce context]",
      ts: at(3) - 1,
      isTruncationMarker: true,
      truncationId: "t-1",
    },
    agent(3, "Two"),
    user(4, "Third"),
    agent(6, "Three"),
  ];
  const file = Buffer.from(JSON.stringify(messages));
  const contextTruncation = { truncationId: "t-1", messagesRemoved: 2, prevContextTokens: 900, newContextTokens: 500 };
  const panel = [{ ts: at(5), type: "say", say: "sliding_window_truncation", contextTruncation }];
  const drafts = read(file, `${ROO}/api_conversation_history.json`, { [`${ROO}/ui_messages.json`]: panel });
  expect(
    bodies(drafts)
      .slice(1)
      .map((body) => ("text" in body ? [body.type, body.text] : [])),
  ).toEqual([
    ["user", "First"],
    ["assistant", "One"],
    ["user", "Second"],
    ["meta", messages[3]!.content],
    ["assistant", "Two"],
    ["user", "Third"],
    ["compaction", ""],
    ["assistant", "Three"],
  ]);
  const kept = (n: number): unknown => expect.stringContaining(String(at(n)));
  expect(bodies(drafts).find(({ type }) => type === "compaction")).toMatchObject({
    ...{ tokensBefore: 900, tokensAfter: 500, preserved: [kept(0), kept(3), kept(4)] },
  });
  const alone = bodies(read(file, `${ROO}/api_conversation_history.json`));
  expect(alone.findIndex(({ type }) => type === "compaction")).toBe(5);
});

test("Roo's second version has messages of the AI SDK: they are read as those before, with the panel's usage", () => {
  const at = (n: number): number => 1_772_448_000_000 + n * 1000;
  const image = { type: "image", image: "data:image/png;base64,aW1hZ2U=" };
  const output = { type: "error-text", value: "No such folder" };
  const messages = [
    { role: "user", ts: at(0), content: [{ type: "text", text: "<user_message>\nList\n</user_message>" }, image] },
    { type: "reasoning", encrypted_content: "sealed", ts: at(1) },
    {
      ...{ role: "assistant", ts: at(2) },
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "c1", toolName: "list_files", input: { path: "." } },
      ],
    },
    { role: "tool", ts: at(3), content: [{ type: "tool-result", toolCallId: "c1", toolName: "list_files", output }] },
    { role: "user", ts: at(3), content: [{ type: "text", text: "<environment_details>\nx\n</environment_details>" }] },
    { role: "assistant", ts: at(5), content: [{ type: "text", text: "None." }] },
  ];
  const file = Buffer.from(JSON.stringify({ version: 2, messages }));
  expect(cline.detect({ path: "x.json", head: file, sidecars: new Map() })).toBe(true);
  const counts = { apiProtocol: "anthropic", cacheReads: 700, cacheWrites: 200, tokensOut: 5 };
  const panel = [said(at(1), { ...counts, tokensIn: 1000 }), said(at(4), { ...counts, tokensIn: 1100 })];
  const drafts = read(file, `${ROO}/api_conversation_history.json`, { [`${ROO}/ui_messages.json`]: panel });
  expect(bodies(drafts).slice(1)).toMatchObject([
    { type: "user", text: "List" },
    { type: "user", images: [{ mediaType: "image/png" }] },
    { type: "reasoning", encrypted: true },
    { type: "reasoning", text: "Hm." },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "c1", toolName: "list_files", input: { path: "." } },
    { type: "tool_result", toolCallId: "c1", text: "No such folder", isError: true },
    { type: "user", injected: "environment" },
    { type: "assistant", text: "None." },
  ]);
  expect(calls(drafts).map(({ usage }) => usage?.inputUncached)).toEqual([100, 200]);
});

test("the command line's images and files are what the model was sent, in prompts and in results", () => {
  const image = { type: "image", data: "aW1hZ2U=", mediaType: "image/png" };
  const messages = [
    {
      id: "u1",
      role: "user",
      content: [{ type: "text", text: "See" }, image, { type: "file", path: "/reef/a.md", content: "low" }],
    },
    { id: "a1", role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
    {
      id: "u2",
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", name: "look", content: [{ type: "text", text: "a reef" }, image] },
      ],
    },
  ];
  const drafts = read(Buffer.from(JSON.stringify({ version: 1, sessionId: "s", messages })), `${LINE}.messages.json`);
  const images = [{ mediaType: "image/png", attachment: 0 }];
  expect(bodies(drafts).slice(1)).toMatchObject([
    { type: "user", text: "See" },
    { type: "user", text: "", images },
    { type: "user", text: "/reef/a.md\n\nlow", injected: "file" },
    { type: "tool_call" },
    { type: "tool_result", text: "a reef", images },
  ]);
});

test("what a person deleted, what sub-agents used and what a summary cost is in the sums, and in no call", () => {
  const counts = { tokensIn: 100, tokensOut: 20, cacheReads: 5, cacheWrites: 3, cost: 0.25 };
  const modelInfo = { modelId: "claude-sonnet-4-5", providerId: "anthropic" };
  const panel = [
    said(1_772_447_000_100, { ...counts, cost: 0.5 }, { modelInfo }),
    said(1_772_447_000_200, counts, { say: "deleted_api_reqs" }),
    said(1_772_447_000_300, { source: "subagents", ...counts, cost: 0.125 }, { say: "subagent_usage" }),
    {
      ts: 1_772_447_000_400,
      type: "say",
      say: "condense_context",
      contextCondense: { cost: 0.0625, prevContextTokens: 9 },
    },
  ];
  const messages = [
    { role: "user", content: "Ask" },
    { role: "assistant", content: [{ type: "text", text: "Yes." }] },
  ];
  const drafts = read(Buffer.from(JSON.stringify(messages)), `${TASK}/api_conversation_history.json`, {
    [`${TASK}/ui_messages.json`]: panel,
  });
  expect(calls(drafts)).toMatchObject([{ usage: { inputUncached: 100, cacheRead: 5, cacheWrite: 3, output: 20 } }]);
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({
    usd: 0.9375,
    usage: { "claude-sonnet-4-5": { inputUncached: 300, cacheRead: 15, cacheWrite: 9, output: 60 } },
  });
});

test("Roo's and Kilo's calls are of the model that the words before the answer name, those that failed too", () => {
  const about = (model: string): object => ({
    type: "text",
    text: `<environment_details>\n# Current Mode\n<slug>code</slug>\n<name>Code</name>\n<model>${model}</model>\n</environment_details>`,
  });
  const at = (seconds: number): number => 1_772_448_000_000 + seconds * 1000;
  const messages = [
    { role: "user", ts: at(0), content: [{ type: "text", text: "<task>\nCount\n</task>" }, about("glm-5.2")] },
    { role: "assistant", ts: at(3), content: [{ type: "text", text: "One." }] },
    { role: "user", ts: at(4), content: [{ type: "text", text: "Say <model>none</model>." }] },
    { role: "assistant", ts: at(6), content: [{ type: "text", text: "Two." }] },
    { role: "user", ts: at(7), content: [{ type: "text", text: "And?" }, about("anthropic/claude-sonnet-5")] },
    { role: "assistant", ts: at(9), content: [{ type: "text", text: "Three." }] },
  ];
  const panel = [1, 2, 5, 8].map((second) => said(at(second), { tokensIn: 100 + second, tokensOut: 5 }));
  const drafts = read(Buffer.from(JSON.stringify(messages)), `${ROO}/api_conversation_history.json`, {
    [`${ROO}/ui_messages.json`]: panel,
  });
  expect(calls(drafts).map(({ model, usage }) => [model, usage?.inputUncached])).toEqual([
    ["glm-5.2", 102],
    ["glm-5.2", 105],
    ["anthropic/claude-sonnet-5", 108],
    ["glm-5.2", 101],
  ]);
  expect(patches(drafts)).toMatchObject({ model: "anthropic/claude-sonnet-5" });
});

test("without the panel's file the session says that it has no tokens", () => {
  expect(patches(read(fixture("task.json"), `${TASK}/api_conversation_history.json`))["quality"]).toMatch(/No tokens/);
});

test("input holds the cache where the agent counts so, and only where the sum allows it", () => {
  const counts = { input: 100, output: 1, read: 90, write: 5 };
  expect(clineUsage(counts, true)).toMatchObject({ inputUncached: 5, cacheRead: 90, cacheWrite: 5 });
  expect(clineUsage(counts, false)).toMatchObject({ inputUncached: 100 });
  expect(clineUsage({ ...counts, input: 10 }, true)).toMatchObject({ inputUncached: 10 });
});

test("a call that is not closed is words, and so is a tag that is no tool", () => {
  expect(xmlPieces("See <read_file><path>x")).toEqual([{ text: "See <read_file><path>x" }]);
  expect(xmlPieces("<b>bold</b>")).toEqual([{ text: "<b>bold</b>" }]);
});

test("nightly extensions, the one that goes on with Roo, and the command lines of Roo and Kilo are found by their folders", () => {
  const places = cline.sources({ HOME: "/home/ada" }, "linux");
  const stored = "/home/ada/.config/Code/User/globalStorage";
  expect(places).toEqual(
    expect.arrayContaining([
      `${stored}/zoocodeorganization.zoo-code*/tasks`,
      `${stored}/rooveterinaryinc.roo-code-nightly*/tasks`,
      `${stored}/saoudrizwan.cline-nightly*/tasks`,
      "/home/ada/.vscode-mock/global-storage*/tasks",
      "/home/ada/.kilocode/cli/global*/tasks",
    ]),
  );
  const panel = [said(1_772_448_000_100, { tokensIn: 100, tokensOut: 5, cacheReads: 60, cacheWrites: 0 })];
  const nameAt = (folder: string) => {
    const drafts = read(fixture("roo.json"), `${folder}/tasks/1/api_conversation_history.json`, {
      [`${folder}/tasks/1/ui_messages.json`]: panel,
    });
    return [patches(drafts)["agentName"], calls(drafts)[0]?.usage?.inputUncached];
  };
  expect(nameAt(`${stored}/zoocodeorganization.zoo-code`)).toEqual(["Zoo Code", 40]);
  expect(nameAt("/home/ada/.vscode-mock/global-storage")).toEqual(["Roo Code", 40]);
  expect(nameAt("/home/ada/.kilocode/cli/global")).toEqual(["Kilo Code", 40]);
});

test("editors on a server and those of Flatpak keep tasks in folders of their own", () => {
  const places = cline.sources({ HOME: "/home/ada" }, "linux");
  const task = "User/globalStorage/kilocode.kilo-code*/tasks";
  expect(places).toEqual(
    expect.arrayContaining([
      `/home/ada/.local/share/code-server/${task}`,
      `/home/ada/.windsurf-server/data/${task}`,
      `/home/ada/.antigravity-server/data/${task}`,
      `/home/ada/.trae-server/data/${task}`,
      `/home/ada/.config/Trae/${task}`,
      `/home/ada/.config/Trae CN/${task}`,
      `/home/ada/.vscodium-server/data/${task}`,
      `/home/ada/.var/app/com.visualstudio.code/config/Code/${task}`,
      `/home/ada/.var/app/com.vscodium.codium/config/VSCodium/${task}`,
    ]),
  );
  expect(cline.sources({ HOME: "/home/ada", XDG_DATA_HOME: "/data" }, "linux")).toContain(`/data/code-server/${task}`);
  expect(cline.sources({ HOME: "/Users/ada" }, "darwin").join()).not.toMatch(/\/code-server|\.var\//);
});

test("default folders are those of the system, and of the environment", () => {
  expect(cline.sources({ HOME: "/home/ada" }, "linux")).toContain("/home/ada/.cline/data/sessions");
  expect(cline.sources({ HOME: "/Users/ada" }, "darwin")).toContain(
    "/Users/ada/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev*/tasks",
  );
  expect(
    cline.sources({ USERPROFILE: "C:\\Users\\ada", APPDATA: "C:\\Users\\ada\\AppData\\Roaming" }, "win32"),
  ).toContain("C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\globalStorage\\rooveterinaryinc.roo-cline*\\tasks");
  expect(cline.sources({ HOME: "/home/ada", CLINE_DATA_DIR: "/data" }, "linux")[0]).toBe("/data/sessions");
});
