import type { HeavyOutput } from "#lib/wire/sessions.ts";
import type { Archive } from "./archive.ts";
import { findSession } from "./find-session.ts";
import { rowRange, seqOfRow } from "./keys.ts";
import { COUNTS, remembered, staysOf, tokenizerOf, tokensOf, WEIGHT } from "./rows.ts";

const HEAVIEST = 10;

/** The ten heaviest tool outputs, by what they came to over all calls that were sent them. */
export async function heaviest(archive: Archive, name: string): Promise<HeavyOutput[]> {
  const pk = findSession(archive, name);
  return heaviestOf(archive, pk);
}

export function heaviestOf(archive: Archive, pk: number): HeavyOutput[] {
  return remembered(archive, "heaviest", pk, () => {
    const rows = archive.sqlite
      .prepare(
        `SELECT e.id, e.label, e.tool_name AS toolName, e.artifact, i.call_seq AS callSeq, ${WEIGHT} FROM events e ${COUNTS}
         LEFT JOIN tool_interactions i ON i.session_pk = ? AND i.tool_call_id = e.tool_call_id AND i.result_seq = e.id - ?
         WHERE e.id BETWEEN ? AND ? AND e.type = 'tool_result' AND e.synthetic = 0`,
      )
      .all(tokenizerOf(archive, pk), pk, rowRange(pk)[0], ...rowRange(pk)) as (Parameters<typeof tokensOf>[0] & {
      id: number;
      label: string;
      toolName: string | null;
      artifact: string | null;
      callSeq: number | null;
    })[];
    const stayOf = staysOf(archive, pk);
    return rows
      .map((row): HeavyOutput => {
        const seq = seqOfRow(row.id);
        const { tokens, estimated } = tokensOf(row);
        const { enteredAt, callsResident } = stayOf(seq);
        return {
          seq,
          callSeq: row.callSeq,
          toolName: row.toolName ?? "unknown",
          label: row.label,
          bytes: row.bytes,
          tokens,
          origin: estimated ? "estimated" : "counted",
          enteredAt: enteredAt ?? 0,
          callsResident,
          lifetimeTokens: tokens * callsResident,
          artifact: row.artifact,
        };
      })
      .toSorted((a, b) => b.lifetimeTokens - a.lifetimeTokens || b.tokens - a.tokens || a.seq - b.seq)
      .slice(0, HEAVIEST);
  });
}
