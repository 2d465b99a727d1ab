// One compaction of a history: the kernel plans and summarizes traces of its messages, and the cut falls between two messages,
// never between a call and its result.
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import { carriedArtifacts } from "#lib/kernel/memory/carried-artifacts.ts";
import type { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { Compactor } from "#lib/kernel/memory/compactor.ts";
import { InMemoryMemoryStore } from "#lib/kernel/memory/in-memory-store.ts";
import type { MemoryBundle, RawTrace, Summarizer } from "#lib/kernel/memory/memory-types.ts";
import { Retriever } from "#lib/kernel/memory/retriever.ts";
import { CompactionSnapshotBuilder } from "#lib/kernel/memory/snapshot-builder.ts";
import { nodeHost } from "../node-host.ts";

/** What a message says, whatever its provider's shape. A message may hold several calls or results. */
export type HistoryPart =
  | { readonly type: "user" | "assistant" | "reasoning"; readonly text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name?: string;
      readonly text: string;
      readonly isError?: boolean;
    };

/** What stands for the first messages of a history. */
export type Cut = {
  readonly count: number;
  readonly text: string;
  readonly bundle: MemoryBundle;
  /** What was cut and names an artifact: it can still be read. */
  readonly named: readonly RawTrace[];
};

/** Characters of a token where nothing was counted. */
export const CHARS_PER_TOKEN = 3.6;
/** Where the turns that stay take more of the budget than this, their oldest steps go too: there is room to go on. */
const ROOM = 0.5;
/** Of the budget, what a summary may take. */
const SUMMARY_SHARE = 0.2;
const LEAST_SUMMARY_CHARS = 1000;
/** Longer results are no envelope. */
const ENVELOPE_CHARS = 16_384;

type Given = {
  readonly before: Cut | undefined;
  readonly policy: CompactionPolicy;
  readonly summarizer: Summarizer;
  /** Tokens that the messages may have. */
  readonly inputBudget: number;
};

/** The next cut, or why there is none. Rejects as the summarizer does. */
export async function compactHistory(
  parts: readonly (readonly HistoryPart[])[],
  { before, policy, summarizer, inputBudget }: Given,
): Promise<Cut | string> {
  const from = before?.count ?? 0;
  const traced = tracesOf(parts).map((own, i) => (i < from ? [] : own));
  const all = traced.flat();
  const store = new InMemoryMemoryStore();
  store.add([...(before?.bundle.episodic ?? []), ...(before?.bundle.semantic ?? []), ...all]);
  const compactor = new Compactor({ store, policy, summarizer: neverEmpty(summarizer), host: nodeHost });
  const tight = { over: inputBudget * ROOM, under: inputBudget * ROOM, tokensOf };
  const currentTurnId = all.at(-1)?.turnId ?? null;
  const { plan, reason } = compactor.plan({ tailTurns: policy.rawTailTurns, currentTurnId, tight });
  if (plan === null) return reason;
  const count = boundary(parts, traced, new Set(plan.traces), from);
  if (count === from) return "Nothing settled is old enough to be summarized.";
  const traces = traced.slice(0, count).flat();
  const mostChars = Math.max(LEAST_SUMMARY_CHARS, Math.floor(inputBudget * SUMMARY_SHARE * CHARS_PER_TOKEN));
  const turnIds = [...new Set(traces.map(({ turnId }) => turnId!))];
  await compactor.carryOut({ ...plan, turnIds, traces }, { mostChars });
  const bundle = new Retriever(store).retrieve(policy.maxEpisodicItems, policy.maxSemanticItems);
  const named = [...(before?.named ?? []), ...traces.filter(namesArtifact)];
  const artifacts = carriedArtifacts(named, traced.slice(count).flat());
  const text = `${HEAD}\n\n${new CompactionSnapshotBuilder(policy).text(bundle, [], { artifacts })}`;
  const cutChars = charsOf(parts.slice(from, count).flat()) + (before?.text.length ?? 0);
  if (text.length >= cutChars)
    return `The cut part (${cutChars} characters) is not larger than its summary (${text.length}).`;
  return { count, text, bundle, named };
}

/** Steps of which there is nothing to say leave the names of their tools. */
const neverEmpty = (summarizer: Summarizer): Summarizer => ({
  ...summarizer,
  async summarize(traces, context) {
    const made = await summarizer.summarize(traces, context);
    if (typeof made?.summary !== "string" || made.summary.trim() !== "") return made;
    const counts = new Map<string, number>();
    for (const { traceType, toolName } of traces)
      if (traceType === "tool_call") counts.set(toolName!, (counts.get(toolName!) ?? 0) + 1);
    const calls = [...counts].map(([name, count]) => `${name} (${count})`).join(", ");
    return calls === "" ? made : { ...made, summary: `Tools called: ${calls}` };
  },
});

const HEAD =
  "Earlier messages of this conversation were compacted. This is a summary of them, not a new request. " +
  "Artifacts that it names can be read back by their artifact_id.";

export const charsOf = (parts: readonly HistoryPart[]): number =>
  parts.reduce((sum, part) => sum + (part.type === "tool_call" ? textOfValue(part.input).length : part.text.length), 0);

const tokensOf = ({ content, toolArgs, toolResult, toolError }: RawTrace): number =>
  (content.length +
    (toolArgs === undefined ? 0 : textOfValue(toolArgs).length) +
    textOfValue(toolResult ?? "").length +
    (toolError ?? "").length) /
  CHARS_PER_TOKEN;

const namesArtifact = ({ toolResult }: RawTrace): boolean =>
  typeof toolResult === "string" && toolResult.length < ENVELOPE_CHARS && /\bart[_:]/.test(toolResult);

/** The first message that stays: all that comes before it was taken, and no result behind it answers a call before it. */
function boundary(
  parts: readonly (readonly HistoryPart[])[],
  traced: readonly (readonly RawTrace[])[],
  taken: ReadonlySet<RawTrace>,
  from: number,
): number {
  const first = traced.findIndex((own) => own.some((trace) => !taken.has(trace)));
  let count = first < 0 ? parts.length : first;
  const callAt = new Map<string, number>();
  parts.forEach((own, i) => {
    for (const part of own) if (part.type === "tool_call") callAt.set(part.id, i);
  });
  // What stays may answer a call that was to go, which then stays, and with it what is behind it.
  for (let i = parts.length - 1; i >= count; i--)
    for (const part of parts[i]!)
      if (part.type === "tool_result") count = Math.min(count, callAt.get(part.id) ?? count);
  // Reasoning goes with the call that it led to.
  while (count > from && count < parts.length && isReasoning(parts[count - 1]!)) count--;
  return Math.max(from, count);
}

const isReasoning = (parts: readonly HistoryPart[]): boolean =>
  parts.length > 0 && parts.every(({ type }) => type === "reasoning");

/** The messages as traces of turns; a turn begins where the person writes. */
function tracesOf(parts: readonly (readonly HistoryPart[])[]): RawTrace[][] {
  const names = new Map<string, string>();
  let turn = 0;
  let seq = 0;
  const ts = nodeHost.now() / 1000;
  return parts.map((own, i) => {
    if (own.some(({ type }) => type === "user")) turn++;
    return own.map((part, j): RawTrace => {
      const trace = { id: `${i}.${j}`, ts, turnId: `turn_${turn}`, seq: ++seq, sourceEvent: "history" };
      if (part.type === "tool_call") {
        names.set(part.id, part.name);
        const { id: toolCallId, name: toolName, input: toolArgs } = part;
        return { ...trace, traceType: "tool_call", content: "", toolCallId, toolName, toolArgs };
      }
      if (part.type !== "tool_result") return { ...trace, traceType: part.type, content: part.text };
      const { id: toolCallId, text, isError = false } = part;
      const result = isError ? { toolError: text } : { toolResult: text };
      const toolName = part.name ?? names.get(toolCallId) ?? "tool";
      return { ...trace, traceType: "tool_result", content: "", toolCallId, toolName, ...result };
    });
  });
}
