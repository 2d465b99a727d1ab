// The content blocks of a model's answer in a Claude Code transcript, and its usage.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Attachment, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asCount, asObject, asText, asWhole, isObject, type Json } from "../json.ts";
import { hostedName, hostedResult, isHostedCall, isHostedResult } from "./hosted-blocks.ts";
import { readImage, readResult } from "./results.ts";

/** What the client writes where a model had nothing to answer: a message of the next request, and no error. */
const NO_RESPONSE = "No response requested.";

/** True for an error in the model's place. Versions before the flag are known by who wrote the message. */
export function isErrorMessage(value: Json, fromClient: boolean): boolean {
  const flag = value["isApiErrorMessage"];
  if (typeof flag === "boolean" || !fromClient) return flag === true;
  const content = asObject(value["message"])["content"];
  const words = typeof content === "string" ? content : asText(asObject(asArray(content)[0])["text"]);
  return words !== NO_RESPONSE;
}

/** The event of one content block, with the image it may hold. */
export function answerBlock(block: Json, isError: boolean): { body: EventBody; attachments?: readonly Attachment[] } {
  const text = asText(block["text"]) ?? "";
  switch (block["type"]) {
    case "text":
      return { body: isError ? { type: "error", text } : { type: "assistant", text } };
    case "thinking":
      return {
        body: {
          type: "reasoning",
          text: asText(block["thinking"]) ?? "",
          signatureChars: (asText(block["signature"]) ?? "").length,
        },
      };
    case "redacted_thinking":
      return {
        body: { type: "reasoning", text: "", encrypted: true, signatureChars: (asText(block["data"]) ?? "").length },
      };
    case "tool_use":
    case "mcp_tool_use":
    case "server_tool_use":
      return {
        body: {
          type: "tool_call",
          toolCallId: asText(block["id"]),
          toolName: hostedName(block),
          input: block["input"],
          ...(isHostedCall(block["type"]) && { hosted: true }),
        },
      };
    case "tool_result":
      return { body: readResult(block, undefined).body };
    default: {
      if (isHostedResult(block["type"])) {
        const { body, attachments } = readResult(hostedResult(block), undefined);
        return { body, attachments };
      }
      const image = readImage(block);
      if (image === null)
        return {
          body: {
            type: "unknown",
            reason: "A content block of an unknown kind.",
            text: jsonText(block).slice(0, 2000),
          },
        };
      const part = { mediaType: image.mediaType, attachment: 0, artifact: null, width: null, height: null };
      return { body: { type: "assistant", text: "", images: [part] }, attachments: [image] };
    }
  }
}

const COUNTS = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];

/** Null where nothing is counted: that is not known, and not nothing. */
export const usageIn = (usage: unknown): Usage | null =>
  isObject(usage) && COUNTS.some((name) => asWhole(usage[name]) !== null) ? readUsage(usage) : null;

/** Reasoning is inside output; answers since the summer of 2026 tell it apart. */
export function readUsage(usage: Json): Usage {
  const output = asCount(usage["output_tokens"]);
  const { cache_creation: written, server_tool_use: hosted, output_tokens_details: details } = usage;
  const lifetimes = isObject(written) ? Object.values(written).reduce((sum: number, one) => sum + asCount(one), 0) : 0;
  // Where the total is missing it is the sum of its parts.
  const cacheWrite = asWhole(usage["cache_creation_input_tokens"]) ?? lifetimes;
  return {
    inputUncached: asCount(usage["input_tokens"]),
    cacheRead: asCount(usage["cache_read_input_tokens"]),
    cacheWrite,
    // A part of the total, however the file counts it.
    cacheWrite1h: isObject(written) ? Math.min(asCount(written["ephemeral_1h_input_tokens"]), cacheWrite) : 0,
    output,
    reasoning: isObject(details) ? Math.min(asCount(details["thinking_tokens"]), output) : 0,
    webSearches: isObject(hosted) ? asCount(hosted["web_search_requests"]) : 0,
  };
}
