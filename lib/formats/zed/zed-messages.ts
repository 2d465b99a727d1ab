// One message of a thread of Zed, of today's generation and of the one before.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { compactionDrafts, noteUser, type UserLength } from "./zed-compaction.ts";

export type ZedState = {
  id: string | null;
  model: string | null;
  hasTitle: boolean;
  /** The user's message that the answers below belong to. */
  turn: string | null;
  /** The last answer of each turn. */
  ends: Record<string, string>;
  /** The last messages of the person. */
  users: readonly UserLength[];
};

/** Turns whose last request is looked up; a thread with more has its tokens in the sum alone. */
const TURNS = 60;

export function zedMessage(message: unknown, key: string, state: ZedState): Draft[] {
  const entry: Entry = { ts: null, key };
  if (!isObject(message)) return [noteOf(entry, "resume", typeof message === "string" ? message : "")];
  const [kind] = Object.keys(message);
  if (kind === "User") return userDrafts(asObject(message[kind]), entry, state);
  if (kind === "Compaction") return compactionDrafts(message[kind], entry, state.users);
  if (kind === "Agent") return agentDrafts(asObject(message[kind]), entry, state);
  if (typeof message["role"] === "string") return legacyDrafts(message, entry, state);
  const text = clip(jsonText(message), 1000);
  return [eventOf(entry, { type: "unknown", reason: "A message of a kind that is not known.", text })];
}

function userDrafts(message: Json, entry: Entry, state: ZedState): Draft[] {
  state.turn = asText(message["id"]) ?? entry.key;
  const words = asArray(message["content"]).map((part) => {
    const { Text: text, Mention: mention } = asObject(part);
    return asText(text) ?? asText(asObject(mention)["content"]) ?? "";
  });
  state.users = noteUser(state.users, entry.key ?? "", words.join(""));
  let hasPrompt = false;
  const drafts = asArray(message["content"]).flatMap((part): Draft[] => {
    const [kind, value] = Object.entries(asObject(part))[0] ?? ["", null];
    if (kind === "Text") {
      const text = asText(value) ?? "";
      const startsTurn = !hasPrompt;
      hasPrompt = true;
      return [...titleOf(text, state), eventOf(entry, { type: "user", text }, { startsTurn })];
    }
    if (kind === "Mention") {
      const text = asText(asObject(value)["content"]) ?? "";
      return [eventOf(entry, { type: "user", text, injected: "mention" })];
    }
    if (kind === "Image") return [imageDraft(asObject(value), entry)];
    return [unknownPart(part, entry)];
  });
  return drafts.length > 0 ? drafts : [noteOf(entry, "user message")];
}

function titleOf(text: string, state: ZedState): Draft[] {
  if (state.hasTitle || text.trim() === "") return [];
  state.hasTitle = true;
  return [{ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } }];
}

function imageDraft(value: Json, entry: Entry): Draft {
  const base64 = asText(value["source"]);
  if (base64 === null) return noteOf(entry, "image");
  const mediaType = "image/png";
  const images = [{ mediaType, attachment: 0, artifact: null, width: null, height: null }];
  return eventOf(entry, { type: "user", text: "", images, injected: "file" }, { attachments: [{ mediaType, base64 }] });
}

const unknownPart = (part: unknown, entry: Entry): Draft =>
  eventOf(entry, { type: "unknown", reason: "A part of a kind that is not known.", text: clip(jsonText(part), 1000) });

function agentDrafts(message: Json, entry: Entry, state: ZedState): Draft[] {
  const callKey = entry.key ?? "";
  const results = asObject(message["tool_results"]);
  const drafts = asArray(message["content"]).flatMap((part): Draft[] => {
    const [kind, value] = Object.entries(asObject(part))[0] ?? ["", null];
    const told = asObject(value);
    switch (kind) {
      case "Text":
        return [eventOf(entry, { type: "assistant", text: asText(value) ?? "" }, { callKey })];
      case "Thinking": {
        const signatureChars = (asText(told["signature"]) ?? "").length;
        return [eventOf(entry, { type: "reasoning", text: asText(told["text"]) ?? "", signatureChars }, { callKey })];
      }
      case "RedactedThinking": {
        const signatureChars = (asText(value) ?? "").length;
        return [eventOf(entry, { type: "reasoning", text: "", encrypted: true, signatureChars }, { callKey })];
      }
      case "ToolUse": {
        const toolCallId = asText(told["id"]);
        const toolName = asText(told["name"]) ?? "unnamed";
        const input = inputOf(told["input"]);
        return [eventOf(entry, { type: "tool_call", toolCallId, toolName, input }, { callKey })];
      }
    }
    return [unknownPart(part, entry)];
  });
  const answered = Object.values(results).map((result) => resultDraft(asObject(result), entry));
  if (drafts.length + answered.length === 0) drafts.push(noteOf(entry, "empty answer", "", callKey));
  return [...drafts, ...answered, ...callDrafts(callKey, state)];
}

/** Newer releases say of what kind it is. */
function inputOf(input: unknown): unknown {
  const { type, value, ...rest } = asObject(input);
  const isFramed = (type === "json" || type === "text") && value !== undefined && Object.keys(rest).length === 0;
  return isFramed ? value : (input ?? {});
}

function callDrafts(key: string, state: ZedState): Draft[] {
  if (state.turn !== null && (Object.hasOwn(state.ends, state.turn) || Object.keys(state.ends).length < TURNS))
    state.ends[state.turn] = key;
  return [{ kind: "call", lane: "", key, ts: null, model: state.model, usage: null, outputLowerBound: false }];
}

function resultDraft(result: Json, entry: Entry): Draft {
  const content = Array.isArray(result["content"]) ? result["content"] : [result["content"]];
  const texts = content.flatMap((part) => {
    if (typeof part === "string") return [part];
    const [kind, value] = Object.entries(asObject(part))[0] ?? ["", null];
    return kind === "Text" || kind === "text" ? [asText(value) ?? jsonText(value)] : [`[${kind}]`];
  });
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(result["tool_use_id"]),
    text: texts.join("\n"),
    isError: result["is_error"] === true,
    saw: "full",
  };
  return eventOf(entry, body);
}

/** Before 2025's new agent: a role, segments of text, calls and results. */
function legacyDrafts(message: Json, entry: Entry, state: ZedState): Draft[] {
  const isAnswer = message["role"] === "assistant";
  const callKey = isAnswer ? (entry.key ?? "") : null;
  const own = callKey === null ? {} : { callKey };
  if (!isAnswer) state.turn = entry.key;
  let hasPrompt = false;
  const drafts = asArray(message["segments"])
    .map(asObject)
    .flatMap((segment): Draft[] => {
      const text = asText(segment["text"]) ?? "";
      if (segment["type"] === "thinking") return [eventOf(entry, { type: "reasoning", text }, own)];
      if (segment["type"] === "redacted_thinking")
        return [eventOf(entry, { type: "reasoning", text: "", encrypted: true }, own)];
      if (isAnswer) return [eventOf(entry, { type: "assistant", text }, own)];
      if (message["role"] === "system") return [eventOf(entry, { type: "system", subtype: "prompt", text })];
      const startsTurn = !hasPrompt;
      hasPrompt = true;
      return [...titleOf(text, state), eventOf(entry, { type: "user", text }, { startsTurn })];
    });
  const context = asText(message["context"]) ?? "";
  if (context !== "") drafts.push(eventOf(entry, { type: "user", text: context, injected: "context" }));
  for (const use of asArray(message["tool_uses"]).map(asObject)) {
    const toolName = asText(use["name"]) ?? "unnamed";
    drafts.push(
      eventOf(entry, { type: "tool_call", toolCallId: asText(use["id"]), toolName, input: use["input"] ?? {} }, own),
    );
  }
  for (const result of asArray(message["tool_results"])) drafts.push(resultDraft(asObject(result), entry));
  if (drafts.length === 0) drafts.push(noteOf(entry, `${String(message["role"])} message`, "", callKey));
  return callKey === null ? drafts : [...drafts, ...callDrafts(callKey, state)];
}
