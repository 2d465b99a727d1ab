// Anthropic's stream with an event a line: each block is read where it ends, and the call again where its counts are.
import type { Draft } from "#lib/kernel/draft.ts";
import { blockBehind, messageBehind, wholeBlock } from "#lib/kernel/joined-answer.ts";
import { asObject, asText, isObject, type Json } from "../json.ts";
import { eventAt, patchOf, type Position } from "../placed-drafts.ts";
import { messageDrafts, type Conversation } from "./conversation-drafts.ts";
import { providerUsage } from "./provider-usage.ts";

/** Null for a value that is no event of a stream. */
export function streamDrafts(event: Json, position: Position, conversation: Conversation): Draft[] | null {
  const { type } = event;
  if (type === "message_start" && isObject(event["message"]))
    conversation.open = { message: { ...event["message"], content: [] }, block: null };
  const { open } = conversation;
  if (open === null) return null;
  const key = asText(open.message["id"]) ?? "";
  const said = (content: readonly unknown[], hasUsage: boolean): Draft[] => {
    conversation.answer = { key, usage: hasUsage ? providerUsage(open.message["usage"]) : null };
    const drafts = messageDrafts({ ...open.message, content }, position, conversation);
    conversation.answer = null;
    return drafts;
  };
  switch (type) {
    case "message_start":
      return said([], true);
    case "content_block_start":
    case "content_block_delta":
      open.block = blockBehind(open.block, event);
      return [patchOf(conversation.lane, {})];
    case "content_block_stop": {
      const block = open.block;
      open.block = null;
      return block === null ? [patchOf(conversation.lane, {})] : said([wholeBlock(block)], false);
    }
    case "message_delta":
      open.message = messageBehind(open.message, event);
      return said([], true).filter(({ kind }) => kind === "call");
    case "message_stop":
      conversation.open = null;
      return [patchOf(conversation.lane, {})];
    case "ping":
      return [patchOf(conversation.lane, {})];
    case "error":
      return [
        eventAt(position, {
          type: "error",
          text: asText(asObject(event["error"])["message"]) ?? "The request failed.",
        }),
      ];
    default:
      return null;
  }
}
