// Messages of Codebuff as its screen shows them: an answer is one message, with blocks for what was said, each tool and each sub-agent.
import type { Draft, SessionPatch, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asCost, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { providerUsage } from "../messages/provider-usage.ts";
import { eventAt, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { unknownBody } from "../unknown-body.ts";

export type CodebuffState = {
  readonly id: string | null;
  readonly startedAt: number | null;
  hasTitle: boolean;
};

/** How deep a sub-agent of a sub-agent may be; what is below is in no event of its own. */
const DEEPEST = 32;

type Level = Position & { readonly depth: number };
type Call = { readonly key: string; readonly model: string | null; readonly usage: Usage | null };

export function messageDrafts(message: Json, bytes: Pick<Position, "byteStart" | "byteEnd">, state: CodebuffState) {
  const key = asText(message["id"]) || printOf(jsonText(message));
  const position: Level = { lane: "", ts: asTime(message["timestamp"]), key, depth: 0, ...bytes };
  const drafts = variantDrafts(message, position, key, state);
  const credits = asCost(message["credits"]) ?? 0;
  // Codebuff's own unit.
  if (credits > 0) drafts.push(noteAt(position, "credits", `${credits} credits`));
  const error = asText(message["userError"]) ?? "";
  if (error !== "") drafts.push(eventAt(position, { type: "error", text: error }));
  return drafts.length > 0 ? drafts : [noteAt(position, "message", clip(asText(message["variant"]) ?? "", 60))];
}

function variantDrafts(message: Json, position: Level, key: string, state: CodebuffState): Draft[] {
  const content = asText(message["content"]) ?? "";
  switch (message["variant"]) {
    case "user":
      return userDrafts(message, content, position, state);
    case "ai":
    case "assistant":
      return answerDrafts(message, content, position, key);
    case "agent":
      return agentDrafts({ ...asObject(message["agent"]), content, blocks: message["blocks"] }, key, position, []);
    case "error":
      return [eventAt(position, { type: "error", text: content })];
  }
  return [eventAt(position, unknownBody("part", asText(message["variant"]) ?? "", message))];
}

function userDrafts(message: Json, content: string, position: Position, state: CodebuffState): Draft[] {
  const drafts: Draft[] = [];
  if (!state.hasTitle && content.trim() !== "") {
    state.hasTitle = true;
    drafts.push(patchOf("", { title: clip(content.trim(), 300), titleRank: 0 }));
  }
  if (content.trim() !== "") drafts.push(eventAt(position, { type: "user", text: content }, { startsTurn: true }));
  for (const attached of asArray(message["textAttachments"])) {
    const text = asText(asObject(attached)["content"]) ?? "";
    if (text !== "") drafts.push(eventAt(position, { type: "user", text, injected: "file" }));
  }
  const names = [...asArray(message["attachments"]), ...asArray(message["fileAttachments"])].map(asObject);
  for (const { path, filename } of names)
    drafts.push(noteAt(position, "file", asText(path) ?? asText(filename) ?? "unnamed"));
  return drafts;
}

function answerDrafts(message: Json, content: string, position: Level, key: string): Draft[] {
  const metadata = asObject(message["metadata"]);
  // A command that a person ran: no model answered.
  const isCommand = typeof metadata["bashCwd"] === "string";
  const calls = isCommand ? [] : callsOf(metadata, key);
  const callKey = calls.at(-1)?.key ?? null;
  const blocks = asArray(message["blocks"]).filter(isObject);
  const drafts = blocksDrafts(blocks, content, position, callKey);
  // It was stopped before anything came.
  if (drafts.length === 0 && calls.every(({ usage }) => usage === null))
    return [noteAt(position, "answer", "Without content.")];
  if (callKey !== null && drafts.length === 0) drafts.push(noteAt(position, "answer", "", { callKey }));
  const model = calls.at(-1)?.model ?? null;
  return [
    ...(model === null ? [] : [patchOf("", { model })]),
    ...calls.slice(0, -1).map((call) => callDraft(call, position)),
    ...drafts,
    ...calls.slice(-1).map((call) => callDraft(call, position)),
  ];
}

const callDraft = ({ key, model, usage }: Call, { lane, ts }: Position): Draft => ({
  ...{ kind: "call", lane, key, ts, model, usage, outputLowerBound: false },
});

/** The answer's own count; else those of its requests, which stand in the run's history behind the last prompt. */
function callsOf(metadata: Json, key: string): Call[] {
  const model = asText(metadata["model"]) || null;
  const own = providerUsage(metadata["usage"]) ?? providerUsage(asObject(metadata["codebuff"])["usage"]);
  if (own !== null) return [{ key, model, usage: own }];
  const session = asObject(asObject(metadata["runState"])["sessionState"]);
  const history = asArray(asObject(session["mainAgentState"])["messageHistory"]).map(asObject);
  // What is before it was counted with the answers before this one.
  const last = history.findLastIndex(({ role }) => role === "user");
  const found = history.slice(last + 1).flatMap((entry): Omit<Call, "key">[] => {
    const options = asObject(entry["providerOptions"]);
    const inside = asObject(options["codebuff"]);
    const usage =
      entry["role"] === "assistant" ? (providerUsage(options["usage"]) ?? providerUsage(inside["usage"])) : null;
    return usage === null ? [] : [{ model: asText(inside["model"]) || model, usage }];
  });
  if (found.length === 0) return [{ key, model, usage: null }];
  return found.map((call, i) => ({ ...call, key: i === found.length - 1 ? key : `${key}/${i}` }));
}

function blocksDrafts(blocks: readonly Json[], content: string, position: Level, callKey: string | null): Draft[] {
  const drafts = blocks.flatMap((block, i) => blockDrafts(block, i, position, callKey, blocks));
  const hasText = blocks.some(({ type, textType }) => type === "text" && textType !== "reasoning");
  return hasText || content.trim() === ""
    ? drafts
    : [eventAt(position, { type: "assistant", text: content }, { callKey }), ...drafts];
}

function blockDrafts(
  block: Json,
  index: number,
  position: Level,
  callKey: string | null,
  all: readonly Json[],
): Draft[] {
  const type = asText(block["type"]) ?? "";
  const text = asText(block["content"]) ?? "";
  switch (type) {
    case "text":
      if (text.trim() === "") return [];
      return [
        eventAt(position, { type: block["textType"] === "reasoning" ? "reasoning" : "assistant", text }, { callKey }),
      ];
    case "plan":
      return text === "" ? [] : [eventAt(position, { type: "assistant", text }, { callKey })];
    case "tool":
      return toolDrafts(block, asText(block["toolName"]) ?? "unnamed", block["input"] ?? {}, position, callKey);
    case "ask-user": {
      const given = block["answers"] ?? (block["skipped"] === true ? "skipped" : undefined);
      const input = { questions: block["questions"] ?? [] };
      return toolDrafts({ ...block, outputRaw: given }, "ask_user", input, position, callKey);
    }
    case "agent":
      if (position.depth === DEEPEST) break;
      return agentDrafts(block, asText(block["agentId"]) || `${position.key}/${index}`, position, all);
    case "image":
    case "agent-list":
    case "mode-divider":
    case "gate-state":
    case "html":
      return [noteAt(position, type, clip(asText(block["filename"]) ?? asText(block["mode"]) ?? "", 100))];
  }
  return [eventAt(position, unknownBody("block", type, block))];
}

function toolDrafts(
  block: Json,
  toolName: string,
  input: unknown,
  position: Position,
  callKey: string | null,
): Draft[] {
  const toolCallId = asText(block["toolCallId"]);
  const call = eventAt(position, { type: "tool_call", toolCallId, toolName, input }, { callKey });
  const { output, outputRaw } = block;
  if (typeof output !== "string" && (outputRaw === undefined || outputRaw === null)) return [call];
  const text = asText(output) ?? asText(outputRaw) ?? jsonText(outputRaw);
  const result: EventBody = { type: "tool_result", toolCallId, text, isError: false, saw: "full" };
  return [call, eventAt(position, result)];
}

/** A sub-agent's run is inside the message: no count names it. */
function agentDrafts(agent: Json, lane: string, position: Level, beside: readonly Json[]): Draft[] {
  const callKey = `${position.key}/${lane}`;
  const own: Level = { ...position, lane, key: callKey, depth: position.depth + 1 };
  const toolCallId = asText(agent["spawnToolCallId"]);
  const isCalled =
    toolCallId !== null && beside.some((block) => block["type"] === "tool" && block["toolCallId"] === toolCallId);
  const agentName = asText(agent["agentName"]) || asText(agent["agentType"]) || null;
  const patch: SessionPatch = {
    relation: "subagent",
    ...(isCalled && { parentToolCallId: toolCallId }),
    ...(agentName !== null && { agentName }),
  };
  const prompt = asText(agent["initialPrompt"]) ?? "";
  const said = blocksDrafts(asArray(agent["blocks"]).filter(isObject), asText(agent["content"]) ?? "", own, callKey);
  const begun = prompt === "" ? [] : [eventAt(own, { type: "user", text: prompt }, { startsTurn: true })];
  const status = asText(agent["status"]) ?? "";
  const note = noteAt(own, "agent", clip(status, 60));
  return [
    ...(isCalled ? [{ kind: "link" as const, lane: position.lane, toolCallId, agentId: lane }] : []),
    patchOf(lane, patch),
    ...begun,
    ...said,
    note,
    ...(said.length > 0 ? [callDraft({ key: callKey, model: null, usage: null }, own)] : []),
  ];
}
