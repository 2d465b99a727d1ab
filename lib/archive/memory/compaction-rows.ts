// Compactions of a session as a person lists them: ours, plans, and those of the agent itself.
import type { Rows } from "#db/schema.ts";
import { query, select } from "#db/statement.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { CompactionRow } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import {
  allCompactionsOf,
  callsOf,
  compactionSizes,
  undoneSeqs,
  type CompactionRow as SizedRow,
} from "../base/session-rows.ts";
import { iso } from "../base/iso.ts";

export async function listCompactions(archive: Archive, name: string): Promise<{ compactions: CompactionRow[] }> {
  return { compactions: compactionRows(archive, findSession(archive, name)) };
}

/** In the order of the log, undone ones too. */
export function compactionRows(archive: Archive, pk: number): CompactionRow[] {
  const own = query(
    archive.sqlite,
    { "*": "compactions.*" },
    "FROM compactions WHERE session_pk = ? ORDER BY at_seq, pk",
  ).all(pk);
  const known = new Set(own.map(({ event_seq }) => event_seq));
  const agents = agentRows(archive, pk).filter(({ at }) => !known.has(at));
  return [...agents, ...own.map(rowOf)].toSorted((a, b) => a.at - b.at);
}

const rowOf = (row: Rows["compactions"]): CompactionRow => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  trigger: row.trigger,
  at: row.event_seq ?? row.at_seq,
  events: row.from_seq === null || row.to_seq === null ? null : [row.from_seq, row.to_seq],
  turns: JSON.parse(row.turns) as number[],
  tokensBefore: row.tokens_before,
  tokensAfter: row.tokens_after,
  summary: row.summary,
  summarizer: row.summarizer,
  reason: row.reason,
  startedAt: iso(row.started_at),
  undoneAt: iso(row.undone_at),
});

/** What the log itself says: compactions of the agent, and those of ours in a session that was exported. */
function agentRows(archive: Archive, pk: number): CompactionRow[] {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "ts", "body"],
    "WHERE id BETWEEN ? AND ? AND type = 'compaction' ORDER BY id",
  ).all(...rowRange(pk));
  if (rows.length === 0) return [];
  const undone = undoneSeqs(allCompactionsOf(archive, pk));
  const bodies = rows.map(({ body }) => JSON.parse(body) as Extract<EventBody, { type: "compaction" }>);
  const sized = rows.map((row, i): SizedRow => {
    const { kind, trigger, tokensBefore, tokensAfter } = bodies[i]!;
    return { kind, trigger, tokensBefore, tokensAfter, seq: seqOfRow(row.id), seqs: new Set() };
  });
  const settled = compactionSizes(sized, callsOf(archive, pk));
  return rows.map((row, i) => {
    const seq = seqOfRow(row.id);
    const { kind, text } = bodies[i]!;
    const size = settled[i]!;
    return {
      id: `event:${seq}`,
      kind: "agent",
      status: undone.has(seq) ? "undone" : kind === "micro" ? "cleared" : "complete",
      trigger: size.trigger,
      at: seq,
      events: null,
      turns: [],
      tokensBefore: size.tokensBefore,
      tokensAfter: size.tokensAfter,
      summary: kind === "micro" ? "" : (summaryBehind(archive, pk, seq) ?? text),
      summarizer: null,
      reason: null,
      startedAt: iso(row.ts),
      undoneAt: null,
    };
  });
}

/** Some agents write the summary as a message of its own behind the compaction. */
function summaryBehind(archive: Archive, pk: number, seq: number): string | null {
  const rows = select(
    archive.sqlite,
    "events",
    ["type", "body"],
    "WHERE id BETWEEN ? AND ? AND type IN ('user', 'assistant', 'tool_call', 'compaction') ORDER BY id LIMIT 1",
  ).all(...rowRange(pk, seq + 1));
  const body = rows[0] === undefined ? null : (JSON.parse(rows[0].body) as EventBody);
  return body?.type === "user" && body.injected === "summary" ? body.text : null;
}
