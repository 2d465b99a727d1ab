// Raw traces as the events that they are in an archive. From here on a log is read as events, whoever wrote it.
import { isEnvelope } from "../artifacts/envelope.ts";
import type { EventBody } from "../event.ts";
import { jsonText } from "../json-text.ts";
import { textBehind } from "./extractive/envelope-text.ts";
import type { PieceEvent } from "./extractive/input-from-events.ts";
import type { RawTrace } from "./memory-types.ts";

/** What happened, as an event says it. `textOf`: the words of a result. */
export function bodyOfTrace(trace: RawTrace, textOf: (trace: RawTrace) => string): EventBody {
  const { traceType, content, toolCallId = null, toolName, toolArgs, toolError } = trace;
  switch (traceType) {
    case "user":
      return { type: "user", text: content };
    case "assistant":
      return { type: "assistant", text: content };
    case "reasoning":
      return { type: "reasoning", text: content };
    case "tool_call":
      return { type: "tool_call", toolCallId, toolName: toolName ?? "", input: toolArgs ?? null };
    case "tool_result":
      return { type: "tool_result", toolCallId, text: textOf(trace), isError: (toolError ?? "") !== "", saw: "full" };
    default:
      return { type: "meta", subtype: traceType, text: content };
  }
}

const BOUNDARIES = new Set<string>(["operation_boundary", "provider_compaction_boundary"]);

/**
 * For a summary: each call and its result by an id of their own, since a later turn may use one again, and a result without an
 * id is that of the call before it. `seq` is the position among the traces, from 1.
 */
export function eventsOfTraces(traces: readonly RawTrace[]): PieceEvent[] {
  let lastCall: string | null = null;
  return traces.map((trace, i): PieceEvent => {
    const body = bodyOfTrace(trace, resultText);
    const event = { seq: i + 1, ref: refOf(trace), artifact: trace.toolResultRef ?? null };
    const key = trace.toolCallId == null ? null : `${trace.turnId ?? ""}\n${trace.toolCallId}`;
    if (body.type === "tool_call") {
      lastCall = key ?? `#${i}`;
      return {
        ...event,
        body: { ...body, toolName: trace.toolName ?? "tool", toolCallId: lastCall, input: argsOf(trace) },
      };
    }
    if (body.type === "tool_result") {
      const exitCode = exitCodeOf(trace.toolResult);
      return {
        ...event,
        body: { ...body, toolCallId: key ?? lastCall, ...(exitCode !== null && { detail: { exitCode } }) },
      };
    }
    // What agents note beside the conversation is read too, but for the marks that they set for themselves.
    return {
      ...event,
      body: body.type === "meta" && !BOUNDARIES.has(body.subtype) ? { ...body, sent: "memory" } : body,
    };
  });
}

const refOf = ({ turnId, seq }: RawTrace): string => (turnId === null ? `#${seq}` : `${turnId} #${seq}`);

/** Arguments that were written as JSON text are read as what they say. */
function argsOf({ toolArgs, content }: RawTrace): unknown {
  if (toolArgs === undefined || toolArgs === null) return content;
  if (typeof toolArgs !== "string" || !toolArgs.trimStart().startsWith("{")) return toolArgs;
  try {
    return JSON.parse(toolArgs) as unknown;
  } catch {
    return toolArgs;
  }
}

function resultText({ toolResult, toolError, content }: RawTrace): string {
  const shown = typeof toolResult === "object" ? jsonText(toolResult ?? null) : textOf(toolResult);
  // Stores may keep an envelope as the object that it is.
  const result = isEnvelope(shown) ? textBehind(shown) : textOf(toolResult);
  const parts = [textBehind(toolError ?? ""), result].filter((part) => part !== "");
  return parts.length > 0 ? parts.join("\n") : content;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object" || Array.isArray(value)) return jsonText(value);
  // Texts with their own line breaks: error lines are lines.
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${typeof one === "string" ? one : jsonText(one ?? null)}`)
    .join("\n");
}

function exitCodeOf(result: unknown): number | null {
  if (typeof result !== "object" || result === null) return null;
  for (const key of ["exit_code", "exitCode", "returncode", "code"]) {
    const value = (result as Readonly<Record<string, unknown>>)[key];
    if (typeof value === "number" && Number.isInteger(value)) return value;
  }
  return null;
}
