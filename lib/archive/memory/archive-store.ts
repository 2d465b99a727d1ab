// A session that Plimsoll holds as the store that an agent's memory runs on: its events are the raw traces, its memory items
// the items, and what a compaction takes away stays in the log, covered by the compaction's event.
import { corpusOf } from "#lib/kernel/memory/corpus.ts";
import { lastOf } from "#lib/kernel/memory/in-memory-store.ts";
import type {
  EpisodicItem,
  MemoryItemOf,
  MemoryStore,
  MemoryType,
  RawTrace,
  SemanticItem,
} from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { heldSessionId } from "../artifacts/held-session.ts";
import { requireRoom } from "../artifacts/quota.ts";
import { findSession } from "../base/find-session.ts";
import { compactionIdOf } from "../base/row-keys.ts";
import { write } from "../base/write.ts";
import { liveItems, type LiveItem } from "./item-rows.ts";
import { newestSnapshot, saveSnapshotWrite } from "./snapshot-rows.ts";
import { addMemoryWrite, compactTracesWrite } from "./store-writes.ts";
import { turnIdOf } from "./traces.ts";
import { tracesIn, type KeptTrace } from "./trace-rows.ts";
import { undoCompactionWrite } from "./undo-compaction.ts";

type Reads = Pick<MemoryStore, "list" | "listTraces" | "listArchived" | "corpus" | "readSnapshot">;

/** What any session has of a memory. Reading answers at once. */
export function readMemory(archive: Archive, sessionId: string): Reads {
  const pk = findSession(archive, sessionId);
  const traces = (which: "active" | "archived"): RawTrace[] =>
    tracesIn(archive, sessionId, pk)[which].map(({ trace }: KeptTrace) => trace);
  const lists: { [T in MemoryType]: () => readonly MemoryItemOf[T][] } = {
    raw_trace: () => traces("active"),
    episodic: () => liveItems(archive, pk, "episodic").map(storedItem) as EpisodicItem[],
    semantic: () => liveItems(archive, pk, "semantic").map(storedItem) as SemanticItem[],
  };
  return {
    list: (type, limit) => lastOf(lists[type](), limit),
    listTraces: () => traces("active"),
    listArchived: () => traces("archived"),
    corpus: () => corpusOf(traces("archived"), traces("active")),
    readSnapshot: () => newestSnapshot(archive, pk)?.snapshot ?? null,
  };
}

/** A write resolves when it is durable. Fails for a session that takes no writes. */
export function archiveMemoryStore(
  archive: Archive,
  session: string,
): MemoryStore & Required<Pick<MemoryStore, "undo">> {
  const sessionId = heldSessionId(archive, session);
  return {
    ...readMemory(archive, sessionId),
    async add(items) {
      if (items.length === 0) return;
      requireRoom(archive, sessionId, resultBytes(items as readonly Partial<RawTrace>[]));
      await write(archive, addMemoryWrite, { sessionId, items: [...items] });
    },
    compact: ({ runId, episodic, semantic, remove, snapshot }) =>
      write(archive, compactTracesWrite, { sessionId, runId, episodic, semantic, remove: [...remove], snapshot }),
    writeSnapshot: (snapshot) => write(archive, saveSnapshotWrite, { sessionId, snapshot }),
    async undo(runId) {
      await write(archive, undoCompactionWrite, { sessionId, id: compactionIdOf(sessionId, runId) });
    },
  };
}

const resultBytes = (items: readonly Partial<RawTrace>[]): number =>
  items.reduce((sum, { toolResult }) => sum + (typeof toolResult === "string" ? Buffer.byteLength(toolResult) : 0), 0);

/** As its agent gave it, or as an agent would have; what a person changed of it counts. */
function storedItem({ item, given, createdAt }: LiveItem): EpisodicItem | SemanticItem {
  const { id, kind, text, category, confidence, salience, tags } = item;
  const ts = createdAt / 1000;
  const made =
    kind === "episodic"
      ? { id, ts, turnIds: item.turns.map(turnIdOf) }
      : { id, ts, ...(category !== null && { category }), ...(confidence !== null && { confidence }) };
  return {
    ...(given ?? made),
    [kind === "episodic" ? "summary" : "fact"]: text,
    salience,
    ...((tags.length > 0 || given?.tags !== undefined) && { tags }),
  } as EpisodicItem | SemanticItem;
}
