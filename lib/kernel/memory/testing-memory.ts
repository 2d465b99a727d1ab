// Traces and hosts for tests: few words for a log of turns.
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import type { EpisodicItem, MemoryHost, RawTrace, SemanticItem, Summarizer } from "./memory-types.ts";

/** A clock that moves a second with every reading, and ids that count. */
export function testHost(from = 1_770_000_000_000): MemoryHost {
  let now = from;
  let id = 0;
  return {
    now: () => (now += 1000),
    newId: () => `${(++id).toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
  };
}

const turnOf = (turn: number | string): string =>
  typeof turn === "string" ? turn : `turn_${String(turn).padStart(4, "0")}`;

export function trace(turn: number | string | null, seq: number, more: Partial<RawTrace> = {}): RawTrace {
  const turnId = turn === null ? null : turnOf(turn);
  return {
    id: `rt_${turnId}_${seq}`,
    ts: 1_770_000_000 + seq,
    turnId,
    seq,
    traceType: "user",
    content: more.content ?? `${more.traceType ?? "user"} ${turnId} ${seq}`,
    sourceEvent: "test",
    ...more,
  };
}

export const assistant = (turn: number | string, seq: number, content?: string): RawTrace =>
  trace(turn, seq, { traceType: "assistant", ...(content !== undefined && { content }) });

export const call = (turn: number | string, seq: number, id: string | null, more: Partial<RawTrace> = {}): RawTrace =>
  trace(turn, seq, { traceType: "tool_call", content: "", toolCallId: id, toolName: "run", toolArgs: {}, ...more });

export const result = (turn: number | string, seq: number, id: string | null, more: Partial<RawTrace> = {}): RawTrace =>
  trace(turn, seq, {
    traceType: "tool_result",
    content: "",
    toolCallId: id,
    toolName: "run",
    toolResult: "ok",
    ...more,
  });

export const episode = (id: string, summary: string, more: Partial<EpisodicItem> = {}): EpisodicItem => ({
  id,
  ts: 1_770_000_000,
  turnIds: ["turn_0001"],
  summary,
  salience: 0,
  ...more,
});

export const fact = (id: string, text: string, more: Partial<SemanticItem> = {}): SemanticItem => ({
  id,
  ts: 1_770_000_000,
  fact: text,
  salience: 0,
  ...more,
});

export function storeOf(...traces: readonly RawTrace[]): InMemoryMemoryStore {
  const store = new InMemoryMemoryStore();
  store.add(traces);
  return store;
}

/** Says what it was given, in one line. */
export const plainSummarizer: Summarizer = {
  id: "plain",
  summarize: (traces) => ({ summary: traces.map(({ content }) => content).join(" | "), facts: [] }),
};
