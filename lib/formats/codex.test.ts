import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Draft, SourceFile, SourceRecord, Usage } from "../kernel/draft.ts";
import { eventBody } from "../kernel/event.ts";
import { codex, shadowedBy } from "./codex.ts";
import type { CodexState } from "./codex.ts";
import { readValues } from "./json-lines.ts";

const DATA = join(import.meta.dirname, "../../../shared/data");
const FIXTURES = join(import.meta.dirname, "fixtures");
const hasData = existsSync(join(DATA, "GOLDEN.json"));
if (!hasData) console.warn("codex.test.ts: ../shared/data is absent; the collected sessions are not compared.");

type EventDraft = Extract<Draft, { kind: "event" }>;
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

function recordsOf(bytes: Uint8Array): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    records.push({ bytes: bytes.subarray(start, newline < 0 ? end : newline), byteStart: start, byteEnd: end, line });
    start = end;
  }
  return records;
}

const fileOf = (path: string, bytes: Uint8Array): SourceFile => ({ path, head: bytes.subarray(0, 65536), sidecars: new Map() });

const linesOf = (...values: unknown[]): Uint8Array =>
  new TextEncoder().encode(values.map((value) => JSON.stringify(value) + "\n").join(""));

function run(path: string, bytes: Uint8Array): { drafts: Draft[]; state: CodexState } {
  const state = codex.start(fileOf(path, bytes));
  return { drafts: recordsOf(bytes).flatMap((record) => codex.parse(record, state)), state };
}

const parse = (...values: unknown[]): Draft[] => run("a.jsonl", linesOf(...values)).drafts;
const fixture = (name: string): Draft[] => run(name, readFileSync(join(FIXTURES, name))).drafts;
const events = (drafts: Draft[]): EventDraft[] => drafts.filter((draft) => draft.kind === "event");
const bodies = (drafts: Draft[]) => events(drafts).map((draft) => draft.body);
const shown = (drafts: Draft[]) => bodies(drafts).filter((body) => body.type !== "meta");
const calls = (drafts: Draft[]) => drafts.filter((draft) => draft.kind === "call");
const patches = (drafts: Draft[]) =>
  Object.assign({}, ...drafts.map((draft) => (draft.kind === "session" ? draft.patch : {}))) as Record<string, unknown>;

const TURN = "019f0000-0000-7000-8000-000000000001";
const at = (payload: unknown, type = "response_item") => ({ timestamp: "2026-01-02T03:04:05.000Z", type, payload });
const client = (payload: unknown) => at(payload, "event_msg");
const said = (role: string, ...texts: string[]) =>
  at({ type: "message", role, content: texts.map((text) => ({ type: role === "assistant" ? "output_text" : "input_text", text })) });
const tokens = (input: number, cached: number, output: number, reasoning = 0, total = input + output) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: total,
});
const counted = (total: unknown, last: unknown) =>
  client({ type: "token_count", info: { total_token_usage: total, last_token_usage: last, model_context_window: 1000 } });

function sum(drafts: Draft[]): Record<string, number> {
  const all: Usage[] = drafts.flatMap((draft) =>
    (draft.kind === "call" || draft.kind === "lost") && draft.usage !== null ? [draft.usage] : [],
  );
  const of = (field: keyof Usage): number => all.reduce((so, usage) => so + usage[field], 0);
  const input = of("inputUncached") + of("cacheRead") + of("cacheWrite");
  return {
    input_tokens: input,
    cached_input_tokens: of("cacheRead"),
    output_tokens: of("output"),
    reasoning_output_tokens: of("reasoning"),
    total_tokens: input + of("output"),
  };
}

function summary(bytes: Uint8Array, drafts: Draft[]): Golden {
  const callIds = bodies(drafts).flatMap((body) => (body.type === "tool_call" && !body.hosted ? [body.toolCallId] : []));
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
  ? Object.entries(JSON.parse(readFileSync(join(DATA, "GOLDEN.json"), "utf8")) as Record<string, Golden>).filter(([path]) =>
      path.startsWith("codex/"),
    )
  : [];
const collected = golden.map(([path]) => path);
const fixtures = readdirSync(FIXTURES).filter((name) => name.startsWith("synthetic-codex"));
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
