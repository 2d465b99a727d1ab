// Sub-agents of pi. It has none of its own; extensions start another pi and keep its messages in the details of the tool's
// result: `{mode, results: [{agent, task, messages, model}]}`, as the example that pi ships does. Each becomes a session.
import type { Draft } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import type { Entry } from "./pi-drafts.ts";

/** `messageDrafts` reads one message of a run. */
export function insideRuns(
  result: Json,
  entry: Entry,
  messageDrafts: (message: Json, entry: Entry) => readonly Draft[],
): Draft[] {
  const toolCallId = result["role"] === "toolResult" ? asText(result["toolCallId"]) : null;
  // A run inside a run stays in its raw record.
  if (toolCallId === null || entry.lane !== "") return [];
  return asArray(asObject(result["details"])["results"]).flatMap((one, i) => {
    const run = asObject(one);
    const messages = asArray(run["messages"]).filter(isObject);
    const agentId = `${toolCallId}.${i + 1}`;
    if (messages.length === 0) return [];
    const drafts = messages.map((message, at) =>
      messageDrafts(message, insideOf(entry, message, `${agentId}/${at}`, agentId)),
    );
    return [...runDrafts(run, toolCallId, agentId), ...drafts.flat()];
  });
}

const insideOf = ({ key, ts }: Entry, message: Json, name: string, lane: string): Entry => ({
  lane,
  ts: asTime(message["timestamp"]) ?? ts,
  key: key === null ? null : `${key}/${name}`,
  isInside: true,
});

function runDrafts(run: Json, toolCallId: string, agentId: string): Draft[] {
  const agentName = asText(run["agent"]);
  const task = asText(run["task"]) ?? "";
  return [
    { kind: "link", lane: "", toolCallId, agentId },
    {
      kind: "session",
      lane: agentId,
      patch: {
        relation: "subagent",
        parentToolCallId: toolCallId,
        ...(agentName !== null && { agentName }),
        ...(task !== "" && { title: clip(task, 300), titleRank: 1 }),
      },
    },
  ];
}
