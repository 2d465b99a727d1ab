// The context at an event, as a person sees it: one row a message with its tokens, what came and what left since the call
// before, and the very request that a provider would be sent.
import { command, select } from "#db/statement.ts";
import { contextMessages } from "#lib/kernel/context/from-events.ts";
import { resultOf, type Message } from "#lib/kernel/context/message.ts";
import { render } from "#lib/kernel/context/render.ts";
import type { RenderedPayload, RendererId } from "#lib/kernel/context/renderers/renderer-types.ts";
import { repairPairs, type Repair } from "#lib/kernel/log/repair.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { fail } from "#lib/kernel/errors.ts";
import type {
  ContextAnswer,
  ContextForm,
  ContextMessageAnswer,
  ContextMessageQuery,
  ContextQuery,
} from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { countedWeightsOf, weightsOf, type Weights } from "../load/event-weights.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { eventRowId } from "../base/row-keys.ts";
import { callsOf, versionOf, type CallRow } from "../base/session-rows.ts";
import { rendererFor } from "./context-form.ts";
import { contextLog, presentTokens, requireSeq, type ContextLog } from "./context-rows.ts";
import { imageUrls, wholeTexts } from "./context-texts.ts";
import { sentContextOf, sentRows, type SentContext, type SentMessage } from "./sent-context.ts";
import { unansweredAt } from "./list-requests.ts";
import { withSealedItems } from "./sealed-items.ts";
import { isBlanked, messageRow, sumOfMessages, textOfMessage } from "./message-rows.ts";

/** The context at an event. `counted`: texts that are not counted yet are, before the answer is given. */
export async function contextOf(
  archive: Archive,
  name: string,
  { at, as }: ContextQuery,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<ContextAnswer> {
  const pk = findSession(archive, name);
  const position = positionOf(archive, pk, at);
  const weights = counted ? await countedWeightsOf(archive, pk) : weightsOf(archive, pk);
  const { now, before, came, left } = await contextWithChange(archive, pk, position, weights);
  const { form, sent, before: sentBefore, why } = sentAt(archive, pk, position, as);
  const shown =
    form === "sent"
      ? {
          messages: sentRows(sent!, now, sentBefore),
          left: sentRows({ ...sent!, messages: leftOf(sent!, sentBefore) }, now, []),
        }
      : {
          messages: now.repair.messages.map((message) =>
            messageRow(message, now.log, came.has(message) ? "new" : "same"),
          ),
          left: before === null ? [] : left.map((message) => messageRow(message, before, "same")),
        };
  const tools = now.log.rows.filter(({ body }) => body.type === "meta" && body.sent === "tools");
  const beside = form === "sent" ? 0 : tools.reduce((sum, row) => sum + presentTokens(row), 0);
  const measured = position.call?.hasUsage === 1 ? position.call : null;
  return {
    sessionId: sessionIdOf(archive, pk)!,
    at: position.upTo,
    as: form,
    isSentKnown: sent !== null,
    whyNotSent: why,
    call: position.call?.call ?? null,
    request: position.request,
    epoch: now.log.epoch,
    ...sumOfMessages(shown.messages),
    reported: measured === null ? null : promptOf(measured),
    prefix: measured === null ? null : (weights.prefixOf(measured.call) ?? 0) + beside,
    ...shown,
    ...payloadAnswer(form === "sent" ? asIs(sent!) : await payloadOf(archive, pk, now, form)),
    repair: form === "sent" ? NOTHING_MENDED : repairOf(now.repair),
    version: versionOf(archive, pk),
  };
}

const NOTHING_MENDED = { moved: 0, synthetic: 0, duplicates: 0, orphans: 0, droppedCalls: 0 } as const;

const repairOf = ({ moved, synthetic, duplicates, orphans, droppedCalls }: Repair): ContextAnswer["repair"] => ({
  moved,
  synthetic,
  duplicates,
  orphans,
  droppedCalls,
});

/** A request in any form, and what it leaves out. */
type Payload = { readonly request: object; readonly leftOut: RenderedPayload["leftOut"] };

const asIs = ({ body }: SentContext): Payload => ({ request: body, leftOut: [] });

type SentAt = {
  readonly form: ContextForm;
  readonly sent: SentContext | null;
  /** Messages of the call before, where they are known. */
  readonly before: readonly SentMessage[];
  readonly why: string | null;
};

/** What was sent at a position, and in which form the context is shown: as it was sent only where that is known. */
function sentAt(archive: Archive, pk: number, { call, before, request }: ContextPosition, as: ContextForm): SentAt {
  const id = sessionIdOf(archive, pk)!;
  const found = sentContextOf(archive, id, request === null ? byCall(call) : { request: request.id });
  const sent = found !== null && "body" in found ? found : null;
  const earlier = as === "sent" && sent !== null ? sentContextOf(archive, id, byCall(before)) : null;
  return {
    form: as === "sent" && sent !== null ? "sent" : rendererFor(archive, pk, as),
    sent,
    before: earlier !== null && "body" in earlier ? earlier.messages : [],
    why: found !== null && "why" in found ? found.why : null,
  };
}

const byCall = (row: CallRow | null): { readonly call: number } | null => (row === null ? null : { call: row.call });

/** For who does not ask for it: a request is made anew each time. */
const NOT_SENT = { sent: null, before: [] } as const;

function leftOf({ messages }: SentContext, before: readonly SentMessage[]): SentMessage[] {
  const stands = new Set(messages.map(({ key }) => key));
  return before.filter(({ key }) => !stands.has(key));
}

/** As much of a request as a page shows, and what it leaves out. */
export function payloadAnswer({ request, leftOut }: Payload): Pick<ContextAnswer, "payload" | "leftOut"> {
  const json = JSON.stringify(request);
  const isCut = json.length > LIMITS.payloadChars;
  return {
    payload: {
      json: isCut ? json.slice(0, LIMITS.payloadChars).toWellFormed() : json,
      isCut,
      bytes: Buffer.byteLength(json),
    },
    leftOut: leftOut.map((one) => ({ ...one })),
  };
}

/** All words of one message of `contextOf`'s answer. */
export async function contextMessageOf(
  archive: Archive,
  name: string,
  { at, as = "openai-chat", list, index }: ContextMessageQuery,
): Promise<ContextMessageAnswer> {
  const pk = findSession(archive, name);
  const position = positionOf(archive, pk, at);
  const { sent, before } = as === "sent" ? sentAt(archive, pk, position, as) : NOT_SENT;
  if (sent !== null) {
    const messages = list === "left" ? leftOf(sent, before) : sent.messages;
    return wholeAnswer(
      messages.map(({ text }) => text),
      index,
    );
  }
  const { now, left } = await contextWithChange(archive, pk, position);
  const messages = list === "left" ? left : now.repair.messages;
  return messageAnswer(messages, index);
}

export const messageAnswer = (messages: readonly Message[], index: number): ContextMessageAnswer =>
  wholeAnswer(messages.map(textOfMessage), index);

function wholeAnswer(texts: readonly string[], index: number): ContextMessageAnswer {
  const text = texts[index];
  if (text === undefined)
    fail("not_found", `No message ${index} in this context. It has ${texts.length}; ask for it again.`);
  return { text: text.slice(0, LIMITS.searchChars).toWellFormed(), chars: text.length };
}

/** A context, and how it differs from that of the call before. */
async function contextWithChange(archive: Archive, pk: number, position: ContextPosition, weights?: Weights) {
  const now = await contextAtPosition(archive, pk, position.upTo, weights);
  const before = position.before === null ? null : contextLog(archive, pk, position.before.firstSeq - 1, weights);
  const texts = before === null ? now.texts : await textsOf(archive, before, now.texts);
  const earlier = before === null ? [] : repairedOf(before, texts).messages;
  return { now, before, ...differenceOf(now.repair.messages, before, earlier) };
}

/** The whole payload, as it would be sent. */
export async function contextPayload(
  archive: Archive,
  name: string,
  { at, as }: ContextQuery,
): Promise<{ readonly name: string; readonly json: string }> {
  const pk = findSession(archive, name);
  const position = positionOf(archive, pk, at);
  const { sent } = as === "sent" ? sentAt(archive, pk, position, as) : NOT_SENT;
  const form = sent === null ? rendererFor(archive, pk, as) : as;
  const { request } =
    sent === null
      ? await payloadOf(archive, pk, await contextAtPosition(archive, pk, position.upTo), rendererFor(archive, pk, as))
      : asIs(sent);
  const id = sessionIdOf(archive, pk)!;
  return { name: `${id}-context-${position.upTo}.${form}.json`, json: JSON.stringify(request) };
}

type ContextPosition = {
  /** The last event of the context. */
  readonly upTo: number;
  /** The call that was sent this context, and the one before it. */
  readonly call: CallRow | null;
  readonly before: CallRow | null;
  /** The event is the record of a request of no call: failed, interrupted, or a compaction's own. */
  readonly request: ContextAnswer["request"];
};

/**
 * What a call at this event would see: of an event that a model call produced, what that call was sent; of any other,
 * everything up to it.
 */
export function positionOf(archive: Archive, pk: number, at: number | undefined): ContextPosition {
  const last = requireSeq(archive, pk, at);
  const calls = callsOf(archive, pk);
  const row =
    at === undefined
      ? undefined
      : select(archive.sqlite, "events", ["call", "type"], "WHERE id = ?").get(eventRowId(pk, at));
  // What a client notes behind an answer, as Codex its counts, no model produced.
  const isOf = ({ call, firstSeq }: CallRow): boolean => call === row?.call && (row.type !== "meta" || at === firstSeq);
  const own = calls.find(isOf);
  const upTo = own === undefined ? last : own.firstSeq - 1;
  const request = row?.type === "meta" ? unansweredAt(archive, pk, upTo) : null;
  const call = own ?? (at === undefined || request !== null ? undefined : nextCall(archive, pk, calls, upTo));
  const before = calls.findLast(({ firstSeq }) => firstSeq <= upTo) ?? null;
  return { upTo, call: call ?? null, before, request };
}

/** The call that was sent exactly this: nothing that a model is sent came in between. */
function nextCall(archive: Archive, pk: number, calls: readonly CallRow[], upTo: number): CallRow | undefined {
  const next = calls.find(({ firstSeq }) => firstSeq > upTo);
  if (next === undefined) return undefined;
  const more = command(
    archive.sqlite,
    "SELECT 1 FROM events WHERE id > ? AND id < ? AND (category IS NOT NULL OR type IN ('compaction', 'rewind')) LIMIT 1",
  ).get(eventRowId(pk, upTo), eventRowId(pk, next.firstSeq));
  return more === undefined ? next : undefined;
}

const promptOf = (call: CallRow): number => call.uncached + call.cacheRead + call.cacheWrite;

type Texts = ReadonlyMap<number, string>;

export type LoadedContext = { readonly log: ContextLog; readonly texts: Texts; readonly repair: Repair };

/** A context with all its texts, and each call with one result. */
export async function contextAtPosition(
  archive: Archive,
  pk: number,
  upTo: number,
  weights?: Weights,
): Promise<LoadedContext> {
  const log = contextLog(archive, pk, upTo, weights);
  const texts = await textsOf(archive, log);
  return { log, texts, repair: repairedOf(log, texts) };
}

async function textsOf(archive: Archive, { rows }: ContextLog, known: Texts = new Map()): Promise<Texts> {
  const missing = rows.filter(({ seq }) => !known.has(seq));
  return new Map([...known, ...(await wholeTexts(archive, missing))]);
}

const repairedOf = ({ log, compactions, upTo, asSent }: ContextLog, texts: Texts): Repair =>
  repairPairs(contextMessages(log, upTo, { compactions, asSent, textOf: ({ seq }) => texts.get(seq) ?? null }));

async function payloadOf(
  archive: Archive,
  pk: number,
  { log, repair }: LoadedContext,
  as: RendererId,
): Promise<RenderedPayload> {
  const urls = await imageUrls(archive, log.rows);
  // No other provider takes what this one sealed.
  const messages = as === "openai-responses" ? withSealedItems(archive, pk, log, repair.messages) : repair.messages;
  return render(messages, as, { mediaOf: (url) => urls.get(url) ?? null });
}

/** Which message it is: the events that it was made of, and what became of them. */
const identityOf = (message: Message): string =>
  JSON.stringify([
    message.role,
    message.seqs ?? [],
    isBlanked(message),
    (message.seqs ?? []).length === 0 ? (resultOf(message)?.toolCallId ?? null) : null,
  ]);

function differenceOf(
  messages: readonly Message[],
  before: ContextLog | null,
  earlier: readonly Message[],
): { readonly came: ReadonlySet<Message>; readonly left: readonly Message[] } {
  if (before === null) return { came: new Set(messages), left: [] };
  const stood = new Set(earlier.map(identityOf));
  const stands = new Set(messages.map(identityOf));
  return {
    came: new Set(messages.filter((message) => !stood.has(identityOf(message)))),
    left: earlier.filter((message) => !stands.has(identityOf(message))),
  };
}
