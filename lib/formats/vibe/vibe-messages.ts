// One message of Vibe as drafts, and what is told of its session before and behind it.
import { promptTokens, type Draft, type SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asNumber, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { messageDrafts } from "../messages/conversation-drafts.ts";
import { eventAt, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import type { VibeAbout, VibeState } from "./vibe-state.ts";

export function vibeDrafts(value: unknown, range: Pick<Position, "byteStart" | "byteEnd">, state: VibeState): Draft[] {
  if (!isObject(value)) {
    const reason = "The line is JSON, but not an object.";
    const text = clip(jsonText(value ?? null), 1000);
    return [eventAt({ lane: "", ts: null, key: null, ...range }, { type: "unknown", reason, text })];
  }
  const position: Position = { lane: "", ts: null, key: keyOf(value), ...range };
  return [
    ...aboutDrafts(state),
    ...promptDrafts(position, state),
    ...saidDrafts(value, position, state),
    ...childDrafts(state),
    ...sumDrafts(state),
  ];
}

/** A result has no id of its own: it is known by all that it says, the call among it. */
function keyOf(message: Json): string | null {
  const id = asText(message["message_id"]) || null;
  return id ?? (asText(message["tool_call_id"]) === null ? null : printOf(jsonText(message)));
}

function saidDrafts(message: Json, position: Position, state: VibeState): Draft[] {
  const { conversation } = state;
  const injected = injectedOf(message);
  const { hasTitle } = conversation;
  // What the client wrote is no title.
  if (injected !== null) conversation.hasTitle = true;
  const said = messageDrafts(message, position, conversation).map((draft) => ownDraft(draft, message, injected));
  if (injected !== null) conversation.hasTitle = hasTitle;
  return [...compactionDrafts(message, position), ...said, ...besideDrafts(message, position)];
}

/** Why a message in the person's place is no prompt; null where it is one. */
function injectedOf(message: Json): string | null {
  if (message["context_boundary"] === "compaction") return "summary";
  if (isObject(message["manual_shell"])) return "command";
  return message["injected"] === true ? "client" : null;
}

function ownDraft(draft: Draft, message: Json, injected: string | null): Draft {
  if (draft.kind !== "event") return draft;
  const { body } = draft;
  if (body.type === "user" && injected !== null)
    return { ...draft, startsTurn: false, body: { ...body, injected: body.injected ?? injected } };
  return body.type === "tool_result" ? { ...draft, body: resultBody(body, asObject(message["tool_result"])) } : draft;
}

/** What failed, or was cancelled, stands in a tag of its own. */
function resultBody(body: Extract<EventBody, { type: "tool_result" }>, told: Json): EventBody {
  const seconds = asNumber(told["duration"]);
  const detail = {
    ...(seconds !== null && seconds >= 0 && { durationMs: Math.round(seconds * 1000) }),
    ...(told["cancelled"] === true && { interrupted: true }),
  };
  const isError =
    body.isError || told["cancelled"] === true || /^\s*<(?:tool_error|user_cancellation)>/.test(body.text);
  return { ...body, isError, ...(Object.keys(detail).length > 0 && { detail }) };
}

/** All that was before is sent no more. Earlier releases go on in a new session instead. */
function compactionDrafts(message: Json, position: Position): Draft[] {
  if (message["context_boundary"] !== "compaction") return [];
  const unknown = { trigger: null, tokensBefore: null, tokensAfter: null };
  const text = asText(message["content"]) ?? "";
  return [eventAt(position, { type: "compaction", kind: "full", ...unknown, text })];
}

/** Images and files that were sent with a prompt lie elsewhere. */
function besideDrafts(message: Json, position: Position): Draft[] {
  const images = asArray(message["images"])
    .map(asObject)
    .map((image) => noteAt(position, "image", clip(asText(image["alias"]) ?? "", 300)));
  const files = asArray(message["resources"])
    .map(asObject)
    .map((file) => noteAt(position, "file", clip(asText(file["uri"]) ?? "", 300)));
  return [...images, ...files];
}

function aboutDrafts(state: VibeState): Draft[] {
  const { about, conversation } = state;
  if (about !== null) conversation.model = about.model;
  const patch: SessionPatch = {
    agentName: "Mistral Vibe",
    quality: "Vibe counts the tokens of a session, and not those of each call.",
    ...(about !== null && patchIn(about)),
  };
  const named = printOf(jsonText(patch));
  if (named === state.named) return [];
  state.named = named;
  const goesOn = about !== null && about.parent !== null && !about.isSubagent;
  return [
    patchOf("", patch),
    ...(goesOn ? [patchOf("", { quality: "Tokens and cost may include those of the session before it." })] : []),
  ];
}

function patchIn({ parent, isSubagent, agent, id, ...about }: VibeAbout): SessionPatch {
  const { title, hasOwnTitle, cwd, branch, startedAt, model } = about;
  return {
    ...(isSubagent && agent !== null && { agentName: clip(agent, 100) }),
    ...(title !== null && { title: clip(title, 300), titleRank: hasOwnTitle ? 2 : 1 }),
    ...(cwd !== null && { cwd }),
    ...(branch !== null && { branch }),
    ...(startedAt !== null && { startedAt }),
    ...(model !== null && { model }),
    ...(parent !== null && parent !== id && { parent, relation: isSubagent ? "subagent" : "fork" }),
  };
}

function promptDrafts(position: Position, state: VibeState): Draft[] {
  const { prompt } = state;
  if (prompt === null) return [];
  state.hasPrompt = true;
  state.prompt = null;
  return [eventAt({ ...position, key: null }, { type: "system", subtype: "prompt", text: prompt })];
}

/** Newer releases say which call began a sub-agent. */
function childDrafts(state: VibeState): Draft[] {
  const news = state.about?.children ?? [];
  if (news.length > 0) state.about = { ...state.about!, children: [] };
  state.linked += news.length;
  return news.map(([toolCallId, agentId]) => ({ kind: "link", lane: "", toolCallId, agentId }));
}

/** The sums of the session, which stand beside it: told again whenever they have grown. */
function sumDrafts(state: VibeState): Draft[] {
  const { usage = null, usd = null, model = null, endedAt = null } = state.about ?? {};
  if (usage === null || promptTokens(usage) + usage.output === 0) return [];
  const told = jsonText([model, usage, usd]);
  if (told === state.told) return [];
  state.told = told;
  return [
    { kind: "reported", lane: "", usd, usage: { [model ?? ""]: usage }, ...(endedAt !== null && { ts: endedAt }) },
  ];
}
