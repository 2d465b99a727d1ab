// The context of a session as the store that a Compactor works on. What it changes is a compaction of the log where the log
// is ours, the folder's own where a memory folder is attached, and of an imported session a plan that stands beside it.
import { hash, randomUUID } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import { resultOf, type Message } from "#lib/kernel/context/message.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { Compactor, type CompactedStore, type PreparedCompaction } from "#lib/kernel/memory/compactor.ts";
import type { MemoryBundle } from "#lib/kernel/memory/memory-types.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { CompactAnswer, CompactRequest } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { compactionIdOf } from "../base/row-keys.ts";
import { write } from "../base/write.ts";
import { addCompactionWrite } from "./add-compaction.ts";
import { readMemory } from "./archive-store.ts";
import type { AttachedRow } from "./attached-rows.ts";
import { compactDirectory } from "./change-directory.ts";
import { contextLog, lastSeqOf, presentTokens, type ContextRow } from "./context-rows.ts";
import { isSummary, partOf, planOfContext } from "./cut.ts";
import type { NewItem } from "./item-rows.ts";
import { optionsOf } from "./same-compaction.ts";
import type { SessionContext } from "./session-context.ts";
import { sessionSummarizer, type SessionSummary } from "./write-summary.ts";

export type PreparedSession = PreparedCompaction<SessionSummary>;

/** The kernel's Compactor over a session as it was read. */
export function sessionCompactor(
  archive: Archive,
  session: SessionContext,
  request: CompactRequest,
  attached: AttachedRow | null = null,
): Compactor<SessionSummary> {
  const { rows } = session.context.log;
  return new Compactor<SessionSummary>({
    store: contextStore(archive, session, request, attached),
    summarizer: sessionSummarizer(archive, session, request),
    host: { now: () => archive.host.now(), newId: randomUUID },
    policy: new CompactionPolicy({ instructions: request.instructions }),
    planner: () => planOfContext(rows, session.traces, { tail: request.tail, tight: session.tight }),
    weigh: ({ cut, counted, tokensAfter }) => ({
      tokensBefore: session.tokensBefore,
      tokensAfter,
      cutTokens: sumOf(cut.rows),
      summaryTokens: counted.tokens,
    }),
  });
}

const sumOf = (rows: readonly ContextRow[]): number => rows.reduce((sum, row) => sum + presentTokens(row), 0);

function contextStore(
  archive: Archive,
  session: SessionContext,
  request: CompactRequest,
  attached: AttachedRow | null,
): CompactedStore<SessionSummary> {
  return {
    list: readMemory(archive, session.session.id).list,
    listTraces: () => session.traces,
    async compact({ episodic, semantic, source }) {
      const { run, plan, made } =
        source ??
        fail("unsupported", "This change lacks the result of a compaction. Sessions are compacted by their Compactor.");
      await keep(archive, { session, request, attached, prepared: { run, plan, made, items: { episodic, semantic } } });
    },
  };
}

type Kept = {
  readonly session: SessionContext;
  readonly request: CompactRequest;
  readonly attached: AttachedRow | null;
  readonly prepared: PreparedSession;
};

async function keep(archive: Archive, { session, request, attached, prepared }: Kept): Promise<void> {
  const { run, plan, made } = prepared;
  const { cut } = made;
  const { isOwn } = session.session;
  if (isOwn) requireNewest(archive, session);
  const id = compactionIdOf(session.session.id, run.id);
  const items = newItems(prepared);
  const planned = { seqs: cut.rows.map(({ seq }) => seq), whole: cut.whole.map(({ seq }) => seq) };
  const done =
    attached === null
      ? planned
      : compactDirectory(archive, attached, { id, seqs: planned.seqs, made: named(prepared) });
  await write(archive, addCompactionWrite, {
    sessionId: session.session.id,
    id,
    kind: isOwn ? "applied" : "plan",
    trigger: run.trigger,
    unit: plan.unit,
    at: session.at,
    events: eventsOf(made),
    turns: cut.turns,
    ...done,
    lastCompaction: session.lastCompaction,
    numbers: isOwn ? null : session.numbers!,
    options: optionsOf(request),
    summarizer: made.summarizer,
    tokensBefore: session.tokensBefore,
    tokensAfter: made.tokensAfter,
    origin: leastKnown([session.origin, made.counted.origin]),
    summary: made.summary,
    lines: made.summaryLines,
    kept: made.kept,
    dropped: partsOf(made).dropped,
    items,
    snapshot: JSON.stringify(made.after.messages.map(short)),
    startedAt: run.startedAt,
  });
}

/** Context that a later compaction cut already cannot be cut again where it was. */
function requireNewest(archive: Archive, { session, lastCompaction, at }: SessionContext): void {
  const now = contextLog(archive, session.pk, lastSeqOf(archive, session.pk));
  const newest = now.compactions.findLast(({ kind }) => kind === "full")?.seq ?? 0;
  if (newest !== lastCompaction)
    fail(
      "conflict",
      `A compaction came at event ${newest}, after event ${at}: that context is no longer in use. Compact at the end.`,
    );
}

/** The items under names that no other session has: the kernel's are unique in one memory. */
function named({ run, items: { episodic, semantic } }: PreparedSession): MemoryBundle {
  const idOf = (kind: "ep" | "sem", id: string): string => `${kind}_${hash("sha256", `${run.id}\n${id}`).slice(0, 16)}`;
  return {
    episodic: episodic.map((item) => ({ ...item, id: idOf("ep", item.id) })),
    semantic: semantic.map((item) => ({ ...item, id: idOf("sem", item.id) })),
  };
}

/** The items that a compaction makes: the summary as what happened, and each fact with the events that it was read off. */
export function newItems(prepared: PreparedSession): NewItem[] {
  const { cut, facts } = prepared.made;
  const items = named(prepared);
  const seqsOf = new Map(facts.map(({ fact, seqs = [] }) => [fact.replace(/\s+/g, " ").trim(), seqs]));
  const all = cut.rows.map(({ seq }) => seq);
  const common = { turns: cut.turns, seqs: all, madeBy: "compaction" as const };
  return [
    ...items.episodic.map(({ id, summary, salience, tags = [] }): NewItem => ({
      ...common,
      id,
      kind: "episodic",
      text: summary,
      category: null,
      salience,
      confidence: null,
      tags,
    })),
    ...items.semantic.map(({ id, fact, salience, category = null, confidence = null, tags = [] }): NewItem => ({
      ...common,
      ...positionsOf(cut.rows, seqsOf.get(fact) ?? []),
      id,
      kind: "semantic",
      text: fact,
      category,
      salience,
      confidence,
      tags,
    })),
  ];
}

/** The events that a fact was read off, and their turns; nothing where the summarizer does not say: then it is of the whole cut. */
function positionsOf(rows: readonly ContextRow[], seqs: readonly number[]): { seqs?: number[]; turns?: number[] } {
  if (seqs.length === 0) return {};
  const wanted = new Set(seqs);
  const turns = rows.filter(({ seq }) => wanted.has(seq)).map(({ turn }) => turn);
  return { seqs: [...seqs], ...(turns.length > 0 && { turns: [...new Set(turns)] }) };
}

/** The first and the last event that leave. */
export function eventsOf({ cut }: SessionSummary): [number, number] {
  const seqs = cut.rows.map(({ seq }) => seq);
  return [Math.min(...seqs), Math.max(...seqs)];
}

/** What became of each part of the context. */
export function partsOf({
  cut,
  summaryLines: result,
}: SessionSummary): Pick<CompactAnswer, "whole" | "summarised" | "dropped"> {
  const named = new Set(result.flatMap(({ seqs }) => seqs));
  const gone = cut.rows.filter(({ isSent, body }) => isSent || body.type === "compaction");
  // A summary without references stands for all of it alike.
  const isSummarised = (row: ContextRow): boolean => named.size === 0 || named.has(row.seq) || isSummary(row);
  return {
    whole: cut.whole.filter(({ isSent }) => isSent).map(partOf),
    summarised: gone.filter(isSummarised).map(partOf),
    dropped: gone.filter((row) => !isSummarised(row)).map(partOf),
  };
}

/** Characters of one message that a snapshot holds: the log has the whole. */
const SNAPSHOT_CHARS = 4096;

function short(message: Message): Message {
  const cut = (text: string): string =>
    text.length <= SNAPSHOT_CHARS ? text : `${text.slice(0, SNAPSHOT_CHARS - 1).toWellFormed()}…`;
  const result = resultOf(message);
  const { toolPayload } = message;
  return {
    ...message,
    content: message.content === null ? null : cut(message.content),
    ...(message.reasoningContent != null && { reasoningContent: cut(message.reasoningContent) }),
    toolPayload:
      result !== null && typeof result.toolResult === "string"
        ? { ...result, toolResult: cut(result.toolResult) }
        : toolPayload,
  };
}
