// Transcripts of Claude Code: one JSON record a line, one content block of a model's answer a record.
// All lines of one answer share (message.id, requestId) and repeat its usage, growing: the archive keeps
// the field-wise maximum of each. Sub-agents lie in files of their own, or inside the parent's file.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { claudeContinuation } from "./claude-code/claude-continuation.ts";
import { attachmentBodies } from "./claude-code/attachments.ts";
import { answerKey, endAnswers } from "./claude-code/answer-keys.ts";
import { answerBlock, isErrorMessage, usageIn } from "./claude-code/answers.ts";
import { sampledCalls, sampledEvents } from "./claude-code/iterations.ts";
import { claudeFolders } from "./claude-code/claude-folders.ts";
import { isClaudeHead } from "./claude-code/claude-head.ts";
import { claudeCleanup } from "./claude-code/cleanup.ts";
import { outputFiles, sessionFolder } from "./claude-code/output-files.ts";
import { readContent, readResult } from "./claude-code/results.ts";
import {
  baseName,
  countSessionId,
  isRepeat,
  laneOf,
  mainSessionId,
  sidecarPath,
  resumeState,
  startState,
  type ClaudeState,
} from "./claude-code/claude-state.ts";
import { metaDrafts, systemBody, titleOf } from "./claude-code/claude-records.ts";
import { clearingOf, noteCleared, replacedResults } from "./claude-code/cleared-results.ts";
import { MESSAGE, REPLACEMENT, REQUEST, SHAPE } from "./claude-code/request-subtypes.ts";
import { isReplayed } from "./claude-code/replays.ts";
import { rewindOf } from "./claude-code/rewinds.ts";
import { claudeRequests } from "./claude-code/requests.ts";
import { shapeDrafts } from "./claude-code/request-shape.ts";
import { expandedCommand, injectedKind, queuedKind } from "./claude-code/injected-words.ts";
import { progressOf, type Progress } from "./claude-code/progress.ts";
import { readValues } from "./json-lines.ts";
import { asArray, asObject, asText, asTime, isObject, type Json } from "./json.ts";

export const claudeCode: Format<ClaudeState> = {
  id: "claude-code",
  label: "Claude Code",
  signs: "lines with sessionId, uuid and parentUuid",
  // 2: one-hour cache writes and web searches. 3: calls of sub-agents that only progress lines hold. 5: images weigh what the provider's rule
  // says. 6: outputs from the agent's files, requests in the file. 7: a call's label, whatever its tool. 8: rewinds, results that a request has shorter.
  // 9: fast mode is part of a call's model. 10: so are inference in the United States and batches, and sampled calls.
  // 11: cache writes without a total, results of any tool of the provider. 12: a block that is not known is no title, an answer without usage a call. 13: costs as texts.
  // 14: a record without content begins no turn. 15: of the copies of a call the fullest counts. 16: outputs of sub-agents that were followed.
  // 17: an answer of the client's that is no error, turns that begin with a command. 18: records that stand in the file again, answers that
  // share an id of a relay, the tail that an older client's compaction left, results that a record has shorter, words of a team's members.
  // 19: answers of many agents side by side, and one that goes on behind a command, keep their id; a new prompt ends copies. 20: queued notices.
  // 21: records of remote sessions and of artifacts. 22: results that are objects.
  version: 22,
  reader: "lines",
  sources: claudeFolders,
  wants: (path) => path.endsWith(".jsonl") && !["journal.jsonl", "history.jsonl"].includes(baseName(path)),
  detect: ({ head }) => isClaudeHead(head),
  sidecars: (path) => (baseName(path).startsWith("agent-") ? [sidecarPath(path)] : []),
  ownsSidecars: true,
  cleanup: claudeCleanup,
  start: startState,
  resume: resumeState,
  parse,
  identify: (state) => {
    const main = mainSessionId(state);
    if (state.agentId !== null) return main === null ? null : `${main}/${state.agentId}`;
    return state.fileId ?? main;
  },
  callNames: "?*:?*",
  requests: claudeRequests,
  continuation: claudeContinuation,
  fullOutputPaths: outputFiles,
  sessionFolder,
};

function parse(source: SourceRecord, state: ClaudeState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(
    source,
    (value) => isObject(value) && ("uuid" in value || "sessionId" in value),
  );
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values) {
    const range = values.length > 1 || problems.length > 0 ? { byteStart, byteEnd } : {};
    for (const draft of recordDrafts(value, state))
      drafts.push(draft.kind === "event" ? { ...draft, ...range } : draft);
  }
  return drafts;
}

function recordDrafts(value: unknown, state: ClaudeState): Draft[] {
  if (!isObject(value))
    return [
      event("", null, null, {
        type: "unknown",
        reason: "Not a JSON object.",
        text: jsonText(value).slice(0, 500),
      }),
    ];
  const uuid = asText(value["uuid"]);
  const sessionId = asText(value["sessionId"]);
  if (sessionId !== null) countSessionId(state, sessionId);
  const lane = laneOf(state, value);
  const ts = asTime(value["timestamp"]);
  if (isRepeat(state, uuid))
    return [event(lane, ts, null, { type: "meta", subtype: "duplicate", text: "The same record as the one above." })];
  if (isReplayed(value, state))
    return [event(lane, ts, null, { type: "meta", subtype: "duplicate", text: "A copy of an earlier record." })];
  endAnswers(value, lane, state);
  const drafts = sessionDrafts(value, lane, state);
  const progress = progressOf(value);
  if (progress !== null) drafts.push(...progressDrafts(value, progress, ts, state));
  for (const body of contextChanges(value, state)) drafts.push(event(lane, ts, uuid, body));
  if (value["type"] === "user") drafts.push(...userDrafts(value, lane, ts, uuid, state));
  else if (value["type"] === "assistant") drafts.push(...assistantDrafts(value, lane, ts, uuid, state));
  else if (value["type"] === "attachment") drafts.push(...attachmentDrafts(value, lane, ts, uuid));
  else if (value["type"] === "system") drafts.push(event(lane, ts, uuid, systemBody(value)));
  else if (value["type"] === SHAPE) drafts.push(...shapeDrafts(value, lane, ts, state));
  else drafts.push(...metaDrafts(value, lane, ts, uuid));
  return drafts;
}

/** What left the context before this record, where the record alone lets it be seen. */
function contextChanges(value: Json, state: ClaudeState): EventBody[] {
  const type = value["type"];
  const change =
    type === MESSAGE
      ? noteCleared(value, state)
      : type === REQUEST
        ? clearingOf(state)
        : type === REPLACEMENT
          ? replacedResults(value, state)
          : rewindOf(value, state);
  return change === null ? [] : [change];
}

/** A message of a sub-agent, as its parent's client was shown it. The line itself is a record of the parent. */
function progressDrafts(
  value: Json,
  { lane, patch, record }: Progress,
  at: number | null,
  state: ClaudeState,
): Draft[] {
  const isFirst = !Object.hasOwn(state.lastValues, lane);
  const drafts = sessionDrafts(value, lane, state);
  if (isFirst) drafts.push({ kind: "session", lane, patch });
  const ts = asTime(record["timestamp"]) ?? at;
  const uuid = asText(record["uuid"]);
  if (record["type"] === "user") drafts.push(...userDrafts(record, lane, ts, uuid, state));
  else drafts.push(...assistantDrafts(record, lane, ts, uuid, state));
  return drafts.map((draft) => (draft.kind === "event" ? { ...draft, isRecord: false } : draft));
}

function event(lane: string, ts: number | null, recordKey: string | null, body: EventBody): Draft & { kind: "event" } {
  return { kind: "event", lane, ts, body, recordKey, callKey: null, startsTurn: false };
}

/** Tells what changed about the session: folder, branch, version; once, who its parent is. */
function sessionDrafts(value: Json, lane: string, state: ClaudeState): Draft[] {
  const drafts: Draft[] = [];
  const said = [asText(value["cwd"]), asText(value["gitBranch"]), asText(value["version"])] as const;
  const key = said.join("\n");
  if (said.some((part) => part !== null) && state.lastValues[lane] !== key) {
    const first = !Object.hasOwn(state.lastValues, lane);
    state.lastValues[lane] = key;
    const [cwd, branch, agentVersion] = said;
    const patch = { ...(cwd && { cwd }), ...(branch && { branch }), ...(agentVersion && { agentVersion }) };
    drafts.push({ kind: "session", lane, patch });
    const sessionId = asText(value["sessionId"]);
    const own = lane === "" && state.agentId !== null;
    if (first && (own || lane !== "")) {
      const { agentType, description, toolUseId } = (own && state.sidecar) || {
        agentType: null,
        description: null,
        toolUseId: null,
      };
      drafts.push({
        kind: "session",
        lane,
        patch: {
          relation: "subagent",
          // Inside the parent's own file the archive knows the parent; its lines may name several.
          ...(own && sessionId !== null && { parent: sessionId }),
          ...(toolUseId !== null && { parentToolCallId: toolUseId }),
          ...(agentType !== null && { agentName: agentType }),
          ...(description !== null && { title: description, titleRank: 1 as const }),
        },
      });
    }
  }
  return drafts;
}

function userDrafts(value: Json, lane: string, ts: number | null, uuid: string | null, state: ClaudeState): Draft[] {
  const content = asObject(value["message"])["content"];
  const blocks = asArray(content).map(asObject);
  const results = blocks.filter((block) => block["type"] === "tool_result");
  if (results.length === 0) {
    const { text, words, images, attachments } = readContent(content);
    const injected = injectedKind(value, words);
    const body: EventBody = { type: "user", text, ...(images.length > 0 && { images }), ...(injected && { injected }) };
    const command = expandedCommand(value, lane, words, state);
    const startsTurn = injected === undefined || command !== null;
    const title = startsTurn && words.trim() !== "" ? titleOf(command ?? words) : null;
    const drafts: Draft[] = title === null ? [] : [{ kind: "session", lane, patch: { title, titleRank: 0 } }];
    return [...drafts, { ...event(lane, ts, uuid, body), startsTurn, attachments }];
  }
  return blocks.map((block): Draft => {
    if (block["type"] === "tool_result") {
      const { body, ...rest } = readResult(block, results.length === 1 ? value["toolUseResult"] : undefined);
      return { ...event(lane, ts, uuid, body), ...rest };
    }
    const { text, images, attachments } = readContent([block]);
    const injected = injectedKind(value, text) ?? "beside a result";
    return {
      ...event(lane, ts, uuid, { type: "user", text, ...(images.length > 0 && { images }), injected }),
      attachments,
    };
  });
}

function assistantDrafts(
  value: Json,
  lane: string,
  ts: number | null,
  uuid: string | null,
  state: ClaudeState,
): Draft[] {
  const message = asObject(value["message"]);
  const usage = message["usage"];
  const model = variantOf(asText(message["model"]), asObject(usage));
  const fromClient = model === "<synthetic>";
  const isError = isErrorMessage(value, fromClient);
  const isCall = !fromClient && (isObject(usage) || !isError);
  const callKey = isCall ? answerKey(value, lane, ts, state) : null;
  const drafts: Draft[] = [];
  const content = message["content"];
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(asObject);
  for (const block of blocks) {
    const sampled = sampledEvents(block, lane, callKey, usage);
    const keyOf = (of: string) => (of === lane ? uuid : null);
    drafts.push(...sampled.map((one) => ({ ...event(one.lane, ts, keyOf(one.lane), one.body), callKey: one.callKey })));
    if (sampled.length > 0) continue;
    const { body, attachments } = answerBlock(block, isError);
    drafts.push({ ...event(lane, ts, uuid, body), callKey, ...(attachments && { attachments }) });
  }
  if (blocks.length === 0)
    drafts.push({ ...event(lane, ts, uuid, { type: "meta", subtype: "empty answer", text: "" }), callKey });
  if (callKey !== null) {
    if (model !== null && state.lastValues[`model ${lane}`] !== model) {
      state.lastValues[`model ${lane}`] = model;
      drafts.unshift({ kind: "session", lane, patch: { model } });
    }
    // Versions about 2.1.12–2.1.39 keep the count at the start of the stream; no stop reason is their sign.
    const outputLowerBound = isObject(usage) && asText(message["stop_reason"]) === null;
    const call = { kind: "call", lane, key: callKey, ts, model, usage: usageIn(usage), outputLowerBound } as const;
    drafts.push(...sampledCalls(call, asObject(usage)));
  }
  return drafts;
}

/** A prompt typed while the agent was busy comes as an attachment; the others are what the client put beside it. */
function attachmentDrafts(value: Json, lane: string, ts: number | null, uuid: string | null): Draft[] {
  const attachment = asObject(value["attachment"]);
  const subtype = asText(attachment["type"]) ?? "attachment";
  if (subtype !== "queued_command") return attachmentBodies(subtype, value).map((body) => event(lane, ts, uuid, body));
  const { text, words, images, attachments } = readContent(attachment["prompt"]);
  const injected = queuedKind(value, attachment, words);
  const body: EventBody = { type: "user", text, ...(images.length > 0 && { images }), ...(injected && { injected }) };
  return [{ ...event(lane, ts, uuid, body), startsTurn: injected === undefined, attachments }];
}
