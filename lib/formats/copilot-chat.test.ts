// Chats of VS Code, as a document and as a log of changes. All are synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { processorMs } from "#lib/kernel/testing-processor-time.ts";
import { copilotChat } from "./copilot-chat.ts";
import { readToolOutput } from "./copilot-chat/chat-outputs.ts";
import { usageOfRequest } from "./copilot-chat/chat-usage.ts";

const FOLDER = "/home/ada/.config/Code/User/workspaceStorage/abc123";
const AT = Date.UTC(2026, 7, 1, 10, 30);

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, "fixtures", `copilot-chat-synthetic-${name}`));

function read(bytes: Uint8Array, path = `${FOLDER}/chatSessions/of-the-file.jsonl`, folder?: string): Draft[] {
  const sidecars = new Map(folder === undefined ? [] : [[`${FOLDER}/workspace.json`, folder]]);
  const state = copilotChat.start({ path, head: bytes.subarray(0, 65_536), sidecars });
  return copilotChat.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
}

const log = (...entries: readonly unknown[]): Buffer =>
  Buffer.from(entries.map((entry) => `${typeof entry === "string" ? entry : JSON.stringify(entry)}\n`).join(""));
const START = { kind: 0, v: { version: 3, sessionId: "s1", creationDate: AT, responderUsername: "", requests: [] } };
const request = (id: string, more: object = {}): object => ({
  ...{ requestId: id, timestamp: AT, message: { text: id, parts: [] }, response: [], variableData: { variables: [] } },
  ...more,
});

type EventDraft = Extract<Draft, { kind: "event" }>;
const events = (drafts: readonly Draft[], lane = ""): EventDraft[] =>
  drafts.flatMap((draft) => (draft.kind === "event" && draft.lane === lane ? [draft] : []));
const bodies = (drafts: readonly Draft[], lane = "") => events(drafts, lane).map(({ body }) => body);
const calls = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
const patches = (drafts: readonly Draft[], lane = "") =>
  Object.assign(
    {},
    ...drafts.flatMap((draft) => (draft.kind === "session" && draft.lane === lane ? [draft.patch] : [])),
  ) as Record<string, unknown>;
/** Types and texts, without notes. */
const said = (drafts: readonly Draft[]): string[] =>
  bodies(drafts).flatMap((body) =>
    body.type === "meta" ? [] : [`${body.type} ${body.type === "tool_call" ? body.toolName : body.text}`],
  );

describe("a document", () => {
  const drafts = read(fixture("document.json"), undefined, '{"folder":"file:///home/ada/my%20harbour"}');

  test("has a name, a title, its project, branch, version and start", () => {
    expect(patches(drafts)).toMatchObject({
      ...{ title: "Boats at pier 3", titleRank: 1, cwd: "/home/ada/my harbour", branch: "piers" },
      ...{ agentVersion: "0.58.0", startedAt: AT },
    });
  });

  test("has prompts as they were typed, between what was sent with them", () => {
    const users = bodies(drafts).flatMap((body) => (body.type === "user" ? [body] : []));
    expect(users.slice(0, 3)).toMatchObject([
      { text: expect.stringContaining("Linux") as unknown, injected: "environment" },
      { text: expect.stringMatching(/^<attachments>[\s\S]*<userRequest>\n$/) as unknown, injected: "environment" },
      { text: "How many boats moor at pier 3?", images: [{ mediaType: "image/png" }] },
    ]);
    const turns = events(drafts).filter(({ startsTurn }) => startsTurn);
    expect(turns.map(({ body }) => ("text" in body ? body.text : ""))).toEqual([
      "How many boats moor at pier 3?",
      "Ask a second pair of eyes",
      "And pier 4?",
      "Then only pier 5",
    ]);
  });

  test("has the words, thoughts, calls and whole outputs of each model call once", () => {
    expect(said(drafts).slice(3, 12)).toEqual([
      "reasoning The pier list has it.",
      "assistant I read the list.",
      "tool_call read_file",
      "tool_result File: `/home/ada/harbour/piers.txt`. Lines 1 to 2:\npier 2: Heron\npier 3: Gull, Tern",
      "tool_call run_in_terminal",
      "tool_call grep_search",
      "tool_result wc: boats.txt: No such file\nCommand exited with code 1",
      "tool_result ERROR while calling tool: No index for this workspace.\nPlease check your input and try again.",
      "assistant Pier 3 has two boats, [piers.txt](piers.txt) says. I noted it.",
    ]);
    const results = bodies(drafts).flatMap((body) => (body.type === "tool_result" ? [body] : []));
    expect(results.map(({ isError, saw, detail }) => [isError, saw, detail])).toEqual([
      [false, "full", undefined],
      [false, "full", { exitCode: 1, durationMs: 420 }],
      [true, "full", undefined],
      [false, "full", undefined],
    ]);
    const call = bodies(drafts).find((body) => body.type === "tool_call");
    expect(call).toMatchObject({ input: { filePath: "/home/ada/harbour/piers.txt", startLine: 1, endLine: 20 } });
  });

  test("has the usage of each request's last call, and what the file says of the others", () => {
    // The prompt of the last call, 12,300; its output 160 of 460, the other two wrote 300 together. Then 120 of 300, which leaves 180.
    expect(
      calls(drafts).map(({ model, usage }) => [model, usage?.inputUncached, usage?.cacheRead, usage?.output]),
    ).toEqual([
      ["claude-sonnet-4-5-20250929", undefined, undefined, undefined],
      ["claude-sonnet-4-5-20250929", undefined, undefined, undefined],
      ["claude-sonnet-4-5-20250929", 12_300, 0, 160],
      ["gpt-5-mini", 4000, 9000, 200],
      ["gpt-5.2", undefined, undefined, undefined],
      ["gpt-5.2", 15_000, 0, 120],
      ["claude-sonnet-4.5", undefined, undefined, undefined],
    ]);
    expect(drafts.filter(({ kind }) => kind === "lost")).toMatchObject([
      { usage: { output: 300, reasoning: 40 } },
      { usage: { output: 180, reasoning: 30 } },
    ]);
    expect(calls(drafts).map(({ window }) => window ?? null)).toEqual([
      128_000,
      128_000,
      128_000,
      null,
      null,
      null,
      128_000,
    ]);
    expect(patches(drafts)).toMatchObject({ quality: expect.stringContaining("last model call") as unknown });
  });

  test("has edits, errors, a request that was stopped, credits, and what is not known", () => {
    const notes = bodies(drafts).flatMap((body) =>
      body.type === "meta" ? [[body.subtype, body.name ?? body.text]] : [],
    );
    expect(notes).toContainEqual(["edit", "/home/ada/harbour/notes.md"]);
    expect(notes).toContainEqual(["cancelled", ""]);
    expect(notes).toContainEqual(["request", "Claude Sonnet 4.5 • 1x · 1.5 credits"]);
    expect(bodies(drafts).filter(({ type }) => type === "error")).toMatchObject([{ code: "rateLimited" }]);
    expect(bodies(drafts).filter(({ type }) => type === "unknown")).toMatchObject([
      { reason: 'A part of kind "hologram", which is not known.' },
    ]);
    expect(said(drafts).slice(-2)).toEqual(["user Then only pier 5", "assistant Pier 5 is being"]);
  });

  test("has the summary where it was sent first, and keeps what came after the round that it ends with", () => {
    const all = events(drafts);
    const at = all.findIndex(({ body }) => body.type === "compaction");
    const kept = (all[at]!.body as { keptFrom: string }).keptFrom;
    expect(all[at]!.body).toMatchObject({ tokensBefore: 98_000, text: expect.stringContaining("Pier 3") as unknown });
    expect(all.find(({ recordKey }) => recordKey === kept)?.body).toMatchObject({
      text: expect.stringMatching(/^Pier 3 has/) as unknown,
    });
    expect(all[at + 1]!.body).toMatchObject({ injected: "summary" });
    expect(all[at - 2]!.body).toMatchObject({ text: "Ask a second pair of eyes" });
  });

  test("has a sub-agent as its parent shows it", () => {
    expect(drafts.find(({ kind }) => kind === "link")).toMatchObject({
      toolCallId: "call_synth_11",
      agentId: "call_synth_11",
    });
    expect(bodies(drafts, "call_synth_11")).toMatchObject([
      { type: "user", text: "Count the boats of pier 3 again." },
      { type: "tool_call", toolName: "copilot_readFile" },
      { type: "tool_result", saw: "preview" },
      { type: "assistant", text: "Two boats: Gull and Tern." },
    ]);
    expect(patches(drafts, "call_synth_11")).toMatchObject({ relation: "subagent", agentName: "Explore" });
  });

  test("that ends too early has the requests before", () => {
    const whole = fixture("document.json");
    const cut = whole.subarray(0, whole.indexOf("Then only pier 5"));
    const some = read(cut);
    expect(some.filter(({ kind }) => kind === "problem")).toHaveLength(1);
    expect(calls(some)).toHaveLength(6);
  });
});

describe("a log", () => {
  test("says what its changes make up, in order, and what was taken back", () => {
    const drafts = read(fixture("log.jsonl"));
    expect(said(drafts)).toEqual([
      "user Which lamp is out?",
      "reasoning Look in the log.",
      "assistant I look.",
      "tool_call read_file",
      "tool_result lamp,state\n6,on\n7,out\n",
      "assistant Lamp 7 is out.",
      "user Order lamp 8",
      "assistant Ordered lamp 8.",
      "rewind ",
      "user Order lamp 7",
      "assistant Ordered lamp 7.",
    ]);
    const rewind = bodies(drafts).find((body) => body.type === "rewind");
    expect(events(drafts).findLast(({ recordKey }) => recordKey === rewind!.after)?.body).toMatchObject({
      text: "Lamp 7 is out.",
    });
    expect(calls(drafts).map(({ model, usage }) => [model, usage?.inputUncached, usage?.output])).toEqual([
      ["gpt-5.2", undefined, undefined],
      ["gpt-5.2", 8200, 30],
      ["gpt-5.2", 8400, 12],
      ["claude-haiku-4.5", 8500, 14],
    ]);
    expect(patches(drafts)).toMatchObject({ title: "The lamp that is out" });
  });

  test("names the requests that the chat has now", () => {
    expect(copilotChat.recordNames!(fixture("log.jsonl"))).toEqual([
      "request_0c0ffee0-0000-4000-8000-00000000d001",
      "request_0c0ffee0-0000-4000-8000-00000000d003",
    ]);
  });

  test("shows an answer that still runs by its parts, and then by its calls", () => {
    const [first, ...rest] = fixture("log.jsonl").toString().trimEnd().split("\n");
    const until = (n: number): string[] => said(read(log(first, ...rest.slice(0, n))));
    expect(until(2)).toEqual(["user Which lamp is out?"]);
    expect(until(4)).toEqual(["user Which lamp is out?", "reasoning Look in the log.", "assistant I look"]);
    expect(until(7)).toEqual([
      ...["user Which lamp is out?", "reasoning Look in the log.", "assistant I look.", "tool_call copilot_readFile"],
      ...["tool_result Read lamps.csv", "assistant Lamp 7 is out."],
    ]);
    expect(until(8)).toEqual(said(read(fixture("log.jsonl"))).slice(0, 6));
  });

  test("that was made short stands as one line", () => {
    const one = log({ ...START, v: { ...START.v, requests: [request("request_1"), request("request_2")] } });
    expect(said(read(one))).toEqual(["user request_1", "user request_2"]);
    // The editor writes the whole anew after 1,024 changes.
    const again = log(START, { kind: 2, k: ["requests"], v: [request("request_1")] }, one.toString().trimEnd());
    expect(said(read(again))).toEqual(["user request_1", "user request_2"]);
  });

  test("loses nothing beside a damaged line", () => {
    const damaged = log(
      START,
      { kind: 2, k: ["requests"], v: [request("request_1")] },
      '{"kind":1,"k":["requests",0,"result"],"v":{"metadata":{"toolCal',
      { kind: 2, k: ["requests"], v: [request("request_2")] },
      '{"kind":1,"k":["inputState","inputText"],"v":"Dr{"kind":2,"k":["requests",0,"response"],"v":[{"value":"One."}]}',
    );
    const drafts = read(damaged);
    expect(said(drafts)).toEqual(["user request_1", "assistant One.", "user request_2"]);
    expect(drafts.flatMap((draft) => (draft.kind === "problem" ? draft.line : []))).toEqual([3, 5]);
  });

  test("keeps a change that leads to nothing, and one of a kind that is not known, with its bytes", () => {
    const odd = [
      { kind: 1, k: ["requests", 7, "vote"], v: 1 },
      { kind: 9, k: ["requests"], v: [] },
      { kind: 1, k: ["requests", 0, "__proto__", "polluted"], v: true },
      { kind: 2, k: ["requests", 0, "result", "metadata", "x"], v: [1], i: 1e300 },
    ];
    const drafts = read(log(START, { kind: 2, k: ["requests"], v: [request("request_1")] }, ...odd));
    expect(bodies(drafts).flatMap((body) => (body.type === "unknown" ? [body.reason] : []))).toEqual([
      "A change of something that the file does not have.",
      "A change of a kind that is not known.",
      "A change of something that the file does not have.",
      "A change of something that the file does not have.",
    ]);
    expect("polluted" in {}).toBe(false);
  });

  test("without its first line has what later lines bring whole, and says so", () => {
    const rest = log({ kind: 2, k: ["requests"], v: [request("request_1", { response: [{ value: "One." }] })] });
    expect(copilotChat.detect({ path: "part.jsonl", head: rest, sidecars: new Map() })).toBe(true);
    const drafts = read(rest);
    expect(said(drafts)).toEqual(["user request_1", "assistant One."]);
    expect(drafts).toContainEqual(
      expect.objectContaining({
        patch: expect.objectContaining({ quality: expect.stringContaining("first line") as unknown }) as unknown,
      }),
    );
  });

  test("of a chat in which nothing was said has no session; one that lost something has", () => {
    expect(read(log(START))).toEqual([]);
    expect(bodies(read(Buffer.concat([log(START), Buffer.from('{"kind":2,"k":["requ\n')])))).toMatchObject([
      { type: "meta", subtype: "session" },
    ]);
  });
});

test("an early chat has its answers by their parts, and no tokens", () => {
  const drafts = read(fixture("empty-window.json"));
  expect(said(drafts)).toEqual([
    "user @workspace which gulls nest here?",
    "assistant Herring gulls nest on the north cliff.",
    "user And terns?",
    "assistant Terns nest",
    "user Count both",
    "assistant I count.",
    "tool_call run_in_terminal",
    "tool_result 41",
    "assistant 41 gulls.",
  ]);
  expect(calls(drafts).map(({ usage, model }) => [usage, model])).toEqual([
    [null, null],
    [null, null],
    [null, "gpt-4.1"],
  ]);
  expect(patches(drafts)).toMatchObject({ title: "Gulls and terns", quality: "The file has no token counts." });
});

test.each([
  // One call: prompt and output are its own.
  [{ promptTokens: 900, completionTokens: 40 }, {}, [0], [900, 40], null, false],
  [{}, { promptTokens: 900, outputTokens: 40 }, [10], [900, 40], null, false],
  [{ usage: { promptTokens: 900, completionTokens: 40 } }, {}, [0], [900, 40], null, false],
  // Several: the sum of their outputs, and the last one's.
  [
    { promptTokens: 900, completionTokens: 140 },
    { promptTokens: 900, outputTokens: 40 },
    [0, 0, 0],
    [900, 40],
    100,
    false,
  ],
  // Nobody says what the last one wrote.
  [{ promptTokens: 900, completionTokens: 140 }, {}, [0, 0], [900, 0], 140, true],
  // Early releases counted the last call alone.
  [{ promptTokens: 900, completionTokens: 40 }, { outputTokens: 40 }, [0, 0], [900, 40], null, false],
  [{ promptTokens: 0, completionTokens: 0 }, {}, [0], null, null, false],
])("usage of %j with %j", (own, metadata, thoughts, last, before, isLowerBound) => {
  const usage = usageOfRequest(own, metadata, thoughts);
  expect(usage.last === null ? null : [usage.last.inputUncached, usage.last.output]).toEqual(last);
  expect(usage.before?.output ?? null).toBe(before);
  expect(usage.isLowerBound).toBe(isLowerBound);
});

test("sums of whole requests by model stand beside the calls", () => {
  const modelTotals = [{ model: "claude-opus-4.5", inputTokens: 5000, cachedTokens: 4000, outputTokens: 70 }];
  const both = [request("request_1", { modelTotals }), request("request_2", { modelTotals })];
  const drafts = read(log({ ...START, v: { ...START.v, requests: both } }));
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({
    usage: { "claude-opus-4.5": { inputUncached: 2000, cacheRead: 8000, output: 140 } },
  });
});

test("outputs are read in each way in which they are stored", () => {
  const node = {
    type: 1,
    ctor: 2,
    children: [
      { type: 2, text: "one" },
      { type: 2, text: "two", lineBreakBefore: 1 },
    ],
  };
  const image = { type: 1, ctor: 3, props: { src: "data:image/png;base64,iVBORw0K" }, children: [] };
  const content = [
    { value: "plain" },
    { value: { node: { type: 1, children: [node, image] } } },
    { mimeType: "text/plain", data: Buffer.from("of a data part").toString("base64") },
    { mimeType: "image/jpeg", data: [255, 216, 255] },
    { of: "a later release" },
  ];
  expect(readToolOutput(content)).toEqual({
    text: 'plain\none\ntwo\nof a data part\n{"of":"a later release"}',
    attachments: [
      { mediaType: "image/png", base64: "iVBORw0K" },
      { mediaType: "image/jpeg", base64: "/9j/" },
    ],
  });
});

test("chats are looked for in each editor and on each system", () => {
  const linux = copilotChat.sources({ HOME: "/home/ada" }, "linux");
  expect(linux).toContain("/home/ada/.config/Code/User/workspaceStorage/*/chatSessions");
  expect(linux).toContain("/home/ada/.config/VSCodium/User/globalStorage/emptyWindowChatSessions");
  expect(linux).toContain("/home/ada/.vscode-server-insiders/data/User/globalStorage/transferredChatSessions");
  expect(copilotChat.sources({ HOME: "/Users/ada" }, "darwin")[0]).toBe(
    "/Users/ada/Library/Application Support/Code/User/workspaceStorage/*/chatSessions",
  );
  expect(copilotChat.sources({ USERPROFILE: "C:\\Users\\ada", APPDATA: "C:\\Data" }, "win32")[0]).toBe(
    "C:\\Data\\Code\\User\\workspaceStorage\\*\\chatSessions",
  );
  const chat = `${FOLDER}/chatSessions/a.json`;
  expect(
    [chat, `${chat}l`, `${FOLDER}/state.json`, "/x/transcripts/a.jsonl"].map((path) => copilotChat.wants(path)),
  ).toEqual([...[true, true, false, false]]);
  expect([chat, `${chat}l`].map((path) => copilotChat.repeats!(path))).toEqual([`${chat}l`, null]);
  expect(copilotChat.sidecars!(chat)).toEqual([`${FOLDER}/workspace.json`]);
});

test.each([
  ['{"folder":"file:///c%3A/Users/ada/harbour"}', "c:/Users/ada/harbour"],
  ['{"folder":"vscode-remote://ssh-remote%2Bpier/home/ada/harbour"}', "/home/ada/harbour"],
  ['{"workspace":"file:///home/ada/all.code-workspace"}', "/home/ada/all.code-workspace"],
  ["{", undefined],
])("the project of %s", (beside, cwd) => {
  expect(patches(read(fixture("log.jsonl"), undefined, beside))["cwd"]).toBe(cwd);
});

test("an empty list, left of a chat that was cut, is said", () => {
  expect(read(Buffer.from(" []"), `${FOLDER}/chatSessions/of-the-file.json`)).toContainEqual(
    expect.objectContaining({ kind: "problem", byteStart: 0, byteEnd: 3 }),
  );
});

test("a log in which very much was taken back takes the time of its length", () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ kind: 2, k: ["requests"], v: [request(`r${i}`)], i: 1 }));
  let drafts: readonly Draft[] = [];
  expect(processorMs(() => (drafts = read(log(START, ...rows))))).toBeLessThan(5000);
  const rewinds = bodies(drafts).flatMap((body) => (body.type === "rewind" ? [body.after] : []));
  expect(rewinds).toHaveLength(19_998);
  expect(new Set(rewinds)).toEqual(new Set(["r0"]));
});
