// What the tests of Claude Code share, here and in the archive: records made by hand (synthetic), and a file
// read from its first byte to its last. Ids are made from a label, so that a test reads as it is told.
import { claudeCode } from "../claude-code.ts";
import type { Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import type { ClaudeState } from "./claude-state.ts";

export type Rec = Record<string, unknown>;
type EventDraft = Extract<Draft, { kind: "event" }>;

export const SESSION = "5e551011-0000-4000-8000-00000000000a";
export const OTHER_SESSION = "5e551011-0000-4000-8000-00000000000b";

/** A uuid that stands for a label. Labels differ, so do the ids; their first 18 characters are all the same. */
export function idOf(label: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of label) hash = ((hash ^ BigInt(char.codePointAt(0)!)) * 0x100000001b3n) & 0xffffffffffffffffn;
  const hex = hash.toString(16).padStart(16, "0");
  return `00000000-0000-4000-8${hex.slice(0, 3)}-${hex.slice(3, 15)}`;
}

const START = Date.UTC(2026, 0, 5, 9, 0, 0);

/** The fields that every line carries. `second` is its position in time. */
export const line = (type: string, label: string, second: number, more: Rec = {}): Rec => ({
  parentUuid: null,
  isSidechain: false,
  userType: "external",
  cwd: "/home/ada/harbour",
  sessionId: SESSION,
  version: "2.1.219",
  gitBranch: "tides",
  type,
  uuid: idOf(label),
  timestamp: new Date(START + second * 1000).toISOString(),
  ...more,
});

export const prompt = (label: string, second: number, content: unknown, more: Rec = {}): Rec =>
  line("user", label, second, { message: { role: "user", content }, ...more });

export type AnswerOptions = {
  readonly usage?: Rec | null;
  readonly stop?: string | null;
  readonly model?: string;
  readonly request?: string;
  readonly more?: Rec;
};

/** One line of a model's answer. Lines with the same `answer` belong to one call. */
export const answer = (label: string, second: number, answerId: string, block: unknown, o: AnswerOptions = {}): Rec =>
  line("assistant", label, second, {
    requestId: o.request ?? `req_${answerId}`,
    message: {
      id: `msg_${answerId}`,
      type: "message",
      role: "assistant",
      model: o.model ?? "claude-opus-5",
      content: block === undefined ? [] : [block],
      stop_reason: o.stop === undefined ? "end_turn" : o.stop,
      ...(o.usage !== null && { usage: o.usage ?? used(10, 1000, 100, 50) }),
    },
    ...o.more,
  });

export const used = (input: number, read: number, write: number, output: number): Rec => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  output_tokens: output,
});

export const text = (words: string): Rec => ({ type: "text", text: words });
export const asks = (id: string, name: string, input: unknown): Rec => ({ type: "tool_use", id, name, input });

export const result = (label: string, second: number, id: string, content: unknown, more: Rec = {}): Rec =>
  line("user", label, second, {
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content, is_error: more["is_error"] === true }],
    },
    ...(more["toolUseResult"] !== undefined && { toolUseResult: more["toolUseResult"] }),
    ...(more["more"] as Rec | undefined),
  });

export const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === "string" ? new TextEncoder().encode(value) : value;
export const joined = (...parts: (string | Uint8Array)[]): Uint8Array =>
  new Uint8Array(parts.flatMap((part) => [...bytesOf(part)]));
export const jsonl = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** The lines of a file as a reader yields them. */
export function recordsOf(bytes: Uint8Array): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let start = 0, lineNumber = 1; start < bytes.length; lineNumber++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    if (end > start)
      records.push({ bytes: bytes.subarray(start, end), byteStart: start, byteEnd: end, line: lineNumber });
    start = end + 1;
  }
  return records;
}

export const fileOf = (
  path: string,
  bytes: Uint8Array,
  sidecars: Readonly<Record<string, string>> = {},
): SourceFile => ({
  path,
  head: bytes.subarray(0, 65536),
  sidecars: new Map(Object.entries(sidecars)),
});

export function run(
  file: string | Uint8Array,
  path = `/logs/${SESSION}.jsonl`,
  sidecars: Readonly<Record<string, string>> = {},
): { drafts: Draft[]; state: ClaudeState } {
  const bytes = bytesOf(file);
  const state = claudeCode.start(fileOf(path, bytes, sidecars));
  return { drafts: recordsOf(bytes).flatMap((record) => claudeCode.parse(record, state)), state };
}

export const parse = (...records: readonly unknown[]): Draft[] => run(jsonl(...records)).drafts;
export const events = (drafts: readonly Draft[]): EventDraft[] => drafts.filter((draft) => draft.kind === "event");
export const bodies = (drafts: readonly Draft[]) => events(drafts).map((draft) => draft.body);
export const calls = (drafts: readonly Draft[]) => drafts.filter((draft) => draft.kind === "call");
export const problems = (drafts: readonly Draft[]) => drafts.filter((draft) => draft.kind === "problem");
/** What a lane's session is told in all, with the title of the highest rank. */
export const patches = (drafts: readonly Draft[], lane = ""): Rec => {
  const own = drafts.flatMap((draft) => (draft.kind === "session" && draft.lane === lane ? [draft.patch] : []));
  const titles = own.filter(({ title }) => title !== undefined);
  const best = titles.toSorted((a, b) => (b.titleRank ?? 0) - (a.titleRank ?? 0))[0];
  return Object.assign({}, ...own, best === undefined ? {} : { title: best.title, titleRank: best.titleRank }) as Rec;
};
