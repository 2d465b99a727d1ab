// The records of a Claude Code transcript that are not messages: the client's notes, titles, compactions.
import { jsonText } from "#lib/kernel/json-text.ts";
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asNumber, asWhole, asObject, asText, clip, type Json } from "../json.ts";
import { costStateDraft } from "./cost-state.ts";
import { MESSAGE, REPLACEMENT, REQUEST, SHAPE } from "./request-subtypes.ts";
import { claudeRequests, requestText } from "./requests.ts";

/** Types that carry no conversation; anything else becomes `unknown`, with its bytes. */
const META = new Set([
  "progress",
  "summary",
  "custom-title",
  "ai-title",
  "agent-name",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "cost-state",
  "frame-link",
  "queue-operation",
  "file-history-snapshot",
  "file-history-delta",
  "tag",
  "agent-color",
  "agent-setting",
  "atis-latch",
  "tools-used",
  "worktree-state",
  "relocated",
  "attribution-snapshot",
  "speculation-accept",
  "history-suppression",
  "bridge-session",
  "artifact-autoreact-ledger",
  "artifact-comment-monitor",
  REPLACEMENT,
  REQUEST,
  SHAPE,
  MESSAGE,
]);

/** `system` lines: a compaction, an error of the provider, or a note. */
export function systemBody(value: Json): EventBody {
  const subtype = asText(value["subtype"]) ?? "system";
  const text = asText(value["content"]) ?? "";
  if (subtype === "compact_boundary") {
    const meta = asObject(value["compactMetadata"]);
    const preserved = asArray(asObject(meta["preservedMessages"])["uuids"]).filter((id) => typeof id === "string");
    // Clients before June 2026 name the ends of what stays alone, and cut at the last one.
    const keptFrom = preserved.length > 0 ? null : asText(asObject(meta["preservedSegment"])["headUuid"]);
    return {
      type: "compaction",
      kind: "full",
      trigger: asText(meta["trigger"]),
      tokensBefore: asWhole(meta["preTokens"]),
      tokensAfter: asWhole(meta["postTokens"]),
      text,
      ...(preserved.length > 0 && { preserved }),
      ...(keptFrom !== null && { keptFrom }),
    };
  }
  if (subtype === "microcompact_boundary") {
    const meta = asObject(value["microcompactMetadata"]);
    const before = asWhole(meta["preTokens"]);
    const saved = asWhole(meta["tokensSaved"]);
    const cleared = asArray(meta["compactedToolIds"]).filter((id) => typeof id === "string");
    const clearedRecords = asArray(meta["clearedAttachmentUUIDs"]).filter((id) => typeof id === "string");
    return {
      type: "compaction",
      kind: "micro",
      trigger: asText(meta["trigger"]),
      tokensBefore: before,
      tokensAfter: before !== null && saved !== null ? Math.max(0, before - saved) : null,
      text,
      cleared,
      ...(clearedRecords.length > 0 && { clearedRecords }),
    };
  }
  if (subtype === "api_error") {
    const error = asObject(value["error"]);
    const message = asText(error["formatted"]) ?? asText(error["message"]) ?? text;
    return { type: "error", text: message || clip(jsonText(error), 1000), code: "api_error" };
  }
  // What a run started with: the names of its tools, one a line. Their schemas are in no file.
  if (subtype === "init")
    return {
      type: "meta",
      subtype,
      text: clip(
        asArray(value["tools"])
          .flatMap((tool) => asText(tool) ?? [])
          .join("\n"),
        20_000,
      ),
    };
  // The others are the client's own lines to its reader; the model is not sent them.
  return {
    type: "meta",
    subtype,
    text: subtype === "turn_duration" ? `${asNumber(value["durationMs"]) ?? 0} ms` : text,
  };
}

/** Titles and notes. A title is told to the session; the line itself stays in the log. */
export function metaDrafts(value: Json, lane: string, ts: number | null, recordKey: string | null): Draft[] {
  const type = asText(value["type"]) ?? "";
  const body: EventBody = META.has(type)
    ? { type: "meta", subtype: type, text: metaText(type, value) }
    : {
        type: "unknown",
        reason: `A record of type "${clip(type, 60)}", which is unknown.`,
        text: clip(jsonText(value), 1000),
      };
  const drafts: Draft[] = [{ kind: "event", lane, ts, body, recordKey, callKey: null, startsTurn: false }];
  const patch = titlePatch(type, value);
  if (patch !== null) drafts.unshift({ kind: "session", lane, patch });
  const parent = asText(value[CONTINUES]);
  if (parent !== null) drafts.push({ kind: "session", lane, patch: { relation: "continuation", parent } });
  if (type === "cost-state") drafts.push(costStateDraft(value, lane));
  const agentId = asText(asObject(value["data"])["agentId"]);
  const toolCallId = asText(value["parentToolUseID"]);
  if (type === "progress" && agentId !== null && toolCallId !== null)
    drafts.push({ kind: "link", lane, toolCallId, agentId });
  return drafts;
}

function metaText(type: string, value: Json): string {
  if (claudeRequests.subtypes.includes(type)) return requestText(type, value);
  if (type === "progress") {
    const data = asObject(value["data"]);
    return clip(
      [asText(data["type"]), asText(data["hookName"]), asText(data["output"])].filter(Boolean).join(" "),
      200,
    );
  }
  for (const key of [
    "summary",
    "customTitle",
    "aiTitle",
    "title",
    "lastPrompt",
    "mode",
    "permissionMode",
    "prUrl",
    "operation",
    "agentName",
    "bridgeSessionId",
  ])
    if (typeof value[key] === "string") return clip(value[key], 300);
  return "";
}

function titlePatch(type: string, value: Json): SessionPatch | null {
  const person = type === "custom-title" ? asText(value["customTitle"]) : null;
  if (person !== null) return { title: clip(person, 300), titleRank: 2 };
  const made = type === "ai-title" ? (asText(value["aiTitle"]) ?? asText(value["title"])) : null;
  // A `summary` line names a leaf that may stand in another file: it is a title only of the session that holds the leaf,
  // which a stream cannot know. It stays a note.
  return made === null ? null : { title: clip(made, 300), titleRank: 1 };
}

/** The first line with words, without the wrapper that an editor puts around what was open or selected. */
export function titleOf(text: string): string | null {
  const plain = text.replace(/<(ide_[a-z_]+|system-reminder)>[\s\S]*?<\/\1>/g, "").trim();
  return plain === "" ? null : plain.slice(0, 300);
}
