// A compaction of an attached memory folder, by the folder's own protocol: archived first, then taken out of the active
// file, with what undoes it kept beside. What was planned is of the folder as it was read: of any other it is refused.
import { randomUUID } from "node:crypto";
import { AutobyteusStore } from "#lib/agent-dirs/autobyteus/store.ts";
import { fail } from "#lib/kernel/errors.ts";
import { beginningOf } from "#lib/kernel/memory/next-epoch.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { Retriever } from "#lib/kernel/memory/retriever.ts";
import { CompactionSnapshotBuilder } from "#lib/kernel/memory/snapshot-builder.ts";
import { traceKey, type MemoryBundle, type MemorySnapshot, type RawTrace } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { readTraces, type KeptTrace } from "./trace-rows.ts";
import type { AttachedRow } from "./attached-rows.ts";
import { fingerprintOf } from "./read-directory.ts";

export type DirectoryInput = {
  readonly id: string;
  /** Events that the plan cuts. */
  readonly seqs: readonly number[];
  readonly made: MemoryBundle;
};

/** Fails, with nothing written, for a folder that is only read. */
export function requireCompactable({ refuses }: AttachedRow): void {
  if (refuses !== null) fail("unsupported", `${refuses} Nothing was written.`);
}

/** Compacts the folder; answers with the events that left it, and those that stay. */
export function compactDirectory(
  archive: Archive,
  attached: AttachedRow,
  input: DirectoryInput,
): { readonly seqs: readonly number[]; readonly whole: readonly number[] } {
  const { active } = readTraces(archive, attached.sessionId, attached.pk);
  const removed = removedOf(active, new Set(input.seqs));
  return withStore(archive, attached, (store) => {
    if (fingerprintOf(store.directory) !== attached.fingerprint)
      fail(
        "conflict",
        `${attached.path} changed while the compaction was planned. Nothing was written; compact again.`,
      );
    // The folder's own names of the turns, not the archive's.
    const turnIds = [...new Set(removed.flatMap(({ turnId }) => turnId ?? []))];
    const made = { ...input.made, episodic: input.made.episodic.map((item) => ({ ...item, turnIds })) };
    const remove = new Set(removed.map(traceKey));
    store.compact({ runId: input.id, ...made, remove, snapshot: snapshotFor(archive, store, removed, made) });
    const stays = new Set(store.listTraces().map(traceKey));
    return {
      seqs: active.filter(({ key }) => !stays.has(key)).map(({ seq }) => seq),
      whole: active.filter(({ key }) => stays.has(key)).map(({ seq }) => seq),
    };
  });
}

/** Takes a compaction of ours back, byte for byte; what was appended since stays. */
export function undoDirectory(archive: Archive, attached: AttachedRow, id: string): void {
  withStore(archive, attached, (store) => store.undo(id));
}

function withStore<T>(archive: Archive, { path }: AttachedRow, work: (store: AutobyteusStore) => T): T {
  const store = new AutobyteusStore(path, { host: { now: () => archive.host.now(), newId: randomUUID } });
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** What is cut, and the marks between it (borders of steps, ends of operations), which no model was sent. */
function removedOf(active: readonly KeptTrace[], cut: ReadonlySet<number>): RawTrace[] {
  const lastOf = new Map<string, number>();
  const stays = new Set<string>();
  for (const { seq, trace } of active) {
    if (trace.turnId === null) continue;
    if (cut.has(seq)) lastOf.set(trace.turnId, seq);
    else if (SENT.has(trace.traceType)) stays.add(trace.turnId);
  }
  return active
    .filter(({ seq, trace: { turnId, traceType } }) => {
      if (turnId === null) return false;
      if (cut.has(seq)) return true;
      const last = lastOf.get(turnId);
      return !SENT.has(traceType) && last !== undefined && (seq < last || !stays.has(turnId));
    })
    .map(({ trace }) => trace);
}

const SENT = new Set(["user", "assistant", "reasoning", "tool_call", "tool_result"]);

/** The context that its agent goes on with; null where it keeps none. */
function snapshotFor(
  archive: Archive,
  store: AutobyteusStore,
  covered: readonly RawTrace[],
  made: MemoryBundle,
): MemorySnapshot | null {
  const before = store.readSnapshot();
  if (before === null) return null;
  const policy = new CompactionPolicy();
  const builder = new CompactionSnapshotBuilder(policy, { generation: store.generation ?? 1 });
  const begin = beginningOf({
    store,
    retriever: new Retriever(store),
    policy,
    builder,
    covered,
    entries: before.messages.map((message) => ({ message, turnId: null, keys: [] })),
    currentTurnId: null,
    systemPrompt: null,
    pending: new Set(),
  });
  return {
    ...before,
    epochId: before.epochId + 1,
    lastCompactionTs: archive.host.now() / 1000,
    messages: begin(made).map(({ message }) => message),
  };
}
