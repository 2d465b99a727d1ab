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
import { prepared } from "../base/statement-cache.ts";
import { write } from "../base/write.ts";
import {
  newestSnapshot,
  addMemoryWrite,
  compactTracesWrite,
  saveSnapshotWrite,
  undoTracesWrite,
} from "./store-writes.ts";
import { tracesIn, type KeptTrace } from "./trace-rows.ts";

/** Reading answers at once; a write resolves when it is durable. Fails for a session that takes no writes. */
export function archiveMemoryStore(
  archive: Archive,
  session: string,
): MemoryStore & Required<Pick<MemoryStore, "undo">> {
  const sessionId = heldSessionId(archive, session);
  const pk = findSession(archive, sessionId);
  const traces = (which: "active" | "archived"): RawTrace[] =>
    tracesIn(archive, sessionId, pk)[which].map(({ trace }: KeptTrace) => trace);
  const lists: { [T in MemoryType]: () => readonly MemoryItemOf[T][] } = {
    raw_trace: () => traces("active"),
    episodic: () => episodicItems(archive, pk),
    semantic: () => semanticItems(archive, pk),
  };
  return {
    async add(items) {
      if (items.length === 0) return;
      requireRoom(archive, sessionId, resultBytes(items as readonly Partial<RawTrace>[]));
      await write(archive, addMemoryWrite, { sessionId, items: [...items] });
    },
    list: (type, limit) => lastOf(lists[type](), limit),
    listTraces: () => traces("active"),
    listArchived: () => traces("archived"),
    corpus: () => corpusOf(traces("archived"), traces("active")),
    compact: ({ remove, ...change }) =>
      write(archive, compactTracesWrite, { sessionId, ...change, remove: [...remove] }),
    readSnapshot: () => newestSnapshot(archive, pk)?.snapshot ?? null,
    writeSnapshot: (snapshot) => write(archive, saveSnapshotWrite, { sessionId, snapshot }),
    undo: (runId) => write(archive, undoTracesWrite, { sessionId, runId }),
  };
}

const resultBytes = (items: readonly Partial<RawTrace>[]): number =>
  items.reduce((sum, { toolResult }) => sum + (typeof toolResult === "string" ? Buffer.byteLength(toolResult) : 0), 0);

type Row = {
  id: string;
  text: string;
  category: string | null;
  salience: number;
  confidence: number | null;
  tags: string;
  turns: string;
  created_at: number;
  given: string | null;
};

/** What a person changed of an item counts; its other fields are as they were given. */
const COMMON = "id, salience, tags, turns, created_at, given";

function episodicItems(archive: Archive, pk: number): EpisodicItem[] {
  const rows = prepared(
    archive.sqlite,
    `SELECT ${COMMON}, summary AS text FROM episodic_items WHERE session_pk = ? AND deleted_at IS NULL ORDER BY pk`,
  ).all(pk) as Row[];
  return rows.map((row) => {
    const given = givenOf(row) as EpisodicItem | null;
    const turnIds = (JSON.parse(row.turns) as number[]).map((turn) => `turn_${String(turn).padStart(4, "0")}`);
    const base = given ?? { id: row.id, ts: row.created_at / 1000, turnIds };
    return { ...base, summary: row.text, salience: row.salience, ...tagsOf(row, given) };
  });
}

function semanticItems(archive: Archive, pk: number): SemanticItem[] {
  const rows = prepared(
    archive.sqlite,
    `SELECT ${COMMON}, fact AS text, category, confidence FROM semantic_items WHERE session_pk = ? AND deleted_at IS NULL ORDER BY pk`,
  ).all(pk) as Row[];
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
