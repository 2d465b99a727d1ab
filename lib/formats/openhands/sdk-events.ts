// Events of OpenHands' SDK: each names its kind. Parallel calls share the answer that made them; sums of tokens come in between.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { TOOL_PART } from "#lib/kernel/request-records.ts";
import { asArray, asNumber, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { paired } from "../messages/call-pairing.ts";
import { readMessage } from "../messages/message-bodies.ts";
import { inputOf, outputOf } from "../messages/message-parts.ts";
import { eventAt, imagesOf, nameOf, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { remember, timeOf, type HandsRun } from "./hands-run.ts";
import { growthOf, isSpent, totalsDraft } from "./openhands-metrics.ts";

const KIND = /(?:Event|Observation|Condensation|CondensationRequest|CondensationSummary)$/;

export const isSdkEvent = (value: Json): boolean =>
  KIND.test(asText(value["kind"]) ?? "") &&
  /^(?:agent|user|environment|hook)$/.test(asText(value["source"]) ?? "") &&
  asText(value["id"]) !== null &&
  "timestamp" in value;

/** `before`: the ids of the events before it. */
export function sdkDrafts(event: Json, given: Position, run: HandsRun, before: readonly string[]): Draft[] {
  const id = asText(event["id"]);
  const position: Position = { ...given, ts: timeOf(event["timestamp"]), key: id };
  const branch = branchDrafts(event, position, run);
  return [...branch, ...ownDrafts(event, position, run, before)];
}

/** Events are a tree: one with another parent than the event above goes on from there, and what lies between left the context. */
function branchDrafts(event: Json, position: Position, run: HandsRun): Draft[] {
  const { head } = run;
  const parent = asText(event["parent_id"]);
  // Sums and parts of an answer are no nodes of the tree.
  if (parent === null && /^(?:ConversationStateUpdate|StreamingDelta)Event$/.test(asText(event["kind"]) ?? ""))
    return [];
  run.head = asText(event["id"]);
  if (parent === null || head === null || parent === head) return [];
  return [eventAt({ ...position, key: null }, { type: "rewind", text: "", after: parent }, { isRecord: false })];
}

function ownDrafts(event: Json, position: Position, run: HandsRun, before: readonly string[]): Draft[] {
  if (isInRun(event) && Object.keys(run.spent).length === 0) run.hasStart ??= false;
  switch (event["kind"]) {
    case "SystemPromptEvent":
      // The first event of every run.
      run.hasStart ??= true;
      return systemDrafts(event, position);
    case "MessageEvent":
      return messageDrafts(event, position, run);
    case "ActionEvent":
      return actionDrafts(event, position, run);
    case "ObservationEvent":
    case "UserRejectObservation":
    case "AgentErrorEvent":
      return [resultDraft(event, position, run)];
    case "ACPToolCallEvent":
      return acpDrafts(event, position, run);
    case "ConversationErrorEvent":
      return [
        eventAt(position, {
          type: "error",
          text: asText(event["detail"]) ?? asText(event["error"]) ?? jsonText(event),
          ...(asText(event["code"]) !== null && { code: asText(event["code"])! }),
        }),
      ];
    case "Condensation":
      return [condensation(event, position, before)];
    case "CondensationSummaryEvent":
      return [eventAt(position, { type: "user", text: asText(event["summary"]) ?? "", injected: "summary" })];
    case "ConversationStateUpdateEvent":
      return stateDrafts(event, position, run);
    case "StreamingDeltaEvent":
      return [patchOf(run.lane, {})];
  }
  const { id: _, timestamp: _time, source: _source, kind, ...rest } = event;
  return [noteAt(position, clip(asText(kind) ?? "", 60), clip(jsonText(rest), 2000))];
}

/** What comes of an answer, before which its tokens are counted. */
const isInRun = ({ kind, source }: Json): boolean =>
  kind === "ActionEvent" ||
  kind === "AgentErrorEvent" ||
  kind === "Condensation" ||
  (kind === "MessageEvent" && source === "agent");

function systemDrafts(event: Json, position: Position): Draft[] {
  const prompt = event["system_prompt"];
  const text = asText(prompt) ?? asText(asObject(prompt)["text"]) ?? "";
  const dynamic = asText(asObject(event["dynamic_context"])["text"]) ?? asText(event["dynamic_context"]);
  return [
    eventAt(position, {
      type: "system",
      subtype: "message",
      text: [text, dynamic].filter((one) => one !== null && one !== "").join("\n"),
    }),
    ...asArray(event["tools"]).map((tool) => {
      const of = asObject(asObject(tool)["function"] ?? tool);
      const name = asText(of["name"]) ?? asText(of["title"]) ?? "unnamed";
      return eventAt(position, { type: "meta", subtype: TOOL_PART, name, text: jsonText(tool), sent: "tools" });
    }),
  ];
}

function messageDrafts(event: Json, position: Position, run: HandsRun): Draft[] {
  const isAgent = event["source"] === "agent";
  const { said } = readMessage({ role: isAgent ? "assistant" : "user", ...asObject(event["llm_message"]) });
  const more = asArray(event["extended_content"]).flatMap((one) => asText(asObject(one)["text"]) ?? []);
  const { key, drafts: call } = isAgent ? answered(event, position, run) : { key: null, drafts: [] };
  const drafts: Draft[] = said.map(({ body, attachments }) =>
    eventAt(
      position,
      isAgent || event["source"] === "user" || body.type !== "user" ? body : { ...body, injected: "environment" },
      {
        callKey: key,
        startsTurn: body.type === "user" && event["source"] === "user",
        attachments,
      },
    ),
  );
  if (drafts.length === 0) drafts.push(noteAt(position, "empty message", ""));
  for (const text of more) drafts.push(eventAt(position, { type: "user", text, injected: "reminder" }));
  const first = said.flatMap(({ body }) => (body.type === "user" ? [body.text.trim()] : []))[0] ?? "";
  const title =
    isAgent || run.hasTitle || first === "" ? [] : [patchOf(run.lane, { title: clip(first, 300), titleRank: 0 })];
  run.hasTitle ||= title.length > 0;
  return [...title, ...drafts, ...call];
}

function actionDrafts(event: Json, position: Position, run: HandsRun): Draft[] {
  const { key, drafts: call, isFirst } = answered(event, position, run);
  const made = asObject(event["tool_call"]);
  const of = asObject(made["function"] ?? made);
  const { kind: _, ...action } = asObject(event["action"]);
  const thinking = readMessage({
    role: "assistant",
    reasoning_content: event["reasoning_content"],
    thinking_blocks: event["thinking_blocks"],
    content: asArray(event["thought"]),
  }).said;
  const input = of["arguments"];
  const own = paired(
    {
      type: "tool_call",
      toolCallId: asText(event["tool_call_id"]) ?? asText(made["id"]),
      toolName: asText(event["tool_name"]) ?? asText(of["name"]) ?? "unnamed",
      input: input === undefined || input === null ? action : inputOf(input),
    },
    nameOf(position),
    run.pairing,
  );
  remember(run, asText(event["id"]), own.type === "tool_call" ? own.toolCallId : null);
  const bodies = [...(isFirst ? thinking.map(({ body }) => body) : []), own];
  return [...bodies.map((body): Draft => eventAt(position, body, { callKey: key })), ...call];
}

/** The answer that an event came from: the call whose tokens were counted just before, else one without usage. */
function answered(event: Json, position: Position, run: HandsRun): { key: string; drafts: Draft[]; isFirst: boolean } {
  const id = asText(event["llm_response_id"]) ?? nameOf(position);
  const known = run.calls.find(([name]) => name === `answer ${id}`);
  if (known !== undefined) return { key: known[1], drafts: [], isFirst: false };
  const told = run.responses.find(([name]) => name === id)?.[1] ?? null;
  const counted = told === null ? run.counted : null;
  const key = counted ?? id;
  run.counted = null;
  remember(run, `answer ${id}`, key);
  const { lane, model } = run;
  const call: Draft = { kind: "call", lane, key, ts: position.ts, model, usage: told, outputLowerBound: false };
  return { key, drafts: counted === null ? [call] : [], isFirst: true };
}

/** What the agent's own model is used for: its calls come last, whatever the order of the keys. */
const isOwn = (purpose: string): boolean => purpose === "default" || purpose === "agent";

/** The model of the agent; where no sum is named so, that of the first sum of calls which is no helper's. */
function agentModel(totals: readonly (readonly [string, Json])[]): string | null {
  const own = totals.find(([purpose]) => isOwn(purpose));
  const other = totals.find(([purpose, metrics]) => !HELPER.test(purpose) && isSpent(metrics));
  return asText((own ?? other)?.[1]["model_name"]);
}

const HELPER = /condens|title|ask-agent/;

function stateDrafts(event: Json, position: Position, run: HandsRun): Draft[] {
  const { key, value } = event;
  if (key !== "stats" && key !== "full_state") {
    const text = `${asText(key) ?? ""} ${asText(value) ?? clip(jsonText(value ?? null), 1000)}`.trim();
    return [noteAt(position, "state", text)];
  }
  const stats = key === "stats" ? value : asObject(value)["stats"];
  const drafts: Draft[] = [noteAt(position, "stats", clip(jsonText(stats ?? null), 1000))];
  const totals = Object.entries(asObject(asObject(stats)["usage_to_metrics"]))
    .filter((entry): entry is [string, Json] => isObject(entry[1]))
    .toSorted(([a], [b]) => Number(isOwn(a)) - Number(isOwn(b)) || (a < b ? -1 : 1));
  const own = run.model === null ? agentModel(totals) : null;
  if (own !== null) {
    run.model = own;
    drafts.push(patchOf(run.lane, { model: own }));
  }
  for (const [purpose, metrics] of totals) {
    const model = asText(metrics["model_name"]);
    const grown = growthOf(metrics, purpose, run);
    if (grown === null) continue;
    const callKey = `${nameOf(position)}.${purpose}`;
    const of = { lane: run.lane, key: callKey, ts: position.ts, model, usage: grown, outputLowerBound: false };
    drafts.push({ kind: "call", ...of });
    // The sum of the agent's own model comes just before the events of its answer; others' answers are in no event.
    if (isOwn(purpose)) run.counted = callKey;
  }
  drafts.push(...totalsDraft(totals, run));
  return drafts;
}

function resultDraft(event: Json, position: Position, run: HandsRun): Draft {
  const observation = asObject(event["observation"]);
  const content =
    observation["content"] ??
    observation["output"] ??
    event["error"] ??
    event["rejection_reason"] ??
    event["observation"];
  const { text, attachments } = outputOf(isObject(content) ? [content] : content);
  const action = run.calls.findLast(([name]) => name === event["action_id"])?.[1];
  if (action === undefined && asText(event["action_id"]) !== null) run.hasStart ??= false;
  const exitCode = asNumber(observation["exit_code"]);
  const detail: ResultDetail = { ...(exitCode !== null && Number.isInteger(exitCode) && { exitCode }) };
  const storedPath = /(?:Full output (?:saved to|at)|saved to:?) ([^\s\]]+)/.exec(text)?.[1];
  const body: EventBody = {
    type: "tool_result",
    toolCallId: action ?? asText(event["tool_call_id"]),
    text,
    isError: observation["is_error"] === true || event["kind"] !== "ObservationEvent",
    saw: storedPath === undefined ? "full" : "preview",
    ...(storedPath !== undefined && { storedPath, offloadedBy: "agent" as const }),
    ...(attachments.length > 0 && { images: imagesOf(attachments) }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return eventAt(position, paired(body, nameOf(position), run.pairing), { attachments });
}

/** A call of an agent that OpenHands runs over ACP, told when it begins and again when it changes; the last time with what came back. */
function acpDrafts(event: Json, position: Position, run: HandsRun): Draft[] {
  const toolCallId = asText(event["tool_call_id"]) ?? nameOf(position);
  const state = asText(event["status"]) ?? "";
  const isDone = state === "completed" || state === "failed" || event["is_error"] === true;
  const has = (name: string): boolean => run.calls.some(([one]) => one === `${name} ${toolCallId}`);
  const drafts: Draft[] = [];
  if (!has("acp")) {
    const toolName = asText(event["tool_kind"]) ?? asText(event["title"]) ?? "unnamed";
    const input = event["raw_input"] ?? { title: event["title"] };
    drafts.push(eventAt(position, { type: "tool_call", toolCallId, toolName, input }));
    remember(run, `acp ${toolCallId}`, toolCallId);
  }
  if (!isDone || has("done")) return drafts.length > 0 ? drafts : [noteAt(position, "ACPToolCallEvent", state)];
  remember(run, `done ${toolCallId}`, toolCallId);
  const output = event["raw_output"] ?? event["content"] ?? "";
  const text = asText(output) ?? outputOf(asArray(event["content"]).map(bare)).text;
  const body: EventBody = {
    ...{ type: "tool_result", toolCallId, saw: "full" },
    text: text === "" ? jsonText(output) : text,
    isError: state === "failed" || event["is_error"] === true,
  };
  return [...drafts, eventAt({ ...position, key: null }, body)];
}

/** Its content stands in a block of its own. */
const bare = (block: unknown): unknown => asObject(block)["content"] ?? block;

/** What was forgotten leaves the context, and the summary stands in its place; events that are not named stay. */
function condensation(event: Json, position: Position, before: readonly string[]): Draft {
  const forgotten = new Set(asArray(event["forgotten_event_ids"]));
  const preserved = before.filter((id) => !forgotten.has(id));
  return eventAt(position, {
    type: "compaction",
    kind: "full",
    trigger: "auto",
    tokensBefore: null,
    tokensAfter: null,
    text: asText(event["summary"]) ?? "",
    ...(forgotten.size > 0 && preserved.length > 0 && { preserved }),
  });
}
