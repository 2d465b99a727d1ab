// What a person said to Copilot, and what the model answered.
import { SYSTEM_PART } from "#lib/kernel/request-records.ts";
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asCount, asObject, asText, clip, type Json } from "../json.ts";
import { SHAPE } from "../claude-code/request-subtypes.ts";
import { draftOf, type Line } from "./copilot-drafts.ts";
import { rememberPrompt, type CopilotState } from "./copilot-state.ts";

/** A prompt as it was typed, between what Copilot sent with it in the same message. */
export function copilotPrompt(data: Json, line: Line, state: CopilotState): Draft[] {
  const typed = asText(data["content"]) ?? "";
  const sent = asText(data["transformedContent"]) ?? typed;
  const source = asText(data["source"]) ?? "";
  const isProgram = data["isAutopilotContinuation"] === true || (source !== "" && source !== "user");
  const drafts: Draft[] = [];
  if (typed.trim() !== "" && !isProgram && line.lane === "" && !state.hasTitle) {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(typed.trim(), 300), titleRank: 0 } });
  }
  if (line.lane === "") rememberPrompt(state, typed);
  const at = typed === "" ? -1 : sent.lastIndexOf(typed);
  const parts = at < 0 ? ["", sent, ""] : [sent.slice(0, at), typed, sent.slice(at + typed.length)];
  for (const [i, text] of parts.entries()) {
    const isOwn = i === 1;
    if (text === "" && !isOwn) continue;
    const injected = !isOwn ? "environment" : isProgram ? source || "autopilot" : null;
    const body: EventBody = { type: "user", text, ...(injected !== null && { injected }) };
    drafts.push(draftOf(line, body, { startsTurn: isOwn && !isProgram }));
  }
  return drafts;
}

/** The whole system prompt, told again after each start of the program. */
export function systemPrompt(data: Json, line: Line): Draft[] {
  const text = asText(data["content"]) ?? "";
  const part = `system ${line.key ?? ""}`;
  return [
    draftOf(line, { type: "meta", subtype: SHAPE, text: "", parts: [part] }),
    draftOf(line, { type: "meta", subtype: SYSTEM_PART, text, sent: "prefix", rendered: "system", part }),
  ];
}

export function copilotAnswer(data: Json, line: Line, state: CopilotState): Draft[] {
  // Early releases name none: the session was set to one. A sub-agent may have another.
  const model = asText(data["model"]) ?? (line.lane === "" ? state.model : null);
  const callKey = asText(data["apiCallId"]) ?? asText(data["messageId"]) ?? line.key;
  const drafts: Draft[] = [];
  if (model !== null && (line.lane !== "" || model !== state.model))
    drafts.push({ kind: "session", lane: line.lane, patch: { model } });
  if (line.lane === "") state.model = model;
  const bodies = [...thoughts(data), ...words(data), ...asArray(data["toolRequests"]).map(copilotCall)];
  if (bodies.length === 0) bodies.push({ type: "meta", subtype: "empty answer", text: "" });
  for (const body of bodies) drafts.push(draftOf(line, body, { callKey }));
  if (callKey !== null) drafts.push(callOf(data, callKey, line, model, state));
  if (!state.countsCalls && !state.saidTotals) {
    state.saidTotals = true;
    const quality = "Only output tokens are reported for each call. Input tokens are in the totals of a run.";
    drafts.push({ kind: "session", lane: "", patch: { quality } });
  }
  return drafts;
}

/** Older versions write down the tokens of the answer, and nothing of the prompt. */
function callOf(data: Json, key: string, line: Line, model: string | null, state: CopilotState): Draft {
  const output = asCount(data["outputTokens"]);
  state.said = (state.said ?? 0) + output;
  const usage = state.countsCalls || output === 0 ? null : { ...NO_USAGE, output };
  return { kind: "call", lane: line.lane, key, ts: line.ts, model, usage, outputLowerBound: false };
}

function thoughts(data: Json): EventBody[] {
  const blocks = asArray(asObject(data["reasoningBlocks"])["blocks"]).map(asObject);
  const text = asText(data["reasoningText"]) || blocks.flatMap(blockWords).join("\n");
  const own = asText(data["reasoningOpaque"]) ?? asText(data["encryptedContent"]) ?? "";
  const sealed =
    own || blocks.map((one) => asText(one["signature"]) ?? asText(one["encrypted_content"]) ?? "").join("");
  if (text === "" && sealed === "") return [];
  return [
    {
      type: "reasoning",
      text,
      ...(sealed !== "" && { signatureChars: sealed.length }),
      ...(text === "" && { encrypted: true }),
    },
  ];
}

/** Since 1.0.80 some answers have the provider's own blocks, and no text beside them. */
function blockWords(block: Json): string[] {
  const summary = asArray(block["summary"]).map((part) => asText(asObject(part)["text"]));
  return [asText(block["thinking"]), ...summary].filter((one) => one !== null && one !== "") as string[];
}

function words(data: Json): EventBody[] {
  const text = asText(data["content"]) ?? "";
  return text === "" ? [] : [{ type: "assistant", text }];
}

function copilotCall(request: unknown): EventBody {
  const { toolCallId, name, arguments: input, type } = asObject(request);
  return {
    type: "tool_call",
    toolCallId: asText(toolCallId),
    toolName: asText(name) ?? "unnamed",
    ...(type === "custom" && { custom: true as const }),
    input: input ?? {},
  };
}
