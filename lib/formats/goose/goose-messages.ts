// Messages of Goose, of its database and of its older files: a role, and blocks by type.
import { NO_USAGE, type Draft, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asCost, asCount, asObject, asText, asTime, clip, type Json } from "../json.ts";
import { unknownBody } from "../unknown-body.ts";
import { imagesOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { reportedDrafts, type Sums } from "../reported-sums.ts";

export type GooseState = {
  id: string | null;
  hasTitle: boolean;
  model: string | null;
  /** The last answer, and how many requests of the ledger it had. */
  answer: string | null;
  requests: number;
  /** Messages before this one were taken out of the context: a summary follows. */
  hasHidden: boolean;
  /** The file is what `goose session export` wrote. */
  readonly isExport?: true;
  /** The file is what `goose run` printed, an event a line. */
  readonly isPrinted?: true;
  /** What the session's own row or line counted. */
  totals: { usd: number | null; usage: Record<string, Usage> } | null;
} & Sums;

export function gooseMessage(message: Json, entry: Entry, state: GooseState): Draft[] {
  const role = asText(message["role"]) ?? "user";
  const { userVisible, agentVisible } = asObject(message["metadata"]);
  const blocks = asArray(message["content"]).map(asObject);
  if (agentVisible === false) state.hasHidden = true;
  if (agentVisible !== false && userVisible === false && state.hasHidden) {
    state.hasHidden = false;
    return summaryDrafts(blocks, entry);
  }
  // A response may be several messages of one name.
  const callKey = role === "assistant" ? (asText(message["id"]) ?? entry.key ?? "") : null;
  const firstText = blocks.find(({ type }) => type === "text");
  const drafts = blocks.flatMap((block) => blockDrafts(block, role, entry, callKey, block === firstText, state));
  if (drafts.length === 0) drafts.push(noteOf(entry, `${role} message`, "", callKey));
  if (callKey === null) return drafts;
  state.answer = callKey;
  state.requests = 0;
  if (state.isExport !== true) return [...drafts, callOf(callKey, entry.ts, state.model, null)];
  // Where the ledger is not, a message may say what its own request used.
  const { usage, inference } = asObject(message["metadata"]);
  const { requestedModel, resolvedModel } = asObject(inference);
  const model = asText(resolvedModel) ?? asText(requestedModel) ?? state.model;
  return [...drafts, callOf(callKey, entry.ts, model, messageUsage(asObject(usage)))];
}

const callOf = (key: string, ts: number | null, model: string | null, usage: Usage | null): Draft => ({
  ...{ kind: "call", lane: "", key, ts, model, usage, outputLowerBound: false },
});

function summaryDrafts(blocks: readonly Json[], entry: Entry): Draft[] {
  const text = blocks.flatMap((block) => asText(block["text"]) ?? []).join("\n");
  const nothing = { trigger: null, tokensBefore: null, tokensAfter: null };
  return [
    eventOf(entry, { type: "compaction", kind: "full", ...nothing, text }),
    eventOf(entry, { type: "user", text, injected: "summary" }),
  ];
}

function blockDrafts(
  block: Json,
  role: string,
  entry: Entry,
  callKey: string | null,
  isFirstText: boolean,
  state: GooseState,
): Draft[] {
  const type = asText(block["type"]) ?? "";
  const text = asText(block["text"]) ?? "";
  const own = callKey === null ? {} : { callKey };
  switch (type) {
    case "text":
      if (role === "assistant") return [eventOf(entry, { type: "assistant", text }, own)];
      return [...titleOf(text, state), eventOf(entry, { type: "user", text }, { startsTurn: isFirstText })];
    case "thinking":
    case "reasoning": {
      const signature = asText(block["signature"]) ?? "";
      const thought = asText(block["thinking"]) ?? text;
      return [eventOf(entry, { type: "reasoning", text: thought, signatureChars: signature.length }, own)];
    }
    case "redactedThinking": {
      const signatureChars = (asText(block["data"]) ?? "").length;
      return [eventOf(entry, { type: "reasoning", text: "", encrypted: true, signatureChars }, own)];
    }
    case "toolRequest":
    case "frontendToolRequest":
      return [eventOf(entry, callBody(block), own)];
    case "toolResponse":
      return [resultDraft(block, entry)];
    case "image": {
      const [base64, mediaType] = [asText(block["data"]), asText(block["mimeType"]) ?? "image/png"];
      if (base64 === null || role === "assistant") return [noteOf(entry, "image", "", callKey)];
      const images = [{ mediaType, attachment: 0, artifact: null, width: null, height: null }];
      const body: EventBody = { type: "user", text: "", images, injected: "file" };
      return [eventOf(entry, body, { attachments: [{ mediaType, base64 }] })];
    }
    case "error": {
      const kind = asText(block["kind"]);
      const words = asText(block["message"]) ?? asText(block["msg"]) ?? "";
      return [eventOf(entry, { type: "error", text: words, ...(kind !== null && { code: kind }) })];
    }
    case "document":
      return [noteOf(entry, "document", asText(block["name"]) ?? asText(block["mimeType"]) ?? "", callKey)];
    case "systemNotification":
    case "toolConfirmationRequest":
    case "actionRequired":
    case "contextLengthExceeded":
    case "summarizationRequested":
      return [noteOf(entry, type, clip(asText(block["msg"]) ?? jsonText(block), 300), callKey)];
  }
  return [eventOf(entry, unknownBody("block", type, block))];
}

function titleOf(text: string, state: GooseState): Draft[] {
  if (state.hasTitle || text.trim() === "") return [];
  state.hasTitle = true;
  return [{ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } }];
}

/** A call that could not be read has an error in the place of its name. */
function callBody(block: Json): EventBody {
  const call = asObject(block["toolCall"]);
  const value = asObject(call["value"]);
  const name = asText(value["name"]);
  const input = name === null ? { error: call["error"] ?? "" } : (value["arguments"] ?? {});
  return { type: "tool_call", toolCallId: asText(block["id"]), toolName: name ?? "unreadable", input };
}

function resultDraft(block: Json, entry: Entry): Draft {
  const result = asObject(block["toolResult"]);
  const value = result["value"];
  // Before, the value was the content itself.
  const content = Array.isArray(value) ? value : asArray(asObject(value)["content"]);
  const parts = content.map(asObject).filter((part) => {
    const audience = asArray(asObject(part["annotations"])["audience"]);
    return audience.length === 0 || audience.includes("assistant");
  });
  const images = parts.filter(({ type, data }) => type === "image" && typeof data === "string");
  const texts = parts.flatMap((part) =>
    images.includes(part) ? [] : [asText(part["text"]) ?? asText(asObject(part["resource"])["text"]) ?? jsonText(part)],
  );
  const error = asText(result["error"]);
  const attachments = images.map((part) => ({
    mediaType: asText(part["mimeType"]) ?? "image/png",
    base64: part["data"] as string,
  }));
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(block["id"]),
    text: error ?? texts.join("\n"),
    isError: result["status"] === "error" || asObject(value)["isError"] === true,
    saw: "full",
    ...(images.length > 0 && { images: imagesOf(attachments) }),
  };
  return eventOf(entry, body, { attachments });
}

/** The same counts by their names in a message. Null where it has none. */
function messageUsage(told: Json): Usage | null {
  const [input, output] = [told["inputTokens"], told["outputTokens"]];
  if (asCount(input) + asCount(output) === 0) return null;
  return gooseUsage({
    ...{ input_tokens: input, output_tokens: output, total_tokens: told["totalTokens"] },
    ...{ cache_read_tokens: told["cacheReadTokens"], cache_write_tokens: told["cacheWriteTokens"] },
  });
}

/** The input holds the cache, unless the total says that they stand apart. */
export function gooseUsage(row: Json, prefix = ""): Usage {
  const of = (name: string): number => asCount(row[`${prefix}${name}_tokens`]);
  const [input, output, cacheRead, cacheWrite] = [of("input"), of("output"), of("cache_read"), of("cache_write")];
  const isApart = of("total") >= input + output + cacheRead + cacheWrite;
  const isInside = !isApart && input >= cacheRead + cacheWrite;
  return {
    ...NO_USAGE,
    inputUncached: isInside ? input - cacheRead - cacheWrite : input,
    cacheRead,
    cacheWrite,
    output,
  };
}

/** A request of the ledger: the first of an answer is its own, others left none. */
export function ledgerDrafts(row: Json, state: GooseState): Draft[] {
  const ts = asTime(row["created_timestamp"]);
  const model = asText(row["model"]) ?? state.model;
  // What a session had used before there was a ledger: a sum of requests, and none itself.
  if (row["cost_source"] === "carried_forward")
    return [
      noteOf({ ts, key: null }, "carried forward", ""),
      ...reportedDrafts(state, model, gooseUsage(row), asCost(row["cost"]) ?? 0),
    ];
  const isOwn = row["is_compaction"] !== 1 && state.answer !== null && state.requests === 0;
  if (row["is_compaction"] !== 1) state.requests++;
  const key = isOwn ? state.answer! : `ledger/${asText(row["id"]) ?? ts}`;
  const usage = gooseUsage(row);
  const drafts: Draft[] = [
    callOf(key, ts, model, usage),
    ...reportedDrafts(state, model, usage, asCost(row["cost"]) ?? 0),
  ];
  if (model !== null && model !== state.model) {
    state.model = model;
    drafts.push({ kind: "session", lane: "", patch: { model } });
  }
  return drafts;
}
