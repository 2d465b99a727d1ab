// One request of a chat: the prompt with what was sent around it, the model calls of its answer, what they used, and how it ended.
import type { Draft, SessionPatch, Usage } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asCost, asNumber, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { eventAt, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { besideDrafts, partDrafts } from "./chat-parts.ts";
import { promptDrafts } from "./chat-prompt.ts";
import { resultDrafts, roundDrafts, roundsOf, type ChatRound } from "./chat-rounds.ts";
import { dueSummaries, summaryDrafts, summariesOf } from "./chat-summaries.ts";
import { shownCalls, subAgentDrafts } from "./chat-subagents.ts";
import { addModelTotals, usageOfRequest } from "./chat-usage.ts";
import { elementsAt, memberAt, spanOf, type Bytes, type ChatBytes } from "./chat-ranges.ts";
import type { LoggedRequest } from "./mutation-log.ts";

/** What one pass over a chat remembers. */
export type ChatPass = {
  readonly id: string;
  readonly file: ChatBytes;
  readonly toolIds: Set<string>;
  /** Names of records in order, each with the round that it is. */
  readonly records: { readonly key: string; readonly round: string | null }[];
  /** The last record of each request. */
  readonly lastOf: Map<LoggedRequest, string | null>;
  /** Rounds so far, as the extension counts them: an answer without one is one. */
  rounds: number;
  requests: number;
  calls: number;
  counted: number;
  readonly cwd: string | null;
  hasTitle: boolean;
  model: string | null;
  agentVersion: string | null;
  /** The client's own first message, as it was sent last. */
  context: string;
  readonly window: { readonly model: string; readonly tokens: number } | null;
  readonly totals: Record<string, Usage>;
};

export const requestKey = (value: unknown, index: number, id: string): string =>
  asText(asObject(value)["requestId"]) || `${id}/#${index}`;

const [CANCELLED] = [2];

export function requestDrafts({ value, at, answeredAt, resultAt }: LoggedRequest, pass: ChatPass): Draft[] {
  const key = requestKey(value, pass.requests++, pass.id);
  const asked = asTime(asObject(value)["timestamp"]);
  const prompt: Position = { lane: "", ts: asked, key, ...at };
  if (!isObject(value)) {
    const text = clip(jsonText(value ?? null), 1000);
    return [eventAt(prompt, { type: "unknown", reason: "A request that is not an object.", text })];
  }
  const result = asObject(value["result"]);
  const metadata = asObject(result["metadata"]);
  const parts = partsOf(value["response"]);
  const rounds = roundsOf(metadata, pass.toolIds);
  const ended = resultAt ?? memberAt(pass.file, at, "result") ?? at;
  const answer: Position = {
    lane: "",
    ts: answeredTime(value, result, asked),
    key: `${key}.0`,
    ...(answeredAt ?? spanOf(elementsAt(pass.file, at, "response")) ?? ended),
  };
  pass.records.push({ key, round: null });
  const models = modelsOf(value, metadata, parts, rounds);
  const drafts: Draft[] = [
    ...aboutDrafts(value, models.at(-1) ?? null, pass),
    ...promptDrafts(value, metadata, prompt, pass),
  ];
  if (rounds.length > 0)
    drafts.push(...answerByRounds({ value, metadata, parts, rounds, models, ended }, answer, key, pass));
  else drafts.push(...answerByParts({ value, metadata, parts, models }, answer, pass));
  pass.rounds += Math.max(1, rounds.length);
  drafts.push(...endDrafts(value, result, { ...answer, ...ended, key: `${key}.end` }));
  addModelTotals(value, pass.totals);
  return drafts;
}

/** A list of parts; in the first releases one text. */
const partsOf = (response: unknown): readonly unknown[] =>
  Array.isArray(response) ? response : typeof response === "string" || isObject(response) ? [response] : [];

function answeredTime(value: Json, result: Json, asked: number | null): number | null {
  const completed = asTime(asObject(value["modelState"])["completedAt"]);
  const elapsed = asNumber(asObject(result["timings"])["totalElapsed"]);
  return completed ?? (asked !== null && elapsed !== null ? Math.round(asked + elapsed) : asked);
}

/** The model of each call. What was asked for may be a choice that is left to the server. */
function modelsOf(
  value: Json,
  metadata: Json,
  parts: readonly unknown[],
  rounds: readonly ChatRound[],
): (string | null)[] {
  const chosen = parts.map(asObject).findLast((part) => part["kind"] === "autoModeResolution");
  const wanted = asText(value["modelId"])?.replace(/^copilot\//, "") ?? "";
  const own = rounds.map((round) => asText(round.value["modelId"]) || null);
  const request =
    asText(metadata["resolvedModel"]) ||
    asText(asObject(chosen?.["resolved"])["id"]) ||
    own.findLast((model) => model !== null) ||
    (wanted === "" || wanted === "auto" ? null : wanted);
  const isMixed = new Set(own.filter((model) => model !== null)).size > 1;
  return rounds.length === 0 ? [request] : own.map((model) => (isMixed ? (model ?? request) : request));
}

function aboutDrafts(value: Json, model: string | null, pass: ChatPass): Draft[] {
  const agentVersion = asText(asObject(value["agent"])["extensionVersion"]);
  const patch: SessionPatch = {
    ...(model !== null && model !== pass.model && { model }),
    ...(agentVersion !== null && agentVersion !== pass.agentVersion && { agentVersion }),
  };
  pass.model = model ?? pass.model;
  pass.agentVersion = agentVersion ?? pass.agentVersion;
  return Object.keys(patch).length === 0 ? [] : [patchOf("", patch)];
}

type Answer = {
  readonly value: Json;
  readonly metadata: Json;
  readonly parts: readonly unknown[];
  readonly models: readonly (string | null)[];
};

function answerByRounds(
  {
    value,
    metadata,
    parts,
    rounds,
    models,
    ended,
  }: Answer & { readonly rounds: readonly ChatRound[]; readonly ended: Bytes },
  answer: Position,
  key: string,
  pass: ChatPass,
): Draft[] {
  const drafts: Draft[] = [];
  const about = memberAt(pass.file, ended, "metadata") ?? ended;
  const ranges = elementsAt(pass.file, about, "toolCallRounds");
  const results = asObject(metadata["toolCallResults"]);
  const shown = shownCalls(parts);
  const summaries = dueSummaries(summariesOf(metadata), rounds, pass.rounds);
  const usage = usageOfRequest(
    value,
    metadata,
    rounds.map(({ thoughtTokens }) => thoughtTokens),
  );
  const window = windowOf(value, pass);
  for (const [n, round] of rounds.entries()) {
    drafts.push(
      ...summaryDrafts(
        summaries.filter((due) => due.before === n),
        { ...answer, ...about, key: `${key}.summary` },
        pass,
      ),
    );
    const isLast = n === rounds.length - 1;
    const callKey = `${key}.${n}`;
    const ts = round.ts ?? (isLast ? answer.ts : null);
    const position = { ...answer, ...(ranges[round.index] ?? about), ts, key: callKey };
    pass.records.push({ key: callKey, round: round.id });
    drafts.push(...roundDrafts(round, position, callKey), ...resultDrafts(round, results, shown, position));
    const own = isLast ? usage.last : null;
    drafts.push(
      callDraft(
        { key: callKey, ts: position.ts, model: models[n] ?? null, usage: own, window },
        pass,
        isLast && usage.isLowerBound,
      ),
    );
  }
  drafts.push(
    ...summaryDrafts(
      summaries.filter((due) => due.before >= rounds.length),
      { ...answer, ...about, key: `${key}.summary` },
      pass,
    ),
  );
  // At a call it would stand beside a prompt of no tokens.
  if (usage.before !== null) drafts.push({ kind: "lost", lane: "", usage: usage.before });
  drafts.push(...besideDrafts(parts, { ...answer, key: `${key}.shown` }));
  return [
    ...drafts,
    ...subAgentDrafts(
      parts,
      rounds.flatMap(({ calls }) => calls),
      answer,
      pass.cwd,
    ),
  ];
}

function answerByParts({ value, metadata, parts, models }: Answer, answer: Position, pass: ChatPass): Draft[] {
  const callKey = answer.key!;
  const drafts = partDrafts(parts, answer, callKey, pass.toolIds);
  const usage = usageOfRequest(value, metadata, [0]);
  const summaries = dueSummaries(summariesOf(metadata), [], pass.rounds);
  const hasAnswer = drafts.some((draft) => draft.kind === "event" && draft.callKey === callKey);
  if (drafts.length > 0) pass.records.push({ key: callKey, round: null });
  const isCall = hasAnswer || (usage.last !== null && summaries.length === 0);
  if (isCall && !hasAnswer) drafts.push(noteAt(answer, "empty answer", "", { callKey }));
  if (isCall) {
    const [window, model] = [windowOf(value, pass), models.at(-1) ?? null];
    drafts.push(callDraft({ key: callKey, ts: answer.ts, model, usage: usage.last, window }, pass, usage.isLowerBound));
  }
  const calls = drafts.flatMap((draft) =>
    draft.kind === "event" && draft.body.type === "tool_call"
      ? [{ id: draft.body.toolCallId ?? "", given: "", name: draft.body.toolName, input: draft.body.input }]
      : [],
  );
  return [...drafts, ...summaryDrafts(summaries, answer, pass), ...subAgentDrafts(parts, calls, answer, pass.cwd)];
}

const windowOf = (value: Json, { window }: ChatPass): number | null =>
  window !== null && window.model === value["modelId"] ? window.tokens : null;

type Call = Pick<Extract<Draft, { kind: "call" }>, "key" | "ts" | "model" | "usage" | "window">;

function callDraft(call: Call, pass: ChatPass, outputLowerBound: boolean): Draft {
  pass.calls++;
  if (call.usage !== null) pass.counted++;
  return { kind: "call", lane: "", ...call, outputLowerBound };
}

/** Errors, a request that a person stopped, and what VS Code says below the answer. */
function endDrafts(value: Json, result: Json, position: Position): Draft[] {
  const drafts: Draft[] = [];
  const error = isObject(result["errorDetails"]) ? result["errorDetails"] : asObject(value["responseErrorDetails"]);
  const [message, code] = [asText(error["message"]) ?? "", asText(error["code"])];
  const isStopped = value["isCanceled"] === true || asObject(value["modelState"])["value"] === CANCELLED;
  if (isStopped || code === "canceled") drafts.push(noteAt(position, "cancelled", message));
  else if (message !== "" || code !== null)
    drafts.push(eventAt(position, { type: "error", text: message, ...(code !== null && { code }) }));
  const details = asText(result["details"]);
  const credits = asCost(value["copilotCredits"]);
  const about = [details, credits === null ? null : `${credits} credits`].filter((one) => one !== null && one !== "");
  if (about.length > 0) drafts.push(noteAt(position, "request", clip(about.join(" · "), 300)));
  return drafts;
}
