import { columns, query, type Columns } from "#db/statement.ts";
import { holdsMore } from "#lib/kernel/artifacts/holds-more.ts";
import { EVENT_TYPES } from "#lib/kernel/event.ts";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import { startsAgent } from "#lib/kernel/log/tool-kinds.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import { ORIGINS } from "#lib/wire/common-schema.ts";
import { NO_WEIGHT, weightsOf } from "../load/event-weights.ts";
import { departuresIn, rewindsOf } from "../base/rewind-rows.ts";
import {
  allCompactionsOf,
  callsOf,
  compactionSizes,
  promptSizes,
  remembered,
  undoneSeqs,
  versionOf,
} from "../base/session-rows.ts";
import { iso } from "../base/iso.ts";

const ROW_COLUMNS = {
  ...columns(
    "events",
    "id",
    "type",
    "ts",
    "turn",
    "category",
    "label",
    "starts_turn",
    "inherited",
    "bytes",
    "tool_name",
  ),
  injected: "text?",
  isError: "integer?",
  storedBytes: "integer?",
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
    // A body is opened only where it decides: what a result stored matters where the model saw a preview of it.
    `SELECT e.id, e.type, e.ts, e.turn, e.category, e.label, e.starts_turn, e.inherited, e.bytes, e.tool_name,
         CASE WHEN e.type = 'user' THEN json_extract(e.body, '$.injected') END AS injected,
         CASE WHEN e.type = 'tool_result' THEN json_extract(e.body, '$.isError') END AS isError,
         CASE WHEN e.artifact IS NOT NULL AND json_extract(e.body, '$.saw') = 'preview'
           THEN (SELECT a.size FROM artifacts a WHERE a.pointer = e.artifact) END AS storedBytes
       FROM events e WHERE e.id BETWEEN ? AND ? ORDER BY e.id`,
  ).all(...rowRange(pk));
  const weights = weightsOf(archive, pk);
  const pairs = pairsOf(archive, pk);
  const results = new Map(rows.filter((row) => row.type === "tool_result").map((row) => [seqOfRow(row.id), row]));
  const calls = callsOf(archive, pk);
  const all = allCompactionsOf(archive, pk);
  const compactions = all.filter(({ undoneBy }) => undoneBy === undefined);
  const epochStart = compactions.findLast((compaction) => compaction.kind === "full");
  const undone = undoneSeqs(all);
  const rewinds = rewindsOf(archive, pk);
  // What was gone back to is there again.
  const away = departuresIn(archive, pk).filter(({ undoneBy }) => undoneBy === undefined);
  const rewound = away.reduce((gone, { seqs }) => gone.union(seqs), new Set<number>());
  const undos = new Set(all.map(({ undoneBy }) => undoneBy));
  const agents = agentCallsOf(archive, pk);
  const tools = new Map<string, number>();
  const answer: OutlineAnswer = {
    seq: [],
    type: [],
    types: [...EVENT_TYPES],
    tool: [],
    tools: [],
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
    rewinds: promptSizes(rewinds, calls),
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
    const isGone = isCut || undone.has(seq) || rewound.has(seq);
    answer.seq.push(seq);
    answer.type.push(EVENT_TYPES.indexOf(row.type as (typeof EVENT_TYPES)[number]));
    answer.tool.push(row.tool_name === null ? 0 : toolIndex(tools, row.tool_name));
    answer.turn.push(row.turn);
    answer.call.push(calls[at - 1]?.call ?? 0);
    answer.pair.push(pair?.seq ?? 0);
    answer.bytes.push(row.bytes + (other?.bytes ?? 0));
    answer.tokens.push(tokens);
    answer.origins.push(ORIGINS.indexOf(result === null ? own.origin : leastKnown([own.origin, result.origin])));
    answer.labels.push(row.label);
    const isError = pair?.status === "error" || row.type === "error" || row.isError === 1;
    const isAgent = row.type === "tool_call" && (agents.has(seq) || startsAgent(row.tool_name ?? ""));
    answer.flags.push(
      (isError ? ROW_FLAG.error : 0) |
        (pairs.pending.has(seq) ? ROW_FLAG.pending : 0) |
        (row.inherited === 1 ? ROW_FLAG.inherited : 0) |
        (isHidden ? ROW_FLAG.hidden : 0) |
        (isGone ? ROW_FLAG.gone : 0) |
        (isOffloaded(other ?? row) ? ROW_FLAG.offloaded : 0) |
        (isAgent ? ROW_FLAG.agent : 0),
    );
    if (row.starts_turn === 1) answer.turns.push({ turn: row.turn, seq, title: row.label, tokens: 0, ts: iso(row.ts) });
    const turn = answer.turns.at(-1);
    if (turn !== undefined) turn.tokens += tokens;
  }
  answer.tools.push(...tools.keys());
  return answer;
}

/** From 1, in the order in which tools were first called. */
function toolIndex(tools: Map<string, number>, name: string): number {
  const known = tools.get(name);
  if (known !== undefined) return known;
  tools.set(name, tools.size + 1);
  return tools.size;
}

const isOffloaded = ({
  storedBytes,
  bytes,
}: {
  readonly storedBytes: number | null;
  readonly bytes: number;
}): boolean => storedBytes !== null && holdsMore(storedBytes, bytes);

/** Calls whose sub-agent is a session of this archive. */
function agentCallsOf(archive: Archive, pk: number): ReadonlySet<number> {
  const rows = query(
    archive.sqlite,
    { seq: "sessions.parent_tool_call_seq" },
    "SELECT parent_tool_call_seq AS seq FROM sessions WHERE parent_pk = ? AND parent_tool_call_seq IS NOT NULL",
  ).all(pk);
  return new Set(rows.flatMap(({ seq }) => seq ?? []));
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
