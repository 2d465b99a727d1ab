// What a sub-agent did, told in its parent's file by `progress` lines: the whole message with its usage, as far as the stream
// had come. Clients up to about 2.1.32 wrote no file for some agents: of 29 calls in the collected files nothing else says.
import { progressLane, type SessionPatch } from "#lib/kernel/draft.ts";
import { asObject, asText, type Json } from "../json.ts";

export type Progress = { readonly lane: string; readonly patch: SessionPatch; readonly record: Json };

/** The message inside of a progress line; null for every other record. */
export function progressOf(value: Json): Progress | null {
  if (value["type"] !== "progress") return null;
  const result = asObject(value["data"]);
  const agentId = asText(result["agentId"]);
  const record = asObject(result["message"]);
  if (result["type"] !== "agent_progress" || agentId === null || agentId === "") return null;
  if (record["type"] !== "user" && record["type"] !== "assistant") return null;
  const toolCallId = asText(value["parentToolUseID"]);
  return {
    lane: progressLane(agentId),
    record,
    patch: {
      relation: "subagent",
      ...(toolCallId !== null && { parentToolCallId: toolCallId }),
      quality: "Read from progress lines of its parent; its own file was not imported.",
    },
  };
}
