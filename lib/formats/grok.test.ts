// Grok conversations: answers between inputs, what is no prompt, and the sums of the turns beside.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { grok } from "./grok.ts";

const FOLDER = "/home/ada/.grok/sessions/%2Fhome%2Fada/0190aaaa-0000-7000-8000-000000000001";
const bytes = readFileSync(join(import.meta.dirname, "fixtures", "grok-synthetic-session.jsonl"));

function read(beside: Readonly<Record<string, string>> = {}) {
  const sidecars = new Map(Object.entries(beside).map(([name, text]) => [`${FOLDER}/${name}`, text] as const));
  const state = grok.start({ path: `${FOLDER}/chat_history.jsonl`, head: bytes, sidecars });
  const drafts = bytes
    .toString()
    .split("\n")
    .filter(Boolean)
    .flatMap((line, i) =>
      grok.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
    );
  return { drafts, state };
}
const eventsOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "event" ? [draft] : []));

test("a model call is what the model wrote between two inputs", () => {
  const { drafts, state } = read();
  expect(grok.identify(state)).toBe("0190aaaa-0000-7000-8000-000000000001");
  const calls = Map.groupBy(eventsOf(drafts), ({ callKey }) => callKey ?? "");
  expect([...calls].map(([key, all]) => [key, all.map(({ body }) => body.type).join(" ")])).toEqual([
    ["", "system user user tool_result tool_result user tool_result unknown"],
    ["n:1", "reasoning assistant tool_call tool_call"],
    ["n:2", "tool_call assistant"],
    ["n:3", "reasoning tool_call"],
    ["n:4", "assistant"],
  ]);
  expect(drafts.flatMap((draft) => (draft.kind === "call" ? [draft.model] : []))).toEqual([
    "grok-code-fast-1",
    "grok-code-fast-1",
    "grok-4",
    "grok-4",
  ]);
});

test("what the client put before the prompt is injected; words in between are a prompt", () => {
  const users = eventsOf(read().drafts).flatMap(({ body, startsTurn }) =>
    body.type === "user" ? [[body.injected ?? "", startsTurn]] : [],
  );
  expect(users).toEqual([
    ["user_info", false],
    ["", true],
    ["", true],
  ]);
});

test("turns are added up, a turn that is told again once; ticks are dollars", () => {
  const turn = (id: string, output: number) => ({
    timestamp: 1_772_442_000,
    method: "_x.ai/session/update",
    params: {
      update: {
        sessionUpdate: "turn_completed",
        prompt_id: id,
        usage: {
          costUsdTicks: id === "p2" ? "5000000000" : 5_000_000_000,
          modelUsage: {
            "grok-4": { inputTokens: 100, cachedReadTokens: 60, outputTokens: output, reasoningTokens: 3 },
          },
        },
      },
    },
  });
  const updates = [turn("p1", 7), turn("p1", 8), turn("p2", 2)].map((one) => `${JSON.stringify(one)}\n`).join("");
  const summary = { info: { cwd: "/home/ada" }, generated_title: "Quays", created_at: "2026-03-02T09:00:00Z" };
  const { drafts } = read({ "updates.jsonl": `${updates}{"torn`, "summary.json": JSON.stringify(summary) });
  expect(drafts.filter(({ kind }) => kind === "reported")).toMatchObject([
    { usd: 1, usage: { "grok-4": { inputUncached: 80, cacheRead: 120, output: 10, reasoning: 5 } } },
  ]);
  expect(drafts[0]).toMatchObject({
    patch: { title: "Quays", cwd: "/home/ada", startedAt: Date.UTC(2026, 2, 2, 9) },
  });
});

test("how a tool ended, when, and how long it took stands beside the conversation", () => {
  const ids = eventsOf(read().drafts).flatMap(({ body }) => (body.type === "tool_result" ? [body.toolCallId!] : []));
  const done = (id: string, outcome: string, second: number) => ({
    ts: `2026-03-02T09:00:0${second}.500Z`,
    ...{ type: "tool_completed", tool_name: "sound", duration_ms: 590 + second, outcome, tool_call_id: id },
  });
  const lines = [
    { ts: "2026-03-02T09:00:00Z", type: "turn_started" },
    done(ids[0]!, "error", 1),
    done(ids[1]!, "success", 2),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const results = eventsOf(read({ "events.jsonl": `${text}{"type":"tool_completed"` }).drafts).flatMap(({ body, ts }) =>
    body.type === "tool_result" ? [[ts, body.isError, body.detail?.durationMs]] : [],
  );
  expect(results).toEqual([
    [Date.UTC(2026, 2, 2, 9, 0, 1, 500), true, 591],
    [Date.UTC(2026, 2, 2, 9, 0, 2, 500), false, 592],
    [null, false, undefined],
  ]);
});

test("what tools said of their end is no part of what is stored, and a reading that goes on has it", () => {
  const id = eventsOf(read().drafts).flatMap(({ body }) => (body.type === "tool_result" ? [body.toolCallId!] : []))[0]!;
  const ended = [...Array.from({ length: 500 }, (_, i) => `call-${i}`), id].map((tool_call_id) =>
    JSON.stringify({ ts: "2026-03-02T09:00:01Z", type: "tool_completed", duration_ms: 5, tool_call_id }),
  );
  const sidecars = new Map([[`${FOLDER}/events.jsonl`, ended.join("\n")]]);
  const { state } = read({ "events.jsonl": ended.join("\n") });
  const stored = JSON.stringify(state);
  expect(stored.length).toBeLessThan(4096);
  const row = JSON.stringify({ type: "tool_result", tool_call_id: id, content: "again" });
  const goesOn = (files: ReadonlyMap<string, string>) => {
    const file = { path: `${FOLDER}/chat_history.jsonl`, head: bytes, sidecars: files };
    const resumed = grok.resume!(JSON.parse(stored) as typeof state, file);
    return eventsOf(grok.parse({ bytes: Buffer.from(row), byteStart: 0, byteEnd: row.length, line: 9 }, resumed)).map(
      ({ ts }) => ts,
    );
  };
  expect([goesOn(sidecars), goesOn(new Map())]).toEqual([[Date.UTC(2026, 2, 2, 9, 0, 1)], [null]]);
});

test("what a sub-agent used is in the sums of the session that began it", () => {
  const usage = { modelUsage: { "grok-4": { inputTokens: 100, outputTokens: 5 } } };
  const turn = {
    method: "_x.ai/session/update",
    params: { update: { sessionUpdate: "turn_completed", prompt_id: "p", usage } },
  };
  const about = (more: object) => ({
    "updates.jsonl": `${JSON.stringify(turn)}\n`,
    "summary.json": JSON.stringify({
      info: { cwd: "/home/ada" },
      parent_session_id: "0190aaaa-0000-7000-8000-000000000009",
      ...more,
    }),
  });
  const own = read(about({})).drafts;
  const sub = read(about({ session_kind: "subagent" })).drafts;
  expect(own.filter(({ kind }) => kind === "reported")).toHaveLength(1);
  expect(sub.filter(({ kind }) => kind === "reported")).toHaveLength(0);
  expect(own[0]).toMatchObject({ patch: { relation: "fork" } });
  expect(sub[0]).toMatchObject({
    patch: { relation: "subagent", quality: "The session that began this sub-agent counts what it used." },
  });
});

test("of a session's folder the conversation alone is a file of its own", () => {
  expect(grok.wants(`${FOLDER}/chat_history.jsonl`)).toBe(true);
  expect(grok.isPart!(`${FOLDER}/chat_history.jsonl`)).toBe(false);
  expect(grok.isPart!(`${FOLDER}/updates.jsonl`)).toBe(true);
});
