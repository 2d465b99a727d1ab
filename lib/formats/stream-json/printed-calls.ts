// Tool calls as Cursor's agent prints them: a record when one starts and one when it is done, under the name of the tool.
import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventAt, noteAt, type Position } from "../placed-drafts.ts";

export function printedCall(record: Json, position: Position): Draft {
  const [key, call] = callIn(asObject(record["tool_call"])) ?? [];
  const toolCallId = asText(record["call_id"]);
  if (key === undefined || toolCallId === null) return noteAt(position, "tool_call", clip(jsonText(record), 1000));
  const { args, result, ...rest } = asObject(call);
  const toolName = asText(rest["name"]) ?? key.replace(/ToolCall$/, "");
  if (record["subtype"] !== "completed")
    return eventAt(position, { type: "tool_call", toolCallId, toolName, input: args ?? rest });
  const outcome = asObject(result);
  const failure = Object.entries(outcome).find(([name, value]) => FAILURE.test(name) && value != null)?.[1];
  return eventAt(position, {
    type: "tool_result",
    toolCallId,
    text: textOf(failure ?? outcome["success"] ?? result),
    isError: failure !== undefined,
    saw: "full",
  });
}

/** One of many outcomes is told, under its name. */
const FAILURE = /^(?:error|failure|rejected|timeout)$|(?:Error|Failure|Denied|NotFound|Rejected|Timeout)$/;

/** The call stands under the name of its tool; other releases may have more beside it. */
function callIn(told: Json): [name: string, call: unknown] | undefined {
  const all = Object.entries(told).filter(([, value]) => isObject(value));
  const isCall = (value: unknown): boolean => "args" in asObject(value) || "result" in asObject(value);
  return all.find(([name]) => name.endsWith("ToolCall")) ?? all.find(([, value]) => isCall(value)) ?? all[0];
}

/** What it gave back, where that is one text; else its JSON. */
function textOf(value: unknown): string {
  const { content, output, stdout, errorMessage } = asObject(value);
  const text = [value, content, output, errorMessage, stdout].find((one) => typeof one === "string");
  return typeof text === "string" ? text : jsonText(value ?? "");
}
