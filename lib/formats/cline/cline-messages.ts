// One message of Cline's: what was said, called and answered, and the request behind an answer.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asCost, asObject, asText, asWhole, isObject, type Json } from "../json.ts";
import { blockDrafts, type MessageOptions } from "../anthropic-blocks.ts";
import { eventOf, type Entry } from "../qwen/qwen-drafts.ts";
import { clineUsage, type Request } from "./cline-beside.ts";
import { xmlPieces, xmlResult } from "./cline-xml-calls.ts";

/** What one pass over a conversation remembers. */
export type Pass = {
  readonly isCommandLine: boolean;
  /** Requests that no answer had yet, in order. */
  readonly requests: Request[];
  /** Requests that were sent again: no answer of theirs stands in the file. */
  readonly failed: Request[];
  /** Calls that wait for an answer in words: those that were written as text, and in some releases the provider's own. */
  readonly open: { readonly id: string; readonly toolName: string; readonly isNative?: true }[];
  hasTitle: boolean;
  model: string | null;
  /** The model that the environment of the last prompt names: Roo and Kilo say it there alone. */
  askedModel: string | null;
  usd: number;
};

export function messageDrafts(message: Json, entry: Entry, pass: Pass): Draft[] {
  const role = message["role"] === "assistant" ? "assistant" : "user";
  if (role === "user") return userDrafts(message, entry, pass);
  // Sealed reasoning of an answer that is the next message.
  if (message["type"] === "reasoning") return blockDrafts("assistant", message["content"], entry, { callKey: null });
  const callKey = entry.key ?? "";
  const drafts = blockDrafts("assistant", message["content"], entry, { callKey }).flatMap((draft) => {
    if (draft.kind !== "event" || pass.isCommandLine) return [draft];
    const { body } = draft;
    if (body.type === "tool_call" && body.toolCallId !== null)
      pass.open.push({ id: body.toolCallId, toolName: body.toolName, isNative: true });
    return body.type === "assistant" ? xmlDrafts(body.text, entry, callKey, pass) : [draft];
  });
  if (drafts.length === 0)
    drafts.push(eventOf(entry, { type: "meta", subtype: "empty answer", text: "" }, { callKey }));
  return [...drafts, ...callDrafts(message, entry, callKey, pass)];
}

function xmlDrafts(text: string, entry: Entry, callKey: string, pass: Pass): Draft[] {
  return xmlPieces(text).map((piece, i) => {
    if (!("toolName" in piece)) return eventOf(entry, { type: "assistant", text: piece.text }, { callKey });
    const toolCallId = `${callKey}.${i}`;
    pass.open.push({ id: toolCallId, toolName: piece.toolName });
    const { toolName, input } = piece;
    return eventOf(entry, { type: "tool_call", toolCallId, toolName, input }, { callKey });
  });
}

/** Newer messages have their own counts; of the others the panel has them, in the order of the answers. */
function callDrafts(message: Json, entry: Entry, callKey: string, pass: Pass): Draft[] {
  const metrics = asObject(message["metrics"]);
  const info = asObject(message["modelInfo"]);
  const request = pass.isCommandLine ? null : requestFor(entry.ts, pass);
  const model = asText(info["id"]) ?? asText(info["modelId"]) ?? request?.model ?? pass.askedModel ?? pass.model;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = metrics;
  const counts = { input: inputTokens, output: outputTokens, read: cacheReadTokens, write: cacheWriteTokens };
  const usage = asWhole(inputTokens) !== null ? clineUsage(counts, true) : (request?.usage ?? editorUsage(message));
  pass.usd += asCost(metrics["cost"]) ?? request?.usd ?? 0;
  const drafts: Draft[] = [
    { kind: "call", lane: "", key: callKey, ts: entry.ts, model, usage, outputLowerBound: false },
  ];
  if (model !== null && model !== pass.model) {
    pass.model = model;
    drafts.push({ kind: "session", lane: "", patch: { model } });
  }
  return drafts;
}

/** What an answer of the editor's says itself: what was read from the cache and written to it in one. */
function editorUsage({ metrics, modelInfo }: Json): Usage | null {
  const { prompt, completion, cached } = asObject(asObject(metrics)["tokens"]);
  if (asWhole(prompt) === null && asWhole(completion) === null) return null;
  const isTotal = /openai/.test(asText(asObject(modelInfo)["providerId"]) ?? "");
  return clineUsage({ input: prompt, output: completion, read: cached, write: 0 }, isTotal);
}

/** The last request that was sent before the answer stood in the file; those before it failed, and are calls of their own. */
function requestFor(ts: number | null, pass: Pass): Request | null {
  const upTo = ts === null ? 1 : pass.requests.filter((request) => request.ts <= ts).length;
  const sent = pass.requests.splice(0, upTo);
  const answered = sent.pop() ?? null;
  pass.failed.push(...sent.map((request) => ({ ...request, model: request.model ?? pass.askedModel })));
  return answered;
}

/** What the client says where an older task goes on. Newer releases set a mark before it, also into what earlier ones wrote. */
const RESUMED = /^(?:\[cline-legacy-resume-warning:v\d+\]|Warning: this is a legacy conversation\b)/;

/** In words of the message itself: a tool may have read the client's source. */
export const isResumption = ({ role, content }: Json): boolean =>
  role === "user" &&
  [content]
    .flat()
    .some((block) =>
      (asText(block) ?? asText(asObject(block)["text"]) ?? "").split("\n").some((line) => RESUMED.test(line)),
    );

/** Texts of the user's message that Cline put there. */
const FRAMES: readonly (readonly [RegExp, string])[] = [
  [/^\s*<environment_details>/, "environment"],
  [/^\s*<(?:mode_notice|system-reminder|explicit_instructions|system_reminder)\b/, "reminder"],
  [/^\s*Files attached by the user:\s*<file_content\b/, "mention"],
  [/^\s*<(?:file_content|folder_content|url_content|workspace_diagnostics|terminal_output)\b/, "mention"],
  [/^\[TASK RESUMPTION\]/, "resumption"],
  [RESUMED, "notice"],
  [/^\[NOTE\] |^\[ERROR\] |^Result of |^\(tool did not return/, "notice"],
  [/^\s*# (?:todo|task_progress)/i, "reminder"],
];
const ASKED_MODEL =
  /^\s*<environment_details>[\s\S]*\n# Current Mode\n<slug>[^\n]*\n<name>[^\n]*\n<model>([^<\n]+)<\/model>/;
const PROMPT = /^\s*<(user_input|task|feedback|user_message|answer)(?: [^>]*)?>\n?([\s\S]*?)\n?<\/\1>\s*$/;

function userDrafts(message: Json, entry: Entry, pass: Pass): Draft[] {
  const options: MessageOptions = {
    callKey: null,
    injectedOf: (text) => FRAMES.find(([frame]) => frame.test(text))?.[1] ?? null,
    resultOf,
  };
  const content = Array.isArray(message["content"]) ? asArray(message["content"]) : [message["content"]];
  const drafts: Draft[] = [];
  /** A result of which the head was read: the next text is the rest of it. */
  let awaited: { readonly id: string | null } | null = null;
  for (const block of content) {
    const text =
      typeof block === "string" ? block : asText(asObject(block)["type"] === "text" && asObject(block)["text"]);
    pass.askedModel = (text !== null && ASKED_MODEL.exec(text)?.[1]) || pass.askedModel;
    const head = text === null || pass.isCommandLine ? null : xmlResult(text);
    const answered = asText(asObject(block)["tool_use_id"]);
    if (answered !== null) removeOpen(answered, pass);
    if (head !== null && awaited === null) {
      const id = takeOpen(head.toolName, pass);
      if (id !== null && head.rest === "") awaited = { id };
      else if (id !== null) drafts.push(resultDraft(id, head.rest, entry));
      else drafts.push(eventOf(entry, { type: "user", text: text!, injected: "result" }));
    } else if (text !== null && awaited !== null && !/^\s*<environment_details>/.test(text)) {
      drafts.push(resultDraft(awaited.id, text, entry));
      awaited = null;
    } else
      drafts.push(
        ...blockDrafts("user", [text === null ? block : { type: "text", text: unwrapped(text) }], entry, options),
      );
  }
  if (awaited !== null) drafts.push(resultDraft(awaited.id, "", entry));
  return oneTurn(drafts);
}

/** The call that words answer: the oldest of its tool. Tools of servers have other names there, and one alone is meant. */
function takeOpen(tool: string, { open }: Pass): string | null {
  const at = open.findIndex(({ toolName }) => toolName === tool);
  if (at >= 0) return open.splice(0, at + 1).at(-1)!.id;
  return open.length === 1 && open[0]!.isNative === true ? open.pop()!.id : null;
}

function removeOpen(id: string, { open }: Pass): void {
  const at = open.findIndex((one) => one.id === id);
  if (at >= 0) open.splice(at, 1);
}

function resultDraft(toolCallId: string | null, text: string, entry: Entry): Draft {
  const isError = /^(?:The tool execution failed|Tool \[\w+\] was not executed\b|Error\b|\[ERROR\]|<error>)/.test(text);
  return eventOf(entry, { type: "tool_result", toolCallId, text, isError, saw: "full" });
}

/** The words of a prompt without the frame that says what it is. */
const unwrapped = (text: string): string => PROMPT.exec(text)?.[2] ?? text;

/** Blocks were read one by one; a message starts one turn. */
function oneTurn(drafts: readonly Draft[]): Draft[] {
  let hasPrompt = false;
  return drafts.map((draft) => {
    if (draft.kind !== "event" || !draft.startsTurn) return draft;
    const isAgain = hasPrompt;
    hasPrompt = true;
    return isAgain ? { ...draft, startsTurn: false } : draft;
  });
}

/** The command line's answers are lists of objects, which the model is sent as their JSON. */
function resultOf(block: Json): Partial<Extract<EventBody, { type: "tool_result" }>> | null {
  const content = block["content"];
  if (
    !Array.isArray(content) ||
    content.every((one) => typeof one !== "object" || asText(asObject(one)["type"]) !== null)
  )
    return null;
  const isError = block["is_error"] === true || content.some((one) => isObject(one) && one["success"] === false);
  return { text: jsonText(content), isError };
}
