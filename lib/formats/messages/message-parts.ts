// The parts of a message of any provider or library: each becomes an event. A part of a kind that is not known stays, as its JSON.
import type { Attachment } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { isHostedCall } from "../claude-code/hosted-blocks.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { unknownBody } from "../unknown-body.ts";
import { parseJson } from "../json-parts.ts";

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** Words and images of the same side one after the other are one event. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly attachment: Attachment }
  | { readonly kind: "event"; readonly body: EventBody; readonly attachments?: readonly Attachment[] };

const text = (value: string): Piece => ({ kind: "text", text: value });
const event = (body: EventBody, attachments: readonly Attachment[] = []): Piece => ({
  kind: "event",
  body,
  attachments,
});

export const partsOf = (content: unknown): unknown[] =>
  content === undefined || content === null ? [] : Array.isArray(content) ? content : [content];

/** A part of a message's content, or of its `parts`. */
export function pieceOf(part: unknown): Piece[] {
  if (typeof part === "string") return part === "" ? [] : [text(part)];
  if (!isObject(part)) return [text(jsonText(part))];
  const type = asText(part["type"]) ?? "";
  const said = asText(part["text"]) ?? asText(part["content"]);
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
    case "summary_text":
      return said === null || said === "" ? [] : [text(said)];
    case "refusal":
      return [text(asText(part["refusal"]) ?? said ?? "")];
    case "thinking":
    case "reasoning":
    case "reasoning_text":
    case "redacted_thinking":
    case "redacted-reasoning":
      return [event(reasoningOf(part))];
    case "step-start":
      return [];
  }
  const image = imageOf(part);
  if (image !== null) return [typeof image === "string" ? text(image) : { kind: "image", attachment: image }];
  if (isCall(type)) return [event(callOf(part, type))];
  if (isResult(type)) return resultOf(part, type);
  if (type === "tool-invocation") return invocationOf(asObject(part["toolInvocation"]));
  // Whether a call may run, and what a person said to that.
  if (isApproval(part)) return [event({ type: "meta", subtype: type, text: clip(jsonText(part), 2000) })];
  if (type.startsWith("tool-") || type === "dynamic-tool") return uiToolOf(part, type);
  // A part without a kind: a bare text, or Google's.
  if (type === "" && said !== null)
    return part["thought"] === true ? [event({ type: "reasoning", text: said })] : said === "" ? [] : [text(said)];
  const converse = type === "" ? conversePiece(part) : null;
  if (converse !== null) return converse;
  if (isObject(part["functionCall"])) return [event(googleCall(part["functionCall"]))];
  if (isObject(part["functionResponse"])) return googleResult(part["functionResponse"]);
  if (type.startsWith("source") || type.startsWith("data-") || type === "citation")
    return [event({ type: "meta", subtype: type, text: clip(jsonText(part), 2000) })];
  return [event(unknownBody("part", type, part, 4000))];
}

function reasoningOf(part: Json): EventBody {
  const summary = asArray(part["summary"]).map((one) => asText(one) ?? asText(asObject(one)["text"]) ?? "");
  const content = asArray(part["content"]).map((one) => asText(asObject(one)["text"]) ?? "");
  const said = [
    asText(part["thinking"]) ?? asText(part["reasoning"]) ?? asText(part["text"]) ?? asText(part["content"]) ?? "",
    ...summary,
    ...content,
  ];
  const sealed = asText(part["data"]) ?? asText(part["encrypted_content"]);
  const signature = sealed ?? asText(part["signature"]);
  return {
    type: "reasoning",
    text: said.filter((one) => one !== "").join("\n"),
    ...(signature !== null && signature !== "" && { signatureChars: signature.length }),
    ...(sealed !== null && { encrypted: true }),
  };
}

export const isApproval = ({ type, approvalId }: Json): boolean =>
  asText(approvalId) !== null && /^tool-approval-\w+$/.test(asText(type) ?? "");

const isCall = (type: string): boolean =>
  /^(?:tool_use|tool-call|tool_call|function_call|server_tool_call)$/.test(type) || isHostedCall(type);
const isResult = (type: string): boolean =>
  /^(?:tool-result|tool_result|function_call_output)$/.test(type) || type.endsWith("_tool_result");

/** Arguments are an object, or its text as the model wrote it, which may be no JSON. */
export function inputOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  const parsed = parseJson(value);
  return parsed === undefined ? value : parsed;
}

const idOf = (part: Json): string | null => {
  const id = ["toolCallId", "tool_call_id", "call_id", "tool_use_id", "toolUseId", "id"]
    .map((key) => asText(part[key]))
    .find((one) => one !== null && one !== "");
  return id ?? null;
};

export function callOf(part: Json, type = ""): EventBody {
  const of = asObject(part["function"] ?? part["custom"]);
  const name = asText(part["toolName"]) ?? asText(part["name"]) ?? asText(of["name"]) ?? "unnamed";
  const told = part["input"] ?? part["args"] ?? part["arguments"] ?? of["arguments"] ?? of["input"];
  const isHosted = isHostedCall(type) || type === "server_tool_call" || part["providerExecuted"] === true;
  // A call of the provider's own has its result inside; it counts apart.
  const toolCallId = type === "" ? (asText(part["id"]) ?? idOf(part)) : idOf(part);
  return {
    type: "tool_call",
    toolCallId,
    toolName: name,
    input: inputOf(told ?? part["rawInput"]),
    ...(isHosted && { hosted: true }),
  };
}

function resultOf(part: Json, type: string): Piece[] {
  const id =
    ["toolCallId", "tool_use_id", "tool_call_id", "call_id", "toolUseID", "toolUseId"]
      .map((key) => asText(part[key]))
      .find((one) => one !== null) ?? null;
  // Amp says how the tool ran.
  const run = asObject(part["run"]);
  const failure = asObject(run["error"])["message"] ?? run["error"];
  const stopped = /^(?:cancel|reject)/.test(asText(run["status"]) ?? "") ? run["status"] : undefined;
  const output = part["output"] ?? part["result"] ?? part["content"] ?? run["result"] ?? failure ?? stopped;
  // Of a search that the provider ran, the results stand in the answer itself.
  const isError =
    part["is_error"] === true ||
    part["isError"] === true ||
    part["status"] === "error" ||
    run["status"] === "error" ||
    stopped !== undefined ||
    /^(?:error|execution-denied$)/.test(asText(asObject(output)["type"]) ?? "") ||
    /_error$/.test(asText(asObject(output)["type"]) ?? "");
  return [resultPiece(id, output, isError, type.endsWith("_tool_result") && type !== "tool_result")];
}

/** What a tool gave back: a text, parts, or `{type, value}` of the AI SDK. */
export function resultPiece(toolCallId: string | null, output: unknown, isError = false, isHosted = false): Piece {
  const { text: said, attachments } = outputOf(output);
  const images = attachments.map(({ mediaType }, attachment) => ({
    mediaType,
    attachment,
    artifact: null,
    width: null,
    height: null,
  }));
  if (isHosted) return event({ type: "meta", subtype: "hosted result", text: clip(said, 4000) });
  return event(
    { type: "tool_result", toolCallId, text: said, isError, saw: "full", ...(images.length > 0 && { images }) },
    attachments,
  );
}

export function outputOf(output: unknown): { text: string; attachments: Attachment[] } {
  const attachments: Attachment[] = [];
  const value = isObject(output) && typeof output["type"] === "string" && "value" in output ? output["value"] : output;
  if (asObject(value)["type"] === "execution-denied") return { text: denialOf(asObject(value)), attachments };
  if (typeof value === "string") return { text: value, attachments };
  if (value === undefined || value === null) return { text: "", attachments };
  const parts =
    Array.isArray(value) &&
    value.every((one) => typeof one === "string" || (isObject(one) && typeof one["type"] === "string"))
      ? value
      : null;
  if (parts === null) return { text: jsonText(value), attachments };
  const texts = parts.flatMap((part): string[] => {
    if (typeof part === "string") return [part];
    const image = imageOf(part as Json);
    if (image === null) return [asText((part as Json)["text"]) ?? jsonText(part)];
    if (typeof image === "string") return [image];
    attachments.push(image);
    return [];
  });
  return { text: texts.join("\n"), attachments };
}

const denialOf = ({ reason }: Json): string => asText(reason) || "Denied.";

/** A call of the AI SDK's messages for screens has its result in the same part. */
function uiToolOf(part: Json, type: string): Piece[] {
  const name = type === "dynamic-tool" ? (asText(part["toolName"]) ?? "unnamed") : type.slice("tool-".length);
  return invocationOf({ ...part, toolName: name });
}

function invocationOf(part: Json): Piece[] {
  const id = asText(part["toolCallId"]);
  const state = asText(part["state"]) ?? "";
  const call = callOf({ ...part, toolCallId: id }, "tool-call");
  if (state === "input-streaming" || state === "partial-call") return [event(call)];
  const failure = asText(part["errorText"]);
  const isDone = state === "output-available" || state === "result" || "output" in part || "result" in part;
  if (failure !== null) return [event(call), resultPiece(id, failure, true)];
  if (state === "output-denied") return [event(call), resultPiece(id, denialOf(asObject(part["approval"])), true)];
  return isDone ? [event(call), resultPiece(id, part["output"] ?? part["result"])] : [event(call)];
}

/** A part of Bedrock's Converse: its kind is its key. */
function conversePiece(part: Json): Piece[] | null {
  const { toolUse, toolResult, reasoningContent } = part;
  if (isObject(toolUse)) return [event(callOf(toolUse))];
  if (isObject(toolResult)) {
    const parts = asArray(toolResult["content"]).map(asObject);
    const said = parts.map((one) => ({ type: "text", text: asText(one["text"]) ?? jsonText(one["json"] ?? one) }));
    return [resultPiece(asText(toolResult["toolUseId"]), said, toolResult["status"] === "error")];
  }
  if (!isObject(reasoningContent)) return null;
  const { text: thought, signature } = asObject(reasoningContent["reasoningText"]);
  const sealed = reasoningContent["redactedContent"];
  return [event(reasoningOf({ thinking: thought, signature, ...(typeof sealed === "string" && { data: sealed }) }))];
}

const googleCall = (call: Json): EventBody => ({
  type: "tool_call",
  toolCallId: asText(call["id"]),
  toolName: asText(call["name"]) ?? "unnamed",
  input: call["args"] ?? {},
});

function googleResult(response: Json): Piece[] {
  const { output, error } = asObject(response["response"]);
  return [
    resultPiece(
      asText(response["id"]),
      output ?? error ?? response["response"],
      error !== undefined && output === undefined,
    ),
  ];
}

/** The bytes of an image; a sentence where they lie elsewhere, or are of another kind; null for another part. */
export function imageOf(part: Json): Attachment | string | null {
  const type = asText(part["type"]) ?? "";
  const inline = asObject(part["inlineData"]);
  if (typeof inline["data"] === "string")
    return { mediaType: asText(inline["mimeType"]) ?? "application/octet-stream", base64: inline["data"] };
  if (
    !/^(?:image|image_url|input_image|file|media|document|input_file|audio|input_audio|image-data|image-url|file-data|file-url)$/.test(
      type,
    )
  )
    return null;
  const source = asObject(part["source"]);
  const nested = part["image_url"] ?? part["image"] ?? part["file"] ?? part["data"] ?? part["base64"] ?? part["url"];
  const { url: address, file_data: file, data: inside } = asObject(nested);
  const url = asText(nested) ?? asText(address) ?? asText(file) ?? asText(inside) ?? asText(source["url"]);
  const [, dataType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url ?? "") ?? [];
  const mediaType =
    dataType ??
    asText(source["media_type"]) ??
    asText(source["mediaType"]) ??
    asText(part["mediaType"]) ??
    asText(part["mimeType"]) ??
    asText(part["mime_type"]) ??
    (type.includes("image") ? "image/png" : "application/octet-stream");
  const base64 =
    data ?? asText(source["data"]) ?? (url !== null && /^[A-Za-z0-9+/]{64,}={0,2}$/.test(url) ? url : null);
  if (base64 !== null && base64 !== undefined && mediaType.startsWith("image/")) return { mediaType, base64 };
  const name = asText(part["filename"]) ?? asText(part["file_id"]) ?? (base64 === null ? url : null) ?? mediaType;
  return `[${mediaType.startsWith("image/") ? "image" : "file"} ${clip(name, 300)}]`;
}
