// Parts of OpenCode's messages. A call and its result are one part; a step of the model ends with a part that counts it.
import { NO_USAGE, type Draft, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { asCost, asCount, asNumber, asObject, asText, clip, type Json } from "../json.ts";
import { unknownBody } from "../unknown-body.ts";
import { reportedDrafts } from "../reported-sums.ts";
import { asMs, draftOf, noteOf, type RowLine } from "./opencode-drafts.ts";
import { originalIn, type OpenCodeState } from "./opencode-state.ts";

export function partDrafts(part: Json, line: RowLine, state: OpenCodeState): Draft[] {
  const drafts = ownDrafts(part, line, state);
  const { message } = state;
  // What a step said before it was cut off was billed: a call that tells no usage, unless its end still comes.
  const said = drafts.find((draft) => draft.kind === "event" && draft.callKey !== null && SAID.has(draft.body.type));
  if (message?.hasFailed !== true || said?.kind !== "event") return drafts;
  const of = { lane: "", key: said.callKey!, ts: message.ts, model: message.model };
  return [...drafts, { kind: "call", ...of, usage: null, outputLowerBound: false }];
}

const SAID: ReadonlySet<string> = new Set(["assistant", "reasoning", "tool_call"]);

function ownDrafts(part: Json, line: RowLine, state: OpenCodeState): Draft[] {
  const isUser = state.message?.role === "user";
  const callKey = isUser || state.message === null ? null : `${state.message.id}/${state.message.step}`;
  const text = asText(part["text"]) ?? "";
  const type = asText(part["type"]) ?? "";
  switch (type) {
    case "text":
      return isUser ? promptDrafts(part, text, line, state) : answerDrafts(text, line, callKey, state);
    case "reasoning":
      return [draftOf(line, { type: "reasoning", text }, { callKey })];
    case "tool":
      return toolDrafts(part, line, callKey);
    case "step-finish":
      return stepDrafts(part, line, callKey, state);
    case "file":
      return [fileDraft(part, line, isUser, state)];
    case "retry":
      return [draftOf(line, { type: "error", text: requestError(asObject(part["error"])), code: "retry" })];
    case "compaction":
      state.keptFrom = asText(part["tail_start_id"]);
      state.trigger = typeof part["auto"] === "boolean" ? (part["auto"] ? "auto" : "manual") : null;
      return [noteOf(line, "compaction request", part["auto"] === true ? "auto" : "manual")];
    case "step-start":
    case "patch":
    case "snapshot":
    case "agent":
    case "subtask":
      return [noteOf(line, type, asText(part["description"]) ?? asText(part["name"]) ?? "", callKey)];
  }
  return [draftOf(line, unknownBody("part", type, part), { callKey })];
}

export const requestError = (error: Json): string =>
  asText(asObject(error["data"])["message"]) ?? asText(error["name"]) ?? "The request failed.";

/** What a person said; what OpenCode put beside it is marked. */
function promptDrafts(part: Json, text: string, line: RowLine, state: OpenCodeState): Draft[] {
  if (part["ignored"] === true) return [noteOf(line, "ignored text", text)];
  const isInjected = part["synthetic"] === true;
  const isOwn = !isInjected && text.trim() !== "";
  const drafts: Draft[] = [];
  if (isOwn && !state.hasTitle) {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } });
  }
  const body: EventBody = { type: "user", text, ...(isInjected && { injected: "synthetic" }) };
  return [...drafts, draftOf(line, body, { startsTurn: isOwn && beginsTurn(state) })];
}

/** The first part of a prompt that says something, be it an image. */
function beginsTurn({ message }: OpenCodeState): boolean {
  if (message === null || message.hasPrompt) return false;
  message.hasPrompt = true;
  return true;
}

/** The words before a summary are OpenCode's own prompt, which it sends in the place of all that was said. */
const SUMMARY_PROMPT = "What did we do so far?";

function answerDrafts(text: string, line: RowLine, callKey: string | null, state: OpenCodeState): Draft[] {
  const said = draftOf(line, { type: "assistant", text }, { callKey });
  if (state.message?.isSummary !== true) return [said];
  const { keptFrom, trigger } = state;
  const body: EventBody = {
    type: "compaction",
    kind: "full",
    trigger: trigger ?? null,
    tokensBefore: null,
    tokensAfter: null,
    text,
    ...(keptFrom !== null && { keptFrom: originalIn(state, keptFrom) }),
  };
  return [
    draftOf(line, body, { callKey }),
    draftOf(line, { type: "user", text: SUMMARY_PROMPT, injected: "summary" }),
    { ...said, callKey: null },
  ];
}

function toolDrafts(part: Json, line: RowLine, callKey: string | null): Draft[] {
  const state = asObject(part["state"]);
  const status = asText(state["status"]) ?? "";
  const toolCallId = asText(part["callID"]) ?? line.key;
  const call: EventBody = {
    type: "tool_call",
    toolCallId,
    toolName: asText(part["tool"]) ?? "unnamed",
    input: state["input"] ?? {},
  };
  const drafts: Draft[] = [draftOf(line, call, { callKey })];
  if (status !== "completed" && status !== "error") return drafts;
  const metadata = asObject(state["metadata"]);
  const text = (status === "error" ? asText(state["error"]) : asText(state["output"])) ?? "";
  const storedPath = asText(metadata["outputPath"]);
  const exit = asNumber(metadata["exit"]);
  const isError = status === "error" || part["tool"] === "invalid";
  const { start, end } = asObject(state["time"]);
  const durationMs = typeof start === "number" && typeof end === "number" && end >= start ? end - start : null;
  const agentId = part["tool"] === "task" ? (asText(metadata["sessionId"]) ?? asText(metadata["sessionID"])) : null;
  const detail: ResultDetail = {
    ...(exit !== null && Number.isInteger(exit) && { exitCode: exit }),
    ...(durationMs !== null && { durationMs }),
    ...(agentId !== null && { agentId }),
  };
  const body: EventBody = {
    type: "tool_result",
    toolCallId,
    text,
    isError,
    saw: storedPath === null ? "full" : "preview",
    ...(storedPath !== null && { storedPath, offloadedBy: "agent" as const }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  const ts = asMs(end) ?? line.ts;
  return [...drafts, draftOf({ ...line, ts }, body)];
}

function fileDraft(part: Json, line: RowLine, isUser: boolean, state: OpenCodeState): Draft {
  const [, mediaType, base64] =
    /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/.exec(asText(part["url"]) ?? "") ?? [];
  const name = asText(part["filename"]) ?? "";
  if (!isUser || mediaType === undefined) return noteOf(line, "file", name);
  const images = [{ mediaType, attachment: 0, artifact: null, width: null, height: null }];
  const body: EventBody = { type: "user", text: "", images, injected: "file" };
  return draftOf(line, body, { startsTurn: beginsTurn(state), attachments: [{ mediaType, base64: base64! }] });
}

/** The counts are disjoint; reasoning stands beside the output. */
export function readOpenCodeUsage(tokens: Json): Usage {
  const cache = asObject(tokens["cache"]);
  const reasoning = asCount(tokens["reasoning"]);
  const [input, output] = [asCount(tokens["input"]), asCount(tokens["output"])];
  const [cacheRead, cacheWrite] = [asCount(cache["read"]), asCount(cache["write"])];
  // Some providers count it as a part of the output: then the total says so.
  const total = asCount(tokens["total"]);
  const isInside = reasoning === 0 || (total > 0 && total <= input + output + cacheRead + cacheWrite);
  return {
    ...NO_USAGE,
    inputUncached: input,
    cacheRead,
    cacheWrite,
    output: isInside ? output : output + reasoning,
    reasoning: isInside ? Math.min(reasoning, output) : reasoning,
  };
}

function stepDrafts(part: Json, line: RowLine, callKey: string | null, state: OpenCodeState): Draft[] {
  const note = noteOf(line, "step-finish", asText(part["reason"]) ?? "", callKey);
  const { message } = state;
  if (message === null || callKey === null) return [note];
  message.step++;
  const usage = readOpenCodeUsage(asObject(part["tokens"]));
  const { model, ts } = message;
  const drafts: Draft[] = [note, { kind: "call", lane: "", key: callKey, ts, model, usage, outputLowerBound: false }];
  if (message.isCopy !== true) drafts.push(...reportedDrafts(state, model, usage, asCost(part["cost"]) ?? 0));
  return drafts;
}
