// Items of memory as rows: episodic ones say what happened, semantic ones what holds. What an item was before a change is
// kept beside it.
import { columns, command, query, scalar, type RowOf } from "#db/statement.ts";
import { randomUUID } from "node:crypto";
import type { EpisodicItem, SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import type { MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";

export type ItemKind = MemoryItemRow["kind"];

/** Who changes an item: a person in the browser or on the command line, or an agent with its token. */
export type Changer = { readonly by: "person" | "agent"; readonly who: string };

/** `made`: of what else than chance. */
export const newItemId = (kind: ItemKind, made: string = randomUUID().replaceAll("-", "")): string =>
  `${kind === "episodic" ? "ep" : "sem"}_${made.slice(0, 16)}`;

export type NewItem = {
  readonly id: string;
  readonly kind: ItemKind;
  readonly text: string;
  readonly category: string | null;
  readonly salience: number;
  readonly confidence: number | null;
  readonly tags: readonly string[];
  readonly turns: readonly number[];
  readonly seqs: readonly number[];
  readonly madeBy: MemoryItemRow["madeBy"];
};

const EPISODIC = `SELECT i.id, i.summary AS text, NULL AS category, i.salience, NULL AS confidence, i.tags, i.turns, i.seqs,
  i.pinned, i.made_by, i.given, c.id AS compaction, i.created_at, i.changed_at, i.deleted_at
  FROM episodic_items i LEFT JOIN compactions c ON c.pk = i.compaction_pk`;
const SEMANTIC = `SELECT i.id, i.fact AS text, i.category, i.salience, i.confidence, i.tags, i.turns, i.seqs,
  i.pinned, i.made_by, i.given, c.id AS compaction, i.created_at, i.changed_at, i.deleted_at
  FROM semantic_items i LEFT JOIN compactions c ON c.pk = i.compaction_pk`;

/** Each kind has the columns of its own table, and what the other has alone as an expression. */
const ITEM_ROWS = [
  {
    kind: "episodic",
    sql: EPISODIC,
    table: "episodic_items",
    columns: {
      ...columns("episodic_items", "id", "salience", "tags", "turns", "seqs", "pinned", "made_by", "given"),
      ...columns("episodic_items", "created_at", "changed_at", "deleted_at"),
      text: "episodic_items.summary",
      category: "text?",
      confidence: "real?",
      compaction: "compactions.id?",
    },
  },
  {
    kind: "semantic",
    sql: SEMANTIC,
    table: "semantic_items",
    columns: {
      ...columns("semantic_items", "id", "salience", "tags", "turns", "seqs", "pinned", "made_by", "given"),
      ...columns("semantic_items", "created_at", "changed_at", "deleted_at", "category", "confidence"),
      text: "semantic_items.fact",
      compaction: "compactions.id?",
    },
  },
] as const;
type Row = RowOf<(typeof ITEM_ROWS)[number]["columns"]>;

/** All items of a session, deleted ones too, in the order in which they were made. */
export function itemsOf(archive: Archive, pk: number): MemoryItemRow[] {
  return ITEM_ROWS.flatMap(({ kind, sql, columns: given }) =>
    query(archive.sqlite, given, `${sql} WHERE i.session_pk = ? ORDER BY i.pk`)
      .all(pk)
      .map((row) => itemOf(kind, row)),
  );
}

export type LiveItem = {
  readonly item: MemoryItemRow;
  /** As its agent gave it; null for one that was made here. */
  readonly given: EpisodicItem | SemanticItem | null;
  readonly createdAt: number;
};

/** The items of a kind that hold; those of plans are none of them: each plan stands for itself. */
export function liveItems(archive: Archive, pk: number, kind: ItemKind): LiveItem[] {
  const { sql, columns: given } = ITEM_ROWS.find((one) => one.kind === kind)!;
  return query(
    archive.sqlite,
    given,
    `${sql} WHERE i.session_pk = ? AND i.deleted_at IS NULL AND (c.kind IS NULL OR c.kind = 'applied') ORDER BY i.pk`,
  )
    .all(pk)
    .map((row) => ({
      item: itemOf(kind, row),
      given: row.given === null ? null : (JSON.parse(row.given) as EpisodicItem | SemanticItem),
      createdAt: row.created_at,
    }));
}

export function itemById(archive: Archive, id: string): (MemoryItemRow & { readonly sessionPk: number }) | null {
  for (const { kind, sql, table, columns: given } of ITEM_ROWS) {
    const row = query(archive.sqlite, given, `${sql} WHERE i.id = ?`).get(id);
    if (row === undefined) continue;
    const sessionPk = scalar(archive.sqlite, `${table}.session_pk`, `FROM ${table} WHERE id = ?`).get(id)!;
    return { ...itemOf(kind, row), sessionPk };
  }
  return null;
}

const itemOf = (kind: ItemKind, row: Row): MemoryItemRow => ({
  id: row.id,
  kind,
  text: row.text,
  category: row.category,
  salience: row.salience,
  confidence: row.confidence,
  tags: JSON.parse(row.tags) as string[],
  turns: JSON.parse(row.turns) as number[],
  seqs: JSON.parse(row.seqs) as number[],
  pinned: row.pinned === 1,
  madeBy: row.made_by,
  compactionId: row.compaction,
  createdAt: iso(row.created_at) ?? "",
  changedAt: iso(row.changed_at) ?? "",
  deletedAt: iso(row.deleted_at),
});

/** An item as it will be, before its row is written. */
export const itemRow = (item: NewItem, compactionId: string | null, now: number): MemoryItemRow => ({
  ...item,
  tags: [...item.tags],
  turns: [...item.turns],
  seqs: [...item.seqs],
  pinned: false,
  compactionId,
  createdAt: iso(now) ?? "",
  changedAt: iso(now) ?? "",
  deletedAt: null,
});

export function insertItem(
  archive: Archive,
  sessionPk: number,
  compactionPk: number | null,
  item: NewItem,
  now: number,
  given: string | null = null,
): void {
  const common = [JSON.stringify(item.turns), JSON.stringify(item.seqs)] as const;
  const rest = [JSON.stringify(item.tags), item.madeBy, given, now, now] as const;
  if (item.kind === "episodic")
    command(
      archive.sqlite,
      `INSERT INTO episodic_items (id, session_pk, compaction_pk, turns, seqs, summary, salience, tags, made_by, given, created_at, changed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(item.id, sessionPk, compactionPk, ...common, item.text, item.salience, ...rest);
  else
    command(
      archive.sqlite,
      `INSERT INTO semantic_items (id, session_pk, compaction_pk, turns, seqs, fact, category, salience, confidence, tags, made_by, given, created_at, changed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      item.id,
      sessionPk,
      compactionPk,
      ...common,
      item.text,
      item.category,
      item.salience,
      item.confidence,
      ...rest,
    );
}

export type Change = {
  readonly text?: string | undefined;
  readonly salience?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly pinned?: boolean | undefined;
  readonly deletedAt?: number | null | undefined;
};

/** Changes an item and keeps what it was. `by`: who did, as a word. */
export function changeItem(
  archive: Archive,
  item: MemoryItemRow & { readonly sessionPk: number },
  did: string,
  change: Change,
  by: string,
  now: number,
): void {
  const { sessionPk, ...before } = item;
  command(
    archive.sqlite,
    "INSERT INTO memory_changes (item_id, session_pk, did, before, changed_by, at) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(item.id, sessionPk, did, JSON.stringify(before), by, now);
  const [table, words] = item.kind === "episodic" ? ["episodic_items", "summary"] : ["semantic_items", "fact"];
  command(
    archive.sqlite,
    `UPDATE ${table} SET ${words} = ?, salience = ?, tags = ?, pinned = ?, deleted_at = ?, changed_at = ? WHERE id = ?`,
  ).run(
    change.text ?? item.text,
    change.salience ?? item.salience,
    JSON.stringify(change.tags ?? item.tags),
    (change.pinned ?? item.pinned) ? 1 : 0,
    change.deletedAt === undefined ? (item.deletedAt === null ? null : Date.parse(item.deletedAt)) : change.deletedAt,
    now,
    item.id,
  );
}

/** Notes that an item was made: its history begins there. */
export function noteMade(archive: Archive, sessionPk: number, id: string, by: string, now: number): void {
  command(
    archive.sqlite,
    "INSERT INTO memory_changes (item_id, session_pk, did, before, changed_by, at) VALUES (?, ?, 'add', NULL, ?, ?)",
  ).run(id, sessionPk, by, now);
}
