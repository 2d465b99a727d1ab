// Messages of the four providers' requests and answers, as events. Images stay in the recorded bytes; the log names them.
import type { CapturedApi } from "#lib/kernel/captured-record.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { hostedName, hostedResult, isHostedCall, isHostedResult } from "../claude-code/hosted-blocks.ts";
import { advisorResult } from "../claude-code/iterations.ts";
import { readContent } from "../claude-code/results.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { unknownBody } from "../unknown-body.ts";

/** The events of a message of a request; most messages of these providers are one or a few. */
export function messageBodies(message: unknown, api: CapturedApi): EventBody[] {
  const value = asObject(message);
  switch (api) {
    case "messages":
      return blocksOf(value["content"]).flatMap((block) => anthropicBody(block, value["role"]));
    case "responses":
      return itemBodies(value);
    case "chat":
      return chatBodies(value);
    case "gemini":
      return asArray(value["parts"]).flatMap((part) => geminiBody(asObject(part), value["role"]));
  }
}

/** The events of a whole answer. */
export function answerBodies(answer: Json, api: CapturedApi): EventBody[] {
  switch (api) {
    case "messages":
      return messageBodies({ role: "assistant", content: answer["content"] }, api);
    case "responses":
      return asArray(answer["output"]).flatMap((item) => itemBodies(asObject(item)));
    case "chat":
      return chatBodies({ ...asObject(asObject(asArray(answer["choices"])[0])["message"]), role: "assistant" });
    case "gemini":
      return messageBodies({ ...asObject(asObject(asArray(answer["candidates"])[0])["content"]), role: "model" }, api);
  }
}

const blocksOf = (content: unknown): Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(asObject);

/** Plain words of either side. */
function spoken(role: unknown, text: string): EventBody[] {
  if (text === "") return [];
  if (role === "assistant" || role === "model") return [{ type: "assistant", text }];
  if (role === "system" || role === "developer") return [{ type: "system", subtype: "message", text }];
  return [{ type: "user", text }];
}

const textOf = (content: unknown): string =>
  blocksOf(content)
    .map((block) => asText(block["text"]) ?? `[${asText(block["type"]) ?? "part"}]`)
    .join("\n");

const result = (toolCallId: string | null, text: string, isError = false): EventBody => ({
  type: "tool_result",
  toolCallId,
  text,
  isError,
  saw: "full",
});

const reasoning = (text: string, signature: string | null): EventBody => ({
  type: "reasoning",
  text,
  ...(signature !== null && signature !== "" && { signatureChars: signature.length }),
});

/** As much of a block that is not known as is shown. */
const UNKNOWN_CHARS = 4000;
/** Blocks whose bytes stay in the record. */
const FILES: ReadonlySet<string> = new Set([
  ...["image", "document", "container_upload", "search_result", "inlineData", "fileData"],
]);

function anthropicBody(block: Json, role: unknown): EventBody[] {
  const { type } = block;
  switch (type) {
    case "text":
      return spoken(role, asText(block["text"]) ?? "");
    case "thinking":
      return [reasoning(asText(block["thinking"]) ?? "", asText(block["signature"]))];
    case "redacted_thinking":
      return [reasoning("", asText(block["data"]))];
    case "tool_use":
    case "mcp_tool_use":
    case "server_tool_use":
      return [
        {
          type: "tool_call",
          toolCallId: asText(block["id"]),
          toolName: hostedName(block),
          input: block["input"] ?? null,
          ...(isHostedCall(type) && { hosted: true }),
        },
      ];
    case "tool_result":
      return [result(asText(block["tool_use_id"]), textOf(block["content"]), block["is_error"] === true)];
    case "advisor_tool_result":
      return [advisorResult(block)];
    case "compaction":
      // The answer's own is an event of its kind; a request repeats it.
      return [];
    default: {
      if (FILES.has(asText(type) ?? "")) return spoken(role, `[${asText(type)}]`);
      if (!isHostedResult(type)) return [unknownBody("block", asText(type) ?? "", block, UNKNOWN_CHARS)];
      const { tool_use_id: id, content, is_error: isError } = hostedResult(block);
      return [result(asText(id), readContent(content).text, isError === true)];
    }
  }
}

function itemBodies(item: Json): EventBody[] {
  const type = asText(item["type"]) ?? "message";
  if (type === "message") return spoken(item["role"], textOf(item["content"]));
  if (type === "reasoning") {
    const texts = [...asArray(item["summary"]), ...asArray(item["content"])].map((one) =>
      asText(asObject(one)["text"]),
    );
    return [reasoning(texts.filter((text) => text !== null).join("\n\n"), asText(item["encrypted_content"]))];
  }
  const toolCallId = asText(item["call_id"]) ?? asText(item["id"]);
  if (type.endsWith("_call_output"))
    return [result(toolCallId, typeof item["output"] === "string" ? item["output"] : textOf(item["output"]))];
  if (!type.endsWith("_call")) return [{ type: "meta", subtype: type, text: "" }];
  const isOwn = type === "function_call" || type === "custom_tool_call";
  return [
    {
      type: "tool_call",
      toolCallId,
      toolName: asText(item["name"]) ?? type.slice(0, -"_call".length),
      input: isOwn ? inputOf(item["arguments"] ?? item["input"]) : (item["action"] ?? null),
      ...(!isOwn && { hosted: true }),
    },
  ];
}

/** Arguments are a JSON text; one that does not parse stays as the model wrote it. */
function inputOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function chatBodies(message: Json): EventBody[] {
  const { role, content } = message;
  if (role === "tool") return [result(asText(message["tool_call_id"]), textOf(content))];
  const thought = asText(message["reasoning_content"]) ?? asText(message["reasoning"]);
  return [
    ...(thought === null || thought === "" ? [] : [reasoning(thought, null)]),
    ...(content == null ? [] : spoken(role, textOf(content))),
    ...asArray(message["tool_calls"])
      .map(asObject)
      .map((call): EventBody => {
        const { name, arguments: input } = asObject(call["function"]);
        return {
          type: "tool_call",
          toolCallId: asText(call["id"]),
          toolName: asText(name) ?? "unknown",
          input: inputOf(input),
        };
      }),
  ];
}

function geminiBody(part: Json, role: unknown): EventBody[] {
  const text = asText(part["text"]);
  if (text !== null) return part["thought"] === true ? [reasoning(text, null)] : spoken(role, text);
  if (part["functionCall"] !== undefined) {
    const { id, name, args } = asObject(part["functionCall"]);
    return [{ type: "tool_call", toolCallId: asText(id), toolName: asText(name) ?? "unknown", input: args ?? null }];
  }
  if (part["functionResponse"] !== undefined) {
    const { id, response } = asObject(part["functionResponse"]);
    const output = asText(asObject(response)["output"]) ?? jsonText(response ?? null);
    return [result(asText(id), output)];
  }
  const kind = Object.keys(part)[0] ?? "part";
  return FILES.has(kind) ? spoken(role, `[${kind}]`) : [unknownBody("block", kind, part, UNKNOWN_CHARS)];
}
