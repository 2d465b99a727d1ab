// Sub-agents: a tool call starts one, and its own tools are shown among the parts of the answer. Its model calls are not in the file.
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import { asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventAt, patchOf, type Position } from "../placed-drafts.ts";
import { isOfSubAgent, isTool, toolDrafts } from "./chat-parts.ts";
import type { RoundCall, ShownCall } from "./chat-rounds.ts";

/** Without what VS Code adds, so that a name is not used twice. */
const bareId = (id: string): string => id.replace(/__vscode-\d+$/, "");

/** The part that shows a call. Only newer releases give both the same name. */
export function shownCalls(parts: readonly unknown[]): (call: RoundCall) => ShownCall | null {
  const byId = new Map<string, ShownCall>();
  for (const part of parts.map(asObject))
    if (isTool(part) && typeof part["toolCallId"] === "string")
      byId.set(bareId(part["toolCallId"]), { part, data: asObject(part["toolSpecificData"]) });
  return ({ given }) => byId.get(bareId(given)) ?? null;
}

export function subAgentDrafts(
  parts: readonly unknown[],
  calls: readonly RoundCall[],
  position: Position,
  cwd: string | null,
): Draft[] {
  const tools = parts.filter(isObject).filter(isTool);
  const starts = tools.filter(
    (part) => !isOfSubAgent(part) && asObject(part["toolSpecificData"])["kind"] === "subagent",
  );
  const starters = calls.filter(({ name }) => /sub_?agent/i.test(name));
  return starts.flatMap((part, i): Draft[] => {
    const id = asText(part["toolCallId"]) ?? "";
    const call =
      calls.find(({ given, id: own }) => id !== "" && (own === id || bareId(given) === bareId(id))) ?? starters[i];
    if (call === undefined) return [];
    const lane = id === "" ? call.id : id;
    const own = tools.filter((tool) => tool["subAgentInvocationId"] === lane);
    return [
      { kind: "link", lane: "", toolCallId: call.id, agentId: lane },
      ...runDrafts(part, own, call, { ...position, lane }, cwd),
    ];
  });
}

function runDrafts(
  part: Json,
  tools: readonly Json[],
  call: RoundCall,
  position: Position,
  cwd: string | null,
): Draft[] {
  const data = asObject(part["toolSpecificData"]);
  const { lane } = position;
  const [name, about, model] = [asText(data["agentName"]), asText(data["description"]), asText(data["modelName"])];
  const prompt = asText(data["prompt"]) ?? asText(asObject(call.input)["prompt"]) ?? "";
  const result = asText(data["result"]) ?? "";
  const patch: SessionPatch = {
    relation: "subagent",
    parentToolCallId: call.id,
    quality: "Read from what its parent shows: its model calls are not in the file.",
    ...(cwd !== null && { cwd }),
    ...(name !== null && name !== "" && { agentName: name }),
    ...(about !== null && about !== "" && { title: clip(about, 300), titleRank: 1 as const }),
    ...(model !== null && model !== "" && { model }),
  };
  const own = { ...position, key: `${position.key ?? ""}/${lane}` };
  return [
    patchOf(lane, patch),
    ...(prompt === "" ? [] : [eventAt(own, { type: "user", text: prompt }, { startsTurn: true })]),
    ...tools.flatMap((tool, i) => toolDrafts(tool, asText(tool["toolCallId"]) || `${lane}/${i}`, own, null)),
    ...(result === "" ? [] : [eventAt(own, { type: "assistant", text: result })]),
  ];
}
