// Sessions of Kiro: the log of its command line, the records of its newest engine, and the rows of its first.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { kiro } from "./kiro.ts";

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `fixtures/kiro-synthetic-${name}.jsonl`), "utf8");
const BESIDE = readFileSync(
  join(import.meta.dirname, "fixtures-beside/kiro/synthetic-kiro-synthetic-session.json"),
  "utf8",
);
const LOG = "/home/ada/.kiro/sessions/cli/00000000-0000-4000-8000-000000000001.jsonl";
const FOLDER = "/home/ada/.kiro/sessions/a1b2c3d4e5f60718/sess_00000000-0000-4000-8000-0000000000a1";

function read(text: string, path: string, beside: Record<string, string> = {}): { drafts: Draft[]; id: string | null } {
  const head = Buffer.from(text);
  const state = kiro.start({ path, head, sidecars: new Map(Object.entries(beside)) });
  let at = 0;
  const drafts = text
    .trimEnd()
    .split("\n")
    .flatMap((line, i) => {
      const bytes = Buffer.from(line);
      const record = { bytes, byteStart: at, byteEnd: at + bytes.length, line: i + 1 };
      at += bytes.length + 1;
      return kiro.parse(record, state);
    });
  return { drafts, id: kiro.identify(state) };
}

const short = (id: string): string => id.slice(-3);

describe("the log of the command line", () => {
  const { drafts, id } = read(fixture("session"), LOG, { [LOG.replace(/l$/, "")]: BESIDE });

  test("is named and placed by the file beside it, whose zeros are no tokens", () => {
    expect(id).toBe("00000000-0000-4000-8000-000000000001");
    expect(patches(drafts)).toMatchObject({
      cwd: "/home/ada/puffins",
      title: "Puffins (synthetic)",
      model: "claude-sonnet-4.5",
      startedAt: Date.UTC(2026, 8, 1, 10, 0, 0, 500),
      quality: "Kiro keeps credits, and seldom the tokens of its model calls.",
    });
    expect(patches(drafts)["parent"]).toBeUndefined();
    expect(drafts.filter(({ kind }) => kind === "reported")).toEqual([]);
    expect(bodies(drafts)).toContainEqual({ type: "meta", subtype: "credits", text: "0.875 credits" });
  });

  test("has its model in the session's state, too", () => {
    const about = { session_id: "s1", session_state: { model_info: { model_id: "claude-haiku-4.5" } } };
    const told = read(fixture("session"), LOG, { [LOG.replace(/l$/, "")]: JSON.stringify(about) });
    expect(patches(told.drafts)).toMatchObject({ model: "claude-haiku-4.5" });
  });

  test("has prompts with their images, calls, results of both kinds, and thoughts", () => {
    expect(bodies(drafts).slice(0, 9)).toMatchObject([
      { type: "user", text: "Count the puffins (synthetic)" },
      { type: "user", injected: "file", images: [{ mediaType: "image/png" }] },
      { type: "meta", subtype: "credits" },
      { type: "assistant", text: "I look." },
      { type: "tool_call", toolCallId: "tooluse_p1", toolName: "shell" },
      { type: "tool_call", toolCallId: "tooluse_p2", toolName: "read" },
      { type: "tool_result", text: '{"exit_status":"0","stdout":"9 puffins"}', isError: false },
      { type: "tool_result", text: "no such file", isError: true },
      { type: "reasoning", text: "Nine.", signatureChars: 4 },
    ]);
    expect(calls(drafts).map(({ key, ts, usage, window }) => [short(key), ts, usage, window])).toEqual([
      ["102", 1_788_256_800_000, null, 200_000],
      ["104", 1_788_256_800_000, null, 200_000],
      ["107", 1_788_257_000_000, null, 200_000],
      ["109", 1_788_257_100_000, null, 200_000],
      ["111", 1_788_257_200_000, null, 200_000],
    ]);
  });

  test("a prompt that was cancelled, a reset and a clear take back what they name", () => {
    const back = bodies(drafts).flatMap((body) => (body.type === "rewind" ? [body.after && short(body.after)] : []));
    expect(back).toEqual(["104", "104", null]);
    expect(bodies(drafts).find(({ type }) => type === "compaction")).toMatchObject({
      text: "Nine puffins were counted.",
      preserved: ["00000000-0000-4000-8000-000000000104"],
    });
  });

  test("tokens that a turn has are the session's, with those of the cache beside them", () => {
    const [turn] = [{ input_token_count: 900, output_token_count: 40, cache_read_input_token_count: 5000 }];
    const state = { conversation_metadata: { user_turn_metadatas: [{ ...turn, model: "m1" }, turn] } };
    const beside = JSON.stringify({ session_id: "s1", parent_session_id: "p1", session_state: state });
    const line = fixture("session").split("\n")[1]!;
    const { drafts: own } = read(line, LOG, { [LOG.replace(/l$/, "")]: beside });
    expect(own.filter(({ kind }) => kind === "reported")).toMatchObject([
      {
        usd: null,
        usage: {
          m1: { inputUncached: 900, cacheRead: 5000, output: 40 },
          "": { inputUncached: 900, cacheRead: 5000, output: 40 },
        },
      },
    ]);
    expect(patches(own)).toMatchObject({ parent: "p1", relation: "fork" });
  });

  test("a session that another one started is its sub-agent", () => {
    const beside = JSON.stringify({ session_id: "s1", parent_session_id: "p1", session_created_reason: "subagent" });
    const { drafts: own } = read(fixture("session").split("\n")[1]!, LOG, { [LOG.replace(/l$/, "")]: beside });
    expect(patches(own)).toMatchObject({ parent: "p1", relation: "subagent" });
  });
});

describe("the records of the newest engine", () => {
  const about = JSON.stringify({
    ...{ schemaVersion: "1.0.0", id: "sess_x", title: "New Session", createdAt: "2026-09-02T09:59:59Z" },
    ...{ workspacePaths: ["/home/ada/tides"], modelId: "auto", createdReason: "human" },
  });
  const { drafts, id } = read(fixture("messages"), `${FOLDER}/messages.jsonl`, { [`${FOLDER}/session.json`]: about });

  test("are named by their folder", () => {
    expect(id).toBe("sess_00000000-0000-4000-8000-0000000000a1");
    expect(patches(drafts)).toMatchObject({
      cwd: "/home/ada/tides",
      title: "Which tide is next? (synthetic)",
      model: "auto",
    });
  });

  test("what a person says, what goes with it, and what comes of it", () => {
    expect(bodies(drafts).slice(0, 12)).toMatchObject([
      { type: "user", text: "Which tide is next? (synthetic)", images: [{ attachment: 0 }] },
      { type: "user", text: "tides.md\n06:12 high", injected: "file" },
      { type: "meta", subtype: "turn_start" },
      { type: "user", text: "tech.md\nUse UTC.", injected: "steering" },
      { type: "meta", subtype: "steering_inclusion", text: "product" },
      { type: "reasoning", text: "", encrypted: true, signatureChars: 12 },
      { type: "meta", subtype: "contextUsage", text: "2.23 % of the context window" },
      { type: "tool_call", toolCallId: "tooluse_t1" },
      { type: "tool_result", text: "06:12 high\n12:30 low", detail: { durationMs: 12 } },
      { type: "tool_call", toolCallId: "tooluse_t2" },
      { type: "meta", subtype: "sub_agent_start", text: "moon · phase" },
      { type: "tool_result", text: "no moon", isError: true },
    ]);
    expect(bodies(drafts)).toContainEqual({ type: "meta", subtype: "usage_summary", text: "0.703 credits · success" });
    expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(3);
    expect(drafts.filter(({ kind }) => kind === "link")).toEqual([
      { kind: "link", lane: "", toolCallId: "tooluse_t2", agentId: "00000000-0000-4000-8000-0000000000a2" },
    ]);
  });

  test("a call ends when its size and its results are there and something new comes", () => {
    const keys = events(drafts).flatMap(({ body, callKey }) => (callKey === null ? [] : [[body.type, callKey]]));
    expect(keys).toEqual([
      ["reasoning", "m-0004-synthetic"],
      ["tool_call", "m-0004-synthetic"],
      ["tool_call", "tooluse_t2-call"],
      ["assistant", "tooluse_t2-call"],
      ["assistant", "m-0018-synthetic"],
      ["assistant", "m-0025-synthetic"],
    ]);
    expect(calls(drafts).every(({ usage }) => usage === null)).toBe(true);
  });

  test("a checkpoint takes back what came behind it, and a summary takes the place of what was said", () => {
    const kinds = bodies(drafts).map(({ type }) => type);
    expect(bodies(drafts).filter(({ type }) => type === "rewind")).toEqual([
      { type: "rewind", text: "", after: "m-0016-synthetic" },
    ]);
    expect(kinds.slice(-5)).toEqual(["meta", "compaction", "user", "unknown", "assistant"]);
  });

  test("a sub-agent's file is a session of the one whose folder it is in", () => {
    const path = `${FOLDER}/sub-executions/00000000-0000-4000-8000-0000000000a2.jsonl`;
    const own = read(fixture("messages").split("\n")[3]!, path);
    expect(own.id).toBe("00000000-0000-4000-8000-0000000000a2");
    expect(patches(own.drafts)).toMatchObject({
      parent: "sess_00000000-0000-4000-8000-0000000000a1",
      relation: "subagent",
    });
  });
});

test("turns of the database have the times of their requests, and a pair is a turn of an earlier release", () => {
  const { drafts, id } = read(fixture("database"), "/archive/data.sqlite3");
  expect(id).toBe("00000000-0000-4000-8000-000000000002");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/terns", model: "claude-sonnet-4" });
  expect(bodies(drafts)).toMatchObject([
    { type: "meta", text: "/home/ada/terns last turn 0.5 credits" },
    { type: "compaction", text: "Terns (synthetic) were ringed before." },
    { type: "user", injected: "summary" },
    { type: "user", text: "Ring the terns (synthetic)" },
    { type: "user", injected: "context" },
    { type: "assistant", text: "I ring." },
    { type: "tool_call", toolCallId: "tooluse_r1", toolName: "execute_bash" },
    { type: "tool_result", text: '{"exit_status":"1","stderr":"no rings"}', isError: true },
    { type: "assistant", text: "No rings are left." },
    { type: "user", text: "Stop" },
    { type: "meta", subtype: "Response" },
  ]);
  expect(calls(drafts)).toMatchObject([
    { ts: 1_764_597_604_000, model: "claude-sonnet-4", usage: null, window: 200_000 },
    { ts: null, usage: null },
    { ts: null, usage: null },
  ]);
  const [first, second, ...others] = fixture("database").trimEnd().split("\n");
  const counted = second!.replace(
    '"total_tokens":null,"uncached_input_tokens":null,"output_tokens":null',
    '"uncached_input_tokens":120,"cache_read_input_tokens":3000,"output_tokens":45',
  );
  const told = read([first, counted, ...others].join("\n"), "/archive/data.sqlite3").drafts;
  expect(calls(told)[0]).toMatchObject({ usage: { inputUncached: 120, cacheRead: 3000, output: 45 } });
});

test("sessions lie where each engine and each system keeps them", () => {
  expect(kiro.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.kiro/sessions",
    "/home/ada/.local/share/kiro-cli/data.sqlite3",
    "/home/ada/.local/share/amazon-q/data.sqlite3",
  ]);
  expect(kiro.sources({ HOME: "/Users/ada", KIRO_HOME: "/kiro" }, "darwin")).toEqual([
    "/kiro/sessions",
    "/Users/ada/.kiro/sessions",
    "/Users/ada/Library/Application Support/kiro-cli/data.sqlite3",
    "/Users/ada/Library/Application Support/amazon-q/data.sqlite3",
  ]);
  expect(kiro.sources({ USERPROFILE: "C:\\Users\\ada" }, "win32")).toContain(
    "C:\\Users\\ada\\AppData\\Local\\kiro-cli\\data.sqlite3",
  );
  for (const path of [LOG, `${FOLDER}/messages.jsonl`, "/d/kiro-cli/data.sqlite3"]) expect(kiro.wants(path)).toBe(true);
  for (const path of [`${FOLDER}/session.json`, "/home/ada/.kiro/sessions/cli/a.history", "/d/other/data.sqlite3"])
    expect(kiro.wants(path)).toBe(false);
});

test("records of other programs with a payload are none of Kiro's", () => {
  const known = (type: string): boolean => {
    const line = JSON.stringify({ id: "1", timestamp: "2026-01-05T10:00:00Z", payload: { type } });
    return kiro.detect({ path: "x", head: Buffer.from(`${line}\n`), sidecars: new Map<string, string>() });
  };
  expect(["turn_start", "user"].map(known)).toEqual([true, true]);
  expect(["order.created", "request"].map(known)).toEqual([false, false]);
});
