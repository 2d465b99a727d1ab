// Rows of one session that several verbs read: its weighing items, its model calls, its compactions. Token counts are
// joined by digest: the same text is counted once, in whatever session it stands.
import type { CompactionPlace } from "#lib/kernel/load/residency.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { Archive } from "./archive-type.ts";
import { plucked } from "./statement-cache.ts";
import { recordKey, rowRange, seqOfRow } from "./row-keys.ts";
import { undoneSeqs } from "./undone-compactions.ts";

/** The tokenizer that a session's texts are counted with, or "" when none fits its model. */
export function tokenizerOf(archive: Archive, pk: number): string {
  const row = archive.sqlite.prepare("SELECT model, format FROM sessions WHERE pk = ?").get(pk) as {
    model: string | null;
    format: string;
  };
  return archive.host.tokenizers.idFor(row.model, row.format) ?? "";
}

/** SQL of a row's weight; the tokenizer is the first parameter of the join. */
export const WEIGHT = "e.bytes, t.tokens AS counted, e.extra_tokens, e.digest IS NOT NULL AS has_text";
export const COUNTS = "LEFT JOIN token_counts t ON t.digest = e.digest AND t.tokenizer = ?";

export type CallRow = {
  call: number;
  firstSeq: number;
  model: string | null;
  ts: number | null;
  uncached: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  webSearches: number;
  lowerBound: number;
  hasUsage: number;
  inherited: number;
};

export function callsOf(archive: Archive, pk: number): CallRow[] {
  return archive.sqlite
    .prepare(
      `SELECT call, first_seq AS firstSeq, model, ts, input_uncached AS uncached, cache_read AS cacheRead, cache_write AS cacheWrite,
         cache_write_1h AS cacheWrite1h, output, reasoning, web_searches AS webSearches, output_lower_bound AS lowerBound, has_usage AS hasUsage, inherited FROM model_calls WHERE session_pk = ? ORDER BY first_seq, call`,
    )
    .all(pk) as CallRow[];
}

export type CompactionRow = CompactionPlace & {
  trigger: string | null;
  tokensBefore: number | null;
  tokensAfter: number | null;
};

/** The compactions that hold: one that was undone is as if it had not been. */
export function compactionsOf(archive: Archive, pk: number): CompactionRow[] {
  const rows = archive.sqlite
    .prepare("SELECT id, body FROM events WHERE id BETWEEN ? AND ? AND type = 'compaction' ORDER BY id")
    .all(...rowRange(pk)) as { id: number; body: string }[];
  const undone = rows.length === 0 ? NONE : undoneSeqs(archive, pk);
  const holding = rows.filter((row) => !undone.has(seqOfRow(row.id)));
  return holding.map((row) => {
    const body = JSON.parse(row.body) as Extract<EventBody, { type: "compaction" }>;
    return {
      seq: seqOfRow(row.id),
      kind: body.kind,
      trigger: body.trigger,
      tokensBefore: body.tokensBefore,
      tokensAfter: body.tokensAfter,
      seqs:
        body.kind === "full"
          ? keptSeqs(archive, pk, body.preserved ?? [])
          : clearedSeqs(archive, pk, body.cleared ?? []).union(keptSeqs(archive, pk, body.clearedRecords ?? [])),
    };
  });
}

const NONE: ReadonlySet<number> = new Set();

/**
 * The context that a full compaction came at and the one that it left: the prompts that the provider reported of the calls
 * around it. What the agent says (its own count, with the answer that came last in it) holds where no call did.
 */
export function compactionSizes(compactions: readonly CompactionRow[], calls: readonly CallRow[]): CompactionRow[] {
  const reported = calls.filter((call) => call.hasUsage === 1 && promptOf(call) > 0);
  const full = compactions.filter(({ kind }) => kind === "full").map(({ seq }) => seq);
  return compactions.map((place) => {
    if (place.kind === "micro") return place;
    const since = full.findLast((seq) => seq < place.seq) ?? 0;
    const until = full.find((seq) => seq > place.seq) ?? Number.POSITIVE_INFINITY;
    const before = reported.findLast(({ firstSeq }) => firstSeq < place.seq && firstSeq > since);
    const after = reported.find(({ firstSeq }) => firstSeq > place.seq && firstSeq < until);
    return {
      ...place,
      tokensBefore: before === undefined ? place.tokensBefore : promptOf(before),
      tokensAfter: after === undefined ? place.tokensAfter : promptOf(after),
    };
  });
}

const promptOf = ({ uncached, cacheRead, cacheWrite }: CallRow): number => uncached + cacheRead + cacheWrite;

function keptSeqs(archive: Archive, pk: number, keys: readonly string[]): Set<number> {
  const find = archive.sqlite
    .prepare("SELECT id FROM events WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ?")
    .pluck();
  const nothing = new Uint8Array();
  return new Set(keys.flatMap((key) => (find.all(recordKey(key, nothing), ...rowRange(pk)) as number[]).map(seqOfRow)));
}

function clearedSeqs(archive: Archive, pk: number, toolCallIds: readonly string[]): Set<number> {
  const find = archive.sqlite
    .prepare(
      "SELECT result_seq FROM tool_interactions WHERE session_pk = ? AND tool_call_id = ? AND result_seq IS NOT NULL",
    )
    .pluck();
  return new Set(toolCallIds.flatMap((id) => find.all(pk, id) as number[]));
}

/** Remembers the last few answers of a costly view for as long as the session does not change. */
export function remembered<T>(archive: Archive, name: string, pk: number, make: () => T): T {
  const version = plucked(archive.sqlite, "SELECT version FROM sessions WHERE pk = ?").get(pk) as number;
  let views = memory.get(archive);
  if (views === undefined) memory.set(archive, (views = new Map()));
  const key = `${name} ${pk}`;
  const held = views.get(key);
  if (held?.version === version) return held.value as T;
  const value = make();
  views.delete(key);
  views.set(key, { version, value });
  if (views.size > REMEMBERED) views.delete(views.keys().next().value!);
  return value;
}

const REMEMBERED = 24;
const memory = new WeakMap<Archive, Map<string, { version: number; value: unknown }>>();

export const versionOf = (archive: Archive, pk: number): string =>
  String(plucked(archive.sqlite, "SELECT pk || '.' || version FROM sessions WHERE pk = ?").get(pk));
