// A chat as a whole: its header, and its requests in the order in which they were made, those that were taken back too.
import type { Draft, SessionPatch, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { partsOfDocument, parsedJson } from "../document-parts.ts";
import { asObject, asText, asTime, asWhole, clip, type Json } from "../json.ts";
import { eventAt, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { requestDrafts, requestKey, type ChatPass } from "./chat-requests.ts";
import type { Bytes } from "./chat-ranges.ts";
import { isChatLog, pathOfUri, type ChatState } from "./chat-state.ts";
import { replayLog, type ChatStep, type ReplayedLog } from "./mutation-log.ts";

type ReadChat = Pick<ReplayedLog, "header" | "problems"> & {
  readonly steps: Iterable<ChatStep>;
  readonly isWhole: boolean;
};

/** A request at a time. */
export function* chatPieces(record: SourceRecord, state: ChatState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const chat = state.isLog ? loggedChat(record) : documentChat(record);
  const { header } = chat;
  state.id = asText(header["sessionId"]) ?? state.fileId;
  const pass = newPass(header, state, record);
  let hasHead = false;
  const headOnce = (): Draft[] => {
    if (hasHead) return [];
    hasHead = true;
    return [patchOf("", headerPatch(header, state, chat.isWhole)), headerNote(header, record, pass)];
  };
  for (const step of chat.steps) yield [...headOnce(), ...stepDrafts(step, pass)];
  // A chat that was opened, and in which nothing was said, is no session. One of which something is lost may have been more.
  const isLost = chat.problems.length > 0 || !chat.isWhole;
  yield [...(isLost ? headOnce() : []), ...sumDrafts(pass), ...chat.problems];
}

function loggedChat(record: SourceRecord): ReadChat {
  const log = replayLog(record);
  return { ...log, isWhole: Object.keys(log.header).some((key) => key === "version" || key === "sessionId") };
}

function documentChat({ bytes, byteStart, byteEnd, line }: SourceRecord): ReadChat {
  const { records, header, end } = partsOfDocument(bytes, "requests");
  const problems: Draft[] = [];
  const steps = function* (): Generator<ChatStep> {
    for (const [from, to] of records) {
      const at: Bytes = { byteStart: byteStart + from, byteEnd: byteStart + to };
      const value = parsedJson(bytes.subarray(from, to));
      if (value === undefined) problems.push({ kind: "problem", line, ...at, reason: "A request that is not JSON." });
      else yield { kind: "request", request: { value, at, answeredAt: null, resultAt: null } };
    }
    const reason = "The document ends too early or is damaged. What was before is read.";
    // Of a list there is no header: what is left of a chat that was cut.
    if (Object.keys(header ?? {}).length === 0 && end < bytes.length)
      problems.push({ kind: "problem", line, byteStart: byteStart + end, byteEnd, reason });
  };
  return { header: header ?? {}, steps: steps(), problems, isWhole: true };
}

function newPass(header: Json, state: ChatState, { bytes, byteStart }: SourceRecord): ChatPass {
  const selected = asObject(asObject(header["inputState"])["selectedModel"]);
  const [model, tokens] = [asText(selected["identifier"]), asWhole(asObject(selected["metadata"])["maxInputTokens"])];
  return {
    ...{
      id: state.id ?? "",
      file: { bytes, byteStart },
      cwd: folderOfChat(header, state),
      toolIds: new Set(),
      records: [],
      lastOf: new Map(),
      rounds: 0,
      requests: 0,
      calls: 0,
      counted: 0,
      hasTitle: titleOf(header) !== "",
      model: null,
    },
    ...{ agentVersion: null, context: "", totals: {} },
    window: model === null || tokens === null || tokens === 0 ? null : { model, tokens },
  };
}

const titleOf = (header: Json): string =>
  (asText(header["customTitle"]) ?? asText(header["computedTitle"]))?.trim() ?? "";

const folderOfChat = (header: Json, { cwd }: ChatState): string | null => cwd ?? pathOfUri(header["workingDirectory"]);

function headerPatch(header: Json, state: ChatState, isWhole: boolean): SessionPatch {
  const startedAt = asTime(header["creationDate"]);
  const title = titleOf(header);
  const cwd = folderOfChat(header, state);
  const branch = asText(asObject(header["repoData"])["localBranch"]);
  return {
    ...(startedAt !== null && { startedAt }),
    ...(title !== "" && { title: clip(title, 300), titleRank: 1 as const }),
    ...(cwd !== null && { cwd }),
    ...(branch !== null && branch !== "" && { branch }),
    ...(!isWhole && { quality: "The first line of the log is missing: what it held is not here." }),
  };
}

/** The same in each file of the chat, however far that one goes. */
function headerNote(header: Json, { byteStart, byteEnd }: SourceRecord, { id }: ChatPass): Draft {
  const { inputState: _, pendingRequests: __, repoData: ___, ...rest } = header;
  const position: Position = {
    lane: "",
    ts: asTime(header["creationDate"]),
    key: id === "" ? null : `${id}/chat`,
    byteStart,
    byteEnd,
  };
  return noteAt(position, "session", clip(jsonText(rest), 500));
}

function stepDrafts(step: ChatStep, pass: ChatPass): Draft[] {
  if (step.kind === "request") {
    const drafts = requestDrafts(step.request, pass);
    pass.lastOf.set(step.request, pass.records.at(-1)?.key ?? null);
    return drafts;
  }
  const position: Position = { lane: "", ts: null, key: null, ...step.at };
  if (step.kind === "unknown") return [eventAt(position, { type: "unknown", reason: step.reason, text: step.text })];
  const after = step.after === null ? null : (pass.lastOf.get(step.after) ?? null);
  return [eventAt(position, { type: "rewind", text: "", after })];
}

function sumDrafts({ calls, counted, totals }: ChatPass): Draft[] {
  const quality =
    calls === 0
      ? null
      : counted === 0
        ? "The file has no token counts."
        : "Prompt tokens are of the last model call of each request; cached tokens are inside them.";
  return [
    ...(quality === null ? [] : [patchOf("", { quality })]),
    ...(Object.keys(totals).length === 0 ? [] : [{ kind: "reported" as const, lane: "", usd: null, usage: totals }]),
  ];
}

/** Names of the requests that a chat has now; null for a document that cannot be read to its end. */
export function requestNames(bytes: Uint8Array): string[] | null {
  const record: SourceRecord = { bytes, byteStart: 0, byteEnd: bytes.length, line: 1 };
  if (isChatLog(bytes.subarray(0, 65_536)))
    return replayLog(record).live.map(({ value }, i) => requestKey(value, i, ""));
  const { records, header } = partsOfDocument(bytes, "requests");
  if (header === null) return null;
  return records.map(([from, to], i) => requestKey(parsedJson(bytes.subarray(from, to)), i, ""));
}
