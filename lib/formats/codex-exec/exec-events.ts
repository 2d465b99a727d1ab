// One event of `codex exec --json` as drafts. An item is told when it starts, when it changes, and when it is done.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { tokensOf, usageOf } from "../codex/token-counts.ts";
import { contentOf } from "../codex/tool-output.ts";
import { asArray, asNumber, asObject, asText, asTime, clip, type Json } from "../json.ts";
import { eventAt, noteAt, patchOf, type Position } from "../placed-drafts.ts";

export type ExecState = {
  /** The thread that the file begins with. A file that was appended to holds others too. */
  id: string | null;
  lane: string;
  /** Runs so far: each numbers its items from the same number. */
  run: number;
  /** The prompt is not printed: the first answer of a thread names it. */
  isTitled: boolean;
  /** Items that were told to start, and are not done. */
  open: readonly string[];
};

/** Items that are remembered at once. */
const OPEN = 64;

export function execDrafts(event: Json, range: Pick<Position, "byteStart" | "byteEnd">, state: ExecState): Draft[] {
  const type = asText(event["type"]) ?? "";
  const introduced =
    type === "thread.started" || state.run === 0 ? threadDrafts(asText(event["thread_id"]), state) : [];
  const position: Position = { lane: state.lane, ts: asTime(event["timestamp"]), key: null, ...range };
  return [...introduced, ...eventDrafts(type, event, position, state)];
}

function threadDrafts(thread: string | null, state: ExecState): Draft[] {
  state.run++;
  state.id ??= thread;
  const lane = thread === null || thread === state.id ? "" : thread;
  if (lane !== state.lane) state.isTitled = false;
  state.lane = lane;
  const quality = "Read from what the agent printed, not from a file of its own.";
  return [patchOf(lane, { agentName: "Codex", quality, ...(lane !== "" && { relation: "root" as const }) })];
}

function eventDrafts(type: string, event: Json, position: Position, state: ExecState): Draft[] {
  const { lane } = position;
  switch (type) {
    case "thread.started":
    case "turn.started":
      return [noteAt(position, type, asText(event["thread_id"]) ?? "")];
    case "turn.completed": {
      // The thread's sum so far, whatever the turn.
      const tokens = tokensOf(event["usage"]);
      const note = noteAt(position, type, tokens === null ? "" : `${tokens.total} tokens`);
      if (tokens === null) return [note];
      return [note, { kind: "reported", lane, usd: null, usage: { "": usageOf(tokens) } }];
    }
    case "turn.failed":
    case "error": {
      const text = asText(asObject(event["error"])["message"]) ?? asText(event["message"]) ?? "The turn failed.";
      return [eventAt(position, { type: "error", text, code: type })];
    }
    case "item.started":
    case "item.updated":
    case "item.completed":
      return itemDrafts(asObject(event["item"]), type === "item.completed", position, state);
  }
  const reason = `An event of type "${clip(type, 60)}", which is not known.`;
  return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(event), 1000) })];
}

function itemDrafts(item: Json, isDone: boolean, position: Position, state: ExecState): Draft[] {
  const type = asText(item["type"]) ?? asText(item["item_type"]) ?? "";
  const said = saidBody(type, item);
  if (said !== null)
    return isDone
      ? [...titleDrafts(said, state), eventAt(position, said)]
      : [noteAt(position, type, clip(asText(item["text"]) ?? "", 200))];
  const call = callOf(type, item);
  if (call === null) {
    const reason = `An item of type "${clip(type, 60)}", which is not known.`;
    return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(item), 4000) })];
  }
  const id = `${state.run > 1 ? `${state.run}.` : ""}${asText(item["id"]) ?? `at ${position.byteStart}`}`;
  const isOpen = state.open.includes(id);
  const drafts: Draft[] = isOpen ? [] : [eventAt(position, { type: "tool_call", toolCallId: id, ...call })];
  if (!isOpen) state.open = [...state.open, id].slice(-OPEN);
  if (!isDone) return drafts.length > 0 ? drafts : [noteAt(position, "item.updated", "")];
  state.open = state.open.filter((one) => one !== id);
  // A search that the provider ran has no result here.
  if (call.hosted === true) return drafts.length > 0 ? drafts : [noteAt(position, "item.completed", "")];
  return [...drafts, resultDraft(id, type, item, position)];
}

function titleDrafts(said: EventBody, state: ExecState): Draft[] {
  if (state.isTitled || said.type !== "assistant" || said.text.trim() === "") return [];
  state.isTitled = true;
  return [patchOf(state.lane, { title: clip(said.text.trim(), 300), titleRank: 0 })];
}

function saidBody(type: string, item: Json): EventBody | null {
  const text = asText(item["text"]) ?? "";
  switch (type) {
    case "agent_message":
    case "assistant_message":
      return { type: "assistant", text };
    case "user_message":
      return { type: "user", text };
    case "reasoning":
      return { type: "reasoning", text };
    case "error":
      return { type: "error", text: asText(item["message"]) ?? text };
    case "todo_list": {
      const lines = asArray(item["items"]).map((one) => {
        const { text: words, completed } = asObject(one);
        return `${completed === true ? "[x]" : "[ ]"} ${asText(words) ?? ""}`;
      });
      return { type: "meta", subtype: "todo_list", text: lines.join("\n") };
    }
  }
  return null;
}

type Call = Pick<Extract<EventBody, { type: "tool_call" }>, "toolName" | "input" | "hosted">;

function callOf(type: string, item: Json): Call | null {
  switch (type) {
    case "command_execution":
      return { toolName: "shell", input: { command: item["command"] ?? "" } };
    case "file_change":
      return { toolName: "apply_patch", input: { changes: item["changes"] ?? [] } };
    case "mcp_tool_call":
      return {
        toolName: [asText(item["server"]), asText(item["tool"]) ?? "unknown"].filter(Boolean).join("."),
        input: item["arguments"] ?? {},
      };
    case "web_search":
      return { toolName: "web_search", input: { query: item["query"] ?? "" }, hosted: true };
  }
  // Tools of later releases, such as those that start other agents: the name and what it was called with are fields.
  const name = asText(item["tool"]);
  if (name === null || !type.endsWith("_tool_call")) return null;
  const { id: _id, type: _type, tool: _tool, status: _status, agents_states: _states, ...input } = item;
  return { toolName: name, input };
}

function resultDraft(toolCallId: string, type: string, item: Json, position: Position): Draft {
  const status = asText(item["status"]) ?? "";
  const exitCode = asNumber(item["exit_code"]);
  const { text, images, attachments } = outputOf(type, item);
  const agents = asArray(item["receiver_thread_ids"]).filter((id) => typeof id === "string");
  const detail: ResultDetail = {
    ...(exitCode !== null && { exitCode: Math.round(exitCode) }),
    ...(agents.length === 1 && { agentId: agents[0] as string }),
  };
  const body: EventBody = {
    type: "tool_result",
    toolCallId,
    text,
    ...(images.length > 0 && { images }),
    isError: status === "failed" || status === "declined" || (exitCode ?? 0) !== 0,
    saw: "full",
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return eventAt(position, body, { attachments });
}

function outputOf(type: string, item: Json): ReturnType<typeof contentOf> {
  const plain = (text: string): ReturnType<typeof contentOf> => ({ text, images: [], attachments: [] });
  const status = asText(item["status"]) ?? "";
  if (type === "command_execution") return plain(asText(item["aggregated_output"]) ?? "");
  const failure = asText(asObject(item["error"])["message"]);
  if (failure !== null) return plain(failure);
  const result = asObject(item["result"]);
  if (asArray(result["content"]).length > 0) return contentOf(asArray(result["content"]));
  if (result["structured_content"] != null) return plain(jsonText(result["structured_content"]));
  return plain(item["agents_states"] == null ? status : jsonText(item["agents_states"]));
}
