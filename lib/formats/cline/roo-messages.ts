// Messages of Roo Code since February 2026: those of the AI SDK, in an object with `version: 2`. They are read as the blocks that Roo wrote
// before, and that the rest of this format knows.
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

const isPart = (part: unknown): boolean =>
  /^tool-(?:call|result)$|^reasoning$/.test(asText(asObject(part)["type"]) ?? "");

/** The message in blocks; any other value as it is. */
export function asBlocks(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { role, content } = value;
  // What only the provider can read stands between the messages; before, it had a role and no words.
  if (value["type"] === "reasoning" && typeof value["encrypted_content"] === "string")
    return { ...value, role: "assistant", content: [{ type: "redacted_thinking", data: value["encrypted_content"] }] };
  if (!Array.isArray(content) || (role !== "tool" && !content.some((part) => isPart(part) || isImage(part))))
    return value;
  return {
    ...value,
    role: role === "tool" ? "user" : role,
    // Its name: a prompt may have the same time.
    ...(role === "tool" && { roleBefore: role }),
    content: asArray(content).map((part) => block(asObject(part))),
  };
}

const isImage = (part: unknown): boolean => typeof asObject(part)["image"] === "string";

function block(part: Json): Json {
  switch (part["type"]) {
    case "reasoning":
      return { type: "thinking", thinking: asText(part["text"]) ?? "" };
    case "tool-call":
      return { type: "tool_use", id: part["toolCallId"], name: part["toolName"], input: part["input"] ?? part["args"] };
    case "tool-result":
      return result(part);
    case "image":
      return image(part, asText(part["image"]) ?? "");
  }
  return part;
}

function result(part: Json): Json {
  const output = asObject(part["output"]);
  const { type, value } = output;
  const content = Array.isArray(value)
    ? value.map((one) => {
        const { data } = asObject(one);
        return typeof data === "string" ? image(asObject(one), data) : one;
      })
    : typeof value === "string"
      ? value
      : JSON.stringify(value ?? part["result"] ?? "");
  const isError = /^error/.test(asText(type) ?? "");
  return { type: "tool_result", tool_use_id: part["toolCallId"], content, ...(isError && { is_error: true }) };
}

function image(part: Json, told: string): Json {
  const [, named, data] = /^data:([\w.+/-]+);base64,(.*)$/s.exec(told) ?? [];
  const mediaType = named ?? asText(part["mediaType"]) ?? "image/png";
  return { type: "image", source: { type: "base64", media_type: mediaType, data: data ?? told } };
}
