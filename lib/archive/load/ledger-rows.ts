// The rows that a ledger is made of: every event that was put before a model, with what its text weighs.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import type { BorrowedPart, ItemClass, LedgerCallInput, WeighedEvent } from "#lib/kernel/load/ledger-types.ts";
import type { Archive } from "../base/archive-type.ts";
import type { FrameParts } from "../base/frame-parts.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { COUNTS, tokenizerOf, WEIGHT, type CallRow } from "../base/session-rows.ts";
import { estimateTokens } from "#lib/kernel/host.ts";

const ROW_COLUMNS = {
  ...columns("events", "id", "type", "label", "call", "synthetic", "bytes", "extra_tokens"),
  category: "events.category!",
  toolName: "events.tool_name",
  starts: "events.starts_turn",
  counted: "token_counts.tokens?",
  has_text: "integer",
  signatureChars: "integer?",
  isFrame: "integer",
  isRendered: "integer",
} as const satisfies Columns;
type Row = RowOf<typeof ROW_COLUMNS>;

/** A tool whose input in the file is not what the model wrote, and what it wrote. */
const PLAN_TOOL = "ExitPlanMode";
const PLAN_INPUT = { textTokens: 1, bytes: 2, isCounted: true } as const;

/**
 * From 2.1 on Claude Code's ExitPlanMode takes no plan: the client reads the plan's file and writes it into the record's
 * input (2.1.7: a plan of 6,435 characters, an answer of one token, and a prompt that grew by the result alone).
 */
const sendsNoPlan = (format: string, version: string | null): boolean =>
  format === "claude-code" && version !== null && !/^(?:[01]\.|2\.0\.)/.test(version);

/** Copilot CLI writes the system prompt down and no tools: those are hidden all the same (some 4,000 tokens). */
const writesWholeFrame = (format: string): boolean => format !== "copilot";

const ROWS = `SELECT e.id, e.type, e.category, e.label, e.tool_name AS toolName, e.call, e.starts_turn AS starts, e.synthetic, ${WEIGHT},
       CASE WHEN e.type = 'reasoning' THEN json_extract(e.body, '$.signatureChars') END AS signatureChars,
       e.type = 'meta' AND json_extract(e.body, '$.part') IS NOT NULL AS isFrame,
       e.type = 'meta' AND json_extract(e.body, '$.rendered') IS NOT NULL AS isRendered
     FROM events e ${COUNTS}`;

export type WeighedRows = {
  /** What a ledger is made of. */
  readonly standing: readonly WeighedEvent[];
  /** What stands in the log as if it had not been sent: results made by an agent for calls that had none. */
  readonly others: readonly WeighedEvent[];
  /** What copied calls were sent besides. */
  readonly borrowed: readonly BorrowedPart[];
};

/** `more`: counts that the archive does not hold yet, by seq. */
export function weighedRows(
  archive: Archive,
  pk: number,
  { parts, borrowed }: FrameParts,
  more?: ReadonlyMap<number, number>,
): WeighedRows {
  const session = query(
    archive.sqlite,
    { format: "sessions.format", version: "sessions.agent_version" },
    "FROM sessions WHERE pk = ?",
  ).get(pk)!;
  const isPlanless = sendsNoPlan(session.format, session.version);
  const tokenizer = tokenizerOf(archive, pk);
  const rows = query(
    archive.sqlite,
    ROW_COLUMNS,
    `${ROWS} WHERE e.id BETWEEN ? AND ? AND e.category IS NOT NULL ORDER BY e.id`,
  ).all(tokenizer, ...rowRange(pk));
  const isFrameWhole = writesWholeFrame(session.format);
  const sinceOf = new Map(parts.map(({ seq, since }) => [seq, since]));
  const standing: WeighedEvent[] = [];
  const others: WeighedEvent[] = [];
  for (const row of rows) {
    const event = weigh(isFrameWhole ? row : { ...row, isFrame: 0 }, more?.get(seqOfRow(row.id)));
    const since = sinceOf.get(event.seq) ?? event.seq;
    (row.synthetic === 0 ? standing : others).push({
      ...event,
      ...(since < event.seq && { since }),
      ...(isPlanless && row.type === "tool_call" && row.toolName === PLAN_TOOL && PLAN_INPUT),
    });
  }
  return {
    standing,
    others,
    borrowed: borrowed.flatMap(({ row, ...stay }) =>
      eventsAt(archive, tokenizer, [row]).map((event) => ({ ...stay, event })),
    ),
  };
}

/** Events of any session by their rows, weighed with this tokenizer. */
export function eventsAt(archive: Archive, tokenizer: string, rows: readonly number[]): WeighedEvent[] {
  const find = query(archive.sqlite, ROW_COLUMNS, `${ROWS} WHERE e.id = ?`);
  return rows.flatMap((id) => {
    const row = find.get(tokenizer, id);
    return row === undefined ? [] : [weigh(row)];
  });
}

function weigh(row: Row, counted = row.counted): WeighedEvent {
  const isReasoning = row.type === "reasoning";
  return {
    seq: seqOfRow(row.id),
    category: row.category,
    itemClass: classOf(row),
    toolName: row.toolName,
    label: row.label,
    textTokens: row.has_text === 0 ? 0 : (counted ?? estimateTokens(row.bytes)),
    bytes: row.bytes,
    isCounted: row.has_text === 1 && counted !== null,
    signatureChars: row.signatureChars ?? 0,
    imageTokens: isReasoning ? 0 : row.extra_tokens,
    call: row.call,
    startsTurn: row.starts === 1,
    ...(row.isFrame === 1 && { isFrame: true }),
  };
}

function classOf({ type, category, isRendered }: Row): ItemClass {
  // A note's constants weigh the frame around it too, which a rendered text has in it.
  if (type === "meta") return category === "prefix" || isRendered === 1 ? "listing" : "note";
  if (category === "memory") return "summary";
  return category === "prefix" ? "listing" : category;
}

export const ledgerCalls = (calls: readonly CallRow[]): LedgerCallInput[] =>
  calls.map(({ lowerBound, hasUsage, inherited, ...call }) => ({
    ...call,
    outputLowerBound: lowerBound === 1,
    hasUsage: hasUsage === 1,
    inherited: inherited === 1,
  }));
