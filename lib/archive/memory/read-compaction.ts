// A compaction or a plan as it was answered when it was made: what it kept is in its row, the contexts are the log's.
import { query, type Columns } from "#db/statement.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { contextAfter } from "./session-context.ts";
import { contextAtPosition } from "./context.ts";
import { countText } from "./count-text.ts";
import { partOf } from "./cut.ts";
import { itemsOf } from "./item-rows.ts";
import { requireCompaction } from "./undo-compaction.ts";

/** One that was carried out or planned: runs that ended otherwise have none of these. */
const CARRIED_OUT = {
  "*": "compactions.*",
  unit: "compactions.unit!",
  from_seq: "compactions.from_seq!",
  to_seq: "compactions.to_seq!",
  tokens_before: "compactions.tokens_before!",
  tokens_after: "compactions.tokens_after!",
  origin: "compactions.origin!",
  ended_at: "compactions.ended_at!",
} as const satisfies Columns;

/** A compaction's row, the context that it was made of, and the one that it leaves. */
export async function loadCompaction(archive: Archive, id: string) {
  const { pk: compactionPk } = requireCompaction(archive, id);
  const row = query(archive.sqlite, CARRIED_OUT, "SELECT * FROM compactions WHERE pk = ?").get(compactionPk)!;
  const pk = row.session_pk;
  const context = await contextAtPosition(archive, pk, row.at_seq);
  const seqs = new Set(JSON.parse(row.seqs) as number[]);
  const whole = context.log.rows.filter(({ seq }) => !seqs.has(seq));
  const after = contextAfter(context, { whole }, row.summary, await countText(archive, pk, row.summary));
  return { row, context, seqs, whole, after };
}

export async function readCompaction(archive: Archive, id: string): Promise<CompactAnswer> {
  const { row, context, seqs, whole, after } = await loadCompaction(archive, id);
  const pk = row.session_pk;
  const dropped = JSON.parse(row.dropped) as CompactAnswer["dropped"];
  const gone = new Set(dropped.map(({ seq }) => seq));
  const items = itemsOf(archive, pk).filter(({ compactionId }) => compactionId === id);
  return {
    status: row.status,
    id,
    kind: row.kind,
    unit: row.unit,
    turns: JSON.parse(row.turns) as number[],
    events: [row.from_seq, row.to_seq],
    at: row.at_seq,
    summarizer: row.summarizer,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
    origin: row.origin,
    summary: row.summary,
    lines: JSON.parse(row.lines) as CompactAnswer["lines"],
    episodic: items.filter(({ kind }) => kind === "episodic"),
    semantic: items.filter(({ kind }) => kind === "semantic"),
    snapshot: [...after.rows],
    kept: JSON.parse(row.kept) as CompactAnswer["kept"],
    whole: whole.filter(({ isSent }) => isSent).map(partOf),
    summarised: context.log.rows.filter(({ seq }) => seqs.has(seq) && !gone.has(seq)).map(partOf),
    dropped,
    reason: row.reason,
    draft: null,
    ms: row.ended_at - row.started_at,
  };
}
