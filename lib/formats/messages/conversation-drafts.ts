// The events of one message of a conversation, and the model call that an answer is.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, clip, type Json } from "../json.ts";
import { eventAt, nameOf, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { isOrphan, noPairing, paired, type Pairing } from "./call-pairing.ts";
import type { Sums } from "../reported-sums.ts";
import { isAsideItem, isItem } from "./item-pieces.ts";
import { readMessage } from "./message-bodies.ts";

export type Conversation = {
  readonly lane: string;
  model: string | null;
  hasTitle: boolean;
  readonly pairing: Pairing;
  /** The call that the messages come from, where the file has a provider's whole answer. */
  answer: { readonly key: string; readonly usage: Usage | null } | null;
  /** What the answers of a log cost so far, where it says so. */
  readonly sums: Sums;
  /** What is read was sent with a later call: its answers are no calls here. */
  isSent: boolean;
  /** The call that items of OpenAI's Responses belong to, until something else is between them. */
  item: string | null;
  /** The answer that a stream of events is in, and its block. */
  open: { message: Json; block: Json | null } | null;
};

export const newConversation = (lane: string): Conversation => ({
  lane,
  model: null,
  hasTitle: false,
  pairing: noPairing() satisfies Pairing,
  answer: null,
  sums: { usd: 0, usage: {} },
  isSent: false,
  item: null,
  open: null,
});

export function messageDrafts(message: Json, given: Position, conversation: Conversation): Draft[] {
  const steps = conversation.answer === null ? stepsOf(message) : [message];
  return steps.flatMap((step, i) => stepDrafts(step, given, conversation, i === 0 ? "" : `.${i}`));
}

/** A message for a screen holds all steps of an answer: each is a call, and the usage that it may name is that of all. */
function stepsOf(message: Json): readonly Json[] {
  const parts = asArray(message["parts"]);
  const starts: number[] = [];
  for (const [i, part] of parts.entries())
    if (
      asObject(part)["type"] === "step-start" &&
      ![parts.slice(starts.at(-1) ?? 0, i), parts.slice(i)].some((some) => some.every(isSilent))
    )
      starts.push(i);
  if (starts.length === 0) return [message];
  const { usage: _usage, annotations: _notes, ...rest } = message;
  const { usage: _ofAll, totalUsage: _sum, ...metadata } = asObject(message["metadata"]);
  return [0, ...starts].map((from, i) => {
    const own = parts.slice(from, starts[i]);
    return i < starts.length ? { ...rest, metadata, parts: own } : { ...message, parts: own };
  });
}

const isSilent = (part: unknown): boolean =>
  ["step-start", "source-url", "file"].includes(asText(asObject(part)["type"]) ?? "");

function stepDrafts(message: Json, given: Position, conversation: Conversation, step: string): Draft[] {
  const position: Position = { ...given, ts: timeOf(message) ?? given.ts };
  const { role, said, model, usage, isAside } = readMessage(message);
  if (role === null) {
    const reason = `A message of role "${clip(asText(message["role"]) ?? "", 60)}", which is not known.`;
    return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(message), 4000) })];
  }
  const { lane, pairing, answer } = conversation;
  const item = role === "assistant" && isOfResponse(message) ? (conversation.item ?? nameOf(position)) : null;
  if (!isAsideItem(message)) conversation.item = item;
  const callKey =
    role !== "assistant" || isAside || conversation.isSent ? null : (answer?.key ?? item ?? nameOf(position)) + step;
  const drafts: Draft[] = [];
  for (const [i, one] of said.entries()) {
    const body = paired(one.body, `${position.byteStart}.${i}${step}`, pairing);
    const isPrompt = body.type === "user" && body.injected === undefined && role === "user";
    const title = isPrompt && !conversation.hasTitle ? body.text.trim() : "";
    if (title !== "") {
      conversation.hasTitle = true;
      drafts.push(patchOf(lane, { title: clip(title, 300), titleRank: 0 }));
    }
    const isOwn = body.type === "assistant" || body.type === "reasoning" || body.type === "tool_call";
    drafts.push(
      eventAt(position, placed(body), {
        callKey: isOwn ? callKey : null,
        startsTurn: isPrompt && !isNote(body),
        attachments: one.attachments,
      }),
    );
  }
  if (said.length === 0) drafts.push(noteAt(position, "empty message", "", { callKey }));
  if (callKey === null) return drafts;
  if (model !== null && model !== conversation.model) {
    conversation.model = model;
    drafts.push(patchOf(lane, { model }));
  }
  drafts.push({
    kind: "call",
    lane,
    key: callKey,
    ts: position.ts,
    model: model ?? conversation.model,
    usage: answer === null ? usage : answer.usage,
    outputLowerBound: false,
  });
  return drafts;
}

/** A response of OpenAI's is several items, its words among them. */
const isOfResponse = (message: Json): boolean =>
  isItem(message) || /^(?:output_text|refusal)$/.test(asText(asObject(asArray(message["content"])[0])["type"]) ?? "");

/** A result that no call waits for, and that names none. */
const placed = (body: EventBody): EventBody =>
  isOrphan(body) && body.type === "tool_result"
    ? {
        type: "user",
        text: body.text,
        injected: "environment",
        ...(body.images !== undefined && { images: body.images }),
      }
    : body;

/** Words that a program put in the person's place. */
const isNote = (body: EventBody): boolean => body.type === "user" && /^\s*<system-reminder>/.test(body.text);

function timeOf(message: Json): number | null {
  const at =
    message["timestamp"] ?? message["ts"] ?? message["createdAt"] ?? message["created_at"] ?? message["create_time"];
  // Amp's prompts and answers.
  return asTime(at ?? asObject(message["meta"])["sentAt"] ?? asObject(message["usage"])["timestamp"]);
}
