// A message of a chat of Gemini CLI. It stands again, whole, each time that it grew: what was read of it before is left out.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { answerBody, exitCodeOf, partsInside, partsOf, responseOf, usageOfCounts, wordsOf } from "../google-content.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { nameOf, type GeminiState, type Open } from "./gemini-state.ts";

/** Remembered: ids of messages, messages that may grow, calls whose results were read. */
const [KNOWN, OPEN, ANSWERED] = [120, 4, 40];

/** One that is not remembered, and not later than all that was read, was forgotten. */
export const isKnown = (message: Json, state: GeminiState): boolean => {
  const ts = asTime(message["timestamp"]);
  const isOld = state.known.length >= KNOWN && ts !== null && ts < state.lastTs;
  return state.known.includes(nameOf(asText(message["id"]) ?? "", state)) || isOld;
};

/** `isCopy`: told again behind a summary, under a new id and without its usage; it is no call and no turn of its own. */
export function messageDrafts(message: Json, state: GeminiState, isCopy = false): Draft[] {
  const id = nameOf(asText(message["id"]) ?? `#${state.known.length}`, state);
  const entry: Entry = { ts: asTime(message["timestamp"]), key: id };
  const isAgain = isKnown(message, state);
  if (!isAgain) know(id, entry, state);
  switch (message["type"]) {
    case "user":
      return isAgain ? [nothing()] : userDrafts(message, entry, state, isCopy);
    case "gemini":
    case "qwen":
      return answerDrafts(message, entry, state, { isAgain, isCopy: isCopy && message["tokens"] === undefined });
    case "error":
      return [eventOf(entry, { type: "error", text: wordsOf(partsOf(message["content"])).text })];
    case "info":
    case "warning":
      return [noteOf(entry, message["type"], clip(wordsOf(partsOf(message["content"])).text, 4000))];
  }
  const reason = `A message of type "${clip(asText(message["type"]) ?? "", 60)}", which is not known.`;
  return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(message), 1000) })];
}

/** A record that says nothing new. */
const nothing = (): Draft => ({ kind: "session", lane: "", patch: {} });

function know(id: string, { ts }: Entry, state: GeminiState): void {
  state.known = [...state.known, id].slice(-KNOWN);
  state.lastTs = Math.max(state.lastTs, ts ?? 0);
}

const CONTEXT = /^\s*<session_context>/;
export const isContext = (message: Json): boolean => CONTEXT.test(wordsOf(partsOf(message["content"])).words);

function userDrafts(message: Json, entry: Entry, state: GeminiState, isCopy: boolean): Draft[] {
  const parts = partsOf(message["content"]);
  const results = parts.flatMap((part) => {
    const response = responseOf(part);
    const id = response?.toolCallId ?? null;
    return response === null || (id !== null && state.answered.includes(callPrint(id)))
      ? []
      : [resultDraft([part], {}, entry, id, state)];
  });
  const { text, words, images, attachments } = wordsOf(parts);
  if (text === "" && images.length === 0) return results.length > 0 ? results : [nothing()];
  const body: EventBody = { type: "user", text, ...(images.length > 0 && { images }) };
  const isResult = parts.some((part) => responseOf(part) !== null);
  // Its images stand in the call's own result too.
  if (isResult && results.length === 0) return [nothing()];
  if (isResult) return [...results, eventOf(entry, { ...body, injected: "tool_media" }, { attachments })];
  if (CONTEXT.test(words)) {
    state.context = entry.key;
    return [...contextRoot(text, state), eventOf(entry, { ...body, injected: "environment" })];
  }
  // A command of the client: no model is sent it.
  if (/^[/?]\S*(?:\s|$)/.test(words.trim()) && images.length === 0) return [noteOf(entry, "command", clip(text, 1000))];
  if (/^\s*<state_snapshot>/.test(words)) return [eventOf(entry, { ...body, injected: "summary" })];
  const shown = wordsOf(partsOf(message["displayContent"])).words.trim() || words.trim();
  const drafts: Draft[] = [];
  if (!state.hasTitle && shown !== "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(shown, 300), titleRank: 0 } });
  }
  return [...drafts, eventOf(entry, body, { startsTurn: !isCopy, attachments })];
}

/** Where nothing else says it, the folder stands in the first words that the client sends. */
function contextRoot(text: string, state: GeminiState): Draft[] {
  const cwd = state.cwd ?? /\*\*Workspace Directories:\*\*\s*\n\s*- ([^\n]+)/.exec(text)?.[1]?.trim() ?? null;
  return cwd === null ? [] : [{ kind: "session", lane: "", patch: { cwd } }];
}

function answerDrafts(
  message: Json,
  entry: Entry,
  state: GeminiState,
  { isAgain, isCopy }: { readonly isAgain: boolean; readonly isCopy: boolean },
): Draft[] {
  const id = entry.key!;
  const before = state.open.find((one) => one.id === id) ?? { id, text: 0, thoughts: 0, calls: [] };
  // What is no longer remembered cannot be told from what is new.
  if (isAgain && !state.open.some((one) => one.id === id)) return [nothing()];
  const model = asText(message["model"]) ?? state.model;
  const drafts: Draft[] = [nothing()];
  if (model !== null && model !== state.model) {
    state.model = model;
    drafts.push({ kind: "session", lane: "", patch: { model } });
  }
  const add = (body: EventBody): void => void drafts.push(eventOf(entry, body, { callKey: isCopy ? null : id }));
  const thoughts = asArray(message["thoughts"]).map(asObject);
  for (const thought of thoughts.slice(before.thoughts)) add({ type: "reasoning", text: thoughtText(thought) });
  const parts = partsOf(message["content"]);
  const toolCalls = asArray(message["toolCalls"]).map(asObject);
  const { text } = wordsOf(parts);
  if (text.length > before.text) add({ type: "assistant", text: before.text === 0 ? text : text.slice(before.text) });
  const calls = [...before.calls];
  // A list of all messages has calls as parts, and those with results as `toolCalls` too.
  const bare = isAgain || toolCalls.length > 0 ? [] : parts.filter((part) => isObject(part["functionCall"]));
  for (const part of bare) {
    const body = answerBody(part)!;
    if (body.type === "tool_call" && body.toolCallId !== null) calls.push(callPrint(body.toolCallId));
    add(body);
  }
  toolCalls.forEach((call, i) => {
    const callId = asText(call["id"]) ?? `${id}.${i}`;
    const print = callPrint(callId);
    if (!calls.includes(print)) {
      calls.push(print);
      add({
        type: "tool_call",
        toolCallId: callId,
        toolName: asText(call["name"]) ?? "unnamed",
        input: call["args"] ?? {},
      });
      const agentId = asText(call["agentId"]);
      if (agentId !== null) drafts.push({ kind: "link", lane: "", toolCallId: callId, agentId });
    }
    if (!state.answered.includes(print) && hasResult(call))
      drafts.push(resultDraft(asArray(call["result"]).map(asObject), call, entry, callId, state));
  });
  const isEmpty = text === "" && thoughts.length === 0 && toolCalls.length + bare.length === 0;
  if (isEmpty && !isAgain) drafts.push(noteOf(entry, "empty answer", "", id));
  const usage = usageOf(message);
  if (!isCopy) drafts.push({ kind: "call", lane: "", key: id, ts: entry.ts, model, usage, outputLowerBound: false });
  const open: Open = {
    id,
    text: Math.max(before.text, text.length),
    thoughts: Math.max(before.thoughts, thoughts.length),
    calls,
  };
  state.open = [...state.open.filter((one) => one.id !== id), open].slice(-OPEN);
  return drafts;
}

function usageOf(message: Json) {
  const told = asObject(message["tokens"]);
  const { input, cached, output, thoughts, tool, total } = told;
  return usageOfCounts({ prompt: input, cached, output, thoughts, tool, total });
}

const thoughtText = (thought: Json): string =>
  [asText(thought["subject"]), asText(thought["description"])].filter((one) => one !== null && one !== "").join("\n");

const hasResult = (call: Json): boolean =>
  asArray(call["result"]).length > 0 || ["error", "cancelled", "success"].includes(asText(call["status"]) ?? "");

const callPrint = (id: string): string => id.slice(-32);

/** Of a long output the model is shown its ends, and the path of a file with all of it. */
const STORED = /(?:For full output see|Full output (?:saved to|available at)): ([^\n]+)/;
const MASKED = /^\s*<tool_output_masked\b/;

function resultDraft(
  parts: readonly Json[],
  call: Json,
  entry: Entry,
  callId: string | null,
  state: GeminiState,
): Draft {
  if (callId !== null) state.answered = [...state.answered, callPrint(callId)].slice(-ANSWERED);
  const status = asText(call["status"]);
  const responses = parts.flatMap((part) => responseOf(part) ?? []);
  const media = wordsOf([...parts, ...parts.flatMap(partsInside)]);
  const display = call["resultDisplay"];
  const said = responses.map(({ text }) => text).filter((text) => text !== "");
  const text = [...said, media.text].filter((one) => one !== "").join("\n") || (asText(display) ?? "");
  const storedPath = STORED.exec(text)?.[1]?.trim();
  const exitCode = exitCodeOf(text);
  const filePath = asText(asObject(display)["fileName"]);
  const detail: ResultDetail = {
    ...(exitCode !== undefined && { exitCode }),
    ...(status === "cancelled" && { interrupted: true }),
    ...(filePath !== null && { filePath }),
  };
  const isError = status === "error" || status === "cancelled" || responses.some((one) => one.isError);
  const body: EventBody = {
    type: "tool_result",
    toolCallId: callId,
    text,
    isError,
    saw: storedPath === undefined ? "full" : "preview",
    ...(storedPath !== undefined && { storedPath, offloadedBy: "agent" as const }),
    ...(media.images.length > 0 && { images: media.images }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return eventOf(entry, body, { attachments: media.attachments });
}

/** Results that a new list of messages has shorter: the client took them back, and says in which file they are. */
export function maskedDrafts(messages: readonly Json[], entry: Entry, state: GeminiState): Draft[] {
  const texts = new Map<string, string>();
  for (const message of messages)
    for (const part of message["type"] === "user" ? partsOf(message["content"]) : []) {
      const response = responseOf(part);
      const id = response?.toolCallId ?? null;
      if (response === null || id === null || !MASKED.test(response.text)) continue;
      if (!state.masked.includes(callPrint(id))) texts.set(id, response.text);
    }
  if (texts.size === 0) return [];
  state.masked = [...state.masked, ...[...texts.keys()].map(callPrint)].slice(-ANSWERED);
  const body: EventBody = {
    type: "compaction",
    kind: "micro",
    trigger: null,
    tokensBefore: null,
    tokensAfter: null,
    text: [...texts.values()].join("\n"),
    cleared: [...texts.keys()],
    blocks: [...texts.values()].map((text) => text.length),
  };
  return [eventOf(entry, body)];
}
