// What the context is after a compaction: what memory says and the turns that stayed, as one text; then, word for word,
// the messages of the turn under way and the calls that still wait, so that a result that comes later finds its call.
import { carriedArtifacts } from "./carried-artifacts.ts";
import type { CompactionPolicy } from "./compaction-policy.ts";
import type { Retriever } from "./retriever.ts";
import type { CompactionSnapshotBuilder } from "./snapshot-builder.ts";
import { traceKey, type MemoryBundle, type MemoryStore, type RawTrace } from "./memory-types.ts";
import { callGroups, type ContextEntry } from "./working-context.ts";

export type Epoch = {
  /** Everything that stays as messages. */
  readonly carried: readonly ContextEntry[];
  /** What stays as text. */
  readonly tail: readonly RawTrace[];
};

export type EpochFacts = {
  readonly entries: readonly ContextEntry[];
  /** Active traces that the compaction does not take. */
  readonly kept: readonly RawTrace[];
  readonly removed: ReadonlySet<string>;
  readonly currentTurnId: string | null;
  /** traceKey of what the user said and no message says yet: the request that comes next will. */
  readonly pending: ReadonlySet<string>;
};

export function nextEpoch({ entries, kept, removed, currentTurnId, pending }: EpochFacts): Epoch {
  const groups = callGroups(entries);
  const carried = entries.filter((_, at) => {
    const { head, isOpen } = groups[at]!;
    // What the summary covers is gone, also a call that was given up.
    if (head.keys.length > 0 && head.keys.every((key) => removed.has(key))) return false;
    return isOpen || (currentTurnId !== null && head.turnId === currentTurnId && head.message.role !== "system");
  });
  const result = new Set([...carried.flatMap(({ keys }) => keys), ...pending]);
  return { carried, tail: kept.filter((trace) => !result.has(traceKey(trace))) };
}

export type BeginningFacts = {
  readonly store: Pick<MemoryStore, "listTraces" | "listArchived">;
  readonly retriever: Retriever;
  readonly policy: CompactionPolicy;
  readonly builder: CompactionSnapshotBuilder;
  /** What the summary takes the place of. */
  readonly covered: readonly RawTrace[];
  readonly entries: readonly ContextEntry[];
  readonly currentTurnId: string | null;
  /** The context's own where none is given. */
  readonly systemPrompt: string | null;
  readonly pending: ReadonlySet<string>;
};

/** The entries of the next epoch, once it is known what the compaction makes. What stays is decided now. */
export function beginningOf(facts: BeginningFacts): (made: MemoryBundle) => ContextEntry[] {
  const { store, retriever, policy, builder, covered, entries, currentTurnId, pending } = facts;
  const removed = new Set(covered.map(traceKey));
  const kept = store.listTraces().filter((trace) => !removed.has(traceKey(trace)));
  const { carried, tail } = nextEpoch({ entries, kept, removed, currentTurnId, pending });
  const artifacts = carriedArtifacts([...store.listArchived(), ...covered], kept);
  const systemPrompt = facts.systemPrompt ?? systemTextOf(entries);
  return (made) => {
    const bundle = retriever.retrieve(policy.maxEpisodicItems, policy.maxSemanticItems, made);
    const begun = builder.build(systemPrompt, bundle, tail, { artifacts });
    return [...begun.map((message) => ({ message, turnId: null, keys: [] })), ...carried];
  };
}

const systemTextOf = (entries: readonly ContextEntry[]): string | null => {
  const texts = entries.filter(({ message }) => message.role === "system").map(({ message }) => message.content ?? "");
  return texts.length === 0 ? null : texts.join("\n\n");
};
