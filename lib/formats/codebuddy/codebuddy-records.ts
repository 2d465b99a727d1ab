// One record of CodeBuddy as drafts: an item of a conversation, or what the client notes beside it.
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { readMessage } from "../messages/message-bodies.ts";
import { inputOf, outputOf } from "../messages/message-parts.ts";
import { imagesOf, patchOf, printOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownLine } from "../unknown-line.ts";
import { subagentId, type CodeBuddyState } from "./codebuddy-state.ts";
import { codeBuddyUsage } from "./codebuddy-usage.ts";

/** About the program, or said elsewhere too. */
const NOTES: ReadonlySet<string> = new Set([
  ...["file-history-snapshot", "turn-metrics", "session-meta", "summary", "ai-title", "custom-title", "topic"],
]);

/** Titles by the kind of record; a person's own wins. */
const TITLES: Readonly<Record<string, readonly [field: string, rank: 1 | 2]>> = {
  "custom-title": ["customTitle", 2],
  "ai-title": ["aiTitle", 1],
  topic: ["topic", 1],
};

export function codeBuddyDrafts(value: unknown, state: CodeBuddyState): Draft[] {
  if (!isObject(value)) return [unknownLine(value)];
  const session = asText(value["sessionId"]);
  if (!state.isNamed && session) Object.assign(state, { id: session, isNamed: true });
  const entry = entryOf(value, state);
  return [...sessionDrafts(value, state), ...recordDrafts(value, entry, state)];
}

/** In early files an answer and its calls have the same id. */
function entryOf(record: Json, state: CodeBuddyState): Entry {
  const id = asText(record["id"]) || null;
  const own = [id, record["type"], record["callId"]].flatMap((one) => asText(one) ?? []).join("/");
  const key = id !== null && id === state.last ? own : id;
  state.last = id;
  return { ts: asTime(record["timestamp"]), key };
}

function sessionDrafts(record: Json, state: CodeBuddyState): Draft[] {
  const cwd = asText(record["cwd"]) || null;
  const isFirst = !state.hasStarted;
  state.hasStarted = true;
  const isNews = cwd !== null && cwd !== state.cwd;
  if (isNews) state.cwd = cwd;
  if (!isFirst && !isNews) return [];
  const patch: SessionPatch = {
    ...(isFirst && { agentName: state.agent }),
    ...(isFirst && state.parent !== null && { relation: "subagent", parent: state.parent }),
    ...(isNews && { cwd }),
  };
  return [patchOf("", patch)];
}

function recordDrafts(record: Json, entry: Entry, state: CodeBuddyState): Draft[] {
  const type = asText(record["type"]) ?? "";
  switch (type) {
    case "message":
    case "user":
    case "assistant":
      return messageDrafts(record, type, entry, state);
    case "reasoning":
      return answerDrafts(record, [reasoningOf(record)], entry, state);
    case "function_call":
      return answerDrafts(record, [callOf(record)], entry, state);
    case "function_call_result":
      return resultDrafts(record, entry, state);
    case "resend-fork-notice":
      // A prompt was sent again: what came behind its record is sent no more.
      return [eventOf(entry, { type: "rewind", text: "", after: asText(record["parentId"]) })];
  }
  if (!NOTES.has(type)) {
    const reason = `A record of type "${clip(type, 60)}", which is not known.`;
    return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(record), 1000) })];
  }
  const [field, rank] = TITLES[type] ?? ["summary", null];
  const text = asText(record[field])?.trim() ?? "";
  const isTitle = rank !== null && text !== "" && !(rank === 1 && /^(?:\(No content\)|\/compact)$/.test(text));
  return [
    ...(isTitle ? [patchOf("", { title: clip(text, 300), titleRank: rank })] : []),
    noteOf(entry, type, clip(text, 1000)),
  ];
}

function messageDrafts(record: Json, type: string, entry: Entry, state: CodeBuddyState): Draft[] {
  const message = asObject(record["message"]);
  const told = record["role"] ?? message["role"] ?? (type === "message" ? undefined : type);
  const { role, said } = readMessage({ role: told, content: record["content"] ?? message["content"] });
  const provider = asObject(record["providerData"]);
  if (role === "assistant") {
    const bodies = said.map(({ body }) => body);
    return answerDrafts(record, bodies, entry, state);
  }
  if (role === "system" && provider["isSessionSeparator"] === true)
    return [eventOf(entry, { type: "rewind", text: "", after: null })];
  if (role === null) {
    const reason = `A message of role "${clip(asText(told) ?? "", 60)}", which is not known.`;
    return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(record), 1000) })];
  }
  const injected = role === "user" ? injectedOf(provider) : null;
  const isBoundary = role === "user" && isCompaction(provider);
  const drafts: Draft[] = said.map(({ body, attachments }) => {
    if (body.type !== "user") return eventOf(entry, body, { attachments });
    const startsTurn = injected === null || provider["startsNewUserRequest"] === true;
    return eventOf(
      entry,
      { ...body, ...(injected !== null && { injected: body.injected ?? injected }) },
      { attachments, startsTurn },
    );
  });
  if (drafts.length === 0) drafts.push(noteOf(entry, "empty message"));
  const first = said.find(({ body }) => body.type === "user")?.body;
  const title = first?.type === "user" && injected === null && !state.hasTitle ? first.text.trim() : "";
  if (title !== "") {
    state.hasTitle = true;
    drafts.unshift(patchOf("", { title: clip(title, 300), titleRank: 0 }));
  }
  return isBoundary ? [eventOf(entry, compactionOf(provider, said)), ...drafts] : drafts;
}

/** Why words in the person's place are no prompt, by the client's own marks; null where they are one. */
function injectedOf(provider: Json): string | null {
  const is = (...marks: readonly string[]): boolean => marks.some((mark) => provider[mark] === true);
  if (is("isCompacted", "isSummary")) return "summary";
  if (is("isCompactInternal", "isCompact") || provider["agent"] === "compact") return "compaction";
  // What a command wrote: no model is sent it at once.
  if (is("skipRun")) return "command";
  if (is("isTeammateMessage")) return "teammate";
  return is("isMeta") ? "reminder" : null;
}

/** As the client finds where its history begins. A message that is sent once more after a failure is none. */
function isCompaction(provider: Json): boolean {
  if (provider["isPtlRecovery"] === true || provider["isMediaBodyRecovery"] === true) return false;
  if (provider["isCompacted"] === true || provider["isSummary"] === true) return true;
  const isOwn = provider["isCompactInternal"] === true || provider["agent"] === "compact";
  return !isOwn && Boolean(asText(provider["compactType"]));
}

const compactionOf = (provider: Json, said: readonly { readonly body: EventBody }[]): EventBody => ({
  ...{ type: "compaction", kind: "full", trigger: asText(provider["compactType"]) || null },
  ...{ tokensBefore: null, tokensAfter: null },
  text: said.flatMap(({ body }) => (body.type === "user" ? [body.text] : [])).join("\n"),
});

/** Thoughts, words and calls of one answer are records of their own, and name it. Its counts stand in one of them, or in several. */
function answerDrafts(record: Json, bodies: readonly EventBody[], entry: Entry, state: CodeBuddyState): Draft[] {
  const provider = asObject(record["providerData"]);
  const named = asText(provider["messageId"]) || asText(asObject(record["message"])["id"]) || asText(record["id"]);
  const callKey = named ?? printOf(jsonText(record));
  const model = asText(provider["model"]) || asText(provider["requestModelId"]) || null;
  const isNews = model !== null && model !== state.model;
  state.model = model ?? state.model;
  const usage = codeBuddyUsage(record);
  return [
    ...(isNews ? [patchOf("", { model })] : []),
    ...(bodies.length === 0 ? [noteOf(entry, "empty answer", "", callKey)] : []),
    ...bodies.map((body) => eventOf(entry, body, { callKey })),
    { kind: "call", lane: "", key: callKey, ts: entry.ts, model: state.model, usage, outputLowerBound: false },
  ];
}

function reasoningOf(record: Json): EventBody {
  const texts = [record["rawContent"], record["content"]].map((content) =>
    asArray(content)
      .flatMap((part) => asText(asObject(part)["text"]) ?? [])
      .join("\n"),
  );
  return { type: "reasoning", text: texts.find((text) => text !== "") ?? "" };
}

const callOf = (record: Json): EventBody => ({
  type: "tool_call",
  toolCallId: asText(record["callId"]),
  toolName: asText(record["name"]) || "unnamed",
  input: inputOf(record["arguments"]),
});

const FAILED = /^(?:error|failed|failure|cancell?ed|incomplete)$/i;

function resultDrafts(record: Json, entry: Entry, state: CodeBuddyState): Draft[] {
  const result = asObject(asObject(record["providerData"])["toolResult"]);
  const output = record["output"] ?? result["content"];
  const { text, attachments } = outputOf(asText(asObject(output)["text"]) ?? output);
  const error = result["error"];
  const hasError = error !== undefined && error !== null && error !== "";
  const toolCallId = asText(record["callId"]);
  const body: EventBody = {
    ...{ type: "tool_result", toolCallId, text: text === "" && hasError ? (asText(error) ?? jsonText(error)) : text },
    isError: hasError || FAILED.test(asText(record["status"]) ?? "") || asObject(result["mcpMeta"])["isError"] === true,
    saw: "full",
    ...(attachments.length > 0 && { images: imagesOf(attachments) }),
  };
  const agent = agentOf(result);
  const session = state.parent ?? state.id;
  return [
    ...(toolCallId !== null && agent !== null && session !== null
      ? [{ kind: "link", lane: "", toolCallId, agentId: subagentId(session, agent) } as const]
      : []),
    eventOf(entry, body, { attachments }),
  ];
}

/** The file of the sub-agent that a call began: it came to its end, or runs on in the background. */
function agentOf(result: Json): string | null {
  const own = asText(asObject(result["subAgent"])["sessionId"]);
  const { type, value } = asObject(result["renderer"]);
  const spawned = asObject(typeof value === "string" ? parseJson(value) : value);
  return own || (type === "agent-spawned" && asText(spawned["taskId"])) || null;
}
