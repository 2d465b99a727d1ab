// Entries of the log that Kiro's command line writes for a session: prompts, answers, results, and what was done to the conversation.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, asWhole, isObject, type Json } from "../json.ts";
import { imagesOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import {
  aboutDrafts,
  callOf,
  rememberRecord,
  rewindOf,
  summaryDrafts,
  sumDrafts,
  tailAt,
  titleDrafts,
} from "./kiro-drafts.ts";
import type { KiroState } from "./kiro-state.ts";

export function logDrafts(entry: Json, state: KiroState): Draft[] {
  const data = asObject(entry["data"]);
  const before = state.tails.at(-1) ?? null;
  const key = asText(data["message_id"]);
  const drafts = [...aboutDrafts(state), ...entryDrafts(asText(entry["kind"]) ?? "", data, key, before, state)];
  return [...drafts, ...sumDrafts(state, { ts: state.ts, key: null })];
}

function entryDrafts(
  kind: string,
  data: Json,
  key: string | null,
  before: string | null,
  state: KiroState,
): readonly Draft[] {
  const at: Entry = { ts: state.ts, key };
  switch (kind) {
    case "Prompt": {
      state.ts = asTime(asObject(data["meta"])["timestamp"]) ?? state.ts;
      rememberRecord(state, key ?? before);
      return messageDrafts("user", data, { ts: state.ts, key }, state);
    }
    case "AssistantMessage":
      rememberRecord(state, key ?? before);
      return messageDrafts("assistant", data, at, state);
    case "ToolResults":
      rememberRecord(state, key ?? before);
      return messageDrafts("tool", data, at, state);
    case "Compaction": {
      const kept = asArray(data["messages_snapshot"])
        .map((message) => asText(asObject(message)["id"]))
        .filter((id): id is string => id !== null && state.tails.includes(id));
      rememberRecord(state, before);
      return summaryDrafts(asText(data["summary"]) ?? "", at, kept);
    }
    case "ResetTo": {
      const target = asWhole(data["target_index"]);
      const tail = target === null ? undefined : tailAt(state, target);
      rememberRecord(state, tail === undefined ? before : tail);
      if (tail === undefined) return [noteOf(at, "reset", `To entry ${jsonText(data["target_index"] ?? null)}`)];
      return [rewindOf(at, tail)];
    }
    case "CancelledPrompt": {
      const earlier = state.tails.findLast((tail) => tail !== before);
      const isKnown = earlier !== undefined || state.tails.length === state.count;
      rememberRecord(state, isKnown ? (earlier ?? null) : before);
      return [isKnown ? rewindOf(at, earlier ?? null) : noteOf(at, "cancelled prompt")];
    }
  }
  rememberRecord(state, null);
  return [rewindOf(at, null)];
}

function messageDrafts(role: "user" | "assistant" | "tool", data: Json, at: Entry, state: KiroState): Draft[] {
  const callKey = role === "assistant" ? (at.key ?? `${state.id}/${state.count}`) : null;
  const own = callKey === null ? {} : { callKey };
  let hasPrompt = false;
  const drafts = asArray(data["content"])
    .map(asObject)
    .flatMap((block): Draft[] => {
      const [kind, value] = [asText(block["kind"]) ?? "", block["data"]];
      if (kind === "text") {
        const text = asText(value) ?? "";
        if (role === "assistant") return text === "" ? [] : [eventOf(at, { type: "assistant", text }, own)];
        if (role === "tool") return [eventOf(at, { type: "user", text, injected: "environment" })];
        const startsTurn = !hasPrompt;
        hasPrompt = true;
        return [...titleDrafts(text, state), eventOf(at, { type: "user", text }, { startsTurn })];
      }
      if (kind === "toolUse") return [eventOf(at, callBody(asObject(value)), own)];
      if (kind === "toolResult") return [resultDraft(asObject(value), at)];
      if (kind === "image") return [imageDraft(value, at)];
      const thought = thoughtOf(kind, value);
      return [eventOf(at, thought ?? unknownBody("block", kind, block), own)];
    });
  if (drafts.length === 0) drafts.push(noteOf(at, `${role} message`, "", callKey));
  return callKey === null ? drafts : [...drafts, callOf(callKey, at.ts, state)];
}

const callBody = (data: Json): EventBody => ({
  type: "tool_call",
  toolCallId: asText(data["toolUseId"]),
  toolName: asText(data["name"]) ?? "unnamed",
  input: data["input"] ?? {},
});

/** Results are lists of words, values, and images. */
function resultDraft(data: Json, at: Entry): Draft {
  const found = asArray(data["content"]).map(asObject);
  const shown = found.map((part) => (part["kind"] === "image" ? imageOf(part["data"]) : null));
  const pictures = shown.filter((image) => image !== null);
  const texts = found.flatMap((part, i) => {
    if (shown[i] !== null) return [];
    return [asText(part["data"]) ?? (part["kind"] === "image" ? "[image]" : jsonText(part["data"] ?? part))];
  });
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(data["toolUseId"]),
    text: texts.join("\n"),
    isError: !/^success$/i.test(asText(data["status"]) ?? "success"),
    saw: "full",
    ...(pictures.length > 0 && { images: imagesOf(pictures) }),
  };
  return eventOf(at, body, { attachments: pictures });
}

function imageOf(value: unknown): Attachment | null {
  const source = asObject(asObject(value)["source"]);
  const base64 = asText(source["data"]) ?? asText(source["bytes"]);
  const mediaType = asText(source["media_type"]) ?? `image/${asText(asObject(value)["format"]) ?? "png"}`;
  return base64 === null || base64 === "" ? null : { mediaType, base64 };
}

function imageDraft(value: unknown, at: Entry): Draft {
  const image = imageOf(value);
  if (image === null) return noteOf(at, "image");
  const body: EventBody = { type: "user", text: "", images: imagesOf([image]), injected: "file" };
  return eventOf(at, body, { attachments: [image] });
}

/** A thought, as its provider has it: words with a signature, or bytes that only it can read. Null for any other block. */
export function thoughtOf(kind: string, value: unknown): EventBody | null {
  if (!/^(?:reasoning|thinking)/i.test(kind) || (typeof value !== "string" && !isObject(value))) return null;
  const whole = asObject(value);
  const said = [whole["reasoningText"], whole["reasoning_text"], whole].map(asObject).find((one) => "text" in one);
  const sealed = whole["redactedContent"] ?? whole["redacted_content"];
  const signature = asText(said?.["signature"]) ?? "";
  const text = asText(value) ?? asText(said?.["text"]) ?? "";
  if (text === "" && signature === "" && sealed === undefined) return null;
  const chars = signature.length || (asText(sealed) ?? "").length;
  return {
    type: "reasoning",
    text,
    ...(chars > 0 && { signatureChars: chars }),
    ...(text === "" && { encrypted: true }),
  };
}
