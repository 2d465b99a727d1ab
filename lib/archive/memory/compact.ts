// Compaction by hand: a plan that is only shown, a plan that is kept beside an imported session, or a compaction of a session
// of ours. Whatever fails on the way leaves everything as it was.
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { CompactAnswer, CompactRequest, UndoAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { lookAgain } from "./attach-directory.ts";
import { requireCompactable, undoDirectory } from "./change-directory.ts";
import { countedWeightsOf } from "../load/event-weights.ts";
import { recordsDigest } from "../base/beside-rows.ts";
import { findSession } from "../base/find-session.ts";
import { compactionIdOf } from "../base/row-keys.ts";
import { write } from "../base/write.ts";
import { NOTHING_KEPT, type EventNumbers } from "./add-compaction.ts";
import { eventsOf, newItems, partsOf, sessionCompactor, type PreparedSession } from "./context-store.ts";
import { contextLog, lastSeqOf } from "./context-rows.ts";
import { itemRow } from "./item-rows.ts";
import { readCompaction } from "./read-compaction.ts";
import { optionsOf, sameApplied, samePlan } from "./same-compaction.ts";
import { sessionContext, type SessionContext } from "./session-context.ts";
import { EXTRACTIVE, modelFor } from "./write-summary.ts";
import { requireCompaction, requireLast, undoCompactionWrite } from "./undo-compaction.ts";

export type CompactOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Texts that are not counted yet are, before the answer is given. */
  readonly counted?: boolean;
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
  requested: CompactRequest,
  options: CompactOptions,
): Promise<CompactAnswer> {
  const from = performance.now();
  const made = await prepareCompaction(archive, pk, requested, options);
  const { session, request, attached, compactor, prepared } = made;
  const ms = (): number => Math.round(performance.now() - from);
  if (prepared === null) {
    const isNothing = made.status === "nothing_to_compact";
    const same = request.dryRun || !isNothing ? null : sameApplied(archive, session.session, request);
    if (same !== null) return readCompaction(archive, same);
    return { ...unchanged(session, request), status: made.status, reason: made.reason, ms: ms() };
  }
  const answer = answerOf(session, prepared);
  if (request.dryRun) return { ...answer, ms: ms() };
  options.signal?.throwIfAborted();
  const same = session.session.isOwn ? null : samePlan(archive, session, prepared.made, optionsOf(request));
  if (same !== null) return readCompaction(archive, same);
  await compactor.apply(prepared);
  if (attached !== null) await lookAgain(archive, pk);
  const id = compactionIdOf(session.session.id, prepared.run.id);
  const status = session.session.isOwn ? "complete" : "planned";
  return { ...answer, ...itemRowsOf(prepared, id, archive.host.now()), status, id, draft: null, ms: ms() };
}

/** A compaction with its summary, before anything is kept of it; or why there is none. */
export async function prepareCompaction(
  archive: Archive,
  pk: number,
  requested: CompactRequest,
  { signal, counted = false }: CompactOptions,
) {
  if (requested.summarizer !== EXTRACTIVE) modelFor(archive, requested.summarizer);
  else if (requested.instructions !== undefined)
    fail("invalid", "Instructions need a model, and extractive is not one. Name a model, or omit them.");
  // A memory folder is compacted as it is now: its agent goes on writing.
  const attached = await lookAgain(archive, pk);
  // The second generation's agent cuts a summary at its own limit: what matters has to stand within.
  const most = attached?.generation === 2 ? new CompactionPolicy().maxItemChars : Number.POSITIVE_INFINITY;
  const request = { ...requested, budgetChars: Math.min(requested.budgetChars, most) };
  if (attached !== null && !request.dryRun) requireCompactable(attached);
  requireRoom(request, most);
  const weights = counted ? await countedWeightsOf(archive, pk) : undefined;
  // Before the context is read: what is imported between the two is refused, too.
  const numbers = request.dryRun ? {} : { numbers: eventNumbers(archive, pk) };
  const session = { ...(await sessionContext(archive, pk, { at: request.at, weights })), ...numbers };
  const compactor = sessionCompactor(archive, session, request, attached);
  const base = { session, request, attached, compactor };
  const without = (status: "nothing_to_compact" | "failed", reason: string | null) => ({
    ...base,
    prepared: null,
    status,
    reason,
  });
  const { plan, reason } = compactor.plan({ tailTurns: request.tail });
  if (plan === null) return without("nothing_to_compact", reason);
  let prepared: PreparedSession;
  try {
    signal?.throwIfAborted();
    const result = signal === undefined ? {} : { signal };
    prepared = await compactor.prepare(plan, { budgetChars: request.budgetChars, ...result });
  } catch (error) {
    // What is asked wrongly is refused; what a model could not do is told with the context as it is.
    if (signal?.aborted === true) fail("timeout", "The compaction was cancelled. Nothing was written.", error);
    const isAsked = request.summarizer !== EXTRACTIVE && request.lines === undefined;
    if (!isAppError(error) || REFUSED.has(error.code) || !isAsked) throw error;
    return without("failed", error.message);
  }
  if (prepared.run.status === "nothing_to_compact") return without("nothing_to_compact", prepared.run.reason);
  return { ...base, prepared };
}

function eventNumbers(archive: Archive, pk: number): EventNumbers {
  const last = lastSeqOf(archive, pk);
  return { last, records: recordsDigest(archive, pk, last) };
}

/** An edited summary has the room of any other, and of a model it is the one that was shown. */
function requireRoom({ lines, draft, summarizer }: CompactRequest, most: number): void {
  if (lines === undefined) return;
  if (summarizer !== EXTRACTIVE && draft === undefined)
    fail("invalid", "An edited summary of a model needs its draft. Send the draft of a dry run with the lines.");
  const chars = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
  const room = Math.min(most, EDITED_CHARS);
  if (chars > room)
    fail("too_large", `The edited summary has ${chars} characters, of ${room} that there is room for. Shorten it.`);
}

/** As many as the largest budget of a summary. */
const EDITED_CHARS = 400_000;

/** What a caller asked wrongly, whatever summarizer it named. */
const REFUSED = new Set(["not_found", "conflict"]);

function unchanged({ session, ...context }: SessionContext, request: CompactRequest): CompactAnswer {
  return {
    status: "nothing_to_compact",
    id: null,
    kind: session.isOwn ? "applied" : "plan",
    unit: null,
    turns: [],
    events: null,
    at: context.at,
    summarizer: request.summarizer,
    tokensBefore: context.tokensBefore,
    tokensAfter: context.tokensBefore,
    origin: context.origin,
    summary: "",
    lines: [],
    episodic: [],
    semantic: [],
    snapshot: [...context.messages],
    kept: NOTHING_KEPT,
    whole: [],
    summarised: [],
    dropped: [],
    reason: null,
    draft: null,
    ms: 0,
  };
}

function itemRowsOf(prepared: PreparedSession, id: string | null, now: number) {
  const rows = newItems(prepared).map((item) => itemRow(item, id, now));
  return {
    episodic: rows.filter(({ kind }) => kind === "episodic"),
    semantic: rows.filter(({ kind }) => kind === "semantic"),
  };
}

function answerOf(session: SessionContext, prepared: PreparedSession): CompactAnswer {
  const { run, plan, made } = prepared;
  return {
    status: "planned",
    id: null,
    kind: session.session.isOwn ? "applied" : "plan",
    unit: plan.unit,
    turns: [...made.cut.turns],
    events: eventsOf(made),
    at: session.at,
    summarizer: made.summarizer,
    tokensBefore: session.tokensBefore,
    tokensAfter: made.tokensAfter,
    origin: leastKnown([session.origin, made.counted.origin]),
    summary: made.summary,
    lines: made.summaryLines,
    ...itemRowsOf(prepared, null, run.startedAt),
    snapshot: [...made.after.rows],
    kept: made.kept,
    ...partsOf(made),
    reason: null,
    draft: made.draft,
    ms: 0,
  };
}

/** Undoes a compaction, or takes a plan back. Asked again, it answers the same. */
export async function undoCompaction(archive: Archive, id: string): Promise<UndoAnswer> {
  const row = requireCompaction(archive, id);
  const undo = async (): Promise<unknown> => {
    const attached = row.kind === "applied" ? await lookAgain(archive, row.session_pk) : null;
    // Looking again may have told that it was taken back already.
    if (attached !== null && requireCompaction(archive, id).status !== "undone") {
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

const running = perArchive(() => new Map<number, Promise<unknown>>());

/** The compaction of a session that runs at this moment, or null. Resolves when it has ended, however it ended. */
export const compactionUnderWay = (archive: Archive, pk: number): Promise<unknown> | null =>
  running(archive).get(pk) ?? null;

/** Runs a compaction of a session; a second one meanwhile is refused. */
export async function alone<T>(archive: Archive, pk: number, run: () => Promise<T>): Promise<T> {
  const sessions = running(archive);
  if (sessions.has(pk)) fail("conflict", "This session is being compacted. Wait for it, or cancel it.");
  const { promise, resolve } = Promise.withResolvers<void>();
  sessions.set(pk, promise);
  try {
    return await run();
  } finally {
    sessions.delete(pk);
    resolve();
  }
}
