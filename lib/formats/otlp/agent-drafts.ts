// A session of an agent that sends its own log events (Claude Code, Codex, Gemini CLI, Qwen Code), for as long as its file is not
// here: prompts, answers, tool calls and model calls, as far as the agent was told to send their texts.
import type { Draft } from "#lib/kernel/draft.ts";
import { asTime, clip } from "../json.ts";
import { requestOf } from "./agent-report.ts";
import { callOf, eventOf } from "./drafts.ts";
import type { PlacedRecord } from "./otlp-lines.ts";
import { countOf, numberOf, textOf } from "./otlp-values.ts";

const EVENT =
  /(?:^|\.)(user_prompt|assistant_response|tool_result|tool_call|api_request|api_response|api_error|sse_event|compaction)$/;

/** The kind of a log event of such an agent; null for others. */
export const agentEvent = ({ kind, name }: PlacedRecord): string | null =>
  kind === "log" && !name.startsWith("gen_ai.") ? (EVENT.exec(name)?.[1] ?? null) : null;

export function agentDrafts(records: readonly PlacedRecord[], lane: string): Draft[] {
  const drafts: Draft[] = [];
  let calls = 0;
  for (const record of records) {
    const request = requestOf(record);
    if (request !== null) {
      const key = request.id ?? `n:${++calls}`;
      drafts.push(callOf(record, lane, { key, ...request }), ...answerOf(record, lane, key));
    } else drafts.push(...eventDrafts(record, lane));
  }
  return drafts;
}

/** A call has at least one event: without a text of the answer it is an empty one. */
function answerOf(record: PlacedRecord, lane: string, callKey: string): Draft[] {
  const text = textOf(record.attributes, "response_text");
  const body =
    text === null
      ? ({ type: "meta", subtype: "model call", text: "" } as const)
      : ({ type: "assistant", text } as const);
  return [eventOf(record, lane, body, { callKey, ts: timeOfEvent(record) })];
}

function eventDrafts(record: PlacedRecord, lane: string): Draft[] {
  const { attributes } = record;
  const ts = timeOfEvent(record);
  switch (agentEvent(record)) {
    case "user_prompt": {
      const chars = countOf(attributes, "prompt_length") ?? 0;
      const text = textOf(attributes, "prompt", "prompt_text") ?? `(${chars} characters that the agent did not send)`;
      return [
        { kind: "session", lane, patch: { title: clip(text, 300), titleRank: 0 } },
        eventOf(record, lane, { type: "user", text }, { ts, startsTurn: true }),
      ];
    }
    case "assistant_response": {
      const text = textOf(attributes, "response");
      return text === null
        ? []
        : [eventOf(record, lane, { type: "assistant", text }, { ts, callKey: textOf(attributes, "request_id") })];
    }
    case "tool_result":
    case "tool_call":
      return toolDrafts(record, lane, ts);
    case "api_error":
      return [
        eventOf(
          record,
          lane,
          { type: "error", text: textOf(attributes, "error", "error.message") ?? "A request failed." },
          { ts },
        ),
      ];
    default:
      return [];
  }
}

function toolDrafts(record: PlacedRecord, lane: string, ts: number | null): Draft[] {
  const { attributes } = record;
  const toolName = textOf(attributes, "tool_name", "function_name") ?? "unknown";
  // Gemini gives its calls no id here.
  const toolCallId = textOf(attributes, "tool_use_id", "call_id") ?? `${toolName} ${ts}`;
  const input = jsonOf(textOf(attributes, "tool_input", "arguments", "function_args", "tool_parameters"));
  const durationMs = numberOf(attributes.get("duration_ms")) ?? undefined;
  const text = textOf(attributes, "output", "tool_output", "error") ?? "";
  const isError = String(attributes.get("success") ?? "true") === "false";
  const detail = durationMs === undefined || durationMs < 0 ? {} : { detail: { durationMs } };
  return [
    eventOf(record, lane, { type: "tool_call", toolCallId, toolName, input }, { ts }),
    eventOf(record, lane, { type: "tool_result", toolCallId, text, isError, saw: "full", ...detail }, { ts }),
  ];
}

const timeOfEvent = ({ attributes, startMs }: PlacedRecord): number | null =>
  asTime(attributes.get("event.timestamp")) ?? startMs;

/** JSON where it is, else the text itself. */
export function jsonOf(text: string | null): unknown {
  if (text === null) return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
