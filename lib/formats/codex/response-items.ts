// The model-visible history: `response_item` records, and the bare items of files before Sept 2025.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ImagePart, ResultDetail } from "#lib/kernel/event.ts";
import { asArray, asObject, asText } from "../json.ts";
import type { Json } from "../json.ts";
import { stepOf } from "./history-step.ts";
import { asName } from "./read.ts";
import { event, meta } from "./event-drafts.ts";
import type { Origin } from "./event-drafts.ts";
import { agentMessage, message, messageKey, messageMark, withImages } from "./messages.ts";
import { addImage, isMoreOf, outputOf, toolsText, wholeBytes } from "./tool-output.ts";
import { callKey, openCall, recordKey, takeCall, takeStep } from "./codex-state.ts";
import type { CodexState } from "./codex-state.ts";

const FROM_MODEL = /^(?:reasoning|.*_call)$/;

/** Events of one item; a `meta` where it holds nothing to show. */
export function item(payload: Json, ts: number | null, state: CodexState): Draft[] {
  // An item without a type is a message in hand-made files.
  const type = asText(payload["type"]) ?? (asText(payload["role"]) === null ? "" : "message");
  const origin = { ts, key: keyOf(type, payload, state) };
  if (FROM_MODEL.test(type) || payload["role"] === "assistant") state.justCounted = null;
  const step = state.turn === null ? stepOf(type, payload, () => messageMark(payload)) : null;
  const drafts = events(type, payload, origin, state);
  if (step !== null) takeStep(state, step);
  return drafts.length > 0 ? drafts : [meta(origin, type === "" ? "response_item" : type)];
}

/** Ids that the provider gives: no two items have one in common. */
const PROVIDER_ID = /^[a-z]{2,4}_\w{24,}$/;

function keyOf(type: string, payload: Json, state: CodexState): string | null {
  const id = asName(payload["id"]);
  if (state.isDocument === true) return id !== null && PROVIDER_ID.test(id) ? `item/${id}` : null;
  if (type === "message" || type === "agent_message") return messageKey(type, payload, state);
  return recordKey(state, type, asName(payload["call_id"]) ?? asName(payload["id"]));
}

function events(type: string, payload: Json, origin: Origin, state: CodexState): Draft[] {
  switch (type) {
    case "message":
      return message(payload, origin, state);
    case "agent_message":
      return agentMessage(payload, origin, state);
    case "reasoning":
      return [reasoning(payload, origin, state)];
    case "function_call":
      return [call(payload, toolName(payload), parsed(payload["arguments"] ?? payload["input"]), origin, state)];
    case "custom_tool_call":
      return [call(payload, toolName(payload), payload["input"] ?? null, origin, state)];
    case "local_shell_call":
      return [call(payload, "local_shell", payload["action"] ?? null, origin, state)];
    case "tool_search_call":
      return [call(payload, "tool_search", parsed(payload["arguments"]), origin, state)];
    case "function_call_output":
    case "custom_tool_call_output":
      return [result(payload, payload["output"], origin, state)];
    case "tool_search_output":
      return [result(payload, payload["output"] ?? toolsText(payload["tools"]), origin, state)];
    case "web_search_call":
      return [hosted(payload, "web_search", payload["action"] ?? null, origin, state)];
    case "image_generation_call":
      return generatedImage(payload, origin, state);
    case "compaction":
    case "compaction_summary":
      return [meta(origin, "compaction_item", encryptedText(payload))];
    default:
      return [];
  }
}

function reasoning(payload: Json, origin: Origin, state: CodexState): Draft {
  const parts = [...asArray(payload["summary"]), ...asArray(payload["content"])];
  const text = parts.map((part) => asText(part) ?? asText(asObject(part)["text"]) ?? "").filter((one) => one !== "");
  const encrypted = asText(payload["encrypted_content"]);
  const body: EventBody = {
    type: "reasoning",
    text: text.join("\n\n"),
    ...(encrypted !== null && { encrypted: true, signatureChars: encrypted.length }),
  };
  return event(origin, body, { callKey: callKey(state) });
}

/** Reasoning that only the provider can read, as Codex sends it back: without what it keeps beside it. */
export function sealedItem(record: unknown): Json | null {
  const { payload = record } = asObject(record);
  const { internal_chat_message_metadata_passthrough: _beside, ...item } = asObject(payload);
  return item["type"] === "reasoning" && asText(item["encrypted_content"]) !== null ? item : null;
}

/** Names of MCP tools are in two parts. */
function toolName(payload: Json): string {
  const name = asText(payload["name"]) ?? "unknown";
  const namespace = asText(payload["namespace"]);
  return namespace === null || namespace === "" ? name : `${namespace}.${name}`;
}

/** Arguments are a JSON string; one that does not parse stays as the model wrote it. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input ?? null;
  const first = input.trimStart()[0];
  if (first !== "{" && first !== "[") return input;
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

function call(payload: Json, name: string, input: unknown, origin: Origin, state: CodexState): Draft {
  const toolCallId = asText(payload["call_id"]) ?? asText(payload["id"]);
  openCall(state, asName(toolCallId));
  const namespace = asText(payload["namespace"]) || undefined;
  const isCustom = payload["type"] === "custom_tool_call" && typeof input === "string" && { custom: true as const };
  const body: EventBody = {
    type: "tool_call",
    toolCallId,
    toolName: name,
    ...(namespace && { namespace }),
    ...isCustom,
    input,
  };
  return event(origin, body, { callKey: callKey(state) });
}

function hosted(payload: Json, name: string, input: unknown, origin: Origin, state: CodexState): Draft {
  const toolCallId = asText(payload["call_id"]) ?? asText(payload["id"]);
  const body: EventBody = { type: "tool_call", toolCallId, toolName: name, input, hosted: true };
  return event(origin, body, { callKey: callKey(state) });
}

function result(payload: Json, output: unknown, origin: Origin, state: CodexState): Draft {
  const toolCallId = asText(payload["call_id"]) ?? asText(payload["id"]);
  const { text, images, attachments, blocks, isError, cut, detail: header } = outputOf(output);
  const end = takeCall(state, asName(toolCallId));
  const whole = end?.output !== undefined && isMoreOf(end.output, text) ? end.output : null;
  const isCut = cut || whole !== null;
  const started = /^\{\s*"agent_id":\s*"([^"\s]{1,100})"/.exec(text.slice(0, 200))?.[1];
  const detail: ResultDetail = { ...end?.detail, ...header, ...(started !== undefined && { agentId: started }) };
  const body: EventBody = {
    type: "tool_result",
    toolCallId,
    text,
    ...withImages(images),
    isError: isError || end?.failed === true || payload["success"] === false || payload["status"] === "failed",
    saw: isCut ? "preview" : "full",
    ...(blocks.length > 0 && { blocks: [...blocks] }),
    ...(isCut && { offloadedBy: "agent" as const }),
    ...(whole !== null && { storedBytes: wholeBytes(whole, detail.originalTokens) }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return { ...event(origin, body, { attachments }), ...(whole !== null && { fullText: whole }) };
}

function generatedImage(payload: Json, origin: Origin, state: CodexState): Draft[] {
  const prompt = asText(payload["revised_prompt"]);
  const drafts = [hosted(payload, "image_generation", { revised_prompt: prompt }, origin, state)];
  const base64 = asText(payload["result"]);
  if (base64 === null || base64 === "") return drafts;
  const images: ImagePart[] = [];
  const attachments: { mediaType: string; base64: string }[] = [];
  addImage({ mediaType: base64.startsWith("/9j/") ? "image/jpeg" : "image/png", base64 }, images, attachments);
  drafts.push(event(origin, { type: "assistant", text: "", images }, { callKey: callKey(state), attachments }));
  return drafts;
}

/** An encrypted summary cannot be read; its length is what is known of its weight. */
function encryptedText(payload: Json): string {
  const encrypted = asText(payload["encrypted_content"]);
  return encrypted === null ? "" : `${encrypted.length} characters, encrypted`;
}
