// Rows of `session_message`, the table of OpenCode 2: a message with all that it holds, in the place of messages and parts. Its shapes
// are those of `Session.Message` in OpenCode 1.18, which has the table and writes its first rows, and of the releases since.
import { NO_USAGE, type Attachment, type Draft, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { SUMMARY_ENCRYPTED } from "../codex/session.ts";
import { asArray, asCost, asCount, asNumber, asObject, asText, clip, type Json } from "../json.ts";
import { unknownBody } from "../unknown-body.ts";
import { imagesOf } from "../placed-drafts.ts";
import { reportedDrafts } from "../reported-sums.ts";
import { asMs, draftOf, noteOf, type RowLine } from "./opencode-drafts.ts";
import type { OpenCodeState } from "./opencode-state.ts";

export function sessionMessageDrafts(row: Json, line: RowLine, state: OpenCodeState, isCopy: boolean): Draft[] {
  const drafts = messageDrafts(row, line, state, isCopy ? null : state);
  state.copied = null;
  return drafts;
}

/** `sums`: null of a copy, whose figures are those of another session. */
function messageDrafts(row: Json, line: RowLine, state: OpenCodeState, sums: OpenCodeState | null): Draft[] {
  const data = asObject(row["data"]);
  const type = asText(row["type"]) ?? asText(data["type"]) ?? "";
  const at: RowLine = { ...line, ts: asMs(asObject(data["time"])["created"]) ?? line.ts };
  const text = asText(data["text"]) ?? "";
  switch (type) {
    case "user":
      return promptDrafts(data, text, at, state);
    case "synthetic":
      return [draftOf(at, { type: "user", text, injected: "synthetic" })];
    case "system":
      return [draftOf(at, { type: "system", subtype: "system", text })];
    case "assistant":
      return answerDrafts(data, at, state, sums);
    case "shell":
      return shellDrafts(data, at);
    case "skill":
      return [draftOf(at, { type: "user", text, injected: "skill" })];
    case "compaction":
      return compactionDrafts(data, at, state, sums);
    case "location-switched":
      return [draftOf(at, { type: "user", text: movedTo(asObject(data["location"])), injected: "location" })];
    case "idle":
      return [noteOf(at, type, asText(data["outcome"]) ?? "")];
    case "model-switched":
      return [...modelPatch(data["model"], state), noteOf(at, type, modelOf(data["model"]) ?? "")];
    case "agent-switched":
      return [noteOf(at, type, asText(data["agent"]) ?? "")];
  }
  const reason = `A message of type "${clip(type, 60)}", which is not known.`;
  return [draftOf(at, { type: "unknown", reason, text: clip(jsonText(data), 1000) })];
}

/** As it is sent. */
const movedTo = ({ directory }: Json): string =>
  `The working directory has been changed to ${asText(directory) ?? ""}.`;

const modelOf = (model: unknown): string | null => {
  const { id, modelID } = asObject(model);
  return asText(id) ?? asText(modelID);
};

function modelPatch(value: unknown, state: OpenCodeState): Draft[] {
  const model = modelOf(value);
  if (model === null || model === state.model) return [];
  state.model = model;
  return [{ kind: "session", lane: "", patch: { model } }];
}

function promptDrafts(data: Json, text: string, line: RowLine, state: OpenCodeState): Draft[] {
  const drafts: Draft[] = [];
  if (!state.hasTitle && text.trim() !== "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } });
  }
  drafts.push(draftOf(line, { type: "user", text }, { startsTurn: true }));
  for (const file of asArray(data["files"])) drafts.push(fileDraft(asObject(file), line));
  return drafts;
}

/** The bytes of an image, in the address of releases before, or beside it. */
function imageOf({ uri, data, mime }: Json): Attachment | null {
  const [, mediaType, base64] = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/.exec(asText(uri) ?? "") ?? [];
  if (mediaType !== undefined) return { mediaType, base64: base64! };
  const isImage = typeof data === "string" && asText(mime)?.startsWith("image/") === true;
  return isImage ? { mediaType: mime as string, base64: data } : null;
}

/** Of other files text and listings are sent. */
const SENT = ["text/plain", "application/x-directory"];

function fileDraft(file: Json, line: RowLine): Draft {
  const [mime, name] = [asText(file["mime"]) ?? "", asText(file["name"]) ?? ""];
  const image = imageOf(file);
  if (image !== null) {
    const body: EventBody = { type: "user", text: "", images: imagesOf([image]), injected: "file" };
    return draftOf(line, body, { attachments: [image] });
  }
  const data = asText(file["data"]);
  if (data === null || !SENT.includes(mime)) return noteOf(line, "file", name === "" ? mime : name);
  const text = Buffer.from(data, "base64").toString("utf8");
  return draftOf(line, { type: "user", text: `Attached file: ${name}\n\n${text}`, injected: "file" });
}

/** One answer of the model: one call, whose usage stands on the message. */
function answerDrafts(data: Json, line: RowLine, state: OpenCodeState, sums: OpenCodeState | null): Draft[] {
  const model = modelOf(data["model"]);
  const callKey = line.key;
  const drafts: Draft[] = modelPatch(data["model"], state);
  const content = asArray(data["content"]);
  for (const one of content) drafts.push(...contentDrafts(asObject(one), line, callKey));
  if (content.length === 0) drafts.push(noteOf(line, "empty answer", asText(data["finish"]) ?? "", callKey));
  const retry = asObject(asObject(data["retry"])["error"]);
  if (Object.keys(retry).length > 0)
    drafts.push(
      draftOf(line, { type: "error", text: asText(retry["message"]) ?? "The request failed.", code: "retry" }),
    );
  const error = asObject(data["error"]);
  if (data["error"] !== undefined && data["error"] !== null)
    drafts.push(
      draftOf(line, { type: "error", text: asText(error["message"]) ?? "The request failed.", ...codeOf(error) }),
    );
  return callKey === null ? drafts : [...drafts, ...callDrafts(data, model, callKey, line, sums)];
}

function callDrafts(data: Json, model: string | null, key: string, line: RowLine, sums: OpenCodeState | null): Draft[] {
  const hasUsage = data["tokens"] !== undefined && data["tokens"] !== null;
  const usage = hasUsage ? usageOf(asObject(data["tokens"])) : null;
  const call: Draft = { kind: "call", lane: "", key, ts: line.ts, model, usage, outputLowerBound: false };
  return usage === null || sums === null
    ? [call]
    : [call, ...reportedDrafts(sums, model, usage, asCost(data["cost"]) ?? 0)];
}

const codeOf = (error: Json): { code?: string } => {
  const code = asText(error["type"]);
  return code === null ? {} : { code: clip(code, 100) };
};

/** The counts are disjoint: reasoning stands beside the output. */
function usageOf(tokens: Json): Usage {
  const cache = asObject(tokens["cache"]);
  const reasoning = asCount(tokens["reasoning"]);
  return {
    ...NO_USAGE,
    inputUncached: asCount(tokens["input"]),
    cacheRead: asCount(cache["read"]),
    cacheWrite: asCount(cache["write"]),
    output: asCount(tokens["output"]) + reasoning,
    reasoning,
  };
}

function contentDrafts(one: Json, line: RowLine, callKey: string | null): Draft[] {
  const text = asText(one["text"]) ?? "";
  switch (asText(one["type"])) {
    case "text":
      return [draftOf(line, { type: "assistant", text }, { callKey })];
    case "reasoning": {
      const ts = asMs(asObject(one["time"])["created"]) ?? line.ts;
      const encrypted = text === "" && (one["providerMetadata"] ?? one["native"] ?? one["state"]) !== undefined;
      return [draftOf({ ...line, ts }, { type: "reasoning", text, ...(encrypted && { encrypted }) }, { callKey })];
    }
    case "tool":
      return toolDrafts(one, line, callKey);
  }
  return [draftOf(line, unknownBody("part", asText(one["type"]) ?? "", one), { callKey })];
}

function toolDrafts(one: Json, line: RowLine, callKey: string | null): Draft[] {
  const state = asObject(one["state"]);
  const status = asText(state["status"]);
  const time = asObject(one["time"]);
  const toolCallId = asText(one["id"]);
  const begun = asMs(time["created"]) ?? line.ts;
  const hosted = one["executed"] === true || asObject(one["provider"])["executed"] === true;
  const call: EventBody = {
    type: "tool_call",
    toolCallId,
    toolName: asText(one["name"]) ?? "unnamed",
    // While it is written, the input is the text so far.
    input: state["input"] ?? {},
    ...(hosted && { hosted: true }),
  };
  const drafts: Draft[] = [draftOf({ ...line, ts: begun }, call, { callKey })];
  if (status !== "completed" && status !== "error") return drafts;
  const said = asArray(state["content"]).map(asObject);
  const text = said.flatMap((part) => (asText(part["type"]) === "text" ? [asText(part["text"]) ?? ""] : [])).join("\n");
  const failure = asText(asObject(state["error"])["message"]) ?? "";
  const images = said.flatMap((part) => imageOf(part) ?? []);
  const structured = { ...asObject(state["metadata"]), ...asObject(state["structured"]) };
  const storedPath = asText(asArray(state["outputPaths"])[0]) ?? asText(structured["outputPath"]);
  const end = asMs(time["completed"]);
  const ran = asMs(time["ran"]) ?? begun;
  const exit = asNumber(structured["exit"]) ?? asNumber(structured["exitCode"]);
  const agentId = asText(structured["sessionID"]) ?? asText(structured["sessionId"]);
  const detail: ResultDetail = {
    ...(exit !== null && Number.isInteger(exit) && { exitCode: exit }),
    ...(end !== null && ran !== null && end >= ran && { durationMs: end - ran }),
    ...(agentId?.startsWith("ses_") === true && { agentId }),
  };
  const body: EventBody = {
    type: "tool_result",
    toolCallId,
    text: status === "error" && text === "" ? failure : text,
    isError: status === "error",
    saw: storedPath === null ? "full" : "preview",
    ...(storedPath !== null && { storedPath, offloadedBy: "agent" as const }),
    ...(Object.keys(detail).length > 0 && { detail }),
    ...(images.length > 0 && { images: imagesOf(images) }),
  };
  return [...drafts, draftOf({ ...line, ts: end ?? line.ts }, body, images.length > 0 ? { attachments: images } : {})];
}

/**
 * A command that a person ran beside the model: both its words and its output are sent. Since it goes on in the background, a message
 * behind it says so to the model.
 */
function shellDrafts(data: Json, line: RowLine): Draft[] {
  const { output } = data;
  if (asObject(data["metadata"])["background"] === true)
    return [noteOf(line, "shell", clip(asText(data["command"]) ?? "", 1000))];
  const text = `$ ${asText(data["command"]) ?? ""}\n${asText(output) ?? asText(asObject(output)["output"]) ?? ""}`;
  return [draftOf(line, { type: "user", text, injected: "command" })];
}

/** The summary stands for all before it, and behind it the newest messages as text. Its own request is counted in the same row. */
function compactionDrafts(data: Json, line: RowLine, state: OpenCodeState, sums: OpenCodeState | null): Draft[] {
  const model = modelOf(data["model"]) ?? state.model;
  const key = data["tokens"] === undefined || line.key === null ? null : line.key;
  const counted =
    key === null ? [] : [noteOf(line, "compaction call", "", key), ...callDrafts(data, model, key, line, sums)];
  const status = asText(data["status"]) ?? "completed";
  if (status === "failed") {
    const error = asObject(data["error"]);
    const text = asText(error["message"]) ?? "The compaction failed.";
    return [...counted, draftOf(line, { type: "error", text, ...codeOf(error) })];
  }
  if (status !== "completed") return [...counted, noteOf(line, "compaction", status)];
  const [summary, recent] = [asText(data["summary"]) ?? "", asText(data["recent"]) ?? ""];
  const trigger = asText(data["reason"]);
  const sent = [summary, recent].filter((text) => text !== "").join("\n\n");
  const replaced = asArray(asObject(data["providerContext"])["messages"]).map(asObject);
  return [
    ...counted,
    draftOf(line, { type: "compaction", kind: "full", trigger, tokensBefore: null, tokensAfter: null, text: summary }),
    ...(replaced.length > 0
      ? replacementDrafts(replaced, line)
      : [draftOf(line, { type: "user", text: sent, injected: "summary" })]),
  ];
}

/** The provider made a new context itself: messages that stand for all before, mostly with a part that only it can read. */
function replacementDrafts(messages: readonly Json[], line: RowLine): Draft[] {
  const parts = messages.map(({ content }) =>
    typeof content === "string" ? [{ text: content }] : asArray(content).map(asObject),
  );
  const isSealed = parts.flat().some((part: Json) => part["type"] === "compaction" && !asText(part["text"]));
  const texts = parts.map((all) => all.flatMap((part: Json) => asText(part["text"]) || []).join("\n"));
  return [
    ...texts
      .filter((text) => text !== "")
      .map((text) => draftOf(line, { type: "user", text, injected: "summary" } as const)),
    ...(isSealed ? [{ kind: "session", lane: "", patch: { quality: SUMMARY_ENCRYPTED } } as const] : []),
  ];
}
