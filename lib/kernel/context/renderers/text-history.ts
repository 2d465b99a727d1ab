// Calls and results as plain words, for models that are given no tools: the assistant's call is a line of its own words, a
// result a message of the user.
import { callsOf, resultOf, type Message } from "../message.ts";
import type { ValueStyle } from "./renderer-options.ts";
import { argumentsOf, copyOf, valueText, type Json } from "./values.ts";

/** Messages without calls and results. */
export function textHistory(messages: readonly Message[], style: ValueStyle): Message[] {
  return messages.map((message): Message => {
    const result = resultOf(message);
    if (result !== null) {
      const line = result.toolError
        ? `[TOOL_ERROR] ${result.toolName} ${result.toolError}`
        : `[TOOL_RESULT] ${result.toolName} ${valueWords(result.toolResult ?? message.content ?? "", style)}`;
      // Where the content is the result itself it is in the line.
      const isSaid = result.toolResult !== null && result.toolResult !== undefined;
      return { ...message, role: "user", content: lines(isSaid ? message.content : null, line), toolPayload: null };
    }
    const calls = callsOf(message);
    if (calls.length === 0) return message;
    const request = calls.map((call) => `[TOOL_CALL] ${call.name} ${valueWords(argumentsOf(call.arguments), style)}`);
    return { ...message, content: lines(message.content, request.join("\n")), toolPayload: null };
  });
}

const lines = (content: string | null, line: string): string =>
  [content?.trim() ?? "", line].filter((one) => one !== "").join("\n");

function valueWords(value: unknown, style: ValueStyle): string {
  if (style === "python") return python(copyOf(value));
  return style === "spaced" && typeof value === "object" ? spaced(copyOf(value)) : valueText(value);
}

function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
    .join(", ")}}`;
}

/** As the first generation prints it, which leaves a backslash as it is. */
function python(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "string") return `'${value.replaceAll("'", "\\'")}'`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => `${python(key)}: ${python(one)}`)
    .join(", ")}}`;
}
