// What a compaction of a session is made of: the context at an event and its traces; and the context as it would be after it.
import { columns, query } from "#db/statement.ts";
import { contextMessages } from "#lib/kernel/context/from-events.ts";
import type { Message } from "#lib/kernel/context/message.ts";
import { DEFAULT_CONTEXT_TOKENS } from "#lib/kernel/memory/budget.ts";
import { repairPairs } from "#lib/kernel/log/repair.ts";
import type { ContextMessage } from "#lib/wire/memory-schema.ts";
import type { Origin } from "#lib/wire/common-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Weights } from "../load/event-weights.ts";
import { closedTurns } from "../artifacts/turns.ts";
import { IS_OWN } from "../import/session-row.ts";
import { figuresOf } from "../load/load-facts.ts";
import { contextAtPosition, positionOf, type LoadedContext } from "./context.ts";
import type { EventNumbers } from "./add-compaction.ts";
import type { ContextRow } from "./context-rows.ts";
import type { Counted } from "./count-text.ts";
import { cutTraces, type Cut, type CutOptions } from "./cut.ts";
import { messageRow, sumOfMessages } from "./message-rows.ts";
import type { EventTrace } from "./traces.ts";

export type PlanSession = {
  readonly pk: number;
  readonly id: string;
  readonly held: boolean;
  /** Its log is written by us alone: a compaction of it is real. */
  readonly isOwn: boolean;
};

export type SessionContext = {
  readonly session: PlanSession;
  readonly at: number;
  readonly tokensBefore: number;
  readonly origin: Origin;
  readonly messages: readonly ContextMessage[];
  /** The last full compaction that holds; 0 without one. */
  readonly lastCompaction: number;
  /** How its events are numbered, where a compaction is to be kept. */
  readonly numbers?: EventNumbers;
  readonly context: LoadedContext;
  readonly traces: readonly EventTrace[];
  /** Tokens from which on a long turn is cut inside, and how many are left then. */
  readonly tight: CutOptions["tight"];
};

export type ContextRequest = {
  readonly at?: number | undefined;
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

export async function sessionContext(
  archive: Archive,
  pk: number,
  { at, weights, loadLine }: ContextRequest = {},
): Promise<SessionContext> {
  const session = sessionOf(archive, pk);
  const position = positionOf(archive, pk, at);
  const context = await contextAtPosition(archive, pk, position.upTo, weights);
  const { log, texts, repair } = context;
  const messages = repair.messages.map((message) => messageRow(message, log, "same"));
  const { tokens: tokensBefore, origin } = sumOfMessages(messages);
  const reported = position.call ?? position.before;
  const prompt = reported === null ? 0 : reported.uncached + reported.cacheRead + reported.cacheWrite;
  return {
    session,
    at: position.upTo,
    tokensBefore,
    origin,
    messages,
    lastCompaction: log.compactions.findLast(({ kind }) => kind === "full")?.seq ?? 0,
    context,
    traces: cutTraces(log.rows, {
      isOver: isOverIn(archive, session, log.rows),
      textOf: ({ seq }) => texts.get(seq),
    }),
    tight: tightOf(loadLine ?? session.loadLine, Math.max(0, prompt - tokensBefore)),
  };
}

function sessionOf(archive: Archive, pk: number): PlanSession & { readonly loadLine: number } {
  const row = query(
    archive.sqlite,
    { ...columns("sessions", "id", "held"), own: "integer" },
    `SELECT id, held, ${IS_OWN} AS own FROM sessions WHERE pk = ?`,
  ).get(pk)!;
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
  const summarised = { seq, kind: "full" as const, seqs };
  const list = [...log.log, compaction];
  const compactions = [...log.compactions, summarised];
  const messages = contextMessages(list, seq, { compactions, textOf: (row) => texts.get(row.seq) ?? null });
  const repaired = repairPairs(messages).messages;
  const rows = [...cut.whole, compaction];
  const isNew = (message: Message): boolean => message.seqs?.includes(seq) === true;
  return {
    messages: repaired,
    // Its position in the log comes with the compaction itself.
    rows: repaired.map((message) => {
      const row = messageRow(message, { rows }, isNew(message) ? "new" : "same");
      return isNew(message) ? { ...row, seqs: [] } : row;
    }),
  };
}
