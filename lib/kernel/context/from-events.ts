// The messages of a session's log at an event: what a compaction cut is gone, its summary stands where the last event that
// it covers stood, what it kept stays in its place; what a rewind took back is gone. Blocks of one model call are one message. What is missing between
// calls and results is left to the repair that every renderer begins with.
import { departuresOf, seqsOf } from "./branches.ts";
import { clearedTexts, isSentNote, type ImagePart, type StoredEvent } from "../event.ts";
import { contextAt, coverOf, type Cover } from "./context-at.ts";
import { messagesOfEvents, type ContextMessage, type EventTexts } from "./event-messages.ts";

export type ContextEvent = Pick<StoredEvent, "seq" | "call" | "body" | "recordKey" | "synthetic"> & {
  /** The last seq that a compaction covers, where it is not everything before it. */
  readonly covers?: number | null;
};

/**
 * A compaction or a rewind whose record keys and call ids are resolved: seqs that a full one kept, results that a micro one
 * blanked and what else it took out, all that a rewind took out.
 */
export type CompactionSeqs = {
  readonly seq: number;
  readonly kind: "full" | "micro" | "rewind";
  readonly seqs: ReadonlySet<number>;
  /** What stands in place of a blanked result, where the log says it. */
  readonly texts?: ReadonlyMap<number, string>;
  /** All that the new context begins with, in its order, where the log says it. */
  readonly order?: readonly number[];
};

export type ContextOptions<E extends ContextEvent = ContextEvent> = {
  /** The whole text where an event holds only its head; null: as it stands. */
  readonly textOf?: (event: E) => string | null;
  /** Where an image's bytes are: a data: URL, an address. Without it its artifact's pointer stands there. */
  readonly imageUrl?: (image: ImagePart, event: E) => string | null;
  /** Another agent wrote the log: its results are in the words and the order that the model had them. */
  readonly asSent?: boolean;
  /** The compactions that count and the rewinds, resolved; one that is not among them was undone. Absent: as the events say. */
  readonly compactions?: readonly CompactionSeqs[];
};

/** The messages right after the event `seq`. `events` are in the order of seq, inherited ones among them. */
export function contextMessages<E extends ContextEvent>(
  events: readonly E[],
  seq: number,
  options: ContextOptions<E> = {},
): ContextMessage[] {
  const { textOf, imageUrl } = options;
  const texts: EventTexts<E> = {
    textOf: (event) => textOf?.(event) ?? ("text" in event.body ? event.body.text : ""),
    imageUrl: (image, event) =>
      imageUrl?.(image, event) ?? image.artifact ?? `${image.mediaType} of event ${event.seq}`,
    asSent: options.asSent === true,
  };
  return messagesOfEvents(eventsInContext(events, seq, options), clearedAt(events, seq, options), texts);
}

/** The events that those messages are made of, in the order of the context. */
export function eventsInContext<E extends ContextEvent>(
  all: readonly E[],
  seq: number,
  options: ContextOptions<E> = {},
): E[] {
  const events = withoutRewound(all, seq, options);
  const cleared = clearedAt(events, seq, options);
  const list = afterCompactions(events, seq, options);
  // A result leaves its position behind, for its call; what a client had put beside the conversation is gone.
  return cleared.size === 0
    ? list
    : list.filter((event) => event.body.type === "tool_result" || !cleared.has(event.seq));
}

/** The log as if what was taken back by then had not been, compactions among it. */
function withoutRewound<E extends ContextEvent>(
  events: readonly E[],
  seq: number,
  { compactions = rewindsIn(events, seq) }: ContextOptions<E>,
): readonly E[] {
  const rewinds = compactions.filter((cut) => cut.kind === "rewind" && cut.seq <= seq);
  return rewinds.length === 0 ? events : events.filter((event) => !rewinds.some(({ seqs }) => seqs.has(event.seq)));
}

/** System prompt and tools stand before the conversation: no rewind takes them. */
const isFrame = ({ body }: ContextEvent): boolean =>
  body.type === "meta" && (body.part !== undefined || body.parts !== undefined);

/** The rewinds up to an event, as the events say: what a later one brought back is not among what they took. */
function rewindsIn(events: readonly ContextEvent[], upTo: number): CompactionSeqs[] {
  const rewinds = events.flatMap(({ seq, body }, at) => {
    if (body.type !== "rewind" || seq > upTo) return [];
    const last = events.findLast(({ recordKey }, i) => i < at && recordKey !== null && recordKey === body.after);
    return [{ seq, after: body.after === null ? 0 : (last?.seq ?? seq - 1) }];
  });
  const frame = new Set(rewinds.length === 0 ? [] : events.filter(isFrame).map(({ seq }) => seq));
  return departuresOf(rewinds).flatMap(({ seq, spans, undoneBy }): CompactionSeqs[] =>
    undoneBy === undefined
      ? [{ seq, kind: "rewind", seqs: new Set(seqsOf(spans).filter((one) => !frame.has(one))) }]
      : [],
  );
}

function afterCompactions<E extends ContextEvent>(
  events: readonly E[],
  seq: number,
  { compactions }: ContextOptions<E>,
): E[] {
  const resolved =
    compactions === undefined ? null : new Map(compactions.map((compaction) => [compaction.seq, compaction]));
  const cover = (event: E): Cover<E> | null => {
    const said = coverOf(event) as Cover<E> | null;
    if (said === null || resolved === null) return said;
    const compaction = resolved.get(event.seq);
    return compaction === undefined ? null : { upTo: said.upTo, keeps: (one) => compaction.seqs.has(one.seq) };
  };
  const { summary, upTo, kept, after } = contextAt(events, seq, cover);
  if (summary === null) return after.filter(isNoCompaction);
  const result = summaryEvent(events, summary);
  const answer = answerOf(events, summary, result);
  const rest = after.filter((event) => event !== result && event !== answer && isNoCompaction(event));
  const order = resolved === null ? orderIn(events, summary) : resolved.get(summary.seq)?.order;
  if (order?.includes(result.seq) === true) return inOrder(order, [...kept, result, ...rest], seq);
  const stays = new Set(kept);
  // A tail that begins before an earlier summary goes on behind it: that one is covered, and gives no position.
  const isCovered = (event: E): boolean =>
    isSent(event) && !stays.has(event) && !(hasTail(summary) && isSummaryMessage(event));
  const covered =
    events.findLast((event) => event.seq <= upTo && isCovered(event))?.seq ?? openingEnd(kept, hasTail(summary));
  return [
    ...instructions(events, upTo, stays, rest),
    ...kept.filter((event) => event.seq < covered),
    ...[result, answer].flatMap((event) => (event !== null && event.seq <= seq ? [event] : [])),
    ...kept.filter((event) => event.seq > covered),
    ...rest,
  ];
}

/** What stands behind the named events is in the order of the log. */
function inOrder<E extends ContextEvent>(order: readonly number[], all: readonly E[], upTo: number): E[] {
  const bySeq = new Map(all.filter(({ seq }) => seq <= upTo).map((event) => [event.seq, event]));
  const named = [...new Set(order)].flatMap((seq) => bySeq.get(seq) ?? []);
  const isNamed = new Set(order);
  return [...named, ...[...bySeq.values()].filter(({ seq }) => !isNamed.has(seq))];
}

function orderIn(events: readonly ContextEvent[], { seq, body, recordKey: own }: ContextEvent): number[] | undefined {
  const seqsOf = (key: string | null): number[] =>
    events.flatMap((event) => (key !== null && event.recordKey === key ? [event.seq] : []));
  return body.type === "compaction"
    ? orderOfKeys(body.order, seqsOf, () => seqsOf(own).filter((one) => one > seq))
    : [];
}

/** The events that the keys of an order name; `own`: those of the compaction's record, behind it. */
export function orderOfKeys(
  order: readonly (string | null)[] | undefined,
  seqsOfKey: (key: string) => readonly number[],
  own: () => readonly number[],
): number[] | undefined {
  const behind = order === undefined ? [] : [...own()];
  return order?.flatMap((key) => (key === null ? behind.splice(0, 1) : seqsOfKey(key)));
}

const hasTail = ({ body }: ContextEvent): boolean => body.type === "compaction" && body.keptFrom !== undefined;

const isSummaryMessage = ({ body }: ContextEvent): boolean => body.type === "user" && body.injected === "summary";

/** Some agents send the summary as their answer to a question of their own: the answer stands right behind it. */
function answerOf<E extends ContextEvent>(events: readonly E[], summary: E, question: E): E | null {
  const next = events[events.indexOf(question) + 1];
  const text = summary.body.type === "compaction" ? summary.body.text : null;
  return question !== summary && next?.body.type === "assistant" && next.body.text === text ? next : null;
}

/** Where nothing was cut the summary stands behind the instructions that open the log: just after this. A tail has words of its own. */
function openingEnd(kept: readonly ContextEvent[], isTail: boolean): number {
  const isOpening = ({ body }: ContextEvent): boolean =>
    body.type === "system" || body.type === "meta" || (!isTail && body.type === "user" && body.injected !== undefined);
  const end = kept.findIndex((event) => !isOpening(event));
  const last = kept[(end < 0 ? kept.length : end) - 1];
  return last === undefined ? 0 : last.seq + 0.5;
}

/** The last summary alone stands in a context: one that was undone does not, nor one that a later one covers. */
const isNoCompaction = ({ body }: ContextEvent): boolean => body.type !== "compaction";

/** Some agents write the summary as a message of its own behind the compaction: then that is what the model reads. */
function summaryEvent<E extends ContextEvent>(events: readonly E[], compaction: E): E {
  for (let i = events.lastIndexOf(compaction) + 1; i < events.length; i++) {
    const { body } = events[i]!;
    if (isSummaryMessage(events[i]!)) return events[i]!;
    if (body.type === "assistant" || body.type === "tool_call" || body.type === "compaction") break;
  }
  return compaction;
}

const SENT = new Set(["user", "assistant", "reasoning", "tool_call", "tool_result"]);
const isSent = ({ body }: ContextEvent): boolean => SENT.has(body.type) || isSentNote(body);

/** A compaction leaves the instructions: clients send them with every request. Those that were sent anew stand later. */
function instructions<E extends ContextEvent>(
  events: readonly E[],
  upTo: number,
  stays: ReadonlySet<E>,
  rest: readonly E[],
): E[] {
  const seen = new Set<string>();
  for (const list of [stays, rest]) for (const { body } of list) if (body.type === "system") seen.add(body.text);
  return events.filter((event) => {
    const { seq, body } = event;
    if (seq > upTo || body.type !== "system" || stays.has(event) || seen.has(body.text)) return false;
    seen.add(body.text);
    return true;
  });
}

/** What micro compactions up to an event have taken out, by seq: with the text in place of a result, where the log says it. */
function clearedAt<E extends ContextEvent>(
  events: readonly E[],
  seq: number,
  { compactions }: ContextOptions<E>,
): ReadonlyMap<number, string | null> {
  const cleared = new Map<number, string | null>();
  if (compactions !== undefined) {
    for (const cut of compactions)
      if (cut.kind === "micro" && cut.seq <= seq)
        for (const one of cut.seqs) cleared.set(one, cut.texts?.get(one) ?? null);
    return cleared;
  }
  // Last to first: an id is blanked from its compaction backwards, and most logs have no such compaction at all.
  const ids = new Map<string, string | null>();
  const keys = new Set<string>();
  for (let i = events.length - 1; i >= 0; i--) {
    const { seq: own, body, recordKey } = events[i]!;
    if (own > seq) continue;
    if (body.type === "compaction" && body.kind === "micro") {
      const texts = clearedTexts(body);
      for (const [at, id] of (body.cleared ?? []).entries()) if (!ids.has(id)) ids.set(id, texts?.[at] ?? null);
      for (const key of body.clearedRecords ?? []) keys.add(key);
    }
    if (recordKey !== null && keys.has(recordKey)) cleared.set(own, null);
    if (body.type === "tool_result" && body.toolCallId !== null && ids.has(body.toolCallId))
      cleared.set(own, ids.get(body.toolCallId)!);
  }
  return cleared;
}
