// A session that Plimsoll holds as the store that an agent's memory runs on: its events are the raw traces, its memory items
// the items, and what a compaction takes away stays in the log, covered by the compaction's event.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
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
import { newestSnapshot, saveSnapshotWrite } from "./snapshot-rows.ts";
import { addMemoryWrite, compactTracesWrite } from "./store-writes.ts";
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
    episodic: () => episodicItems(archive, pk),
    semantic: () => semanticItems(archive, pk),
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

const ROW_COLUMNS = {
  ...columns("episodic_items", "id", "salience", "tags", "turns", "created_at", "given"),
  text: "episodic_items.summary",
} as const satisfies Columns;
type Row = RowOf<typeof ROW_COLUMNS>;

/** What a person changed of an item counts; its other fields are as they were given. */
const COMMON = "i.id, i.salience, i.tags, i.turns, i.created_at, i.given";
/** Items of plans are none: each plan stands for itself. */
const LIVE = `i LEFT JOIN compactions c ON c.pk = i.compaction_pk
  WHERE i.session_pk = ? AND i.deleted_at IS NULL AND (c.kind IS NULL OR c.kind = 'applied') ORDER BY i.pk`;

function episodicItems(archive: Archive, pk: number): EpisodicItem[] {
  const rows = query(
    archive.sqlite,
    ROW_COLUMNS,
    `SELECT ${COMMON}, i.summary AS text FROM episodic_items ${LIVE}`,
  ).all(pk);
  return rows.map((row) => {
    const given = givenOf(row) as EpisodicItem | null;
    const turnIds = (JSON.parse(row.turns) as number[]).map((turn) => `turn_${String(turn).padStart(4, "0")}`);
    const base = given ?? { id: row.id, ts: row.created_at / 1000, turnIds };
    return { ...base, summary: row.text, salience: row.salience, ...tagsOf(row, given) };
  });
}

function semanticItems(archive: Archive, pk: number): SemanticItem[] {
  const rows = query(
    archive.sqlite,
    {
      ...columns("semantic_items", "id", "salience", "tags", "turns", "created_at", "given", "category", "confidence"),
      text: "semantic_items.fact",
    },
    `SELECT ${COMMON}, i.fact AS text, i.category, i.confidence FROM semantic_items ${LIVE}`,
  ).all(pk);
  return rows.map((row) => {
    const given = givenOf(row) as SemanticItem | null;
    const base = given ?? {
      id: row.id,
      ts: row.created_at / 1000,
      ...(row.category !== null && { category: row.category as NonNullable<SemanticItem["category"]> }),
      ...(row.confidence !== null && { confidence: row.confidence }),
    };
    return { ...base, fact: row.text, salience: row.salience, ...tagsOf(row, given) };
  });
}

const givenOf = ({ given }: Row): EpisodicItem | SemanticItem | null =>
  given === null ? null : (JSON.parse(given) as EpisodicItem | SemanticItem);

function tagsOf({ tags }: Row, given: { readonly tags?: readonly string[] } | null): { tags?: readonly string[] } {
  const now = JSON.parse(tags) as string[];
  return now.length === 0 && given?.tags === undefined ? {} : { tags: now };
}
