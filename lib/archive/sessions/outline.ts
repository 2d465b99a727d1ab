import { columns, query, type Columns } from "#db/statement.ts";
import { EVENT_TYPES } from "#lib/kernel/event.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import { ORIGINS } from "#lib/wire/common-schema.ts";
import { NO_WEIGHT, weightsOf } from "../load/event-weights.ts";
import { allCompactionsOf, callsOf, compactionSizes, remembered, undoneSeqs, versionOf } from "../base/session-rows.ts";
import { iso } from "../base/iso.ts";

const FLAG = { error: 1, pending: 2, inherited: 4, hidden: 8, gone: 16 } as const;

const ROW_COLUMNS = {
  ...columns("events", "id", "type", "ts", "turn", "category", "label", "starts_turn", "inherited", "bytes"),
  injected: "text?",
} as const satisfies Columns;

/** The skeleton of a transcript: one entry a row, results folded into their calls' rows. */
export async function outline(archive: Archive, name: string): Promise<OutlineAnswer> {
  const pk = findSession(archive, name);
  return remembered(archive, "outline", pk, () => makeOutline(archive, pk));
}

function makeOutline(archive: Archive, pk: number): OutlineAnswer {
  const rows = query(
    archive.sqlite,
    ROW_COLUMNS,
    `SELECT e.id, e.type, e.ts, e.turn, e.category, e.label, e.starts_turn, e.inherited, e.bytes,
         CASE WHEN e.type = 'user' THEN json_extract(e.body, '$.injected') END AS injected
       FROM events e WHERE e.id BETWEEN ? AND ? ORDER BY e.id`,
  ).all(...rowRange(pk));
  const weights = weightsOf(archive, pk);
  const pairs = pairsOf(archive, pk);
  const results = new Map(rows.filter((row) => row.type === "tool_result").map((row) => [seqOfRow(row.id), row]));
  const calls = callsOf(archive, pk);
  const all = allCompactionsOf(archive, pk);
  const compactions = all.filter(({ undoneBy }) => undoneBy === undefined);
  const epochStart = compactions.findLast((place) => place.kind === "full");
  const undone = undoneSeqs(all);
  const undos = new Set(all.map(({ undoneBy }) => undoneBy));
  const answer: OutlineAnswer = {
    seq: [],
    type: [],
    types: [...EVENT_TYPES],
    turn: [],
    call: [],
    pair: [],
    bytes: [],
    tokens: [],
    origins: [],
    labels: [],
    flags: [],
    turns: [],
    compactions: compactionSizes(compactions, calls).map(({ seq, tokensBefore, tokensAfter }) => ({
      seq,
      tokensBefore,
      tokensAfter,
    })),
    version: versionOf(archive, pk),
  };
  let at = 0;
  for (const row of rows) {
    const seq = seqOfRow(row.id);
    if (row.type === "tool_result" && pairs.folded.has(seq)) continue;
    while (at < calls.length && calls[at]!.firstSeq <= seq) at++;
    const own = row.category === null ? NO_WEIGHT : weights.of(seq);
    const pair = pairs.resultOf.get(seq);
    const other = pair === undefined ? undefined : results.get(pair.seq);
    const result = other === undefined ? null : weights.of(pair!.seq);
    const tokens = own.tokens + (result?.tokens ?? 0);
    const isHidden = (row.type === "meta" && !undos.has(seq)) || (row.injected !== null && row.injected !== "summary");
    const isCut = epochStart !== undefined && seq < epochStart.seq && !epochStart.seqs.has(seq);
    const isGone = isCut || undone.has(seq);
    answer.seq.push(seq);
    answer.type.push(EVENT_TYPES.indexOf(row.type as (typeof EVENT_TYPES)[number]));
    answer.turn.push(row.turn);
    answer.call.push(calls[at - 1]?.call ?? 0);
    answer.pair.push(pair?.seq ?? 0);
    answer.bytes.push(row.bytes + (other?.bytes ?? 0));
    answer.tokens.push(tokens);
    answer.origins.push(ORIGINS.indexOf(result === null ? own.origin : leastKnown([own.origin, result.origin])));
    answer.labels.push(row.label);
    answer.flags.push(
      (pair?.status === "error" || row.type === "error" ? FLAG.error : 0) |
        (pairs.pending.has(seq) ? FLAG.pending : 0) |
        (row.inherited === 1 ? FLAG.inherited : 0) |
        (isHidden ? FLAG.hidden : 0) |
        (isGone ? FLAG.gone : 0),
    );
    if (row.starts_turn === 1) answer.turns.push({ turn: row.turn, seq, title: row.label, tokens: 0, ts: iso(row.ts) });
    const turn = answer.turns.at(-1);
    if (turn !== undefined) turn.tokens += tokens;
  }
  return answer;
}

function pairsOf(archive: Archive, pk: number) {
  const rows = query(
    archive.sqlite,
    { call: "tool_interactions.call_seq!", result: "tool_interactions.result_seq", status: "tool_interactions.status" },
    "FROM tool_interactions WHERE session_pk = ? AND call_seq IS NOT NULL",
  ).all(pk);
  const paired = rows.filter((row) => row.result !== null);
  return {
    resultOf: new Map(paired.map((row) => [row.call, { seq: row.result!, status: row.status }])),
    folded: new Set(paired.map((row) => row.result!)),
    pending: new Set(rows.filter((row) => row.status === "pending").map((row) => row.call)),
  };
}
