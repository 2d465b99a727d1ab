// Pieces of an agent's raw traces. A result takes over what its call said; where ids are missing, the call before it.
import { isEnvelope } from "../../artifacts/envelope.ts";
import { jsonText } from "../../json-text.ts";
import type { RawTrace } from "../memory-types.ts";
import { callFacts } from "./call-facts.ts";
import { textBehind } from "./envelope-text.ts";
import { NO_CALL, type Piece, type PieceKind } from "./piece.ts";

/** One piece for each trace that says something; `seq` is its place among the traces, from 1. */
export function piecesOfTraces(traces: readonly RawTrace[]): Piece[] {
  const pieces: Piece[] = [];
  const calls = new Map<string, Piece>();
  let lastCall: Piece | undefined;
  for (const [i, trace] of traces.entries()) {
    const { traceType, toolName = null, content } = trace;
    const add = (kind: PieceKind, text: string, more: Partial<Piece> = {}): Piece | undefined => {
      if (text.trim() === "" && kind !== "tool_call" && kind !== "tool_result") return undefined;
      const piece = { ...NO_CALL, seq: i + 1, ref: refOf(trace), kind, text, ...more };
      pieces.push(piece);
      return piece;
    };
    // An id may be used again in a later turn.
    const key = trace.toolCallId == null ? null : `${trace.turnId ?? ""}\n${trace.toolCallId}`;
    switch (traceType) {
      case "user":
        add("user", content);
        break;
      case "assistant":
        add("assistant", content);
        break;
      case "reasoning":
        add("reasoning", content);
        break;
      case "tool_call": {
        const call = add("tool_call", "", { ...callFacts(toolName ?? "tool", argsOf(trace)), toolName });
        lastCall = call;
        if (key !== null && call !== undefined) calls.set(key, call);
        break;
      }
      case "tool_result": {
        const call = key === null ? lastCall : calls.get(key);
        const exitCode = exitCodeOf(trace.toolResult);
        add("tool_result", resultText(trace), {
          toolName: call?.toolName ?? toolName,
          command: call?.command ?? null,
          files: call?.files ?? [],
          exitCode,
          isError: (trace.toolError ?? "") !== "" || (exitCode !== null && exitCode !== 0),
          artifact: trace.toolResultRef ?? null,
        });
        break;
      }
      case "operation_boundary":
      case "provider_compaction_boundary":
        break;
      default:
        add("note", content);
    }
  }
  return pieces;
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
