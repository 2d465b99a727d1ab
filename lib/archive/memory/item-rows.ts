// Items of memory as rows: episodic ones say what happened, semantic ones what holds. What an item was before a change is
// kept beside it.
import { randomUUID } from "node:crypto";
import type { MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { prepared } from "../base/statement-cache.ts";
import { iso } from "../base/iso.ts";

export type ItemKind = MemoryItemRow["kind"];

/** Who changes an item: a person in the browser or on the command line, or an agent with its token. */
export type Changer = { readonly by: "person" | "agent"; readonly who: string };

export const newItemId = (kind: ItemKind): string =>
  `${kind === "episodic" ? "ep" : "sem"}_${randomUUID().replaceAll("-", "").slice(0, 16)}`;

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

const EPISODIC = `SELECT i.id, 'episodic' AS kind, i.summary AS text, NULL AS category, i.salience, NULL AS confidence, i.tags, i.turns, i.seqs,
  i.pinned, i.made_by, c.id AS compaction, i.created_at, i.changed_at, i.deleted_at
  FROM episodic_items i LEFT JOIN compactions c ON c.pk = i.compaction_pk`;
const SEMANTIC = `SELECT i.id, 'semantic' AS kind, i.fact AS text, i.category, i.salience, i.confidence, i.tags, i.turns, i.seqs,
  i.pinned, i.made_by, c.id AS compaction, i.created_at, i.changed_at, i.deleted_at
  FROM semantic_items i LEFT JOIN compactions c ON c.pk = i.compaction_pk`;

type Row = {
  id: string;
  kind: ItemKind;
  text: string;
  category: string | null;
  salience: number;
  confidence: number | null;
  tags: string;
  turns: string;
  seqs: string;
  pinned: number;
  made_by: MemoryItemRow["madeBy"];
  compaction: string | null;
  created_at: number;
  changed_at: number;
  deleted_at: number | null;
};

/** All items of a session, deleted ones too, in the order in which they were made. */
export function itemsOf(archive: Archive, pk: number): MemoryItemRow[] {
  const rows = [EPISODIC, SEMANTIC].flatMap(
    (sql) => prepared(archive.sqlite, `${sql} WHERE i.session_pk = ? ORDER BY i.pk`).all(pk) as Row[],
  );
  return rows.map(itemOf);
}

export function itemById(archive: Archive, id: string): (MemoryItemRow & { readonly sessionPk: number }) | null {
  for (const [sql, table] of [
    [EPISODIC, "episodic_items"],
    [SEMANTIC, "semantic_items"],
  ] as const) {
    const row = prepared(archive.sqlite, `${sql} WHERE i.id = ?`).get(id) as Row | undefined;
    if (row === undefined) continue;
    const owner = prepared(archive.sqlite, `SELECT session_pk AS pk FROM ${table} WHERE id = ?`).get(id) as {
      pk: number;
    };
    return { ...itemOf(row), sessionPk: owner.pk };
  }
  return null;
}

const itemOf = (row: Row): MemoryItemRow => ({
  id: row.id,
  kind: row.kind,
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
    prepared(
      archive.sqlite,
      `INSERT INTO episodic_items (id, session_pk, compaction_pk, turns, seqs, summary, salience, tags, made_by, given, created_at, changed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(item.id, sessionPk, compactionPk, ...common, item.text, item.salience, ...rest);
  else
    prepared(
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
  prepared(
    archive.sqlite,
    "INSERT INTO memory_changes (item_id, session_pk, did, before, changed_by, at) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(item.id, sessionPk, did, JSON.stringify(before), by, now);
  const [table, words] = item.kind === "episodic" ? ["episodic_items", "summary"] : ["semantic_items", "fact"];
  prepared(
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
  prepared(
    archive.sqlite,
    "INSERT INTO memory_changes (item_id, session_pk, did, before, changed_by, at) VALUES (?, ?, 'add', NULL, ?, ?)",
  ).run(id, sessionPk, by, now);
}
