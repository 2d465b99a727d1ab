// A compaction as it would be: what leaves the context, the summary that takes its place, and the context after it. Nothing
// is written here.
import { contextMessages } from "#lib/kernel/context/from-events.ts";
import type { Message } from "#lib/kernel/context/message.ts";
import { DEFAULT_CONTEXT_TOKENS } from "#lib/kernel/memory/budget.ts";
import { repairPairs } from "#lib/kernel/log/repair.ts";
import type { CompactRequest, ContextMessage } from "#lib/wire/memory-schema.ts";
import type { Origin } from "#lib/wire/common-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Weights } from "../load/event-weights.ts";
import { closedTurns } from "../artifacts/turns.ts";
import { prepared } from "../base/statement-cache.ts";
import { IS_OWN } from "../import/session-row.ts";
import { figuresOf } from "../load/load-facts.ts";
import { contextAtPlace, placeOf, type LoadedContext } from "./context.ts";
import { presentTokens, type ContextRow } from "./context-rows.ts";
import { countText, type Counted } from "./count-text.ts";
import { cutOf, type Cut } from "./cut.ts";
import { messageRow, sumOfMessages } from "./message-rows.ts";
import { summaryOf, type CompactionSummary } from "./write-summary.ts";

export type PlanSession = {
  readonly pk: number;
  readonly id: string;
  readonly held: boolean;
  /** Its log is written by us alone: a compaction of it is real. */
  readonly isOwn: boolean;
};

type Before = {
  readonly session: PlanSession;
  readonly at: number;
  readonly epoch: number;
  readonly tokensBefore: number;
  readonly origin: Origin;
  readonly messages: readonly ContextMessage[];
  /** The last full compaction that holds; 0 without one. */
  readonly lastCompaction: number;
};

export type CompactionPlan = Before & {
  readonly cut: Cut;
  readonly summary: CompactionSummary;
  readonly counted: Counted;
  readonly tokensAfter: number;
  readonly after: readonly Message[];
  readonly snapshot: readonly ContextMessage[];
};

export type PlanOutcome =
  | { readonly plan: CompactionPlan; readonly reason: null }
  | { readonly plan: null; readonly before: Before; readonly reason: string };

export type PlanOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Weights with counts that the archive does not hold yet. */
  readonly weights?: Weights | undefined;
  /** Tokens that the next prompt may have, where somebody set a budget; the session's load line when absent. */
  readonly loadLine?: number | undefined;
};

/** From this share of the load line on a long turn may be cut inside: the share at which agents begin to compact. */
const TIGHT = 0.8;
/** … and then so much goes that there is room to go on. */
const ROOM = 0.5;

/** What the messages may weigh beside the prefix that no log holds. */
const tightOf = (loadLine: number, hidden: number) => ({
  over: loadLine * TIGHT - hidden,
  under: loadLine * ROOM - hidden,
});

export async function planOf(
  archive: Archive,
  pk: number,
  request: CompactRequest,
  { signal, weights, loadLine }: PlanOptions = {},
): Promise<PlanOutcome> {
  const session = sessionOf(archive, pk);
  const place = placeOf(archive, pk, request.at);
  const context = await contextAtPlace(archive, pk, place.upTo, weights);
  const { log, texts, repair } = context;
  const messages = repair.messages.map((message) => messageRow(message, log, "same"));
  const { tokens: tokensBefore, origin } = sumOfMessages(messages);
  const before: Before = {
    session,
    at: place.upTo,
    epoch: log.epoch,
    tokensBefore,
    origin,
    messages,
    lastCompaction: log.compactions.findLast(({ kind }) => kind === "full")?.seq ?? 0,
  };
  const reported = place.call ?? place.before;
  const prompt = reported === null ? 0 : reported.uncached + reported.cacheRead + reported.cacheWrite;
  const planned = cutOf(log, {
    tail: request.tail,
    tight: tightOf(loadLine ?? session.loadLine, Math.max(0, prompt - tokensBefore)),
    isOver: isOverIn(archive, session, log.rows),
    textOf: ({ seq }) => texts.get(seq),
  });
  if (planned.cut === null) return { plan: null, before, reason: planned.reason };
  const { cut } = planned;
  signal?.throwIfAborted();
  const summary = await summaryOf(archive, pk, { cut, texts, request, signal });
  const counted = await countText(archive, pk, summary.text);
  const after = contextAfter(context, cut, summary.text, counted);
  const { tokens: tokensAfter } = sumOfMessages(after.rows);
  if (tokensAfter >= tokensBefore)
    return {
      plan: null,
      before,
      reason: `What could be cut (${count(sumOf(cut.rows))} tokens) is no larger than its summary (${count(counted.tokens)}).`,
    };
  return {
    plan: { ...before, cut, summary, counted, tokensAfter, after: after.messages, snapshot: after.rows },
    reason: null,
  };
}

const count = (tokens: number): string => tokens.toLocaleString("en-US");
const sumOf = (rows: readonly ContextRow[]): number => rows.reduce((sum, row) => sum + presentTokens(row), 0);

function sessionOf(archive: Archive, pk: number): PlanSession & { readonly loadLine: number } {
  const row = prepared(archive.sqlite, `SELECT id, held, ${IS_OWN} AS own FROM sessions WHERE pk = ?`).get(pk) as {
    id: string;
    held: number;
    own: number;
  };
  const loadLine = figuresOf(archive, pk).line.tokens ?? DEFAULT_CONTEXT_TOKENS;
  return { pk, id: row.id, held: row.held === 1, isOwn: row.own === 1, loadLine };
}

/**
 * Turns whose open calls wait for nothing: in a session of ours those that take no more writes; in an imported one those
 * after which the person went on.
 */
function isOverIn(archive: Archive, session: PlanSession, rows: readonly ContextRow[]): (turn: number) => boolean {
  if (session.held) {
    const closed = new Set(closedTurns(archive, session.id));
    return (turn) => closed.has(turn);
  }
  const last = rows.reduce((most, { turn }) => Math.max(most, turn), 0);
  return (turn) => turn < last;
}

/** The context as it would be: the same log with the compaction behind it. */
export function contextAfter(
  { log, texts }: LoadedContext,
  cut: Pick<Cut, "whole">,
  text: string,
  counted: Counted,
): { readonly messages: readonly Message[]; readonly rows: readonly ContextMessage[] } {
  const seq = (log.log.at(-1)?.seq ?? 0) + 1;
  const blank = {
    call: null,
    recordKey: null,
    synthetic: false,
    turn: 0,
    ts: null,
    startsTurn: false,
    toolName: null,
    artifact: null,
    key: null,
    label: "Summary",
    bytes: 0,
    isSent: true,
    ...counted,
    hasLeft: false,
  };
  const compaction: ContextRow = {
    ...blank,
    seq,
    body: { type: "compaction", kind: "full", trigger: "manual", tokensBefore: null, tokensAfter: null, text },
  };
  const seqs = new Set(cut.whole.map((row) => row.seq));
  const place = { seq, kind: "full" as const, seqs };
  const list = [...log.log, compaction];
  const compactions = [...log.compactions, place];
  const messages = contextMessages(list, seq, { compactions, textOf: (row) => texts.get(row.seq) ?? null });
  const repaired = repairPairs(messages).messages;
  const rows = [...cut.whole, compaction];
  const isNew = (message: Message): boolean => message.seqs?.includes(seq) === true;
  return {
    messages: repaired,
    // Its place in the log comes with the compaction itself.
    rows: repaired.map((message) => {
      const row = messageRow(message, { rows }, isNew(message) ? "new" : "same");
      return isNew(message) ? { ...row, seqs: [] } : row;
    }),
  };
}
