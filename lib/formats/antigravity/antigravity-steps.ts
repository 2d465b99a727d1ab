// One step of an Antigravity transcript as drafts. Steps name no calls: what a tool gave back follows the answer that asked for it.
import { NO_USAGE, type Draft, type SessionPatch, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asCount, asObject, asText, asTime, asWhole, clip, isObject, ownEntry, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { isOrphan, paired } from "../messages/call-pairing.ts";
import { eventAt, nameOf, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import type { AntigravityState } from "./antigravity-state.ts";

export function stepDrafts(
  value: unknown,
  range: Pick<Position, "byteStart" | "byteEnd">,
  state: AntigravityState,
): Draft[] {
  const nowhere: Position = { lane: "", ts: null, key: null, ...range };
  const about = aboutDrafts(nowhere, state);
  if (!isObject(value)) {
    const text = clip(jsonText(value ?? null), 1000);
    return [...about, eventAt(nowhere, { type: "unknown", reason: "The line is JSON, but not an object.", text })];
  }
  const position = { ...nowhere, ts: asTime(value["created_at"]), key: state.hasFolder ? stepName(value) : null };
  return [...about, ...ofStep(value, position, state)];
}

function stepName(step: Json): string | null {
  const index = asWhole(step["step_index"]);
  return index === null ? null : `step ${index}`;
}

function aboutDrafts(position: Position, state: AntigravityState): Draft[] {
  if (state.named) return [];
  state.named = true;
  const patch: SessionPatch = {
    agentName: "Antigravity",
    quality: "Antigravity's transcripts have tokens in some releases only, and name neither folder nor calls.",
  };
  // One record more than the shortened transcript beside it, which so is known as a copy.
  const whole = state.isFull ? [noteAt({ ...position, key: "full" }, "transcript", "full", { isRecord: false })] : [];
  return [patchOf("", patch), ...whole];
}

/** Written into the conversation by the client. */
const CLIENT: ReadonlySet<string> = new Set([
  ...["CONVERSATION_HISTORY", "KNOWLEDGE_ARTIFACTS", "SYSTEM_MESSAGE", "EPHEMERAL_MESSAGE", "USER_INFORMATION"],
]);

function ofStep(step: Json, position: Position, state: AntigravityState): Draft[] {
  const type = asText(step["type"]) ?? "";
  const text = textOf(step["content"]);
  if (type === "USER_INPUT") return inputDrafts(step, text, position, state);
  if (type === "PLANNER_RESPONSE") return answerDrafts(step, text, position, state);
  if (type === "CHECKPOINT") return [eventAt(position, checkpoint(text))];
  if (type === "ERROR_MESSAGE") {
    const code = step["error_code"];
    const said = text || (asText(step["error"]) ?? type);
    return [eventAt(position, { type: "error", text: said, ...(typeof code === "number" && { code: `${code}` }) })];
  }
  if (CLIENT.has(type) || step["source"] === "SYSTEM")
    return text === ""
      ? [noteAt(position, type.toLowerCase(), "")]
      : [eventAt(position, { type: "user", text, injected: type.toLowerCase() })];
  if (step["source"] === "MODEL") return resultDrafts(type, step, text, position, state);
  const reason = `A step of type "${clip(type, 60)}", which is not known.`;
  return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(step), 1000) })];
}

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : content == null ? "" : jsonText(content);

/** A prompt stands in a tag of its own; behind it the client says what is open, and which settings were changed. */
function inputDrafts(step: Json, text: string, position: Position, state: AntigravityState): Draft[] {
  const asked = /<USER_REQUEST>\s*([\s\S]*?)\s*<\/USER_REQUEST>/.exec(text)?.[1];
  const isPrompt = asked !== undefined || step["source"] !== "USER_IMPLICIT";
  const title = isPrompt && !state.hasTitle ? (asked ?? text).trim() : "";
  state.hasTitle ||= title !== "";
  const model = modelIn(/changed setting `Model Selection` from [^\r\n<]+? to ([^\r\n<]+?)\.(?:\s|$)/.exec(text)?.[1]);
  if (model !== null) state.model = model;
  const said: EventBody = { type: "user", text, ...(!isPrompt && { injected: "environment" }) };
  return [
    ...(title === "" ? [] : [patchOf("", { title: clip(title, 300), titleRank: 0 })]),
    ...(model === null ? [] : [patchOf("", { model })]),
    eventAt(position, said, { startsTurn: isPrompt }),
  ];
}

/** `Gemini 3.1 Pro (High)` as models are named elsewhere. */
function modelIn(shown: string | undefined): string | null {
  const name = (shown ?? "").replace(/\s*\([^)]*\)\s*$/, "").trim();
  if (name === "" || name === "None") return null;
  const id = name.toLowerCase().replaceAll(/\s+/g, "-");
  return id.startsWith("claude-") ? id.replaceAll(".", "-") : id;
}

function answerDrafts(step: Json, text: string, position: Position, state: AntigravityState): Draft[] {
  const callKey = stepName(step) ?? nameOf(position);
  const thought = asText(step["thinking"]) ?? "";
  const drafts: Draft[] = [
    ...(thought === "" ? [] : [eventAt(position, { type: "reasoning", text: thought }, { callKey })]),
    ...(text === "" ? [] : [eventAt(position, { type: "assistant", text }, { callKey })]),
    ...asArray(step["tool_calls"]).map((value, i) => {
      const call = asObject(value);
      const toolName = (asText(call["name"]) ?? "unnamed").replace(/^default_api:/, "");
      const input = inputOf(call["args"] ?? call["arguments"]);
      const body: EventBody = { type: "tool_call", toolCallId: asText(call["id"]), toolName, input };
      return eventAt(position, paired(body, `${position.byteStart}.${i}`, state.pairing), { callKey });
    }),
  ];
  if (drafts.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  drafts.push({
    ...{ kind: "call", lane: "", key: callKey, ts: position.ts, model: asText(step["model"]) ?? state.model },
    ...{ usage: usageOf(step), outputLowerBound: false },
  });
  return drafts;
}

/** The input is without what was read from the cache. */
function usageOf(step: Json): Usage | null {
  const [inputUncached, cacheRead, output] = [
    asCount(step["input_tokens"]),
    asCount(step["cache_read_tokens"]),
    asCount(step["output_tokens"]),
  ];
  return inputUncached + cacheRead + output === 0 ? null : { ...NO_USAGE, inputUncached, cacheRead, output };
}

/** Each argument is JSON of its own in many releases. */
function inputOf(told: unknown): unknown {
  const args = typeof told === "string" ? (parseJson(told) ?? told) : told;
  if (!isObject(args)) return args ?? {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? (parseJson(value) ?? value) : value,
    ]),
  );
}

const checkpoint = (text: string): EventBody => ({
  type: "compaction",
  kind: "full",
  trigger: null,
  tokensBefore: null,
  tokensAfter: null,
  text,
});

/** Tools whose results have a step of their own; those of all others are of one kind. */
const TOOLS: Readonly<Record<string, RegExp>> = {
  VIEW_FILE: /^view_/,
  GREP_SEARCH: /^grep/,
  LIST_DIRECTORY: /^list_dir/,
  RUN_COMMAND: /^run_/,
  FIND: /^find/,
  SEARCH_WEB: /^search_web/,
  CODE_ACTION: /write|replace|edit|delete/,
  INVOKE_SUBAGENT: /^invoke_subagent/,
};
const fits = (type: string, tool: string): boolean =>
  ownEntry(TOOLS, type)?.test(tool) ?? !Object.values(TOOLS).some((one) => one.test(tool));

/** What a tool gave back is of the oldest call of that tool that waits, else of any: one that was refused has no result. */
function resultDrafts(type: string, step: Json, text: string, position: Position, state: AntigravityState): Draft[] {
  const isError = /ERROR|FAILED|CANCEL/.test(asText(step["status"]) ?? "");
  const said: EventBody = { type: "tool_result", toolCallId: null, text, isError, saw: "full" };
  const body = paired(said, "", state.pairing, (tool) => fits(type, tool));
  if (!isOrphan(body)) return [eventAt(position, body)];
  return text === ""
    ? [noteAt(position, type.toLowerCase(), "")]
    : [eventAt(position, { type: "user", text, injected: type.toLowerCase() })];
}
