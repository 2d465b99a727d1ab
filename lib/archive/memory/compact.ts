// Compaction by hand: a plan that is only shown, a plan that is kept beside an imported session, or a compaction of a session
// of ours. Whatever fails on the way leaves everything as it was.
import { randomUUID } from "node:crypto";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import type { CompactionTrigger } from "#lib/kernel/memory/memory-types.ts";
import { resultOf, type Message } from "#lib/kernel/context/message.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { CompactAnswer, CompactRequest, UndoAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { lookAgain } from "./attach-directory.ts";
import { compactDirectory, requireCompactable, undoDirectory } from "./change-directory.ts";
import { countedWeightsOf } from "../load/event-weights.ts";
import { findSession } from "../base/find-session.ts";
import { write } from "../base/write.ts";
import { planOf, type CompactionPlan, type PlanOutcome } from "./compact-plan.ts";
import { contextLog, lastSeqOf, type ContextRow } from "./context-rows.ts";
import { isSummary, partOf } from "./cut.ts";
import { itemRow, type NewItem } from "./item-rows.ts";
import { itemsOf } from "./made-items.ts";
import { knownFacts } from "./known-facts.ts";
import { readCompaction } from "./read-compaction.ts";
import { optionsOf, sameApplied, samePlan } from "./same-compaction.ts";
import { EXTRACTIVE, modelFor } from "./write-summary.ts";
import { compactionById, requireLast, undoCompactionWrite } from "./undo-compaction.ts";
import { addCompactionWrite } from "./add-compaction.ts";

export type CompactOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Texts that are not counted yet are, before the answer is given. */
  readonly counted?: boolean;
  /** What asked for it: a person, unless it is said. */
  readonly trigger?: CompactionTrigger;
  /** Tokens that the next prompt may have, where somebody set a budget. */
  readonly loadLine?: number;
};

/** Plans a compaction and, unless it is a dry run, keeps it. A second one of the same session meanwhile is refused. */
export async function compactSession(
  archive: Archive,
  name: string,
  request: CompactRequest,
  options: CompactOptions = {},
): Promise<CompactAnswer> {
  const pk = findSession(archive, name);
  const make = (): Promise<CompactAnswer> => compact(archive, pk, request, options);
  return request.dryRun ? make() : alone(archive, pk, make);
}

async function compact(
  archive: Archive,
  pk: number,
  asked: CompactRequest,
  { signal, counted = false, trigger = "manual", loadLine }: CompactOptions,
): Promise<CompactAnswer> {
  const startedAt = archive.host.now();
  const from = performance.now();
  if (asked.summarizer !== EXTRACTIVE) modelFor(archive, asked.summarizer);
  // A memory folder is compacted as it is now: its agent goes on writing.
  const attached = await lookAgain(archive, pk);
  // The second generation's agent cuts a summary at its own limit: what matters has to stand within.
  const most = attached?.generation === 2 ? new CompactionPolicy().maxItemChars : Number.POSITIVE_INFINITY;
  const request = { ...asked, budgetChars: Math.min(asked.budgetChars, most) };
  if (attached !== null && !request.dryRun) requireCompactable(attached);
  const weights = counted ? await countedWeightsOf(archive, pk) : undefined;
  const ms = (): number => Math.round(performance.now() - from);
  let outcome: PlanOutcome;
  try {
    outcome = await planOf(archive, pk, request, { signal, weights, loadLine });
  } catch (error) {
    // What is asked wrongly is refused; what a model could not do is told with the context as it is.
    if (signal?.aborted === true)
      fail("timeout", "The compaction was stopped before its end. Nothing was written.", error);
    if (!isAppError(error) || REFUSED.has(error.code) || request.summarizer === EXTRACTIVE) throw error;
    return { ...(await asItIs(archive, pk, request)), status: "failed", reason: error.message, ms: ms() };
  }
  if (outcome.plan === null) {
    const { before, reason } = outcome;
    const same = request.dryRun ? null : sameApplied(archive, before.session, request);
    if (same !== null) return readCompaction(archive, same);
    return { ...unchanged(before, request), status: "nothing_to_compact", reason, ms: ms() };
  }
  const { plan } = outcome;
  const id = `cmp_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const items = itemsOf(plan, new Set(knownFacts(archive, pk)));
  const answer = answerOf(plan, items, startedAt);
  if (request.dryRun) return { ...answer, ms: ms() };
  signal?.throwIfAborted();
  const { kind } = answer;
  if (kind === "applied") requireNewest(archive, plan);
  const same = kind === "plan" ? samePlan(archive, plan, optionsOf(request)) : null;
  if (same !== null) return readCompaction(archive, same);
  const planned = { seqs: plan.cut.rows.map(({ seq }) => seq), whole: plan.cut.whole.map(({ seq }) => seq) };
  const done = attached === null ? planned : compactDirectory(archive, attached, { id, seqs: planned.seqs, items });
  await write(archive, addCompactionWrite, {
    sessionId: plan.session.id,
    id,
    kind,
    trigger,
    unit: plan.cut.unit,
    at: plan.at,
    events: answer.events!,
    turns: plan.cut.turns,
    ...done,
    lastCompaction: plan.lastCompaction,
    options: optionsOf(request),
    summarizer: answer.summarizer,
    tokensBefore: answer.tokensBefore,
    tokensAfter: answer.tokensAfter,
    origin: answer.origin,
    summary: answer.summary,
    lines: answer.lines,
    kept: answer.kept,
    dropped: answer.dropped,
    items,
    snapshot: JSON.stringify(plan.after.map(short)),
    startedAt,
  });
  if (attached !== null) await lookAgain(archive, pk);
  const made = items.map((item) => itemRow(item, id, archive.host.now()));
  return {
    ...answer,
    status: kind === "applied" ? "complete" : "planned",
    id,
    draft: null,
    episodic: made.filter((item) => item.kind === "episodic"),
    semantic: made.filter((item) => item.kind === "semantic"),
    ms: ms(),
  };
}

/** What a caller asked wrongly, whatever summarizer it named. */
const REFUSED = new Set(["not_found", "conflict"]);

async function asItIs(archive: Archive, pk: number, request: CompactRequest): Promise<CompactAnswer> {
  // No turn is taken where all of them stay.
  const { before } = (await planOf(archive, pk, { ...request, summarizer: EXTRACTIVE, tail: 1e9 })) as Extract<
    PlanOutcome,
    { plan: null }
  >;
  return unchanged(before, request);
}

/** Context that a later compaction cut already cannot be cut again where it was. */
function requireNewest(archive: Archive, { session, lastCompaction, at }: CompactionPlan): void {
  const now = contextLog(archive, session.pk, lastSeqOf(archive, session.pk));
  const newest = now.compactions.findLast(({ kind }) => kind === "full")?.seq ?? 0;
  if (newest !== lastCompaction)
    fail(
      "conflict",
      `A compaction came at event ${newest}, after event ${at}: the context there is not in use any more. Compact at the end.`,
    );
}

const NOTHING_KEPT: CompactAnswer["kept"] = {
  files: { kept: 0, total: 0 },
  commands: { kept: 0, total: 0 },
  errors: { kept: 0, total: 0 },
  userMessages: { kept: 0, total: 0 },
  decisions: { kept: 0, total: 0 },
};

function unchanged(before: Extract<PlanOutcome, { plan: null }>["before"], request: CompactRequest): CompactAnswer {
  return {
    status: "nothing_to_compact",
    id: null,
    kind: before.session.isOwn ? "applied" : "plan",
    unit: null,
    turns: [],
    events: null,
    at: before.at,
    summarizer: request.summarizer,
    tokensBefore: before.tokensBefore,
    tokensAfter: before.tokensBefore,
    origin: before.origin,
    summary: "",
    lines: [],
    episodic: [],
    semantic: [],
    snapshot: [...before.messages],
    kept: NOTHING_KEPT,
    whole: [],
    summarised: [],
    dropped: [],
    reason: null,
    draft: null,
    ms: 0,
  };
}

function answerOf(plan: CompactionPlan, items: readonly NewItem[], now: number): CompactAnswer {
  const { cut, summary, session } = plan;
  const told = new Set(summary.lines.flatMap(({ seqs }) => seqs));
  const gone = cut.rows.filter(({ isSent, body }) => isSent || body.type === "compaction");
  // A summary without references stands for all of it alike.
  const isTold = (row: ContextRow): boolean => told.size === 0 || told.has(row.seq) || isSummary(row);
  const shown = items.map((item) => itemRow(item, null, now));
  const seqs = cut.rows.map(({ seq }) => seq);
  return {
    status: "planned",
    id: null,
    kind: session.isOwn ? "applied" : "plan",
    unit: cut.unit,
    turns: [...cut.turns],
    events: [Math.min(...seqs), Math.max(...seqs)],
    at: plan.at,
    summarizer: summary.summarizer,
    tokensBefore: plan.tokensBefore,
    tokensAfter: plan.tokensAfter,
    origin: leastKnown([plan.origin, plan.counted.origin]),
    summary: summary.text,
    lines: summary.lines,
    episodic: shown.filter(({ kind }) => kind === "episodic"),
    semantic: shown.filter(({ kind }) => kind === "semantic"),
    snapshot: [...plan.snapshot],
    kept: summary.kept,
    whole: cut.whole.filter(({ isSent }) => isSent).map(partOf),
    summarised: gone.filter(isTold).map(partOf),
    dropped: gone.filter((row) => !isTold(row)).map(partOf),
    reason: null,
    draft: summary.draft,
    ms: 0,
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

/** Undoes a compaction, or takes a plan back. Asked again, it answers the same. */
export async function undoCompaction(archive: Archive, id: string): Promise<UndoAnswer> {
  const row =
    compactionById(archive, id) ??
    fail("not_found", `There is no compaction "${id.slice(0, 80)}". plimsoll memory SESSION lists them.`);
  const undo = async (): Promise<unknown> => {
    const attached = row.kind === "applied" ? await lookAgain(archive, row.session_pk) : null;
    // Looking again may have told that it was taken back already.
    if (attached !== null && compactionById(archive, id)!.status !== "undone") {
      requireLast(archive, row.session_pk, row.event_seq!);
      undoDirectory(archive, attached, id);
    }
    const answer = await write(archive, undoCompactionWrite, { id, sessionId: row.sessionId });
    if (attached !== null) await lookAgain(archive, row.session_pk);
    return answer;
  };
  await alone(archive, row.session_pk, undo);
  const isApplied = row.kind === "applied";
  const log = isApplied ? contextLog(archive, row.session_pk, lastSeqOf(archive, row.session_pk)) : null;
  const tokensAfter = log === null ? null : log.rows.reduce((sum, { tokens }) => sum + tokens, 0);
  return { status: "undone", id, sessionId: row.sessionId, tokensAfter };
}

// Two copies of this file live in the server, Node's and Next's bundle: what runs is noted where both see it.
const RUNNING = Symbol.for("plimsoll.compactions");
type Running = WeakMap<Archive, Map<number, Promise<unknown>>>;
const shared = globalThis as unknown as Record<symbol, Running | undefined>;

/** The compaction of a session that runs at this moment, or null. Resolves when it has ended, however it ended. */
export const compactionUnderWay = (archive: Archive, pk: number): Promise<unknown> | null =>
  shared[RUNNING]?.get(archive)?.get(pk) ?? null;

async function alone<T>(archive: Archive, pk: number, run: () => Promise<T>): Promise<T> {
  const running = (shared[RUNNING] ??= new WeakMap());
  let sessions = running.get(archive);
  if (sessions === undefined) running.set(archive, (sessions = new Map()));
  if (sessions.has(pk))
    fail("conflict", "This session is being compacted at this moment. Wait for it, or stop that one first.");
  const { promise, resolve } = Promise.withResolvers<void>();
  sessions.set(pk, promise);
  try {
    return await run();
  } finally {
    sessions.delete(pk);
    resolve();
  }
}
