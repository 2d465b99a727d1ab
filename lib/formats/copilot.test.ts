// Copilot's session files. All are written by hand; figures of a fixture are counted from its JSON by other means.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodies, calls, events, linesOf, patches, recordsOf } from "./codex/testing-codex.ts";
import { copilot } from "./copilot.ts";
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";

type Line = { readonly type: string; readonly data: Readonly<Record<string, unknown>>; readonly agentId?: string };

const NEW = "copilot-synthetic-session.jsonl";
const OLD = "copilot-synthetic-no-usage.jsonl";
const AGENT = "20000000-0000-4000-8000-00000000000a";

const fixture = (name: string): Line[] =>
  readFileSync(join(import.meta.dirname, "fixtures", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

function read(
  values: readonly unknown[],
  sidecars: Readonly<Record<string, string>> = {},
  path = "a/events.jsonl",
): Draft[] {
  const bytes = linesOf(...values);
  const state = copilot.start({ path, head: bytes.subarray(0, 65_536), sidecars: new Map(Object.entries(sidecars)) });
  return recordsOf(bytes).flatMap((record) => copilot.parse(record, state));
}

const start = fixture(NEW)[0]!;
const line = (type: string, data: object) => ({ type, data, id: type, timestamp: "2026-11-02T10:00:00.000Z" });

test("each usage record is one call, and the sums of the file are theirs with the compaction's", () => {
  const drafts = read(fixture(NEW));
  const records = fixture(NEW).flatMap(({ type, data }) => {
    if (type === "session.usage_record") return [data["usage"] as Record<string, number>];
    return type === "session.compaction_complete" ? [data["compactionTokensUsed"] as Record<string, number>] : [];
  });
  const told = calls(drafts).flatMap(({ usage }) => (usage === null ? [] : [usage]));
  const sum = (pick: (one: Record<string, number>) => number): number =>
    records.reduce((all, one) => all + pick(one), 0);
  expect(told).toHaveLength(records.length);
  expect(told.reduce((all, one) => all + one.inputUncached + one.cacheRead + one.cacheWrite, 0)).toBe(
    sum((one) => one["inputTokens"]!),
  );
  expect(told.reduce((all, one) => all + one.output, 0)).toBe(sum((one) => one["outputTokens"]!));
  const reported = drafts.findLast((draft) => draft.kind === "reported")!;
  const ofAll = Object.values(reported.usage);
  expect(ofAll.reduce((all, one) => all + one.inputUncached + one.cacheRead + one.cacheWrite, 0)).toBe(59_700);
  expect(reported.usd).toBeNull();
});

test("an older file has the output of each answer, its sums apart, and says so", () => {
  const drafts = read(fixture(OLD));
  expect(calls(drafts).map(({ usage }) => usage?.output)).toEqual([120, 6, 40]);
  expect(calls(drafts).map(({ usage }) => usage?.inputUncached)).toEqual([0, 0, 0]);
  const reported = drafts.find((draft) => draft.kind === "reported")!;
  expect(reported.usage["claude-sonnet-4.6"]).toMatchObject({
    inputUncached: 10_500,
    cacheRead: 10_000,
    reasoning: 30,
  });
  expect(patches(drafts)).toMatchObject({ quality: expect.stringContaining("output tokens") as unknown });
});

test("reasoning stands in the provider's blocks, where no text is beside them", () => {
  const said = (id: string, provider: string, blocks: readonly object[], more: object = {}) => ({
    ...line("assistant.message", { content: "", messageId: id, reasoningBlocks: { provider, blocks }, ...more }),
    id,
  });
  const thinking = { type: "thinking", thinking: "Look first.", signature: "abcd" };
  const summary = [{ type: "summary_text", text: "Plan." }];
  const drafts = read([
    start,
    said("m1", "anthropic", [thinking]),
    said("m2", "openai", [{ type: "reasoning", summary, encrypted_content: "xyz" }]),
    said("m3", "anthropic", [thinking], { reasoningText: "Look.", reasoningOpaque: "ab" }),
    said("m4", "openai", [{ type: "reasoning", summary: [], encrypted_content: "xyz" }]),
  ]);
  expect(bodies(drafts).filter(({ type }) => type === "reasoning")).toEqual([
    { type: "reasoning", text: "Look first.", signatureChars: 4 },
    { type: "reasoning", text: "Plan.", signatureChars: 3 },
    { type: "reasoning", text: "Look.", signatureChars: 2 },
    { type: "reasoning", text: "", signatureChars: 3, encrypted: true },
  ]);
});

test("a prompt stands as it was typed, between what was sent around it", () => {
  const prompts = bodies(read(fixture(OLD))).filter((body) => body.type === "user");
  expect(prompts.slice(0, 3).map(({ text, injected }) => [text, injected])).toEqual([
    [expect.stringMatching(/^<current_datetime>.*>\n\n$/), "environment"],
    ["Count the corals", undefined],
    ["\n\n<reminder>\nBe brief.\n</reminder>", "environment"],
  ]);
  const turns = events(read(fixture(OLD))).filter(({ startsTurn }) => startsTurn);
  expect(turns.map(({ body }) => "text" in body && body.text)).toEqual(["Count the corals", "And fish?"]);
});

test("a sub-agent's lines are a lane of its own, linked to the call that started it", () => {
  const drafts = read(fixture(NEW));
  expect(drafts.filter(({ kind }) => kind === "link")).toEqual([
    { kind: "link", lane: "", toolCallId: "toolu_t1", agentId: AGENT },
  ]);
  const own = calls(drafts).filter(({ lane }) => lane === AGENT);
  expect(new Set(own.map((call) => call.kind === "call" && call.key))).toEqual(new Set(["msg_d1", "msg_d2"]));
  const patch = drafts.find((draft) => draft.kind === "session" && draft.lane === AGENT);
  expect(patch).toMatchObject({ patch: { relation: "subagent", parentToolCallId: "toolu_t1", agentName: "diver" } });
  const image = events(drafts).find(({ attachments }) => attachments !== undefined);
  expect(image).toMatchObject({ lane: AGENT, body: { type: "tool_result", images: [{ mediaType: "image/png" }] } });
});

test("what came while a compaction ran stays behind its summary, which is in the words that are sent", () => {
  const drafts = events(read(fixture(NEW)));
  const at = drafts.findIndex(({ body }) => body.type === "compaction");
  const kept = drafts.find(({ body }) => body.type === "assistant" && body.text === "I write it down.");
  expect(drafts[at]!.body).toMatchObject({ keptFrom: kept!.recordKey, tokensBefore: 13_000, tokensAfter: 6100 });
  expect(drafts[at + 1]!.body).toMatchObject({
    injected: "summary",
    text: expect.stringMatching(
      /<user_message>\nMap the reef\n<\/user_message>\n\nHere is .*<summary>\n<overview>/s,
    ) as unknown,
  });
});

test("a compaction that failed is a note, and its call still counts", () => {
  const failed = {
    success: false,
    error: "Cancelled",
    requestId: "req_9",
    compactionTokensUsed: { inputTokens: 5, outputTokens: 2 },
  };
  const drafts = read([start, line("session.compaction_start", {}), line("session.compaction_complete", failed)]);
  expect(bodies(drafts).some(({ type }) => type === "compaction")).toBe(false);
  expect(calls(drafts)).toMatchObject([{ key: "req_9", usage: { inputUncached: 5, output: 2 } }]);
});

test("results have exit code, diff and the whole output's file", () => {
  const results = bodies(read(fixture(NEW))).filter((body) => body.type === "tool_result");
  expect(results.find(({ toolCallId }) => toolCallId === "toolu_t2")?.detail).toEqual({
    filePath: "/home/ada/reef/map.md",
    patch: [{ oldStart: 1, newStart: 1, lines: [" # Map", "-east: ?", "+east: sand"] }],
  });
  expect(results.find(({ toolCallId }) => toolCallId === "toolu_t3")).toMatchObject({
    saw: "preview",
    storedBytes: 100_000,
    storedPath: expect.stringMatching(/^\/tmp\/1790000000000-copilot-tool-output-7-/) as unknown,
    detail: { exitCode: 0 },
  });
  const [missing] = bodies(read(fixture(OLD))).filter((body) => body.type === "tool_result");
  expect(missing).toMatchObject({ isError: true, text: "Path does not exist" });
});

test("only files of that name in a temporary folder may hold whole outputs", () => {
  expect(copilot.fullOutputFolder?.("/tmp/1790000000000-copilot-tool-output-7-0a0b.txt")).toBe("/tmp");
  expect(copilot.fullOutputFolder?.("/etc/passwd")).toBeNull();
});

test("the title beside the file is taken, one that a person gave before all others", () => {
  const beside = (text: string) => patches(read([start], { "a/workspace.yaml": text }));
  expect(beside("id: x\nname: Reef\nuser_named: false\n")).toMatchObject({ title: "Reef", titleRank: 1 });
  expect(beside('name: "A \\"reef\\""\nuser_named: true\n')).toMatchObject({ title: 'A "reef"', titleRank: 2 });
  expect(beside("name: |\n  two\n")).not.toHaveProperty("title");
  expect(beside("{{{")).not.toHaveProperty("title");
});

test("is found in its folder, in the one that the environment names, and nowhere without a home", () => {
  expect(copilot.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.copilot/session-state"]);
  expect(copilot.sources({ HOME: "/home/ada", COPILOT_HOME: "/data/c" }, "darwin")).toEqual(["/data/c/session-state"]);
  expect(copilot.sources({ USERPROFILE: "C:\\ada" }, "win32")).toEqual(["C:\\ada\\.copilot\\session-state"]);
  expect(copilot.sources({}, "linux")).toEqual([]);
  expect(copilot.wants("/h/.copilot/session-state/1/events.jsonl")).toBe(true);
  expect(copilot.wants("/h/.copilot/session-state/1.jsonl")).toBe(true);
  expect(copilot.wants("/h/.copilot/session-state/1/files/data.jsonl")).toBe(false);
});

test("odd values are events all the same", () => {
  const odd = [
    start,
    7,
    {},
    line("user.message", { content: 3 }),
    line("assistant.message", { toolRequests: [null, 5] }),
    line("Ünknown", {}),
  ];
  const drafts = read(odd);
  expect(events(drafts).length).toBeGreaterThanOrEqual(odd.length);
  expect(bodies(drafts).filter(({ type }) => type === "unknown")).toHaveLength(3);
});

test("an answer that names no model is of the one that the session was set to", () => {
  const answer = (more: object) => line("assistant.message", { content: "Sand.", outputTokens: 5, ...more });
  const drafts = read([
    { ...start, data: { ...start.data, selectedModel: "gpt-5.4" } },
    answer({ messageId: "a1" }),
    line("session.model_change", { newModel: "gpt-5.4-mini" }),
    answer({ messageId: "a2" }),
    answer({ messageId: "a3", model: "claude-opus-5" }),
    answer({ messageId: "d1", parentToolCallId: "toolu_d1" }),
  ]);
  expect(calls(drafts).map(({ model }) => model)).toEqual(["gpt-5.4", "gpt-5.4-mini", "claude-opus-5", null]);
});

const stopped = (metrics: Record<string, readonly [input: number, read: number, output: number]>) =>
  line("session.shutdown", {
    shutdownType: "routine",
    modelMetrics: Object.fromEntries(
      Object.entries(metrics).map(([model, [inputTokens, cacheReadTokens, outputTokens]]) => [
        model,
        { requests: { count: 1, cost: 1 }, usage: { inputTokens, cacheReadTokens, outputTokens, cacheWriteTokens: 0 } },
      ]),
    ),
  });
const said = (messageId: string, outputTokens: number) =>
  line("assistant.message", { messageId, model: "gpt-5.4", content: "Sand.", outputTokens });
const told = (...values: object[]) => read([start, ...values]).findLast((draft) => draft.kind === "reported")!.usage;

test("sums of a session that was resumed: those of the whole hold, those of each run are added up", () => {
  const first = [said("a1", 100), stopped({ "gpt-5.4": [1000, 600, 100] })];
  // Releases that go on counting, and those that begin anew with each run, even with one that is larger.
  const whole = [said("a2", 300), stopped({ "gpt-5.4": [5000, 3600, 400] })];
  const alone = [said("a2", 300), stopped({ "gpt-5.4": [4000, 3000, 300] })];
  expect(told(...first, ...whole)).toMatchObject({ "gpt-5.4": { inputUncached: 1400, cacheRead: 3600, output: 400 } });
  expect(told(...first, ...alone)).toMatchObject({ "gpt-5.4": { inputUncached: 1400, cacheRead: 3600, output: 400 } });
  // Another model alone, a run without a request, and a counting that began anew between two that went on.
  const other = stopped({ "claude-opus-5": [90, 0, 7] });
  expect(told(...first, other)).toMatchObject({ "gpt-5.4": { output: 100 }, "claude-opus-5": { output: 7 } });
  const nothing = stopped({});
  expect(told(...first, nothing, ...whole)).toMatchObject({ "gpt-5.4": { output: 400 } });
  const more = [said("a3", 50), stopped({ "gpt-5.4": [4500, 3400, 350] })];
  expect(told(...first, ...alone, ...more)).toMatchObject({ "gpt-5.4": { inputUncached: 1500, output: 450 } });
});

test("a compaction's tokens are read by their older names too, with or without a request id", () => {
  const before = fixture(OLD).filter(
    ({ type }) => type !== "session.compaction_complete" && type !== "session.shutdown",
  );
  const used = { input: 9_000, output: 300, cachedInput: 8_000 };
  const complete = { success: true, summaryContent: "Both harbours are read.", compactionTokensUsed: used };
  for (const data of [complete, { ...complete, requestId: "req-compaction" }]) {
    const drafts = read([...before, line("session.compaction_complete", data)]);
    const call = calls(drafts).at(-1)!;
    expect(call.usage).toEqual({ ...NO_USAGE, inputUncached: 1_000, cacheRead: 8_000, output: 300 });
    expect(call.model).toBe("claude-sonnet-4.6");
    const note = drafts.find((draft) => draft.kind === "event" && draft.callKey === call.key);
    expect(note).toMatchObject({ body: { type: "meta", subtype: "compaction call" } });
  }
});

test("of a run that was printed, pieces are nothing of their own, and the end says how it went", () => {
  const piece = { ...line("assistant.message_delta", { messageId: "m1", deltaContent: "Bo" }), ephemeral: true };
  const end = { type: "result", timestamp: "2026-11-02T10:00:01.000Z", sessionId: "s-1", exitCode: 1, usage: {} };
  const drafts = read([start, piece, line("assistant.message", { messageId: "m1", content: "Both." }), end]);
  expect(bodies(drafts).map(({ type }) => type)).toEqual(["meta", "assistant", "meta", "error"]);
  expect(bodies(drafts).at(-1)).toEqual({ type: "error", text: "The run ended with exit code 1." });
  expect(bodies(read([start, { ...end, exitCode: 0 }])).at(-1)).toMatchObject({
    subtype: "result",
    text: "exit code 0",
  });
});

test("its state stays small", () => {
  const lines = Array.from({ length: 60 }, (_, n) => ({
    ...line("user.message", { content: `${"word ".repeat(200)}${n}` }),
    id: `50000000-0000-4000-8000-0000000000${String(n).padStart(2, "0")}`,
  }));
  const all = [start, ...lines.slice(0, 30), line("session.compaction_start", {}), ...lines.slice(30)];
  const bytes = linesOf(...all);
  const state = copilot.start({ path: "/h/events.jsonl", head: bytes, sidecars: new Map() });
  for (const record of recordsOf(bytes)) copilot.parse(record, state);
  expect(JSON.stringify(state).length).toBeLessThan(4096);
});

test("a truncation takes the oldest messages out of the context, a summary first", () => {
  const said = (type: string, id: string, data: object) => ({ ...line(type, data), id });
  const cut = (removed: number) => ({
    ...line("session.truncation", {
      ...{ messagesRemovedDuringTruncation: removed, performedBy: "BasicTruncator", tokenLimit: 8000 },
      ...{ preTruncationTokensInMessages: 9000, postTruncationTokensInMessages: 4000 },
    }),
    id: `cut ${removed}`,
  });
  const turns = [
    said("user.message", "u1", { content: "Count." }),
    said("assistant.message", "a1", { content: "", toolRequests: [{ toolCallId: "t1", name: "bash" }] }),
    said("tool.execution_complete", "r1", { toolCallId: "t1", success: true, result: { content: "7" } }),
    said("assistant.message", "a2", { content: "Seven." }),
    said("user.message", "u2", { content: "Again." }),
  ];
  const cuts = (...values: readonly object[]) =>
    events(read([start, ...values])).filter(({ body }) => body.type === "compaction");
  expect(cuts(...turns, cut(2), cut(1)).map(({ body }) => body)).toMatchObject([
    { kind: "full", trigger: "truncation", tokensBefore: 9000, tokensAfter: 4000, text: "", keptFrom: "r1" },
    { keptFrom: "a2" },
  ]);
  const summary = said("session.compaction_complete", "c1", { success: true, summaryContent: "Seven so far." });
  const behind = [line("session.compaction_start", {}), turns[4]!, summary, turns[3]!];
  const [, first, second] = cuts(...turns.slice(0, 3), ...behind, cut(1), cut(1));
  expect([first!.body, second!.body]).toMatchObject([{ keptFrom: "u2" }, { keptFrom: "a2" }]);
  // More than there are, or than are known by name.
  const many = Array.from({ length: 60 }, (_, i) => said("user.message", `n${i}`, { content: "More." }));
  const drafts = read([start, ...many, cut(10), cut(15), cut(1)]);
  expect(events(drafts).filter(({ body }) => body.type === "compaction")).toMatchObject([
    { body: { keptFrom: "n10" } },
  ]);
  expect(bodies(drafts).filter((body) => body.type === "meta" && body.subtype === "session.truncation")).toMatchObject([
    { text: "15 messages left the context" },
    { text: "1 messages left the context" },
  ]);
});
