// What the tests of pi and OpenClaw share: entries made by hand, each the child of the one before, and a file read to its end.
import type { Draft, Format, SourceFile } from "#lib/kernel/draft.ts";
import { linesOf, recordsOf } from "../codex/testing-codex.ts";
import { pi } from "../pi.ts";
import type { PiState } from "./pi-state.ts";

type Message = Readonly<Record<string, unknown>>;

export const SESSION = "019cae00-0000-7000-8000-00000000f001";
const at = (n: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, n)).toISOString();

export const header = (more: object = {}) => ({
  type: "session",
  version: 3,
  id: SESSION,
  timestamp: at(0),
  cwd: "/home/ada/reef",
  ...more,
});

/** The entry of a number; its parent is the number before, unless another is named. 0 is no parent. */
export const entry = (n: number, type: string, more: object = {}, parent = n - 1) => ({
  type,
  id: `e${n}`,
  parentId: parent === 0 ? null : `e${parent}`,
  timestamp: at(n),
  ...more,
});

export const message = (n: number, value: Message, parent?: number) =>
  entry(n, "message", { message: { timestamp: Date.parse(at(n)), ...value } }, parent);
export const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
export const USAGE = { input: 3, output: 20, cacheRead: 100, cacheWrite: 40, totalTokens: 163, cost: { total: 0.25 } };
export const answer = (content: readonly unknown[], more: object = {}): Message => ({
  role: "assistant",
  content,
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-opus-4-5",
  usage: USAGE,
  stopReason: "stop",
  ...more,
});
export const said = (text: string) => ({ type: "text", text });
export const asks = (id: string, name: string, input: object = {}) => ({
  type: "toolCall",
  id,
  name,
  arguments: input,
});
export const result = (id: string, text: string, more: object = {}): Message => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "bash",
  content: [said(text)],
  isError: false,
  ...more,
});

export function runPi(
  values: readonly unknown[],
  { format = pi, path = "a.jsonl", sidecars = {} }: { format?: Format<PiState>; path?: string; sidecars?: object } = {},
): { drafts: Draft[]; state: PiState } {
  const bytes = linesOf(...values);
  const file: SourceFile = {
    path,
    head: bytes.subarray(0, 65_536),
    sidecars: new Map(Object.entries(sidecars as Record<string, string>)),
  };
  const state = format.start(file);
  return { drafts: recordsOf(bytes).flatMap((record) => format.parse(record, state)), state };
}

export const drafted = (...values: unknown[]): Draft[] => runPi(values).drafts;
