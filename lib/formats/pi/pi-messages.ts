// The messages of a pi session: what a person said, what the model answered, what tools gave back.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, clip, type Json } from "../json.ts";
import { parted } from "./channel-metadata.ts";
import { readPiContent } from "./pi-content.ts";
import { draftOf, noteOf, type Entry } from "./pi-drafts.ts";
import { toolResult } from "./pi-results.ts";
import { systemMessage } from "./pi-system.ts";
import { addReported, readPiUsage, sideCall } from "./pi-usage.ts";
import type { PiState } from "./pi-state.ts";

/** Words that stand around a summary where it is sent. */
export const COMPACTION_WORDS = [
  "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
  "\n</summary>",
] as const;
export const BRANCH_WORDS = [
  "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
  "</summary>",
] as const;

/** Models under which OpenClaw writes down what it delivered: no model said it, and none is sent it. */
const ECHOES = new Set(["delivery-mirror", "gateway-injected"]);

export function messageDrafts(message: Json, entry: Entry, state: PiState): Draft[] {
  const role = asText(message["role"]) ?? "";
  switch (role) {
    case "user":
      return userMessage(message, entry, state);
    case "assistant":
      return isEcho(message) ? [echo(message, entry)] : answer(message, entry, state);
    case "toolResult":
      return [toolResult(message, entry), ...toolCalls(message, entry, state)];
    case "system":
    case "developer":
      return systemMessage(message, role, entry);
    case "bashExecution":
      return [bashExecution(message, entry)];
    case "custom":
    case "hookMessage":
      return [injected(message["content"], entry, "extension")];
    case "branchSummary":
      return [wrapped(asText(message["summary"]) ?? "", entry, BRANCH_WORDS, "branch_summary")];
    case "compactionSummary":
      return [wrapped(asText(message["summary"]) ?? "", entry, COMPACTION_WORDS, "summary")];
  }
  const reason = `A message of the role "${clip(role, 60)}", which is not known.`;
  return [draftOf(entry, { type: "unknown", reason, text: clip(jsonText(message), 1000) })];
}

/** What a person said. What a channel put around it stands in events of its own, which are folded. */
function userMessage(message: Json, entry: Entry, state: PiState): Draft[] {
  const { text, words: known, images, attachments } = readPiContent(message["content"]);
  const parts = parted(text);
  const last = parts.findLastIndex((part) => !part.isMetadata);
  const first =
    parted(known)
      .findLast((part) => !part.isMetadata)
      ?.text.trim() ?? "";
  // A command of the client that reached the model all the same says nothing of the session.
  const title = /^\/\S*$/.test(first) ? "" : first;
  const drafts: Draft[] = [];
  if (title !== "" && !state.hasTitle && entry.lane === "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(title, 300), titleRank: 0 } });
  }
  // An image without words is a prompt too.
  const own = last < 0 ? parts.length - 1 : last;
  return [
    ...drafts,
    ...parts.map(({ text: words, isMetadata }, i) => {
      const isOwn = i === own;
      const body: EventBody = {
        type: "user",
        text: words,
        ...(isOwn && images.length > 0 && { images }),
        ...(isMetadata && { injected: "channel_metadata" }),
      };
      return draftOf(entry, body, { startsTurn: isOwn, ...(isOwn && { attachments }) });
    }),
  ];
}

/** What a tool asked models for, in sum: a sub-agent's. Where its run's messages stand in the result, they have their own counts. */
function toolCalls(message: Json, entry: Entry, state: PiState): Draft[] {
  const runs = asArray(asObject(message["details"])["results"]);
  const isInside = runs.some((run) => asArray(asObject(run)["messages"]).length > 0);
  const toolCallId = asText(message["toolCallId"]);
  const usage = readPiUsage(message["usage"]);
  if (isInside || toolCallId === null || usage === null || entry.lane !== "") return [];
  const lane = `${toolCallId}.1`;
  const agentName = asText(message["toolName"]);
  const inside: Entry = { lane, ts: entry.ts, key: entry.key === null ? null : `${entry.key}/${lane}`, isInside: true };
  const patch = {
    relation: "subagent",
    parentToolCallId: toolCallId,
    ...(agentName !== null && { agentName }),
  } as const;
  return [
    { kind: "link", lane: "", toolCallId, agentId: lane },
    { kind: "session", lane, patch },
    ...sideCall(usage, "tool", null, inside),
    ...addReported(state, message, usage, ""),
  ];
}

/** A message that a program put in the user's place. */
export function injected(content: unknown, entry: Entry, kind: string): Draft {
  const { text, images, attachments } = readPiContent(content);
  const body: EventBody = { type: "user", text, injected: kind, ...(images.length > 0 && { images }) };
  return draftOf(entry, body, { attachments });
}

export const wrapped = (
  summary: string,
  entry: Entry,
  [before, after]: readonly [string, string],
  kind: string,
): Draft => draftOf(entry, { type: "user", text: before + summary + after, injected: kind });

/** A command that a person ran beside the conversation. The model is sent it, unless the person said otherwise. */
function bashExecution(message: Json, entry: Entry): Draft {
  const output = asText(message["output"]) ?? "";
  const code = message["exitCode"];
  const path = asText(message["fullOutputPath"]);
  const end =
    message["cancelled"] === true
      ? "\n\n(command cancelled)"
      : typeof code === "number" && code !== 0
        ? `\n\nCommand exited with code ${code}`
        : "";
  const note = message["truncated"] === true && path !== null ? `\n\n[Output truncated. Full output: ${path}]` : "";
  const shown = output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``;
  const text = `Ran \`${asText(message["command"]) ?? ""}\`\n${shown}${end}${note}`;
  if (message["excludeFromContext"] === true) return noteOf(entry, "bashExecution", clip(text, 4000));
  return draftOf(entry, { type: "user", text, injected: "command" });
}

const isEcho = (message: Json): boolean =>
  (message["provider"] === "openclaw" && ECHOES.has(asText(message["model"]) ?? "")) ||
  asText(asObject(message["openclawDeliveryMirror"])["kind"]) !== null;

/** The text of a mirror stands in the answer above it; what was injected stands nowhere else. */
function echo(message: Json, entry: Entry): Draft {
  const isInjected = message["model"] === "gateway-injected";
  const { text } = readPiContent(message["content"]);
  return noteOf(entry, isInjected ? "gateway-injected" : "delivery-mirror", isInjected ? clip(text, 4000) : "");
}

/** An answer's key: when it was asked for and when it was written, in milliseconds, by which model, and what it cost in tokens. */
export const CALL_NAMES = "[0-9]* [0-9]* ?*";

function answer(message: Json, entry: Entry, state: PiState): Draft[] {
  const model = asText(message["model"]);
  const usage = readPiUsage(message["usage"]);
  const content =
    typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : message["content"];
  const blocks = asArray(content).map(asObject);
  // They are the same in every copy of an answer, whatever its file was migrated to since.
  const times = `${entry.lane} ${entry.ts ?? ""} ${jsonText(message["timestamp"] ?? null)}`;
  const callKey = `${times} ${model ?? ""} ${usage === null ? "" : Object.values(usage).join(".")}`.trim();
  const isNew = entry.lane === "" ? model !== null && model !== state.model : true;
  if (entry.lane === "") state.model = model ?? state.model;
  const failure = failureOf(message);
  const drafts: Draft[] = [];
  if (isNew && model !== null) drafts.push({ kind: "session", lane: entry.lane, patch: { model } });
  let native = message["api"] === "anthropic-messages" ? signedThinking(blocks) : null;
  for (const block of blocks) {
    const body = answerBody(block);
    const isFirstCall = native !== null && body.type === "tool_call";
    drafts.push(draftOf(entry, isFirstCall ? { ...body, native: native! } : body, { callKey }));
    if (isFirstCall) native = null;
  }
  if (blocks.length === 0 && failure === null) drafts.push({ ...noteOf(entry, "empty answer"), callKey } as Draft);
  if (failure !== null) drafts.push({ ...draftOf(entry, failure), callKey } as Draft);
  drafts.push({ kind: "call", lane: entry.lane, key: callKey, ts: entry.ts, model, usage, outputLowerBound: false });
  if (entry.lane === "") drafts.push(...addReported(state, message, usage, model ?? ""));
  return drafts;
}

/** Thoughts with their signatures, which Anthropic wants back with the calls of the same answer; null where it has none. */
function signedThinking(blocks: readonly Json[]): Json | null {
  const messageContent = blocks.flatMap((block): Json[] => {
    const signature = asText(block["thinkingSignature"]) ?? "";
    if (block["type"] !== "thinking" || signature === "") return [];
    if (block["redacted"] === true) return [{ type: "redacted_thinking", data: signature }];
    return [{ type: "thinking", thinking: asText(block["thinking"]) ?? "", signature }];
  });
  return messageContent.length === 0 ? null : { provider: "anthropic", messageContent };
}

function answerBody(block: Json): EventBody {
  switch (block["type"]) {
    case "text":
      return { type: "assistant", text: asText(block["text"]) ?? "" };
    case "thinking":
      return reasoning(block);
    case "toolCall":
      return {
        type: "tool_call",
        toolCallId: asText(block["id"]),
        toolName: asText(block["name"]) ?? "unnamed",
        input: block["arguments"] ?? {},
      };
  }
  const reason = "A content block of a kind that is not known.";
  return { type: "unknown", reason, text: clip(jsonText(block), 2000) };
}

/** For some providers the signature is the name of the field that the thoughts came in: that weighs nothing. */
function reasoning(block: Json): EventBody {
  const signature = asText(block["thinkingSignature"]) ?? "";
  const signatureChars = /^[a-z_]{0,40}$/i.test(signature) ? 0 : signature.length;
  return {
    type: "reasoning",
    text: asText(block["thinking"]) ?? "",
    ...(signatureChars > 0 && { signatureChars }),
    ...(block["redacted"] === true && { encrypted: true }),
  };
}

/** An answer that failed or was broken off. */
function failureOf(message: Json): EventBody | null {
  const code = asText(message["stopReason"]);
  if (code !== "error" && code !== "aborted") return null;
  const text =
    asText(message["errorMessage"]) ?? (code === "aborted" ? "The request was aborted." : "The request failed.");
  return { type: "error", text, code };
}
