// Tool calls as Cursor's agent prints them: a record when one starts and one when it is done, under the name of the tool.
import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventAt, noteAt, type Position } from "../placed-drafts.ts";

export function printedCall(record: Json, position: Position): Draft {
  const [key, call] = Object.entries(asObject(record["tool_call"])).find(([, value]) => isObject(value)) ?? [];
  const toolCallId = asText(record["call_id"]);
  if (key === undefined || toolCallId === null) return noteAt(position, "tool_call", clip(jsonText(record), 1000));
  const { args, result, ...rest } = asObject(call);
  const toolName = asText(rest["name"]) ?? key.replace(/ToolCall$/, "");
  if (record["subtype"] !== "completed")
    return eventAt(position, { type: "tool_call", toolCallId, toolName, input: args ?? rest });
  const outcome = asObject(result);
  const failure = outcome["error"] ?? outcome["failure"] ?? outcome["rejected"];
  return eventAt(position, {
    type: "tool_result",
    toolCallId,
    text: textOf(failure ?? outcome["success"] ?? result),
    isError: failure !== undefined,
    saw: "full",
  });
}

/** What it gave back, where that is one text; else its JSON. */
function textOf(value: unknown): string {
  const { content, output, stdout, errorMessage } = asObject(value);
  const text = [value, content, output, errorMessage, stdout].find((one) => typeof one === "string");
  return typeof text === "string" ? text : jsonText(value ?? "");
}
