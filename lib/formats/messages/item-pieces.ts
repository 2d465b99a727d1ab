// Items of OpenAI's Responses: reasoning, calls of the client's and of the provider's own tools, and what these gave back.
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, clip, type Json } from "../json.ts";
import { inputOf, pieceOf, resultPiece, type Piece } from "./message-parts.ts";

/** What is neither said nor called: tools and settings that changed, where a compaction stands, words of another agent. */
const ASIDES: ReadonlySet<unknown> = new Set([
  ...["compaction", "context_compaction", "compaction_trigger", "item_reference"],
  ...["additional_tools", "configuration_update", "agent_message"],
]);

export const isAsideItem = ({ type }: Json): boolean => ASIDES.has(type);

/** True for an item that stands beside messages. */
export const isItem = (value: Json): boolean => {
  const type = asText(value["type"]) ?? "";
  if (value["role"] !== undefined) return type === "additional_tools";
  return (
    type === "reasoning" ||
    isAsideItem(value) ||
    /^\w+_call(?:_output|_result)?$/.test(type) ||
    /^mcp_\w+$/.test(type) ||
    type === "tool_search_output"
  );
};

/** OpenAI's Agents SDK for JavaScript has names of its own. */
export const itemName = (item: Json): string | null =>
  asText(item["call_id"]) ?? asText(item["callId"]) ?? asText(item["id"]);

export const isItemResult = ({ type }: Json): boolean => /_(?:output|result)$/.test(asText(type) ?? "");

export function itemPieces(item: Json): Piece[] {
  const type = asText(item["type"]) ?? "";
  if (type === "reasoning") return pieceOf(item);
  const id = itemName(item);
  if (isItemResult(item))
    return [
      resultPiece(
        id,
        plainOutputs(item["output"] ?? item["tools"]),
        item["status"] === "failed" || item["is_error"] === true,
      ),
    ];
  const isOwn =
    type === "function_call" ||
    type === "custom_tool_call" ||
    type === "local_shell_call" ||
    type === "shell_call" ||
    type === "apply_patch_call" ||
    type === "computer_call" ||
    item["execution"] === "client";
  if (!type.endsWith("_call"))
    return [{ kind: "event", body: { type: "meta", subtype: type, text: clip(jsonText(item), 2000) } }];
  const call: EventBody = {
    type: "tool_call",
    toolCallId: id,
    toolName: asText(item["name"]) ?? type.slice(0, -"_call".length),
    input: inputOf(item["arguments"] ?? item["input"] ?? item["action"] ?? item["operation"] ?? hostedInput(item)),
    ...(type === "custom_tool_call" && { custom: true as const }),
    ...(!isOwn && { hosted: true }),
  };
  // What the provider ran itself has its result inside.
  const inside = isOwn
    ? undefined
    : (item["output"] ?? item["results"] ?? plainOutputs(item["outputs"]) ?? item["error"]);
  return [
    { kind: "event", body: call },
    ...(inside === undefined || inside === null ? [] : [resultPiece(id, inside, item["error"] != null)]),
  ];
}

/** The provider's own tools have their input beside their name. */
const hostedInput = ({ code, queries }: Json): unknown =>
  code !== undefined ? { code } : queries !== undefined ? { queries } : {};

/** What a shell wrote and a program logged, as text. */
function plainOutputs(outputs: unknown): unknown {
  if (!Array.isArray(outputs)) return asText(asObject(outputs)["text"]) ?? outputs;
  return outputs.map((one) => {
    const { stdout, stderr, logs } = asObject(one);
    const texts = [stdout, stderr, logs].filter((text) => typeof text === "string");
    return texts.length === 0 ? (one as unknown) : texts.filter((text) => text !== "").join("\n");
  });
}
