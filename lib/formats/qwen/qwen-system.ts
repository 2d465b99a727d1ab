// Notes of the client in a chat of Qwen Code: compactions, titles, what telemetry told of a call, and others that say nothing of
// the conversation.
import { progressLane, promptTokens, type Draft, type SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { answerBody, responseOf, usageOfCounts, wordsOf } from "../google-content.ts";
import { asArray, asObject, asText, asWhole, clip, isObject, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "./qwen-drafts.ts";
import { printOf } from "./qwen-messages.ts";
import type { QwenState } from "./qwen-state.ts";

/** Answers of which telemetry tells before their records: more are never open at once. */
const TOLD = 8;
const NOTE_CHARS = 1000;

export function systemDrafts(record: Json, entry: Entry, state: QwenState): Draft[] {
  const subtype = asText(record["subtype"]) ?? "system";
  const payload = asObject(record["systemPayload"]);
  switch (subtype) {
    case "chat_compression":
      return compaction(payload, entry, state);
    case "ui_telemetry":
      return telemetry(asObject(payload["uiEvent"]), entry, state);
    case "custom_title":
      return [...titleOf(payload), noteOf(entry, subtype, clip(asText(payload["customTitle"]) ?? "", 300))];
    case "session_model":
      return [...modelOf(payload, state), noteOf(entry, subtype, clip(jsonText(payload), NOTE_CHARS))];
    case "parent_session":
      return [...parentOf(payload), noteOf(entry, subtype, asText(payload["parentSessionId"]) ?? "")];
  }
  const text = Object.keys(payload).length === 0 ? "" : clip(jsonText(payload), NOTE_CHARS);
  return [noteOf(entry, subtype, text)];
}

const patched = (patch: SessionPatch): Draft => ({ kind: "session", lane: "", patch });

function titleOf(payload: Json): Draft[] {
  const title = asText(payload["customTitle"])?.trim() ?? "";
  const titleRank = payload["titleSource"] === "auto" ? 1 : 2;
  return title === "" ? [] : [patched({ title: clip(title, 300), titleRank })];
}

function modelOf(payload: Json, state: QwenState): Draft[] {
  const model = asText(payload["model"]) ?? asText(payload["modelId"]);
  if (model === null || model === state.model) return [];
  state.model = model;
  return [patched({ model })];
}

function parentOf(payload: Json): Draft[] {
  const parent = asText(payload["parentSessionId"]);
  return parent === null ? [] : [patched({ parent, relation: "subagent" })];
}

/** The history that stands in place of all before. What it repeats of the last messages stays; the rest is new. */
function compaction(payload: Json, entry: Entry, state: QwenState): Draft[] {
  const info = asObject(payload["info"]);
  const history = asArray(payload["compressedHistory"]).filter(isObject);
  const preserved = new Set<string>();
  const added: Draft[] = [];
  let summary = "";
  for (const content of history) {
    const parts = asArray(content["parts"]).map(asObject);
    const fresh = parts.filter((part) => {
      const print = printOf(part);
      const known = state.recent.findLast(([, prints]) => prints.includes(print));
      if (known !== undefined) preserved.add(known[0]);
      return known === undefined;
    });
    if (fresh.length === 0) continue;
    const { text, images, attachments } = wordsOf(fresh);
    if (content["role"] === "model") {
      for (const part of fresh) {
        const body = answerBody(part);
        if (body !== null) added.push(eventOf(entry, body));
      }
    } else {
      for (const part of fresh) {
        const result = responseOf(part);
        if (result !== null) added.push(eventOf(entry, { type: "tool_result", ...result, saw: "full" }));
      }
      if (text === "" && images.length === 0) continue;
      const injected = summary === "" ? "summary" : "restored";
      summary ||= text;
      const body: EventBody = { type: "user", text, injected, ...(images.length > 0 && { images }) };
      added.push(eventOf(entry, body, { attachments }));
    }
  }
  state.call = null;
  return [
    eventOf(entry, {
      type: "compaction",
      kind: "full",
      trigger: asText(info["triggerReason"]),
      tokensBefore: asWhole(info["originalTokenCount"]),
      tokensAfter: asWhole(info["newTokenCount"]),
      text: summary,
      ...(preserved.size > 0 && { preserved: [...preserved] }),
    }),
    ...added,
  ];
}

/**
 * Telemetry stands before the record of the answer that it is about, and has the provider's id of it. A call of the client itself (a
 * compaction's) has no record: it is counted here. A sub-agent's stands for the agent's own file, while that is absent.
 */
function telemetry(told: Json, entry: Entry, state: QwenState): Draft[] {
  const name = asText(told["event.name"]) ?? "ui_telemetry";
  if (name.endsWith(".api_error")) return [failure(told, entry)];
  const id = asText(told["response_id"]);
  const usage = usageOfCounts({
    prompt: told["input_token_count"],
    cached: told["cached_content_token_count"],
    output: told["output_token_count"],
    thoughts: told["thoughts_token_count"],
    tool: told["tool_token_count"],
    total: told["total_token_count"],
  });
  if (!name.endsWith(".api_response") || id === null || id === "" || usage === null)
    return [noteOf(entry, name, asText(told["function_name"]) ?? "")];
  const agent = agentOf(told, state);
  const lane = agent === null ? "" : progressLane(agent);
  if (agent === null)
    state.told = [...state.told, [id, promptTokens(usage), usage.output, entry.key] as const].slice(-TOLD);
  const model = asText(told["model"]);
  const text = asText(told["response_text"]) ?? "";
  const body: EventBody =
    agent === null || text === "" ? { type: "meta", subtype: name, text: "" } : { type: "assistant", text };
  const call: Draft = { kind: "call", lane, key: id, ts: entry.ts, model, usage, outputLowerBound: false };
  if (agent === null) return [eventOf(entry, body, { callKey: id }), call];
  return [
    noteOf(entry, name, agent),
    { kind: "session", lane, patch: patchOfAgent(agent, model) },
    { ...eventOf({ ...entry, key: null }, body, { callKey: id }), lane } as Draft,
    call,
  ];
}

const patchOfAgent = (agent: string, model: string | null): SessionPatch => ({
  relation: "subagent",
  agentName: "Qwen Code",
  title: agent,
  titleRank: 0,
  quality: TOLD_BY_PARENT,
  ...(model !== null && { model }),
});

const TOLD_BY_PARENT = "Read from notes of its parent; its own file was not imported.";

/** A sub-agent's requests are named `<session>#<agent>#<number>`; the session's own have no name between the signs. */
function agentOf(told: Json, { agentId }: QwenState): string | null {
  if (agentId !== null || asText(told["subagent_name"]) === null) return null;
  return /#([\w.-]{1,120})#\d+$/.exec(asText(told["prompt_id"]) ?? "")?.[1] ?? null;
}

function failure(told: Json, entry: Entry): Draft {
  const text = asText(told["error_message"]) ?? asText(told["error"]) ?? "The request failed.";
  const code = asWhole(told["status_code"]);
  return eventOf(entry, { type: "error", text, ...(code !== null && { code: String(code) }) });
}
