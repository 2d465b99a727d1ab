import { columns, query } from "#db/statement.ts";
import type { HeavyOutput } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { countedWeightsOf, weightsOf, type Weights } from "./event-weights.ts";
import { remembered } from "../base/session-rows.ts";

const HEAVIEST = 10;

/**
 * The ten heaviest tool outputs, by what they came to over all calls that were sent them. `counted`: texts that are not
 * counted yet are, before the answer is given.
 */
export async function heaviest(
  archive: Archive,
  name: string,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<HeavyOutput[]> {
  const pk = findSession(archive, name);
  return counted ? heaviestBy(archive, pk, await countedWeightsOf(archive, pk)) : heaviestOf(archive, pk);
}

export const heaviestOf = (archive: Archive, pk: number): HeavyOutput[] =>
  remembered(archive, "heaviest", pk, () => heaviestBy(archive, pk, weightsOf(archive, pk)));

function heaviestBy(archive: Archive, pk: number, weights: Weights): HeavyOutput[] {
  const rows = query(
    archive.sqlite,
    {
      ...columns("events", "id", "label", "artifact", "bytes"),
      toolName: "events.tool_name",
      callSeq: "tool_interactions.call_seq",
    },
    `SELECT e.id, e.label, e.tool_name AS toolName, e.artifact, e.bytes, i.call_seq AS callSeq FROM events e
         LEFT JOIN tool_interactions i ON i.session_pk = ? AND i.tool_call_id = e.tool_call_id AND i.result_seq = e.id - ?
         WHERE e.id BETWEEN ? AND ? AND e.type = 'tool_result' AND e.synthetic = 0`,
  ).all(pk, rowRange(pk)[0], ...rowRange(pk));
  return rows
    .map((row): HeavyOutput => {
      const seq = seqOfRow(row.id);
      const { tokens, origin, textTokens, enteredAt, callsResident } = weights.of(seq);
      return {
        seq,
        callSeq: row.callSeq,
        toolName: row.toolName ?? "unknown",
        label: row.label,
        bytes: row.bytes,
        tokens,
        origin,
        textTokens,
        enteredAt: enteredAt ?? 0,
        callsResident,
        lifetimeTokens: tokens * callsResident,
        artifact: row.artifact,
      };
    })
    .toSorted((a, b) => b.lifetimeTokens - a.lifetimeTokens || b.tokens - a.tokens || a.seq - b.seq)
    .slice(0, HEAVIEST);
}
