// The client's own log: `event_msg` records. It repeats the history; what is new in it are prompts, token counts,
// exit codes, durations, diffs, errors and names. Each of its records is kept as a hidden event at least.
import type { Draft } from "#lib/kernel/draft.ts";
import type { ResultDetail } from "#lib/kernel/event.ts";
import { asObject, asText } from "../json.ts";
import type { Json } from "../json.ts";
import { asWhole, asDurationMs, asInteger, asName } from "./read.ts";
import { event, meta } from "./event-drafts.ts";
import type { Origin } from "./event-drafts.ts";
import { clientPrompt } from "./messages.ts";
import { clientOutput, isMcpFailure, patchDetail } from "./tool-output.ts";
import { setTier } from "./session.ts";
import { closeCall, endCall, recordKey, startTurn } from "./codex-state.ts";
import type { CallEnd, CodexState } from "./codex-state.ts";
import { takeBack } from "./rollback.ts";
import { countTokens, infoOf, telling, totalsMark } from "./usage.ts";

export function clientLog(payload: Json, ts: number | null, state: CodexState, afterPrompt: boolean): Draft[] {
  const type = asText(payload["type"]) ?? "event_msg";
  if (type === "task_started" || type === "turn_started") startTask(payload, state);
  const own = type === "token_count" ? totalsMark(infoOf(payload), state) : asName(payload["call_id"]);
  const origin = { ts, key: recordKey(state, `e:${type}`, own) };
  switch (type) {
    case "user_message":
      return clientPrompt(payload, origin, state, afterPrompt);
    case "token_count":
      return tokenCount(payload, origin, state);
    case "thread_name_updated":
      return named(payload, origin, state);
    case "thread_settings_applied":
      setTier({ service_tier: null, ...asObject(payload["thread_settings"]) }, state);
      return [meta(origin, type)];
    case "thread_rolled_back":
      return [takeBack(payload, origin, state)];
    case "turn_aborted": {
      // What the model had begun gets no token_count: its events belong to no call.
      closeCall(state);
      const text = `The turn was aborted: ${asText(payload["reason"]) ?? "no reason given"}.`;
      return [event(origin, { type: "error", text, code: "turn_aborted" })];
    }
    case "error":
    case "stream_error": {
      const text = asText(payload["message"]) ?? "An error without a message.";
      return [event(origin, { type: "error", text, code: type })];
    }
    case "exec_command_end":
    case "patch_apply_end":
    case "mcp_tool_call_end":
    case "dynamic_tool_call_response":
    case "collab_agent_spawn_end":
      endCall(state, own, endOf(payload));
      return [meta(origin, type), ...startedAgent(own, asName(payload["new_thread_id"]))];
    case "item_completed": {
      // From 0.169 on the ends of calls are items, with the call's id as their own.
      const item = asObject(payload["item"]);
      endCall(state, asName(item["id"]), endOf(item));
      return [meta(origin, type)];
    }
    case "agent_reasoning_raw_content":
    case "warning":
    case "deprecation_notice":
      return [
        meta(origin, type, asText(payload["text"]) ?? asText(payload["message"]) ?? asText(payload["summary"]) ?? ""),
      ];
    default:
      // agent_message and agent_reasoning repeat the history word for word: their text is there.
      return [meta(origin, type)];
  }
}

function startTask(payload: Json, state: CodexState): void {
  startTurn(state, asText(payload["turn_id"]));
  state.window = asWhole(payload["model_context_window"]) ?? state.window;
}

function tokenCount(payload: Json, origin: Origin, state: CodexState): Draft[] {
  const { drafts, contextAfter } = countTokens(infoOf(payload), origin, state);
  if (contextAfter === null) return [telling(meta(origin, "token_count"), drafts), ...drafts];
  return [
    meta(origin, "context_after_compaction", String(contextAfter)),
    { kind: "compacted", lane: "", tokensAfter: contextAfter },
    ...drafts,
  ];
}

function named(payload: Json, origin: Origin, state: CodexState): Draft[] {
  const title = (asText(payload["thread_name"]) ?? "").trim().slice(0, 200);
  if (title === "") return [meta(origin, "thread_name_updated")];
  state.titleRank = 2;
  return [meta(origin, "thread_name_updated", title), { kind: "session", lane: "", patch: { title, titleRank: 2 } }];
}

/** A sub-agent that a call started. */
const startedAgent = (toolCallId: string | null, agentId: string | null): Draft[] =>
  toolCallId === null || agentId === null ? [] : [{ kind: "link", lane: "", toolCallId, agentId }];

function endOf(payload: Json): CallEnd {
  const output = clientOutput(payload);
  return { detail: endDetail(payload), failed: hasFailed(payload), ...(output !== null && { output }) };
}

function endDetail(payload: Json): ResultDetail {
  const exitCode = asInteger(payload["exit_code"]);
  const durationMs = asDurationMs(payload["duration"]);
  const agentId = asName(payload["new_thread_id"]);
  return {
    ...(exitCode !== null && { exitCode }),
    ...(durationMs !== null && { durationMs }),
    ...(agentId !== null && { agentId }),
    ...patchDetail(payload["changes"]),
  };
}

const hasFailed = (payload: Json): boolean =>
  payload["success"] === false ||
  payload["status"] === "failed" ||
  (asInteger(payload["exit_code"]) ?? 0) !== 0 ||
  isMcpFailure(payload["result"]);
