// Records of kimi-cli's log: what its loop sent to whoever showed it. Events of a sub-agent stand inside those of its parent.
import type { Draft } from "#lib/kernel/draft.ts";
import { asObject, asText, asTime, clip, type Json } from "../json.ts";
import { inputOf } from "../messages/message-parts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import {
  askedOf,
  callOf,
  partDraft,
  rememberPrompt,
  resultDraft,
  saidIn,
  summaryDrafts,
  usageOf,
  userDrafts,
} from "./kimi-about.ts";
import { beginStep, stepOf, type KimiState } from "./kimi-state.ts";

/** Events about the program, not the conversation. */
const NOTES =
  /^(?:TurnEnd|StepInterrupted|StepRetry|ToolCallPart|Compaction|MCP|Approval|Question|Hook|Plan|Btw|Notification|ToolCallRequest|ImageURLPart$)/;

export function cliDrafts(record: Json, key: string, state: KimiState): Draft[] {
  const entry: Entry = { ts: asTime(record["timestamp"]), key };
  return messageDrafts(asObject(record["message"]), "", entry, state);
}

function messageDrafts(message: Json, lane: string, entry: Entry, state: KimiState): Draft[] {
  const type = asText(message["type"]) ?? "";
  const payload = asObject(message["payload"]);
  const step = stepOf(state, lane);
  const callKey = step?.key ?? null;
  switch (type) {
    case "TurnBegin":
    case "SteerInput":
      if (lane !== "") return taskDrafts(payload["user_input"], entry);
      rememberPrompt(state);
      return userDrafts(payload["user_input"], null, entry, state);
    case "StepBegin":
      beginStep(state, lane, entry.key!);
      return [noteOf(entry, type)];
    case "ContentPart":
      return [partDraft(payload, entry, callKey), ...askedOf(step, entry.ts, state.model)];
    case "ToolCall": {
      const made = asObject(payload["function"]);
      const toolName = asText(made["name"]) ?? "unnamed";
      const input = inputOf(made["arguments"]);
      const body = { type: "tool_call" as const, toolCallId: asText(payload["id"]), toolName, input };
      return [eventOf(entry, body, { callKey }), ...askedOf(step, entry.ts, state.model)];
    }
    case "ToolResult": {
      const value = asObject(payload["return_value"]);
      const more = asText(value["message"]) ?? "";
      return [resultDraft(asText(payload["tool_call_id"]), value["output"], value["is_error"] === true, entry, more)];
    }
    case "StatusUpdate": {
      const usage = usageOf(asObject(payload["token_usage"]));
      if (usage === null) return [noteOf(entry, type)];
      // A part of the log may begin inside a step.
      if (step === null) beginStep(state, lane, asText(payload["message_id"]) ?? entry.key!);
      const asked = stepOf(state, lane)!;
      asked.isAsked = true;
      return [noteOf(entry, type, "", asked.key), callOf(asked.key, entry.ts, state.model, usage)];
    }
    case "CompactionEnd":
      // What was kept is in another file.
      return summaryDrafts("", [null, null], entry);
    case "SubagentEvent":
      return insideDrafts(payload, lane, entry, state);
  }
  if (NOTES.test(type)) return [noteOf(entry, clip(type, 60))];
  return [eventOf(entry, unknownBody("event", type, message))];
}

/** What a sub-agent was sent to do. */
function taskDrafts(content: unknown, entry: Entry): Draft[] {
  const text = saidIn(content).texts.join("\n");
  const title = clip(text.trim(), 300);
  return [
    ...(title === "" ? [] : [{ kind: "session" as const, lane: "", patch: { title, titleRank: 0 as const } }]),
    eventOf(entry, { type: "user", text }, { startsTurn: true }),
  ];
}

/** What happened in a sub-agent, or in one that it began itself: a file may nest them without end. */
function innermost(payload: Json): Json {
  let event = asObject(payload["event"]);
  while (event["type"] === "SubagentEvent") {
    const inside = asObject(asObject(event["payload"])["event"]);
    if (asText(inside["type"]) === null) break;
    event = inside;
  }
  return event;
}

/** An event of a sub-agent: the log's own call of a tool began it. One of a sub-agent's sub-agent is of the first one. */
function insideDrafts(payload: Json, lane: string, entry: Entry, state: KimiState): Draft[] {
  const toolCallId = asText(payload["parent_tool_call_id"]) ?? asText(payload["task_tool_call_id"]);
  const agentId = lane !== "" ? lane : (asText(payload["agent_id"]) ?? toolCallId);
  const event = innermost(payload);
  if (agentId === null || asText(event["type"]) === null)
    return [eventOf(entry, unknownBody("event", "SubagentEvent", payload))];
  const isFirst = lane === "" && stepOf(state, agentId) === null;
  const own = messageDrafts(event, agentId, entry, state).map((draft) =>
    draft.kind === "problem" || draft.lane !== "" ? draft : { ...draft, lane: agentId },
  );
  if (isFirst && stepOf(state, agentId) === null) beginStep(state, agentId, entry.key!);
  if (!isFirst || toolCallId === null) return own;
  const name = asText(payload["subagent_type"]);
  const patch = {
    relation: "subagent" as const,
    parentToolCallId: toolCallId,
    ...(name !== null && { agentName: name }),
  };
  return [{ kind: "link", lane: "", toolCallId, agentId }, { kind: "session", lane: agentId, patch }, ...own];
}
