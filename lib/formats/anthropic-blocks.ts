// Blocks of a message as Anthropic's interface has them: texts, thoughts, calls, results and images. Several agents keep their
// conversations so, whatever provider they speak to.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { hostedName, hostedResult, isHostedCall, isHostedResult } from "./claude-code/hosted-blocks.ts";
import { readContent, readImage } from "./claude-code/results.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "./json.ts";
import { unknownBody } from "./unknown-body.ts";
import { eventOf, type Entry } from "./qwen/qwen-drafts.ts";

export type MessageOptions = {
  /** The model call that said it; null for what a person or a tool said. */
  readonly callKey: string | null;
  /** Why a text of the user is no prompt; null for one that is. */
  readonly injectedOf?: (text: string) => string | null;
  /** A result as its agent knows it; null leaves it to the block alone. */
  readonly resultOf?: (block: Json) => Partial<Extract<EventBody, { type: "tool_result" }>> | null;
};

/** Blocks that carry no conversation. */
const MARKS: ReadonlySet<string> = new Set(["step-start", "cache_control", "cachePoint", "fallback"]);

/** Events of a message, block by block. The first prompt in it starts a turn. */
export function blockDrafts(role: string, content: unknown, entry: Entry, options: MessageOptions): Draft[] {
  const { callKey, injectedOf = () => null } = options;
  const own = callKey === null ? {} : { callKey };
  let hasPrompt = false;
  return blocksOf(content).flatMap((block): Draft[] => {
    switch (asText(block["type"])) {
      case "text": {
        const text = asText(block["text"]) ?? "";
        if (role === "assistant") return text === "" ? [] : [eventOf(entry, { type: "assistant", text }, own)];
        const injected = injectedOf(text);
        const startsTurn = injected === null && !hasPrompt;
        hasPrompt ||= startsTurn;
        return [eventOf(entry, { type: "user", text, ...(injected !== null && { injected }) }, { startsTurn })];
      }
      case "thinking":
      case "reasoning": {
        const signature = asText(block["signature"]) ?? "";
        const text = asText(block["thinking"]) ?? asText(block["text"]) ?? "";
        const signatureChars = signature === "" ? {} : { signatureChars: signature.length };
        return [eventOf(entry, { type: "reasoning", text, ...signatureChars }, own)];
      }
      case "redacted_thinking": {
        const signatureChars = (asText(block["data"]) ?? "").length;
        return [eventOf(entry, { type: "reasoning", text: "", encrypted: true, signatureChars }, own)];
      }
      case "tool_use":
      case "mcp_tool_use":
      case "server_tool_use":
        return [eventOf(entry, callBody(block), own)];
      case "tool_result":
        return [resultDraft(block, entry, options)];
      case "file": {
        const [text, path] = [asText(block["content"]), asText(block["path"])];
        if (text === null || path === null || role === "assistant") break;
        return [eventOf(entry, { type: "user", text: `${path}\n\n${text}`, injected: "file" })];
      }
      case "image":
      case "document": {
        const image = readImage(block);
        if (image === null || role === "assistant") break;
        const { mediaType } = image;
        const images = [{ mediaType, attachment: 0, artifact: null, width: null, height: null }];
        return [eventOf(entry, { type: "user", text: "", images, injected: "file" }, { attachments: [image] })];
      }
    }
    const type = asText(block["type"]) ?? "";
    if (isHostedResult(type)) return [resultDraft(hostedResult(block), entry, options)];
    if (MARKS.has(type))
      return [eventOf(entry, { type: "meta", subtype: type, text: clip(jsonText(block), 1000) }, own)];
    return [eventOf(entry, unknownBody("block", type, block))];
  });
}

/** Blocks of a content; a bare text is one. */
const blocksOf = (content: unknown): Json[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : (Array.isArray(content) ? asArray(content) : isObject(content) ? [content] : []).map((block) =>
        typeof block === "string" ? { type: "text", text: block } : asObject(block),
      );

function callBody(block: Json): EventBody {
  return {
    type: "tool_call",
    toolCallId: asText(block["id"]),
    toolName: hostedName(block),
    input: block["input"] ?? {},
    ...(isHostedCall(block["type"]) && { hosted: true }),
  };
}

function resultDraft(block: Json, entry: Entry, { resultOf }: MessageOptions): Draft {
  const { text, images, attachments } = readContent(block["content"]);
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(block["tool_use_id"]),
    text,
    isError: block["is_error"] === true,
    saw: "full",
    ...(images.length > 0 && { images }),
    ...resultOf?.(block),
  };
  return eventOf(entry, body, { attachments });
}
