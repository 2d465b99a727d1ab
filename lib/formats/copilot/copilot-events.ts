// One line of a Copilot session. Most kinds of lines tell what the program did; a few are the conversation.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asNumber, asObject, asText, asTime, asWhole, clip, isObject, type Json } from "../json.ts";
import { draftOf, noteOf, type Line } from "./copilot-drafts.ts";
import { copilotAnswer, copilotPrompt, systemPrompt } from "./copilot-messages.ts";
import { copilotResult } from "./copilot-results.ts";
import { compactionCall, shutdown, usageRecord } from "./copilot-usage.ts";
import type { CopilotState } from "./copilot-state.ts";
import { NO_MESSAGES, truncation, withMessage } from "./copilot-truncation.ts";

export function copilotDrafts(value: unknown, state: CopilotState): Draft[] {
  const drafts: Draft[] = [];
  if (!state.named) {
    state.named = true;
    drafts.push({ kind: "session", lane: "", patch: { agentName: "Copilot CLI", ...listedTitle(state) } });
  }
  if (!isObject(value)) {
    const text = clip(jsonText(value), 500);
    const body = { type: "unknown", reason: "The line is JSON, but not an object.", text } as const;
    return [...drafts, draftOf({ lane: "", ts: null, key: null }, body)];
  }
  const data = asObject(value["data"]);
  const line: Line = {
    lane: asText(value["agentId"]) ?? asText(data["parentToolCallId"]) ?? "",
    ts: asTime(value["timestamp"]),
    key: asText(value["id"]),
  };
  if (line.lane === "" && SAID.has(asText(value["type"]) ?? "")) rememberMessage(line.key, state);
  return [...drafts, ...ofType(asText(value["type"]) ?? "", data, line, state, value)];
}

function rememberMessage(key: string | null, state: CopilotState): void {
  state.oldest = withMessage(state.oldest ?? NO_MESSAGES, key);
  if (state.compacting === null) return;
  state.compacting.first ??= key;
  state.compacting.kept = withMessage(state.compacting.kept ?? NO_MESSAGES, key);
}

const SAID = new Set(["user.message", "assistant.message", "tool.execution_complete", "system.notification"]);

function listedTitle({ listed }: CopilotState): SessionPatch {
  return listed === null ? {} : { title: clip(listed.name, 300), titleRank: listed.isOwn ? 2 : 1 };
}

function ofType(type: string, data: Json, line: Line, state: CopilotState, value: Json): Draft[] {
  switch (type) {
    case "session.start":
    case "session.resume":
      return started(type, data, line, state);
    case "user.message":
      return copilotPrompt(data, line, state);
    case "system.message":
      return systemPrompt(data, line);
    case "system.notification":
      return [draftOf(line, { type: "user", text: asText(data["content"]) ?? "", injected: "notification" })];
    case "assistant.message":
      return copilotAnswer(data, line, state);
    case "tool.execution_complete":
      return [copilotResult(data, line)];
    case "session.usage_record":
      return usageRecord(data, line, state);
    case "session.shutdown":
      return shutdown(data, line, state);
    case "session.compaction_complete":
      return compacted(data, line, state);
    case "session.compaction_start":
      state.compacting = { first: null };
      break;
    case "model.model_call_success": {
      const request = asText(asObject(data["modelCall"])["request_id"]);
      if (state.compacting !== null && request !== null) return [noteOf(line, type, "compaction", request)];
      break;
    }
    case "session.truncation":
      return truncated(data, line, state);
    case "session.context_cleared":
      if (line.lane === "") state.oldest = NO_MESSAGES;
      return [draftOf(line, { type: "rewind", text: "The context was cleared.", after: null })];
    case "session.error":
      return [draftOf(line, { type: "error", text: asText(data["message"]) ?? "", ...codeOf(data) })];
    case "subagent.started":
      return subagent(data, line, value);
    case "result":
      state.id = asText(value["sessionId"]) ?? state.id;
      return printedEnd(value, line);
  }
  // What a run prints while it goes on comes again whole.
  if (value["ephemeral"] === true && /_delta$|_partial_result$/.test(type))
    return [{ kind: "session", lane: "", patch: {} }];
  const patch = patchOf(type, data, line, state);
  if (isKnown(type)) return [...patch, noteOf(line, type, clip(aboutOf(data), 300))];
  const reason = `An event of type "${clip(type, 60)}", which is not known.`;
  return [draftOf(line, { type: "unknown", reason, text: clip(jsonText(value), 1000) })];
}

/** The last line that `copilot -p --output-format json` prints. */
function printedEnd(value: Json, line: Line): Draft[] {
  const code = asNumber(value["exitCode"]);
  const text = code === null ? "" : `exit code ${code}`;
  if (code === null || code === 0) return [noteOf(line, "result", text)];
  return [noteOf(line, "result", text), draftOf(line, { type: "error", text: `The run ended with ${text}.` })];
}

/** New kinds come with most releases, and each tells what the program did: a name that looks like one is a note. */
const isKnown = (type: string): boolean => type === "abort" || /^[a-z_]+\.[a-zA-Z_.]+$/.test(type);

/** What a note is about, in a word. */
function aboutOf(data: Json): string {
  for (const name of [
    "message",
    "infoType",
    "hookType",
    "toolName",
    "newModel",
    "newMode",
    "title",
    "agentName",
    "reason",
    "turnId",
  ]) {
    const text = asText(data[name]);
    if (text !== null && text !== "") return text;
  }
  return "";
}

const codeOf = (data: Json): { code?: string } => {
  const code = asText(data["errorCode"]) ?? asText(data["errorType"]) ?? asNumber(data["statusCode"])?.toString();
  return code === undefined ? {} : { code };
};

function started(type: string, data: Json, line: Line, state: CopilotState): Draft[] {
  state.id ??= asText(data["sessionId"]);
  const context = asObject(data["context"]);
  const [cwd, branch] = [asText(context["cwd"]), asText(context["branch"])];
  const version = asText(data["copilotVersion"]);
  const model = asText(data["selectedModel"]);
  const startedAt = type === "session.start" ? (asTime(data["startTime"]) ?? line.ts) : null;
  state.model = model ?? state.model;
  const continued = asText(data[CONTINUES]);
  const patch: SessionPatch = {
    ...(continued !== null && { parent: continued, relation: "continuation" }),
    ...(cwd !== null && cwd !== "" && { cwd }),
    ...(branch !== null && branch !== "" && { branch }),
    ...(version !== null && { agentVersion: version }),
    ...(model !== null && { model }),
    ...(startedAt !== null && { startedAt }),
  };
  return [{ kind: "session", lane: "", patch }, noteOf(line, type, cwd ?? "")];
}

function patchOf(type: string, data: Json, { lane }: Line, state: CopilotState): Draft[] {
  if (type === "session.model_change") {
    const model = asText(data["newModel"]);
    if (model === null || lane !== "") return [];
    state.model = model;
    return [{ kind: "session", lane, patch: { model } }];
  }
  const title = type === "session.title_changed" ? (asText(data["title"])?.trim() ?? "") : "";
  return title === "" ? [] : [{ kind: "session", lane, patch: { title: clip(title, 300), titleRank: 1 } }];
}

/** The call that started it stands in its parent's lane; the lines of its own run have its name. */
function subagent(data: Json, line: Line, value: Json): Draft[] {
  const toolCallId = asText(data["toolCallId"]);
  const agentId = asText(value["agentId"]) ?? toolCallId;
  if (toolCallId === null || agentId === null) return [noteOf(line, "subagent.started")];
  const name = asText(data["agentDisplayName"]) ?? asText(data["agentName"]);
  const model = asText(data["model"]);
  const patch: SessionPatch = {
    relation: "subagent",
    parentToolCallId: toolCallId,
    ...(name !== null && { agentName: name }),
    ...(model !== null && { model }),
  };
  const parent = asText(data["parentId"]) ?? "";
  return [
    { kind: "link", lane: parent, toolCallId, agentId },
    { kind: "session", lane: agentId, patch },
    noteOf({ ...line, lane: agentId }, "subagent.started", name ?? ""),
  ];
}

function truncated(data: Json, line: Line, state: CopilotState): Draft[] {
  const found = line.lane === "" ? truncation(data, state.oldest ?? NO_MESSAGES) : null;
  if (found !== null) {
    state.oldest = found.rest;
    return [draftOf(line, found.body)];
  }
  const removed = asWhole(data["messagesRemovedDuringTruncation"]) ?? 0;
  // Which ones is not known, nor what a later one takes.
  if (line.lane === "" && removed > 0) state.oldest = { ...NO_MESSAGES, isWhole: false };
  return [noteOf(line, "session.truncation", `${removed} messages left the context`)];
}

/** Words that stand around a summary where it is sent. */
const [BEFORE, PROMPTS, SUMMARY, AFTER] = [
  "Some of the conversation history has been summarized to free up context.\n\n",
  "You were originally given instructions from a user over one or more turns. Here were the user messages:\n",
  "Here is a summary of the prior context:\n<summary>\n",
  "\n</summary>",
];

function compacted(data: Json, line: Line, state: CopilotState): Draft[] {
  const { first = null, kept = NO_MESSAGES } = state.compacting ?? {};
  state.compacting = null;
  const summary = asText(data["summaryContent"]) ?? "";
  const call = compactionCall(data, line, state);
  if (data["success"] === false || summary === "")
    return [
      ...call,
      noteOf(line, "session.compaction_complete", asText(data["error"]) ?? asText(data["outcome"]) ?? "failed"),
    ];
  if (line.lane === "") state.oldest = { ...kept, keys: [line.key ?? "", ...kept.keys] };
  const body: EventBody = {
    type: "compaction",
    kind: "full",
    trigger: asText(data["trigger"]) ?? "auto",
    tokensBefore: asWhole(data["preCompactionTokens"]),
    tokensAfter: asWhole(data["postCompactionTokens"]),
    text: summary,
    ...(first !== null && { keptFrom: first }),
  };
  const said = state.prompts.map((text) => `<user_message>\n${text}\n</user_message>\n`).join("");
  const text = `${BEFORE}${said === "" ? "" : `${PROMPTS}${said}\n`}${SUMMARY}${summary}${AFTER}`;
  return [...call, draftOf(line, body), draftOf(line, { type: "user", text, injected: "summary" })];
}
