import { columns, query, type Columns } from "#db/statement.ts";
import type { InteractionRow, ToolsAnswer } from "#lib/wire/events-schema.ts";
import { interactionTotals } from "#lib/wire/interaction-totals-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { NO_WEIGHT, weightsOf } from "../load/event-weights.ts";
import { remembered } from "../base/session-rows.ts";
import { rowRange } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";

const ROW_COLUMNS = {
  callSeq: "tool_interactions.call_seq",
  resultSeq: "tool_interactions.result_seq",
  toolCallId: "tool_interactions.tool_call_id",
  toolName: "tool_interactions.tool_name",
  ...columns("tool_interactions", "status", "hosted"),
  startedAt: "tool_interactions.started_at",
  durationMs: "tool_interactions.duration_ms",
  digest: "tool_interactions.input_digest",
  label: "text?",
  turn: "integer",
  ...columns("events", "call", "artifact"),
  bytes: "events.bytes?",
} as const satisfies Columns;

/** Tool interactions of a session with what each result weighs and how long it stayed, and sums per tool. */
export async function listTools(archive: Archive, name: string): Promise<ToolsAnswer> {
  const pk = findSession(archive, name);
  return remembered(archive, "tools", pk, () => makeTools(archive, pk));
}

function makeTools(archive: Archive, pk: number): ToolsAnswer {
  const [base] = rowRange(pk);
  const rows = query(
    archive.sqlite,
    ROW_COLUMNS,
    `SELECT i.call_seq AS callSeq, i.result_seq AS resultSeq, i.tool_call_id AS toolCallId, i.tool_name AS toolName, i.status, i.hosted,
         i.started_at AS startedAt, i.duration_ms AS durationMs, i.input_digest AS digest, coalesce(c.label, e.label) AS label,
         coalesce(c.turn, e.turn) AS turn, c.call, e.artifact, e.bytes
       FROM tool_interactions i
       LEFT JOIN events c ON c.id = ? + i.call_seq
       LEFT JOIN events e ON e.id = ? + i.result_seq
       WHERE i.session_pk = ? ORDER BY coalesce(i.call_seq, i.result_seq)`,
  ).all(base, base, pk);
  const weights = weightsOf(archive, pk);
  const repeats = new Map<string, number>();
  for (const { digest } of rows)
    if (digest !== null) repeats.set(digest.toString("latin1"), (repeats.get(digest.toString("latin1")) ?? 0) + 1);
  const interactions = rows.map((row): InteractionRow => {
    const stay = row.resultSeq === null ? null : weights.of(row.resultSeq);
    const weight = stay ?? NO_WEIGHT;
    return {
      callSeq: row.callSeq,
      resultSeq: row.resultSeq,
      toolCallId: row.toolCallId,
      toolName: row.toolName,
      label: row.label ?? "",
      status: row.status,
      hosted: row.hosted === 1,
      turn: row.turn ?? 0,
      call: row.call,
      startedAt: iso(row.startedAt),
      durationMs: row.durationMs,
      bytes: row.bytes ?? 0,
      tokens: weight.tokens,
      origin: weight.origin,
      textTokens: weight.textTokens,
      enteredAt: stay?.enteredAt ?? null,
      callsResident: stay?.callsResident ?? null,
      lifetimeTokens: stay === null ? null : weight.tokens * stay.callsResident,
      artifact: row.artifact,
      repeats: row.digest === null ? 1 : repeats.get(row.digest.toString("latin1"))!,
    };
  });
  return { interactions, totals: interactionTotals(interactions) };
}
