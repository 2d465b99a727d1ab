// OpenCode's rows. All are written by hand; figures of the fixture are counted from its JSON by other means.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, events, linesOf, patches, recordsOf } from "./codex/testing-codex.ts";
import { copiedId } from "./opencode/opencode-copies.ts";
import { opencode } from "./opencode.ts";

type Line = { readonly table: string; readonly row: { readonly data?: Record<string, unknown> } };

const lines = readFileSync(join(import.meta.dirname, "fixtures/opencode-synthetic-session.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Line);

function read(values: readonly unknown[], path = "/h/opencode.db#ses"): Draft[] {
  const bytes = linesOf(...values);
  const state = opencode.start({ path, head: bytes.subarray(0, 65_536), sidecars: new Map() });
  return recordsOf(bytes).flatMap((record) => opencode.parse(record, state));
}

test("each step of the model is one call, and its tokens are counted once", () => {
  const steps = lines.flatMap(({ row }) => (row.data?.["type"] === "step-finish" ? [row.data] : []));
  const told = calls(read(lines));
  expect(told.map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 900, cacheRead: 0, output: 60, reasoning: 20 },
    { inputUncached: 100, cacheRead: 900, cacheWrite: 50, output: 40, reasoning: 10 },
    { inputUncached: 500, output: 25 },
  ]);
  expect(told).toHaveLength(steps.length);
  const reported = read(lines).findLast((draft) => draft.kind === "reported")!;
  expect(reported.usd).toBeCloseTo(
    steps.reduce((sum, step) => sum + Number(step["cost"]), 0),
    9,
  );
});

test("an answer that was cut off is a call without usage, and one that failed before it said anything is none", () => {
  const row = (table: string, id: string, data: object) => ({
    table,
    row: { id, time_created: 1_790_000_000_000, data },
  });
  const error = (name: string) => ({ name, data: { message: "It ended." } });
  const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
  const drafts = read([
    lines[0],
    row("message", "msg_1", { role: "assistant", modelID: "gpt-5.5", tokens, error: error("MessageAbortedError") }),
    row("part", "prt_1", { type: "step-start" }),
    row("part", "prt_2", { type: "text", text: "One" }),
    row("part", "prt_3", { type: "step-finish", cost: 0, tokens: { ...tokens, input: 90, output: 5 } }),
    row("part", "prt_4", { type: "step-start" }),
    row("part", "prt_5", { type: "text", text: "Ha" }),
    row("message", "msg_2", { role: "assistant", modelID: "gpt-5.5", tokens, error: error("APIError") }),
    row("part", "prt_6", { type: "step-start" }),
  ]);
  expect(calls(drafts).map(({ key, usage }) => [key, usage?.inputUncached ?? null])).toEqual([
    ["msg_1/0", null],
    ["msg_1/0", 90],
    ["msg_1/1", null],
  ]);
});

test("calls and results are events of one part, with exit code, error and the whole output's file", () => {
  const results = bodies(read(lines)).filter((body) => body.type === "tool_result");
  expect(results.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
    ["call_1", false],
    ["call_2", true],
    ["call_3", false],
    ["call_4", false],
  ]);
  expect(results[0]!.detail).toEqual({ exitCode: 0, durationMs: 30 });
  expect(results[2]!.detail).toMatchObject({ agentId: "ses_synthetic0002" });
  expect(results[3]).toMatchObject({
    saw: "preview",
    storedPath: "/home/ada/.local/share/opencode/tool-output/tool_01",
  });
  expect(opencode.fullOutputFolder?.("/h/opencode/tool-output/tool_01")).toBe("/h/opencode/tool-output");
  expect(opencode.fullOutputFolder?.("/etc/passwd")).toBeNull();
});

test("a summary is a compaction, and stands after OpenCode's own prompt for it", () => {
  const drafts = bodies(read(lines));
  const at = drafts.findIndex(({ type }) => type === "compaction");
  expect(drafts.slice(at, at + 3)).toMatchObject([
    { type: "compaction", text: "Two corals were counted." },
    { type: "user", text: "What did we do so far?", injected: "summary" },
    { type: "assistant", text: "Two corals were counted." },
  ]);
});

test("a compaction names the first message that it keeps whole; one that keeps none does not", () => {
  const asks = (part: object) => ({
    table: "part",
    row: { id: "prt_ask", data: { type: "compaction", auto: true, ...part } },
  });
  const summary = { role: "assistant", summary: true, modelID: "gpt-5.5" };
  const compaction = (part: object, ...before: object[]) =>
    bodies(
      read([
        lines[0],
        ...before,
        { table: "message", row: { id: "msg_ask", data: { role: "user" } } },
        asks(part),
        { table: "message", row: { id: "msg_said", data: summary } },
        { table: "part", row: { id: "prt_said", data: { type: "text", text: "Corals." } } },
      ]),
    ).find(({ type }) => type === "compaction")!;
  expect(compaction({ tail_start_id: "msg_tail" })).toMatchObject({ keptFrom: "msg_tail" });
  expect(compaction({})).not.toHaveProperty("keptFrom");
  // Who asked for it: the client when its context was full, or a person with /compact.
  expect(compaction({})).toMatchObject({ trigger: "auto" });
  expect(compaction({ auto: false })).toMatchObject({ trigger: "manual" });
  expect(compaction({ auto: undefined })).toMatchObject({ trigger: null });
  const of = { table: "continuation", row: { of: "ses_synthetic0001" } };
  const copied = copiedId("msg_tail", "ses_synthetic0a1b2c3d4");
  expect(compaction({ tail_start_id: copied }, of)).toMatchObject({ keptFrom: "msg_tail" });
});

test("a turn starts with what a person said; what OpenCode put beside it is marked", () => {
  const users = events(read(lines)).filter(({ body }) => body.type === "user");
  expect(users.map(({ startsTurn }) => startsTurn)).toEqual([true, false, false, false, true]);
  expect(users[1]!.body).toMatchObject({ injected: "synthetic" });
  expect(users[2]).toMatchObject({ attachments: [{ mediaType: "image/png" }] });
  expect(users[0]!.ts).toBe(1_790_000_000_010);
});

test("title, folder, parent and agent come from the session's row", () => {
  expect(patches(read(lines))).toMatchObject({ agentName: "OpenCode", cwd: "/home/ada/reef", model: "gpt-5.5" });
  const row = { id: "ses_2", parent_id: "ses_1", directory: "/r", title: "New session - 2026-11-23T22:05:21.845Z" };
  const child = patches(read([{ table: "session", row }], "/h/kilo/kilo.db#ses_2"));
  expect(child).toMatchObject({ agentName: "Kilo", parent: "ses_1", relation: "subagent" });
  expect(child).not.toHaveProperty("title");
});

test("rows of an unknown table, part or shape are events all the same", () => {
  const odd = [lines[0], { table: "message", row: 5 }, { table: "part", row: { id: "p", data: null } }, 7, {}];
  expect(events(read(odd)).length).toBeGreaterThanOrEqual(odd.length);
});

test("is found under the names of OpenCode and Kilo, and nowhere without a home", () => {
  expect(opencode.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.local/share/opencode/opencode.db",
    ...["local", "dev", "stable", "nightly"].map((one) => `/home/ada/.local/share/opencode/opencode-${one}.db`),
    "/home/ada/.local/share/kilo/kilo.db",
    "/home/ada/.local/share/opencode/storage/session",
  ]);
  expect(opencode.sources({ HOME: "/h", XDG_DATA_HOME: "/d" }, "linux")[0]).toBe("/d/opencode/opencode.db");
  const named = (OPENCODE_DB: string) => opencode.sources({ HOME: "/h", OPENCODE_DB }, "linux");
  expect(named("/d/opencode-mine.db")).toContain("/d/opencode-mine.db");
  expect(named("opencode-mine.db")).toContain("/h/.local/share/opencode/opencode-mine.db");
  expect(named(":memory:")).toEqual(named(""));
  expect(opencode.sources({}, "linux")).toEqual([]);
  expect(opencode.wants("/h/opencode/opencode-beta.db")).toBe(true);
  expect(opencode.wants("/h/opencode/opencode.db-wal")).toBe(false);
});

const next = readFileSync(join(import.meta.dirname, "fixtures/opencode-synthetic-next.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as unknown);

test("messages of the generation without parts: calls, results, usage and what is sent after a compaction", () => {
  const drafts = read(next);
  expect(patches(drafts)).toMatchObject({
    ...{ agentName: "OpenCode", cwd: "/home/ada/reef", model: "gpt-5.5", agentVersion: "2.0.1" },
  });
  expect(calls(drafts)).toMatchObject([
    { key: "msg_n04", usage: { inputUncached: 900, cacheRead: 100, cacheWrite: 50, output: 60, reasoning: 20 } },
    { key: "msg_n09", usage: null },
  ]);
  expect(drafts.findLast((draft) => draft.kind === "reported")).toMatchObject({ usd: 0.004 });
  expect(bodies(drafts).map((body) => [body.type, "text" in body ? body.text : ""])).toEqual([
    ["meta", "/home/ada/reef"],
    ["meta", "gpt-5.5"],
    ["user", "How deep is it?"],
    ["user", ""],
    ["meta", "notes.md"],
    ["user", "The tide is low."],
    ["reasoning", "I sound it."],
    ["assistant", "I look."],
    ["tool_call", ""],
    ["tool_result", "12 m\n\n30 m"],
    ["tool_call", ""],
    ["tool_result", "File not found: missing.md"],
    ["tool_call", ""],
    ["tool_result", "Sand."],
    ["user", "$ tide\nlow"],
    ["compaction", "Two depths were measured."],
    ["user", "Two depths were measured.\n\nUser: How deep is it?"],
    ["meta", "plan"],
    ["system", "Plan only."],
    ["meta", "error"],
    ["error", "The request was aborted."],
    ["unknown", expect.stringContaining("of-tomorrow")],
  ]);
  const results = bodies(drafts).filter((body) => body.type === "tool_result");
  expect(results.map(({ isError, saw, detail }) => [isError, saw, detail])).toEqual([
    [false, "full", { exitCode: 0, durationMs: 30 }],
    [true, "full", { durationMs: 2 }],
    [false, "preview", { durationMs: 37, agentId: "ses_synthetic0004" }],
  ]);
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
});

test("messages as later releases write them: a compaction's own request, one that failed, files with their bytes", () => {
  const row = (seq: number, type: string, data: object) => ({
    ...{ table: "session_message", row: { id: `msg_${seq}`, type, seq, time_created: 1_790_000_000_000 + seq, data } },
  });
  const tokens = (input: number, output: number, reasoning = 0) => ({
    ...{ input, output, reasoning, cache: { read: 100, write: 0 } },
  });
  const model = { id: "gpt-5.5", providerID: "openai" };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const files = [
    { data: base64("low tide"), mime: "text/plain", name: "tide.txt", source: { type: "inline" } },
    { data: "aW1hZ2U=", mime: "image/png", name: "reef.png", source: { type: "inline" } },
    { data: base64("%PDF"), mime: "application/pdf", name: "chart.pdf", source: { type: "inline" } },
  ];
  const tool = {
    ...{ type: "tool", id: "call_1", name: "bash", executed: true, time: { created: 1, ran: 2, completed: 9 } },
    state: {
      ...{ status: "completed", input: { command: "tide" }, metadata: { exit: 3, sessionID: "ses_child" } },
      content: [
        { type: "text", text: "low" },
        { type: "file", uri: "data:image/png;base64,aW1hZ2U=", mime: "image/png" },
      ],
    },
  };
  const drafts = read([
    lines[0],
    row(1, "user", { text: "How deep?", files }),
    row(2, "skill", { skill: "s", name: "sounding", text: "Use a line." }),
    row(3, "assistant", {
      ...{ agent: "build", model, content: [{ type: "reasoning", text: "", state: { sealed: "x" } }, tool] },
      ...{ tokens: tokens(900, 40, 20), cost: 0.002, retry: { attempt: 1, at: 5, error: { message: "Overloaded" } } },
    }),
    row(4, "shell", {
      command: "ls",
      status: "exited",
      output: { output: "reef", cursor: 4, size: 4, truncated: false },
    }),
    // Of newer releases the model reads of it in a message behind it.
    row(41, "shell", { command: "ls", shellID: "sh_1", metadata: { background: true }, output: { output: "reef" } }),
    row(42, "synthetic", { text: "The person ran ls: reef", metadata: { source: "shell", shellID: "sh_1" } }),
    row(5, "compaction", {
      status: "failed",
      reason: "auto",
      error: { message: "Too long" },
      tokens: tokens(5000, 0),
      cost: 0.01,
    }),
    row(6, "compaction", { status: "running", reason: "auto", summary: "So", recent: "" }),
    row(7, "compaction", {
      ...{ status: "completed", reason: "auto", model, summary: "So far.", recent: "User: How deep?" },
      ...{ tokens: tokens(7000, 300, 10), cost: 0.02 },
    }),
    row(8, "location-switched", { location: { directory: "/home/ada/quay" } }),
    row(9, "idle", { outcome: "succeeded" }),
  ]);
  expect(calls(drafts).map(({ key, model: of, usage }) => [key, of, usage!.inputUncached, usage!.output])).toEqual([
    ["msg_3", "gpt-5.5", 900, 60],
    ["msg_5", "gpt-5.5", 5000, 0],
    ["msg_7", "gpt-5.5", 7000, 310],
  ]);
  expect(drafts.findLast((draft) => draft.kind === "reported")).toMatchObject({ usd: 0.032 });
  expect(
    bodies(drafts)
      .map((body) => [body.type, "text" in body ? body.text : ""])
      .slice(1),
  ).toEqual([
    ["user", "How deep?"],
    ["user", "Attached file: tide.txt\n\nlow tide"],
    ["user", ""],
    ["meta", "chart.pdf"],
    ["user", "Use a line."],
    ["reasoning", ""],
    ["tool_call", ""],
    ["tool_result", "low"],
    ["error", "Overloaded"],
    ["user", "$ ls\nreef"],
    ["meta", "ls"],
    ["user", "The person ran ls: reef"],
    ["meta", ""],
    ["error", "Too long"],
    ["meta", "running"],
    ["meta", ""],
    ["compaction", "So far."],
    ["user", "So far.\n\nUser: How deep?"],
    ["user", "The working directory has been changed to /home/ada/quay."],
    ["meta", "succeeded"],
  ]);
  expect(bodies(drafts).filter(({ type }) => type === "tool_call" || type === "tool_result")).toMatchObject([
    { hosted: true },
    { detail: { exitCode: 3, durationMs: 7, agentId: "ses_child" }, images: [{ mediaType: "image/png" }] },
  ]);
});

test("an exported document is read as the rows are, each part with its bytes", () => {
  const bytes = readFileSync(join(import.meta.dirname, "fixtures", "opencode-synthetic-export.json"));
  const state = opencode.start({ path: "/x/ses.json", head: bytes, sidecars: new Map() });
  const drafts = opencode.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  expect(opencode.identify(state)).toBe("ses_synthetic0099");
  const call = drafts.find((draft) => draft.kind === "event" && draft.body.type === "tool_call");
  expect(call?.kind === "event" && bytes.subarray(call.byteStart, call.byteEnd).toString()).toMatch(
    /^\{\s*"id": "prt_9012"/,
  );
  expect(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []))).toMatchObject([
    { inputUncached: 300, cacheRead: 100, output: 20 },
  ]);
  expect(drafts.findLast(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.004 });
  expect(opencode.continuation!.refuses!("/x/ses.json", [])).toMatch(/opencode import/);
});

test("a compaction that the provider made is what it put in the place of all before, and says what is sealed", () => {
  const row = (seq: number, type: string, data: object) => ({
    ...{ table: "session_message", row: { id: `msg_${seq}`, type, seq, time_created: 1_790_000_000_000 + seq, data } },
  });
  const messages = [
    { role: "user", content: [{ type: "text", text: "How deep?" }] },
    { role: "user", content: "And how wide?" },
    { role: "assistant", content: [{ type: "compaction", encrypted: "gAAA" }] },
  ];
  const provenance = { providerID: "openai", modelID: "gpt-5.5" };
  const about = { status: "completed", reason: "auto", summary: "", recent: "" };
  const thought = { type: "reasoning", text: "", native: { itemId: "rs_1" } };
  const drafts = read([
    lines[0],
    row(1, "user", { text: "How deep?" }),
    row(2, "assistant", { agent: "build", model: { id: "gpt-5.5", providerID: "openai" }, content: [thought] }),
    row(3, "compaction", { ...about, providerContext: { version: 1, provenance, messages } }),
  ]);
  expect(bodies(drafts).slice(1)).toMatchObject([
    { type: "user", text: "How deep?" },
    { type: "reasoning", text: "", encrypted: true },
    { type: "compaction", text: "", trigger: "auto" },
    { type: "user", text: "How deep?", injected: "summary" },
    { type: "user", text: "And how wide?", injected: "summary" },
  ]);
  expect(JSON.stringify(drafts)).toContain("encrypted: its text cannot be read");
});
