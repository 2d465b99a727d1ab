// What a provider's whole answer says: its messages, the model call, and what that cost.
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import { asCost, asObject, asText, asTime, asWhole, type Json } from "../json.ts";
import { eventAt, nameOf, noteAt, type Position } from "../placed-drafts.ts";
import { reportedDrafts } from "../reported-sums.ts";
import { messagesOfAnswer } from "./message-lists.ts";
import { messageDrafts, type Conversation } from "./conversation-drafts.ts";
import { sampledCalls, type CallDraft } from "../claude-code/iterations.ts";
import { providerUsage } from "./provider-usage.ts";

export function answerDrafts(answer: Json, header: Json, position: Position, conversation: Conversation): Draft[] {
  const usage = providerUsage(answer["usage"] ?? answer["usageMetadata"]);
  const key = asText(answer["id"]) ?? asText(answer["responseId"]) ?? nameOf(position);
  const at = { ...position, ts: position.ts ?? asTime(answer["created"] ?? answer["created_at"]) };
  conversation.isSent = false;
  conversation.answer = { key, usage };
  const drafts = messagesOfAnswer(answer).flatMap((message) => messageDrafts(message, at, conversation));
  conversation.answer = null;
  const error = asObject(answer["error"])["message"];
  const told = asObject(answer["usage"]);
  // OpenHands notes it.
  const window = asWhole(header["context_window"]);
  const costs = [header["cost"], header["response_cost"], header["spend"], told["cost"]].map(asCost);
  const usd = costs.find((cost) => cost !== null) ?? null;
  const own: Draft[] = [
    ...drafts,
    ...(drafts.some((draft) => draft.kind === "event") ? [] : [noteAt(at, "empty answer", "", { callKey: key })]),
    ...(drafts.some((draft) => draft.kind === "call")
      ? []
      : [
          {
            kind: "call",
            lane: position.lane,
            key,
            ts: at.ts,
            model: conversation.model,
            usage,
            outputLowerBound: false,
          } as const,
        ]),
  ];
  return [
    ...own.flatMap((draft) =>
      draft.kind === "call" ? billedCalls(window === null ? draft : { ...draft, window }, told, answer) : [draft],
    ),
    ...(asText(error) === null ? [] : [eventAt(at, { type: "error", text: asText(error)! })]),
    ...(usd === null || usd <= 0
      ? []
      : reportedDrafts(conversation.sums, conversation.model ?? "unknown", usage ?? NO_USAGE, usd).map((draft): Draft =>
          draft.kind === "reported" ? { ...draft, lane: position.lane } : draft,
        )),
  ];
}

/** As Anthropic bills them; a proxy that counts as OpenAI does has added up all that was sampled. */
function billedCalls(call: CallDraft, told: Json, answer: Json): Draft[] {
  const billed = { ...call, model: variantOf(call.model, told, answer) };
  return Object.hasOwn(told, "input_tokens") ? sampledCalls(billed, told) : [billed];
}
