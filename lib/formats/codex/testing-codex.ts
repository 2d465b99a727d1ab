// What the tests of this format share: records made by hand, and a file read from its first byte to its last.
import type { Draft, SourceFile, SourceRecord, Usage } from "#lib/kernel/draft.ts";
import { codex } from "../codex.ts";
import type { CodexState } from "../codex.ts";

type EventDraft = Extract<Draft, { kind: "event" }>;

export function recordsOf(bytes: Uint8Array): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    records.push({ bytes: bytes.subarray(start, newline < 0 ? end : newline), byteStart: start, byteEnd: end, line });
    start = end;
  }
  return records;
}

export const fileOf = (path: string, bytes: Uint8Array): SourceFile => ({
  path,
  head: bytes.subarray(0, 65536),
  sidecars: new Map(),
});

export const linesOf = (...values: unknown[]): Uint8Array =>
  new TextEncoder().encode(values.map((value) => JSON.stringify(value) + "\n").join(""));

export function run(path: string, bytes: Uint8Array): { drafts: Draft[]; state: CodexState } {
  const state = codex.start(fileOf(path, bytes));
  return { drafts: recordsOf(bytes).flatMap((record) => codex.parse(record, state)), state };
}

export const parse = (...values: unknown[]): Draft[] => run("a.jsonl", linesOf(...values)).drafts;
export const events = (drafts: Draft[]): EventDraft[] => drafts.filter((draft) => draft.kind === "event");
export const bodies = (drafts: Draft[]) => events(drafts).map((draft) => draft.body);
export const calls = (drafts: Draft[]) => drafts.filter((draft) => draft.kind === "call");
export const patches = (drafts: Draft[]) =>
  Object.assign({}, ...drafts.map((draft) => (draft.kind === "session" ? draft.patch : {}))) as Record<string, unknown>;

export const TURN = "019f0000-0000-7000-8000-000000000001";
export const at = (payload: unknown, type = "response_item") => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  type,
  payload,
});
export const client = (payload: unknown) => at(payload, "event_msg");
export const said = (role: string, ...texts: string[]) =>
  at({
    type: "message",
    role,
    content: texts.map((text) => ({ type: role === "assistant" ? "output_text" : "input_text", text })),
  });
export const tokens = (input: number, cached: number, output: number, reasoning = 0, total = input + output) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: total,
});
export const counted = (total: unknown, last: unknown) =>
  client({
    type: "token_count",
    info: { total_token_usage: total, last_token_usage: last, model_context_window: 1000 },
  });

export function sum(drafts: Draft[]): Record<string, number> {
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
