import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDocument, NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import { eventBody } from "#lib/kernel/event.ts";
import { codex, shadowedBy } from "./codex.ts";
import type { CodexState } from "./codex.ts";
import {
  TURN,
  at,
  bodies,
  calls,
  client,
  events,
  fileOf,
  linesOf,
  parse,
  patches,
  recordsOf,
  run,
  said,
  sum,
  tokens,
} from "./codex/testing-codex.ts";
import { readValues } from "./json-lines.ts";

const DATA = join(import.meta.dirname, "../../../shared/data");
const FIXTURES = join(import.meta.dirname, "fixtures");
const hasData = existsSync(join(DATA, "GOLDEN.json"));
if (!hasData) console.warn("codex.test.ts: ../shared/data is absent; the collected sessions are not compared.");

type Golden = {
  records: number;
  llmCalls: number;
  toolCalls: number;
  toolResults: number;
  callsWithoutResult: number;
  resultsWithoutCall: number;
  compactions: number;
  tokensFinalTotal: Record<string, number> | null;
};

const fixture = (name: string): Draft[] => run(name, readFileSync(join(FIXTURES, name))).drafts;
const shown = (drafts: Draft[]) => bodies(drafts).filter((body) => body.type !== "meta");

function summary(bytes: Uint8Array, drafts: Draft[]): Golden {
  const callIds = bodies(drafts).flatMap((body) =>
    body.type === "tool_call" && !body.hosted ? [body.toolCallId] : [],
  );
  const resultIds = bodies(drafts).flatMap((body) => (body.type === "tool_result" ? [body.toolCallId] : []));
  const keys = new Set(calls(drafts).map((call) => call.key));
  return {
    records: recordsOf(bytes).reduce((so, record) => so + readValues(record).values.length, 0),
    llmCalls: keys.size,
    toolCalls: new Set(callIds).size,
    toolResults: resultIds.length,
    callsWithoutResult: callIds.filter((id) => !resultIds.includes(id)).length,
    resultsWithoutCall: resultIds.filter((id) => !callIds.includes(id)).length,
    compactions: bodies(drafts).filter((body) => body.type === "compaction").length,
    tokensFinalTotal: keys.size === 0 ? null : sum(drafts),
  };
}

const golden: [string, Golden][] = hasData
  ? Object.entries(JSON.parse(readFileSync(join(DATA, "GOLDEN.json"), "utf8")) as Record<string, Golden>).filter(
      ([path]) => path.startsWith("codex/"),
    )
  : [];
const collected = golden.map(([path]) => path);
const fixtures = readdirSync(FIXTURES).filter((name) => /^codex-synthetic.*\.jsonl$/.test(name));
const everyFile = [...fixtures.map((name) => join(FIXTURES, name)), ...collected.map((path) => join(DATA, path))];

describe.skipIf(!hasData)("collected sessions", () => {
  test.each(golden)("%s has the expected numbers", (path, expected) => {
    const bytes = readFileSync(join(DATA, path));
    const { drafts } = run(path, bytes);
    const found = summary(bytes, drafts);
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((key) => [key, expected[key as keyof Golden]])));
    expect(drafts.filter((draft) => draft.kind === "problem")).toEqual([]);
  });
});

describe("a session", () => {
  const drafts = fixture("codex-synthetic-session.jsonl");

  test("is read in the order of the history, and each prompt is shown once", () => {
    const brief = shown(drafts).map((body) => {
      if (body.type === "user")
        return body.injected === undefined ? `user: ${body.text.split("\n")[0]}` : `user (${body.injected})`;
      if (body.type === "system") return `system (${body.subtype})`;
      if (body.type === "tool_call") return `${body.hosted ? "hosted" : "call"} ${body.toolName}`;
      if (body.type === "tool_result") return `result ${body.toolCallId}${body.isError ? " failed" : ""}`;
      return body.type;
    });
    expect(brief).toEqual([
      "system (base_instructions)",
      "system (permissions_instructions)",
      "system (collaboration_mode)",
      "user (agents_md)",
      "user (environment_context)",
      "user: Why does the tide test fail?",
      "reasoning",
      "assistant",
      "call exec_command",
      "call read_file",
      "result call_run failed",
      "result call_odd failed",
      "hosted web_search",
      "call apply_patch",
      "result call_patch",
      "call tool_search",
      "result call_find",
      "call multi_agent.spawn_agent",
      "result call_spawn",
      "call view_image",
      "result call_view",
      "assistant",
      "compaction",
      "user: Now the docks.",
      "reasoning",
      "call exec_command",
      "user (turn_aborted)",
      "error",
      "rewind",
      "error",
    ]);
    expect(
      events(drafts)
        .filter((draft) => draft.startsTurn)
        .map((draft) => draft.body.type),
    ).toEqual(["user", "user"]);
  });

  test("says who it is", () => {
    expect(patches(drafts)).toMatchObject({
      agentName: "Codex",
      agentVersion: "0.142.0",
      branch: "tides",
      cwd: "/home/ada/harbour",
      model: "gpt-example-mini",
      startedAt: Date.parse("2026-02-03T08:59:59.000Z"),
      title: "Tides and docks",
      titleRank: 2,
    });
  });

  test("began when it began, though it is resumed later", () => {
    const meta = (timestamp: string) => at({ id: "a", timestamp, cli_version: timestamp.slice(0, 4) }, "session_meta");
    const drafts = parse(meta("2026-01-01T00:00:00Z"), meta("2027-01-01T00:00:00Z"));
    expect(patches(drafts)).toMatchObject({ startedAt: Date.parse("2026-01-01T00:00:00Z"), agentVersion: "2027" });
    expect(patches(drafts)["quality"]).toBeUndefined();
  });

  test("has an identity for each record", () => {
    const bytes = readFileSync(join(FIXTURES, "codex-synthetic-session.jsonl"));
    expect(new Set(events(drafts).map((draft) => draft.recordKey)).size).toBe(recordsOf(bytes).length);
    expect(events(drafts).every((draft) => draft.recordKey !== null)).toBe(true);
  });

  test("has a result's exit code, time, diff and sub-agent from both logs", () => {
    const detail = (id: string) =>
      bodies(drafts).flatMap((body) => (body.type === "tool_result" && body.toolCallId === id ? [body.detail] : []))[0];
    expect(detail("call_run")).toEqual({ exitCode: 1, durationMs: 2500, originalTokens: 7 });
    expect(detail("call_patch")).toEqual({
      exitCode: 0,
      durationMs: 200,
      filePath: "/home/ada/harbour/tide.js",
      patch: [{ oldStart: 3, newStart: 3, lines: ["-const first = 0;", "+const first = 1;"] }],
    });
    const agentId = "01a00000-0000-7000-8000-00000000000b";
    expect(detail("call_spawn")).toEqual({ agentId });
    expect(drafts.filter((draft) => draft.kind === "link")).toEqual([
      { kind: "link", lane: "", toolCallId: "call_spawn", agentId },
    ]);
  });

  test("keeps arguments that are not JSON as the model wrote them", () => {
    const inputs = bodies(drafts).flatMap((body) => (body.type === "tool_call" ? [body.input] : []));
    expect(inputs.slice(0, 2)).toEqual([{ cmd: "npm test tide" }, "{not json"]);
  });

  test("keeps an image of a result as an attachment", () => {
    const image = events(drafts).find((draft) => draft.attachments !== undefined);
    expect(image?.attachments).toEqual([{ mediaType: "image/png", base64: "iVBORw0KGgo=" }]);
    expect(image?.body).toMatchObject({ type: "tool_result", text: "The chart:", images: [{ attachment: 0 }] });
  });

  test("counts a model call where the totals move, and what the totals name beyond the calls as lost", () => {
    expect(calls(drafts).map((call) => call.usage)).toEqual([
      { ...NO_USAGE, inputUncached: 4000, cacheRead: 1000, cacheWrite: 0, output: 300, reasoning: 200 },
      { ...NO_USAGE, inputUncached: 1000, cacheRead: 5000, cacheWrite: 0, output: 200, reasoning: 100 },
      { ...NO_USAGE, inputUncached: 1500, cacheRead: 5500, cacheWrite: 0, output: 120, reasoning: 40 },
      { ...NO_USAGE, inputUncached: 1000, cacheRead: 7000, cacheWrite: 0, output: 70, reasoning: 0 },
    ]);
    expect(drafts.filter((draft) => draft.kind === "lost").map((draft) => draft.usage)).toEqual([
      { ...NO_USAGE, inputUncached: 0, cacheRead: 500, cacheWrite: 0, output: 30, reasoning: 10 },
    ]);
    expect(sum(drafts)).toEqual(tokens(26500, 19000, 720, 350));
    expect(calls(drafts).every((call) => call.window === 200000 && call.model === "gpt-example")).toBe(true);
  });

  test("gives a call's events its key, and an interrupted call's events a key of no call", () => {
    const keys = new Set(calls(drafts).map((call) => call.key));
    const called = events(drafts).filter((draft) => draft.callKey !== null);
    const without = called.filter((draft) => !keys.has(draft.callKey!)).map((draft) => draft.body.type);
    expect(without).toEqual(["reasoning", "tool_call"]);
    expect(called.slice(0, 4).every((draft) => draft.callKey === calls(drafts)[0]!.key)).toBe(true);
  });

  test("tells the context before and after a compaction, and what stays in it", () => {
    const compaction = bodies(drafts).find((body) => body.type === "compaction");
    expect(compaction).toMatchObject({ tokensBefore: 8000, tokensAfter: null, text: "" });
    const prompt = events(drafts).find((draft) => draft.startsTurn);
    const instructions = events(drafts).find(({ body }) => body.type === "system");
    expect(compaction).toMatchObject({ preserved: [instructions?.recordKey, prompt?.recordKey] });
    expect(
      bodies(drafts).filter((body) => body.type === "meta" && body.subtype === "context_after_compaction"),
    ).toEqual([{ type: "meta", subtype: "context_after_compaction", text: "1200" }]);
    expect(drafts.filter((draft) => draft.kind === "compacted")).toEqual([
      { kind: "compacted", lane: "", tokensAfter: 1200 },
    ]);
    expect(JSON.stringify(patches(drafts))).toContain("encrypted");
  });
});

describe("a sub-agent's file that begins with its parent's history", () => {
  const parent = fixture("codex-synthetic-session.jsonl");
  const child = fixture("codex-synthetic-subagent.jsonl");

  test("belongs to the child, and says so", () => {
    expect(run("a", readFileSync(join(FIXTURES, "codex-synthetic-subagent.jsonl"))).state.id).toMatch(/b$/);
    expect(patches(child)).toMatchObject({
      relation: "subagent",
      parent: "01a00000-0000-7000-8000-00000000000a",
      title: "Check the docks.",
      quality: expect.stringContaining("inherited turns") as string,
    });
  });

  test("says so where its own records are numbered behind the copied ones", () => {
    const first = (start: unknown) =>
      linesOf({ type: "session_meta", payload: { id: "b", subagent_history_start_ordinal: start } });
    expect(patches(run("a", first(12)).drafts)).toMatchObject({
      quality: expect.stringContaining("inherited") as string,
    });
    expect(patches(run("a", first(1)).drafts)).not.toHaveProperty("quality");
  });

  test("shares the keys of the copied records and calls with the parent, and no others", () => {
    const keysOf = (drafts: Draft[]) => new Set(events(drafts).map((draft) => draft.recordKey));
    const own = keysOf(parent);
    const shared = events(child).filter((draft) => own.has(draft.recordKey));
    const turn = events(child).findIndex(
      (draft) => draft.body.type === "meta" && draft.recordKey?.includes("f3/") === true,
    );
    expect(shared).toEqual(events(child).slice(2, turn));
    expect(
      calls(child)
        .map((call) => call.key)
        .filter((key) => calls(parent).some((one) => one.key === key)),
    ).toEqual([calls(parent)[0]!.key]);
  });

  test("counts a response once, whether its record stands before its token count or after", () => {
    expect(calls(child).map((call) => call.usage?.output)).toEqual([300, 40, 40]);
    expect(sum(child)).toEqual(tokens(16300, 11500, 380, 210));
  });

  test("starts its turn at the parent's message", () => {
    const starts = events(child).filter((draft) => draft.startsTurn);
    expect(starts.at(-1)?.body).toEqual({ type: "user", text: "Check the docks." });
  });

  test("reads exit codes of older outputs", () => {
    const result = bodies(child).find((body) => body.type === "tool_result" && body.toolCallId === "call_ls");
    expect(result).toMatchObject({ isError: true, detail: { exitCode: 2, durationMs: 100 } });
  });
});

test("a file from before Sept 2025 is read: bare items, no times, no usage", () => {
  const drafts = fixture("codex-synthetic-legacy.jsonl");
  expect(shown(drafts).map((body) => body.type)).toEqual([
    "system",
    "user",
    "user",
    "reasoning",
    "tool_call",
    "tool_result",
    "assistant",
  ]);
  expect(bodies(drafts).filter((body) => body.type === "meta" && body.subtype === "state")).toHaveLength(3);
  expect(events(drafts).find((draft) => draft.startsTurn)?.attachments).toEqual([
    { mediaType: "image/jpeg", base64: "/9j/4AAQ" },
  ]);
  expect(calls(drafts)).toEqual([]);
  expect(events(drafts).filter((draft) => draft.callKey !== null)).toEqual([]);
});

describe("a document of the first client", () => {
  const path = "/h/.codex/sessions/rollout-2025-04-17-01960000-0000-4000-8000-00000000000a.json";
  const bytes = readFileSync(join(FIXTURES, "codex-synthetic-early.json"));
  const read = (of: Uint8Array): Draft[] =>
    codex.parse({ bytes: of, byteStart: 0, byteEnd: of.length, line: 1 }, codex.start(fileOf(path, of)));

  test("is found and read: items with their bytes, no times, no usage", () => {
    expect(codex.wants(path)).toBe(true);
    expect(isDocument(codex, fileOf(path, bytes))).toBe(true);
    const drafts = read(bytes);
    expect(shown(drafts).map((body) => body.type)).toEqual([
      ...["system", "user", "reasoning", "tool_call", "tool_result", "assistant"],
    ]);
    expect(patches(drafts)).toMatchObject({ startedAt: Date.parse("2025-04-17T08:00:00Z"), agentName: "Codex" });
    expect(calls(drafts)).toEqual([]);
    const [answer] = events(drafts).slice(-1);
    expect(JSON.parse(bytes.subarray(answer!.byteStart, answer!.byteEnd).toString())).toMatchObject({
      type: "message",
    });
  });

  test("what the model said has the same names in the longer copy of the next pause", () => {
    const keys = events(read(bytes)).map(({ recordKey }) => recordKey);
    const longer = bytes.toString().replace("00000000000a", "00000000000b");
    const copied = events(read(Buffer.from(longer))).map(({ recordKey }) => recordKey);
    expect(keys.filter((key) => key?.startsWith("item/"))).toHaveLength(3);
    expect(copied.filter((key) => key?.startsWith("item/"))).toEqual(keys.filter((key) => key?.startsWith("item/")));
  });

  test("that is cut has what stands before the cut", () => {
    const drafts = read(bytes.subarray(0, bytes.indexOf("High water")));
    expect(shown(drafts).map((body) => body.type)).toContain("tool_result");
    expect(drafts.at(-1)).toMatchObject({ kind: "problem" });
  });
});

describe("prompts", () => {
  const prompt = { type: "user_message", message: "Hello", images: [] };
  const users = (drafts: Draft[]) => bodies(drafts).filter((body) => body.type === "user");

  test.each([
    ["the history first", [said("user", "Hello"), client(prompt)]],
    ["the client's log first", [client(prompt), said("user", "Hello")]],
    ["the history only", [said("user", "Hello")]],
    ["the client's log only", [client(prompt)]],
  ])("one prompt is one user event: %s", (_, records) => {
    const drafts = parse(...records);
    expect(users(drafts)).toEqual([{ type: "user", text: "Hello" }]);
    expect(events(drafts).filter((draft) => draft.startsTurn)).toHaveLength(1);
    expect(events(drafts)).toHaveLength(records.length);
  });

  test("the same words twice are two prompts", () => {
    expect(users(parse(said("user", "Hello"), client(prompt), said("user", "Hello"), client(prompt)))).toHaveLength(2);
  });

  test("the client's copy is known by its words, when other records stand between", () => {
    expect(users(parse(said("user", "Hello"), at({}, "world_state"), client(prompt)))).toHaveLength(1);
  });

  test("a prompt with an image is one event, though the client's copy has other words", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const content = [
      { type: "input_text", text: "<image name=[Image #1]>" },
      image,
      { type: "input_text", text: "</image>" },
      { type: "input_text", text: "Look" },
    ];
    const drafts = parse(
      at({ type: "message", role: "user", content }),
      client({ type: "user_message", message: "Look [Image #1]", images: [image.image_url] }),
    );
    expect(users(drafts)).toMatchObject([{ text: "Look", images: [{ mediaType: "image/png" }] }]);
  });
});

describe("every file", () => {
  test("has valid events, and at least one for each record", () => {
    for (const path of everyFile) {
      const bytes = readFileSync(path);
      const state = codex.start(fileOf(path, bytes));
      for (const record of recordsOf(bytes)) {
        const own = events(codex.parse(record, state));
        expect(own.length).toBeGreaterThan(0);
        for (const { body } of own) expect(eventBody.safeParse(body).error).toBeUndefined();
      }
    }
  });

  test("is the same read in two halves, the state written down between", () => {
    for (const path of everyFile) {
      const bytes = readFileSync(path);
      const records = recordsOf(bytes);
      const whole = JSON.stringify(run(path, bytes).drafts);
      fc.assert(
        fc.property(fc.array(fc.nat(records.length), { maxLength: 6 }), (cuts) => {
          let state = codex.start(fileOf(path, bytes));
          const drafts = records.flatMap((record, at) => {
            if (cuts.includes(at)) state = JSON.parse(JSON.stringify(state)) as CodexState;
            return codex.parse(record, state);
          });
          expect(JSON.stringify(drafts) === whole).toBe(true);
        }),
        { numRuns: 5 },
      );
    }
  });

  test("is told by its content, and needs at most 4 KB of state besides open calls", () => {
    for (const path of everyFile) {
      const bytes = readFileSync(path);
      expect(codex.detect(fileOf("x.jsonl", bytes))).toBe(true);
      const state = codex.start(fileOf(path, bytes));
      for (const record of recordsOf(bytes)) {
        codex.parse(record, state);
        expect(JSON.stringify({ ...state, open: [] }).length).toBeLessThan(4096);
      }
    }
  });
});

test("a long session of every kind of record stays in 4 KB of state", () => {
  const values = Array.from({ length: 600 }, (_, nth) => [
    ...(nth % 50 === 0 ? [client({ type: "task_started", turn_id: TURN.slice(0, -3) + String(100 + nth) })] : []),
    said("user", `Prompt ${nth}`),
    client({ type: "user_message", message: `Other prompt ${nth}` }),
    at({ type: "function_call", name: "ls", call_id: `call_${nth}` }),
    at({}, `kind_${nth}_${"x".repeat(50)}`),
  ]).flat();
  const { state } = run("a.jsonl", linesOf(...values));
  expect(JSON.stringify({ ...state, open: [] }).length).toBeLessThan(4096);
  expect(state.open.length).toBeLessThanOrEqual(64);
});

test("any JSON anywhere is read without a failure, as valid events, in a bounded state", () => {
  const types = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call_output",
    "web_search_call",
    "image_generation_call",
    "token_count",
    "user_message",
    "exec_command_end",
    "patch_apply_end",
    "turn_aborted",
    "task_started",
    "compaction",
  ];
  const field = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(TURN, "user", "assistant", 5, -1, 1e300, "__proto__"),
    fc.array(
      fc.record(
        { type: fc.constantFrom("input_text", "input_image"), text: fc.jsonValue(), image_url: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    ),
  );
  const names = [
    "role",
    "content",
    "call_id",
    "id",
    "turn_id",
    "output",
    "arguments",
    "info",
    "usage",
    "message",
    "images",
    "changes",
    "summary",
    "replacement_history",
    "exit_code",
    "duration",
    "name",
    "source",
    "cwd",
    "model",
  ];
  const payload = fc
    .tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...names), field))
    .map(([type, fields]) => ({ ...fields, type }));
  const envelope = fc.record({
    type: fc.constantFrom(
      "session_meta",
      "turn_context",
      "response_item",
      "event_msg",
      "compacted",
      "token_usage_record",
      "inter_agent_communication",
      "new_type",
    ),
    timestamp: fc.jsonValue(),
    payload: fc.oneof({ weight: 5, arbitrary: payload }, { weight: 1, arbitrary: fc.jsonValue() }),
  });
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: envelope },
          { weight: 1, arbitrary: payload },
          { weight: 1, arbitrary: fc.jsonValue() },
        ),
        { maxLength: 30 },
      ),
      (values) => {
        const { drafts, state } = run("a.jsonl", linesOf(...values));
        for (const body of bodies(drafts)) expect(eventBody.safeParse(body).error).toBeUndefined();
        expect(events(drafts).length).toBeGreaterThanOrEqual(values.length);
        expect(JSON.stringify({ ...state, open: [] }).length).toBeLessThan(4096);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      },
    ),
    { numRuns: 300 },
  );
});

describe("files", () => {
  test("the folders are Codex's own, or CODEX_HOME's", () => {
    expect(codex.sources({ HOME: "/home/ada" }, "linux")).toEqual([
      "/home/ada/.codex/sessions",
      "/home/ada/.codex/archived_sessions",
    ]);
    expect(codex.sources({ HOME: "/home/ada", CODEX_HOME: "/srv/codex" }, "linux")[0]).toBe("/srv/codex/sessions");
    expect(codex.sources({ USERPROFILE: "C:\\Users\\ada" }, "win32")[0]).toBe("C:\\Users\\ada\\.codex\\sessions");
    expect(codex.sources({}, "linux")).toEqual([]);
  });

  test("rollouts are wanted, compressed too, and a plain one stands in place of its compressed copy", () => {
    const name = "rollout-2026-02-03T09-00-00-01a00000-0000-7000-8000-00000000000a.jsonl";
    expect(codex.wants(`/s/2026/02/03/${name}`)).toBe(true);
    expect(codex.wants(`C:\\s\\${name}.zst`)).toBe(true);
    expect(codex.wants("/s/history.jsonl")).toBe(false);
    expect(shadowedBy(`${name}.zst`)).toBe(name);
    expect(shadowedBy(name)).toBeNull();
  });

  test("other formats are not taken", () => {
    for (const value of [
      { type: "thread.started", thread_id: "a" },
      { type: "session", id: "a", timestamp: "b", cwd: "c" },
      { type: "user", sessionId: "a", uuid: "b", parentUuid: null },
      { sessionId: "a", projectHash: "b", messages: [] },
      { role: "user", content: "hi" },
    ])
      expect(codex.detect(fileOf(`rollout-${basename("x")}.jsonl`, linesOf(value)))).toBe(false);
  });

  test("a first line longer than the head is told by its beginning", () => {
    const long = linesOf(at({ id: "a", base_instructions: { text: "x".repeat(100_000) } }, "session_meta"));
    expect(codex.detect(fileOf("a.jsonl", long))).toBe(true);
  });

  test("a session is named by its first session_meta before a record is read, whatever the file is called", () => {
    const path = "rollout-2026-02-03T09-00-00-01a00000-0000-7000-8000-00000000000d.jsonl";
    const name = (...values: unknown[]) => codex.identify(codex.start(fileOf(path, linesOf(...values))));
    expect(name(at({ id: "own" }, "session_meta"), at({ id: "parent" }, "session_meta"))).toBe("own");
    expect(name(at({ id: "own", base_instructions: { text: "x".repeat(100_000) } }, "session_meta"))).toBe("own");
    expect(name({ id: "own", timestamp: "2025-06-01T12:00:00Z", instructions: null })).toBe("own");
    for (const file of everyFile) {
      const { state } = run("a.jsonl", readFileSync(file));
      expect(state.fileId).toBe(state.id);
    }
  });

  test("a session without a name of its own has that of its file", () => {
    const path = "rollout-2026-02-03T09-00-00-01a00000-0000-7000-8000-00000000000d.jsonl";
    const state = codex.start(fileOf(path, linesOf(said("user", "Hello"))));
    expect(codex.identify(state)).toBe("01a00000-0000-7000-8000-00000000000d");
  });

  test("glued records are read with their own bytes, and a broken one is listed", () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify(said("user", "A")) + JSON.stringify(said("user", "B")) + '\n{"type":"event_m\n',
    );
    const { drafts } = run("a.jsonl", bytes);
    expect(events(drafts).map((draft) => [draft.byteStart, draft.byteEnd])).toEqual([
      [0, bytes.indexOf(10) / 2],
      [bytes.indexOf(10) / 2, bytes.indexOf(10)],
    ]);
    expect(drafts.at(-1)).toMatchObject({ kind: "problem", line: 2 });
  });
});
