// Records of Droid and of Gemini CLI, which print texts, calls and results as records of their own. No record has the tokens of a call:
// an answer is what the model says between two inputs.
import { NO_USAGE, type Draft, type Usage } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asCount, asObject, asText, asWhole, clip, isObject, ownEntry, type Json } from "../json.ts";
import { eventAt, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { splitPrompt } from "../prompt-counts.ts";
import { modelDrafts, titleDrafts } from "./lane-patches.ts";
import type { StreamState } from "./stream-state.ts";

/** Null for a record of another agent. */
export function plainDrafts(type: string, record: Json, position: Position, state: StreamState): Draft[] | null {
  switch (type) {
    case "init":
      return [...modelDrafts(position.lane, asText(record["model"]), state), noteAt(position, type, "")];
    case "message":
      return messageDrafts(record, position, state);
    case "reasoning":
      return reasoningDrafts(record, position, state);
    case "tool_use":
      return callDrafts(record["tool_id"], record["tool_name"], record["parameters"], record, position, state);
    case "tool_call":
      if (asText(record["toolName"]) === null && asText(record["toolId"]) === null) return null;
      return callDrafts(
        record["id"],
        record["toolName"] ?? record["toolId"],
        record["parameters"],
        record,
        position,
        state,
      );
    case "tool_result":
      return resultDrafts(record, position, state);
    case "error":
      return errorDrafts(record, position);
    case "completion":
      return endDrafts(record, completionUsage(record["usage"], position.lane, state), position, state);
    case "result":
      return isObject(record["stats"]) || ("status" in record && !("subtype" in record))
        ? endDrafts(record, statsUsage(asObject(record["stats"]), position.lane, state), position, state)
        : null;
  }
  return null;
}

function messageDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  const text = asText(record["content"]) ?? asText(record["text"]) ?? "";
  switch (record["role"]) {
    case "user":
      state.answer = null;
      return [
        ...titleDrafts(position.lane, text, state),
        eventAt(position, { type: "user", text }, { startsTurn: true }),
      ];
    case "assistant": {
      const [callKey, drafts] = answerOf(record, position, state);
      return [
        ...titleDrafts(position.lane, text, state),
        ...drafts,
        eventAt(position, { type: "assistant", text }, { callKey }),
      ];
    }
  }
  const reason = `A message of role "${clip(asText(record["role"]) ?? "", 60)}", which is not known.`;
  return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(record), 1000) })];
}

/** The answer that is printed now, and its model call where it begins. */
function answerOf(record: Json, { lane, ts, byteStart }: Position, state: StreamState): [key: string, drafts: Draft[]] {
  if (state.answer != null) return [state.answer, []];
  const key = asText(record["messageId"]) ?? asText(record["id"]) ?? `n:${byteStart}`;
  state.answer = key;
  const model = ownEntry(state.models, lane) ?? null;
  return [key, [{ kind: "call", lane, key, ts, model, usage: null, outputLowerBound: false }]];
}

/** Droid prints some thoughts twice. */
function reasoningDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  const id = asText(record["id"]);
  if (id !== null && state.thought === id) return [patchOf(position.lane, {})];
  state.thought = id;
  const [callKey, drafts] = answerOf(record, position, state);
  return [...drafts, eventAt(position, { type: "reasoning", text: asText(record["text"]) ?? "" }, { callKey })];
}

function callDrafts(
  id: unknown,
  name: unknown,
  input: unknown,
  record: Json,
  position: Position,
  state: StreamState,
): Draft[] {
  const toolCallId = asText(id);
  if (toolCallId === null) return [noteAt(position, "tool_call", clip(jsonText(record), 1000))];
  const [callKey, drafts] = answerOf(record, position, state);
  const toolName = asText(name) ?? "unnamed";
  return [...drafts, eventAt(position, { type: "tool_call", toolCallId, toolName, input: input ?? {} }, { callKey })];
}

function resultDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  state.answer = null;
  const failure = record["error"];
  const said = record["output"] ?? record["value"] ?? asText(asObject(failure)["message"]) ?? failure ?? "";
  return [
    eventAt(position, {
      type: "tool_result",
      toolCallId: asText(record["tool_id"]) ?? asText(record["id"]),
      text: typeof said === "string" ? said : jsonText(said),
      isError: record["isError"] === true || record["status"] === "error",
      saw: "full",
    }),
  ];
}

function errorDrafts(record: Json, position: Position): Draft[] {
  const text =
    asText(record["message"]) ?? asText(asObject(record["error"])["message"]) ?? clip(jsonText(record), 1000);
  if (record["severity"] === "warning") return [noteAt(position, "warning", clip(text, 4000))];
  return [eventAt(position, { type: "error", text, code: asText(record["source"]) ?? "error" })];
}

function endDrafts(
  record: Json,
  usage: Readonly<Record<string, Usage>>,
  position: Position,
  state: StreamState,
): Draft[] {
  state.answer = null;
  const stats = asObject(record["stats"]);
  const turns = asWhole(record["numTurns"]);
  const ms = asWhole(record["durationMs"]) ?? asWhole(stats["duration_ms"]);
  const status = asText(record["status"]) ?? asText(record["subtype"]) ?? "completion";
  const text = [status, turns !== null && `${turns} turns`, ms !== null && `${ms} ms`].filter(Boolean).join(", ");
  const failure =
    asText(asObject(record["error"])["message"]) ??
    (record["isError"] === true ? (asText(record["finalText"]) ?? "The run failed.") : null);
  return [
    noteAt(position, "result", text),
    ...(failure === null ? [] : [eventAt(position, { type: "error" as const, text: failure, code: status })]),
    ...(Object.keys(usage).length === 0 ? [] : [{ kind: "reported" as const, lane: position.lane, usd: null, usage }]),
  ];
}

/** Droid's counts are disjoint; what was thought is a part of the output. */
function completionUsage(told: unknown, lane: string, state: StreamState): Record<string, Usage> {
  if (!isObject(told)) return {};
  const output = asCount(told["output_tokens"]);
  const usage: Usage = {
    ...NO_USAGE,
    inputUncached: asCount(told["input_tokens"]),
    cacheRead: asCount(told["cache_read_input_tokens"]),
    cacheWrite: asCount(told["cache_creation_input_tokens"]),
    output,
    reasoning: Math.min(asCount(told["thinking_tokens"]), output),
  };
  return { [ownEntry(state.models, lane) ?? ""]: usage };
}

/** Gemini CLI's input has what was cached in it. Its total has the thoughts too, which are in no other count. */
function statsUsage(stats: Json, lane: string, state: StreamState): Record<string, Usage> {
  const models = Object.entries(asObject(stats["models"])).filter(([, value]) => isObject(value));
  const told = models.length > 0 ? models : [[ownEntry(state.models, lane) ?? "", stats] as const];
  return Object.fromEntries(
    told.flatMap(([model, value]) => {
      const { total_tokens, input_tokens, output_tokens, cached } = asObject(value);
      const thoughts = Math.max(0, asCount(total_tokens) - asCount(input_tokens) - asCount(output_tokens));
      const output = asCount(output_tokens) + thoughts;
      const usage = splitPrompt({ prompt: input_tokens, output, cached, reasoning: thoughts });
      return usage === null || output + asCount(input_tokens) === 0 ? [] : [[model, usage] as const];
    }),
  );
}
