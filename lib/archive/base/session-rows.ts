// Rows of one session that several verbs read: its weighing items, its model calls, its compactions. Token counts are
// joined by digest: the same text is counted once, in whatever session it stands.
import { columns, query, scalar, select, type Columns, type RowOf } from "#db/statement.ts";
import { orderOfKeys } from "#lib/kernel/context/from-events.ts";
import type { CompactionPosition } from "#lib/kernel/load/residency.ts";
import { clearedTexts, type EventBody } from "#lib/kernel/event.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "./archive-type.ts";
import { framePartsOf, type FrameParts } from "./frame-parts.ts";
import { cached } from "./per-archive.ts";
import { eventRowId, recordKey, rowRange, seqOfRow } from "./row-keys.ts";
import { departuresIn, type RewindRow } from "./rewind-rows.ts";
import { undoneCompactions, type Undone } from "./undone-compactions.ts";

/** The tokenizer that a session's texts are counted with, or "" when none fits its model. */
export function tokenizerOf(archive: Archive, pk: number): string {
  const row = select(archive.sqlite, "sessions", ["model", "format"], "WHERE pk = ?").get(pk);
  // Its file was read from the beginning meanwhile: the session has another row now.
  if (row === undefined) fail("conflict", "This session is being imported again. Retry in a moment.");
  return archive.host.tokenizers.idFor(row.model, row.format) ?? "";
}

/** SQL of a row's weight; the tokenizer is the first parameter of the join. */
export const WEIGHT = "e.bytes, t.tokens AS counted, e.extra_tokens, e.digest IS NOT NULL AS has_text";
export const COUNTS = "LEFT JOIN token_counts t ON t.digest = e.digest AND t.tokenizer = ?";

const CALL_ROW_COLUMNS = {
  ...columns("model_calls", "call", "model", "ts", "output", "reasoning", "inherited"),
  firstSeq: "model_calls.first_seq",
  uncached: "model_calls.input_uncached",
  cacheRead: "model_calls.cache_read",
  cacheWrite: "model_calls.cache_write",
  cacheWrite1h: "model_calls.cache_write_1h",
  webSearches: "model_calls.web_searches",
  lowerBound: "model_calls.output_lower_bound",
  hasUsage: "model_calls.has_usage",
} as const satisfies Columns;
export type CallRow = RowOf<typeof CALL_ROW_COLUMNS>;

/**
 * The calls of a session. One that stands behind a compaction and was made before it was copied there with the messages that
 * somebody kept: what it reported is the size of another context, and it counts as if it had reported nothing.
 */
export function callsOf(archive: Archive, pk: number): CallRow[] {
  const calls = query(
    archive.sqlite,
    CALL_ROW_COLUMNS,
    "FROM model_calls WHERE session_pk = ? ORDER BY first_seq, call",
  ).all(pk);
  const compactions = select(
    archive.sqlite,
    "events",
    ["id", "ts"],
    "WHERE id BETWEEN ? AND ? AND type = 'compaction' AND ts IS NOT NULL AND json_extract(body, '$.kind') = 'full'",
  ).all(...rowRange(pk));
  const isCopied = ({ firstSeq, ts }: CallRow): boolean =>
    ts !== null && compactions.some((one) => seqOfRow(one.id) < firstSeq && one.ts! > ts);
  return calls.map((call) => (isCopied(call) ? { ...call, hasUsage: 0 } : call));
}

export type CompactionRow = CompactionPosition & {
  kind: "full" | "micro";
  /** What stands in place of a cleared result, where the file says it. */
  texts?: ReadonlyMap<number, string>;
  /** All that the new context begins with, in its order, where the file says it. */
  order?: readonly number[];
  trigger: string | null;
  tokensBefore: number | null;
  tokensAfter: number | null;
};

/** The compactions that hold: one that was undone is as if it had not been. */
export const compactionsOf = (archive: Archive, pk: number): CompactionRow[] =>
  allCompactionsOf(archive, pk).filter(({ undoneBy }) => undoneBy === undefined);

/** All that were made, those that were undone too: calls in between were sent what they left. */
export function allCompactionsOf(archive: Archive, pk: number, frameParts?: FrameParts): CompactionRow[] {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "body"],
    "WHERE id BETWEEN ? AND ? AND type = 'compaction' ORDER BY id",
  ).all(...rowRange(pk));
  const undone = new Map(
    rows.length === 0 ? [] : undoneCompactions(archive, pk).map((one) => [Math.min(...one.seqs), one]),
  );
  // What stands before the conversation is sent again after every compaction.
  const frame = rows.length === 0 ? [] : (frameParts ?? framePartsOf(archive, pk)).parts;
  const rewinds = rows.length === 0 ? [] : departuresIn(archive, pk, frameParts);
  return rows.map((row) => {
    const body = JSON.parse(row.body) as Extract<EventBody, { type: "compaction" }>;
    const seq = seqOfRow(row.id);
    const undo = undone.get(seq) ?? rewoundCompaction(rewinds, seq, body.kind);
    const texts = body.kind === "micro" ? clearedTextsOf(archive, pk, body) : null;
    return {
      seq,
      kind: body.kind,
      trigger: body.trigger,
      tokensBefore: body.tokensBefore,
      tokensAfter: body.tokensAfter,
      seqs:
        body.kind === "full"
          ? keptSeqs(archive, pk, body.preserved ?? [])
              .union(keptTail(archive, pk, body.keptFrom, seq))
              .union(new Set(frame.flatMap((one) => (one.since < seq ? [one.seq] : []))))
          : clearedSeqs(archive, pk, body.cleared ?? []).union(keptSeqs(archive, pk, body.clearedRecords ?? [])),
      ...(texts !== null && { texts }),
      ...(body.order !== undefined && { order: orderOf(archive, pk, seq, body.order) }),
      ...(undo !== undefined && { undoneBy: undo.undoneBy, own: new Set(undo.seqs) }),
    };
  });
}

/** Who goes back to before a full compaction has what it cut again. */
function rewoundCompaction(
  rewinds: readonly RewindRow[],
  seq: number,
  kind: CompactionRow["kind"],
): Undone | undefined {
  const rewind = kind === "full" ? rewinds.find(({ seqs }) => seqs.has(seq)) : undefined;
  return rewind === undefined ? undefined : { seqs: [seq], undoneBy: rewind.seq };
}

/** Events that stand in the log as if they had not been: compactions that were undone by then, and their summaries. */
export const undoneSeqs = (all: readonly CompactionRow[], until = Number.POSITIVE_INFINITY): ReadonlySet<number> =>
  new Set(all.flatMap(({ own, undoneBy }) => (own !== undefined && undoneBy! <= until ? [...own] : [])));

/** Where epochs begin, the first aside: at each full compaction and, since an epoch never goes back, at each undoing. */
export const epochStarts = (all: readonly CompactionRow[]): number[] =>
  all
    .filter(({ kind }) => kind === "full")
    .flatMap(({ seq, undoneBy }) => (undoneBy === undefined ? [seq] : [seq, undoneBy]))
    .toSorted((a, b) => a - b);

/**
 * The context that a full compaction came at and the one that it left: the prompts that the provider reported of the calls
 * around it. What the agent says (its own count, with the answer that came last in it) holds where no call did.
 */
export function compactionSizes(compactions: readonly CompactionRow[], calls: readonly CallRow[]): CompactionRow[] {
  const reported = calls.filter((call) => call.hasUsage === 1 && promptOf(call) > 0);
  const full = compactions.filter(({ kind }) => kind === "full").map(({ seq }) => seq);
  return compactions.map((compaction) => {
    if (compaction.kind === "micro") return compaction;
    const since = full.findLast((seq) => seq < compaction.seq) ?? 0;
    const until = full.find((seq) => seq > compaction.seq) ?? Number.POSITIVE_INFINITY;
    const before = reported.findLast(({ firstSeq }) => firstSeq < compaction.seq && firstSeq > since);
    const after = reported.find(({ firstSeq }) => firstSeq > compaction.seq && firstSeq < until);
    return {
      ...compaction,
      tokensBefore: before === undefined ? compaction.tokensBefore : promptOf(before),
      tokensAfter: after === undefined ? compaction.tokensAfter : promptOf(after),
    };
  });
}

/** The prompts that the provider reported before and after each of these events. */
export function promptSizes(
  cuts: readonly { readonly seq: number }[],
  calls: readonly CallRow[],
): { seq: number; tokensBefore: number | null; tokensAfter: number | null }[] {
  const reported = calls.filter((call) => call.hasUsage === 1 && promptOf(call) > 0);
  return cuts.map(({ seq }) => {
    const before = reported.findLast(({ firstSeq }) => firstSeq < seq);
    const after = reported.find(({ firstSeq }) => firstSeq > seq);
    return {
      seq,
      tokensBefore: before === undefined ? null : promptOf(before),
      tokensAfter: after === undefined ? null : promptOf(after),
    };
  });
}

const promptOf = ({ uncached, cacheRead, cacheWrite }: CallRow): number => uncached + cacheRead + cacheWrite;

function keptSeqs(archive: Archive, pk: number, keys: readonly string[]): Set<number> {
  const find = scalar(
    archive.sqlite,
    "events.id",
    "FROM events WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ? ORDER BY id",
  );
  const nothing = new Uint8Array();
  return new Set(keys.flatMap((key) => find.all(recordKey(key, nothing), ...rowRange(pk)).map(seqOfRow)));
}

function orderOf(archive: Archive, pk: number, seq: number, order: readonly (string | null)[]): number[] {
  const own = scalar(
    archive.sqlite,
    "events.id",
    "FROM events WHERE record_key = (SELECT record_key FROM events WHERE id = ?) AND id BETWEEN ? AND ? ORDER BY id",
  );
  const behind = (): number[] => own.all(eventRowId(pk, seq), ...rowRange(pk, seq + 1)).map(seqOfRow);
  return orderOfKeys(order, (key) => [...keptSeqs(archive, pk, [key])], behind) ?? [];
}

/** The events from the first with this key to the compaction; an earlier summary among them is covered all the same. */
function keptTail(archive: Archive, pk: number, key: string | undefined, before: number): Set<number> {
  const first = key === undefined ? [] : [...keptSeqs(archive, pk, [key])];
  if (first.length === 0) return new Set();
  const ids = scalar(
    archive.sqlite,
    "events.id",
    "FROM events WHERE id BETWEEN ? AND ? AND json_extract(body, '$.injected') IS NOT 'summary'",
  );
  return new Set(ids.all(...rowRange(pk, Math.min(...first), before - 1)).map(seqOfRow));
}

function clearedSeqs(archive: Archive, pk: number, toolCallIds: readonly string[]): Set<number> {
  const find = scalar(
    archive.sqlite,
    "tool_interactions.result_seq!",
    "FROM tool_interactions WHERE session_pk = ? AND tool_call_id = ? AND result_seq IS NOT NULL",
  );
  return new Set(toolCallIds.flatMap((id) => find.all(pk, id)));
}

function clearedTextsOf(
  archive: Archive,
  pk: number,
  body: Extract<EventBody, { type: "compaction" }>,
): ReadonlyMap<number, string> | null {
  const texts = clearedTexts(body);
  if (texts === null) return null;
  return new Map(
    (body.cleared ?? []).flatMap((id, i) =>
      [...clearedSeqs(archive, pk, [id])].map((seq) => [seq, texts[i]!] as const),
    ),
  );
}

/** Goes up with each change of a session; undefined when it is gone. */
export const sessionVersion = (archive: Archive, pk: number): number | undefined =>
  scalar(archive.sqlite, "sessions.version", "FROM sessions WHERE pk = ?").get(pk);

/** True while the background pass has texts of this session to count. Counts come in the order of the log: it looks from where it was. */
export function isCounting(archive: Archive, pk: number): boolean {
  const tokenizer = tokenizerOf(archive, pk);
  const first = (): { from: number | null } => ({ from: tokenizer === "" ? null : rowRange(pk)[0] });
  const version = `${sessionVersion(archive, pk)} ${tokenizer}`;
  const state = cached(archive, "uncounted", version, first, { key: String(pk), limit: 1000 });
  if (state.from === null) return false;
  const next = scalar(
    archive.sqlite,
    "events.id",
    `SELECT e.id FROM events e WHERE e.id BETWEEN ? AND ? AND e.digest IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM token_counts t WHERE t.digest = e.digest AND t.tokenizer = ?) ORDER BY e.id LIMIT 1`,
  ).get(state.from, rowRange(pk)[1], tokenizer);
  state.from = next ?? null;
  return next !== undefined;
}

/**
 * Remembers the last few answers of a costly view for as long as the session does not change. Its last texts may be counted with
 * another session's, which has the same: that changes what they weigh, and no version.
 */
export function remembered<T>(archive: Archive, name: string, pk: number, make: () => T): T {
  const version = `${sessionVersion(archive, pk)}${isCounting(archive, pk) ? " counting" : ""}`;
  return cached(archive, "session views", version, make, { key: `${name} ${pk}`, limit: REMEMBERED });
}

const REMEMBERED = 24;

export const versionOf = (archive: Archive, pk: number): string =>
  String(scalar(archive.sqlite, "text", "SELECT pk || '.' || version FROM sessions WHERE pk = ?").get(pk));
