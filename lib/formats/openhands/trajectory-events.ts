// Events of OpenHands' first generation: an action, or an observation that names the action which caused it.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { TOOL_PART } from "#lib/kernel/request-records.ts";
import { asArray, asNumber, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { paired } from "../messages/call-pairing.ts";
import { imageOf, inputOf } from "../messages/message-parts.ts";
import { readMessage } from "../messages/message-bodies.ts";
import { providerUsage } from "../messages/provider-usage.ts";
import { eventAt, imagesOf, nameOf, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { remember, timeOf, type HandsRun } from "./hands-run.ts";
import { growthOf, sumOf, totalsDraft } from "./openhands-metrics.ts";

/** True for an action or an observation; those of early benchmarks, which stand in pairs, have no number. */
export function isTrajectoryEvent(value: Json, isPair = false): boolean {
  const isEither = asText(value["action"]) !== null || asText(value["observation"]) !== null;
  if (!isEither || "kind" in value || "trace_type" in value) return false;
  const isPlaced =
    typeof value["id"] === "number" && /^(?:agent|user|environment)$/.test(asText(value["source"]) ?? "");
  return isPlaced || (isPair && (isObject(value["args"]) || isObject(value["extras"])));
}

export function trajectoryDrafts(event: Json, given: Position, run: HandsRun): Draft[] {
  const position: Position = { ...given, ts: timeOf(event["timestamp"]) };
  const id = idOf(event["id"]);
  // Events are numbered from 0.
  run.hasStart ??= typeof event["id"] !== "number" || event["id"] <= 1;
  if (asText(event["action"]) !== null)
    return [...actionDrafts(event, id, position, run), ...totals(asObject(event["llm_metrics"]), run)];
  if (asText(event["observation"]) !== null) return observationDrafts(event, position, run);
  const reason = "An event that is neither an action nor an observation.";
  return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(event), 2000) })];
}

/** The run's sums so far, with those of its condenser, where no totals stand behind the events. */
function totals(metrics: Json, run: HandsRun): Draft[] {
  if (run.hasTotals) return [];
  const model = asText(metrics["model_name"]) ?? asText(sumOf(metrics)?.["model"]) ?? run.model;
  return totalsDraft([["run", { ...metrics, model_name: model }]], run);
}

const idOf = (value: unknown): string | null =>
  typeof value === "number" || (typeof value === "string" && value !== "") ? String(value) : null;

const NOTES = new Set([
  "change_agent_state",
  "null",
  "recall",
  "condensation_request",
  "pause",
  "resume",
  "stop",
  "loop_recovery",
]);

function actionDrafts(event: Json, id: string | null, position: Position, run: HandsRun): Draft[] {
  const action = asText(event["action"])!;
  const args = asObject(event["args"]);
  const said = asText(args["content"]) ?? asText(event["message"]) ?? "";
  if (action === "system") return systemDrafts(said, args, position);
  if (action === "message" || action === "start") return messageDrafts(event, said, args, position, run);
  if (action === "condensation") return condensationDrafts(event, args, position, run);
  if (NOTES.has(action)) return [noteAt(position, action, clip(asText(event["message"]) ?? jsonText(args), 1000))];
  // A command of the person's own is no call of the model.
  if (event["source"] === "user") {
    const text = asText(args["command"]) ?? asText(args["code"]) ?? jsonText(args);
    return [eventAt(position, { type: "user", text, injected: "command" })];
  }
  return callDrafts(event, action, args, id, position, run);
}

function systemDrafts(text: string, args: Json, position: Position): Draft[] {
  return [
    eventAt(position, { type: "system", subtype: "message", text }),
    ...asArray(args["tools"]).map((tool) => {
      const of = asObject(asObject(tool)["function"] ?? tool);
      const body = {
        type: "meta",
        subtype: TOOL_PART,
        name: asText(of["name"]) ?? "unnamed",
        text: jsonText(tool),
        sent: "tools",
      } as const;
      return eventAt(position, body);
    }),
  ];
}

function messageDrafts(event: Json, text: string, args: Json, position: Position, run: HandsRun): Draft[] {
  if (event["source"] === "agent") {
    const { drafts: call, key } = answeredBy(event, position, run);
    return [eventAt(position, { type: "assistant", text }, { callKey: key }), ...call];
  }
  if (event["source"] === "environment") return [eventAt(position, { type: "user", text, injected: "environment" })];
  const images = asArray(args["image_urls"]).map((url) => imageOf({ type: "image_url", image_url: url }));
  const attachments = images.flatMap((image) => (image !== null && typeof image !== "string" ? [image] : []));
  const body: EventBody = {
    type: "user",
    text: [text, ...images.filter((image) => typeof image === "string")].join("\n"),
    ...(attachments.length > 0 && { images: imagesOf(attachments) }),
  };
  const title =
    run.hasTitle || text.trim() === "" ? [] : [patchOf(run.lane, { title: clip(text.trim(), 300), titleRank: 0 })];
  run.hasTitle ||= title.length > 0;
  return [...title, eventAt(position, body, { startsTurn: true, attachments })];
}

/** An answer may make several calls, an event each: its words stand with the first. */
function callDrafts(
  event: Json,
  action: string,
  args: Json,
  id: string | null,
  position: Position,
  run: HandsRun,
): Draft[] {
  const meta = asObject(event["tool_call_metadata"]);
  const response = asObject(meta["model_response"]);
  const answer = asObject(asObject(asArray(response["choices"])[0])["message"]);
  const { drafts: call, key, isFirst } = answeredBy(event, position, run);
  const { thought, reasoning_content: reasoned, ...rest } = args;
  const toolCallId = asText(meta["tool_call_id"]);
  const made = asArray(answer["tool_calls"])
    .map(asObject)
    .find((one) => one["id"] === toolCallId);
  const words = readMessage({ ...answer, role: "assistant", tool_calls: undefined }).said.map(({ body }) => body);
  const spoken: EventBody[] =
    words.length > 0
      ? words
      : [
          ...(asText(reasoned) === null || reasoned === ""
            ? []
            : [{ type: "reasoning" as const, text: asText(reasoned)! }]),
          ...(asText(thought) === null || thought === ""
            ? []
            : [{ type: "assistant" as const, text: asText(thought)! }]),
        ];
  const own = paired(
    {
      type: "tool_call",
      toolCallId,
      toolName: asText(meta["function_name"]) ?? action,
      input: made === undefined ? rest : inputOf(asObject(made["function"])["arguments"]),
    },
    nameOf(position),
    run.pairing,
  );
  remember(run, id, own.type === "tool_call" ? own.toolCallId : null);
  return [...(isFirst ? spoken : []), own].map((body): Draft => eventAt(position, body, { callKey: key })).concat(call);
}

/** The model call of an event of the agent: by its answer's id, else by what the run's sum grew. */
function answeredBy(
  event: Json,
  position: Position,
  run: HandsRun,
): { drafts: Draft[]; key: string | null; isFirst: boolean } {
  const response = asObject(asObject(event["tool_call_metadata"])["model_response"]);
  const responseId = asText(response["id"]);
  const grown = growthOf(asObject(event["llm_metrics"]), "run", run);
  const told = responseId === null ? null : (run.responses.find(([name]) => name === responseId)?.[1] ?? null);
  const usage = providerUsage(response["usage"]) ?? told ?? grown;
  if (responseId === null && usage === null) return { drafts: [], key: null, isFirst: true };
  const key = responseId ?? nameOf(position);
  const isFirst = !run.calls.some(([name]) => name === `answer ${key}`);
  remember(run, `answer ${key}`, key);
  const model = asText(response["model"]) ?? run.model;
  const isNew = model !== null && model !== run.model;
  if (isNew) run.model = model;
  return {
    drafts: [
      ...(isNew ? [patchOf(run.lane, { model })] : []),
      { kind: "call", lane: run.lane, key, ts: position.ts, model, usage, outputLowerBound: false },
    ],
    key,
    isFirst,
  };
}

/** A condensation's own request is in the sums alone: they grow by it. */
function condensationDrafts(event: Json, args: Json, position: Position, run: HandsRun): Draft[] {
  const usage = growthOf(asObject(event["llm_metrics"]), "run", run);
  if (usage === null) return [condensation(args, position)];
  const key = nameOf(position);
  const model = asText(sumOf(event["llm_metrics"])?.["model"]) ?? run.model;
  return [
    condensation(args, position),
    { ...noteAt(position, "compaction call", ""), callKey: key } as Draft,
    { kind: "call", lane: run.lane, key, ts: position.ts, model, usage, outputLowerBound: false },
  ];
}

/** The summary takes the place of all before it: events are numbered in their file alone, so none is named that stays. */
function condensation(args: Json, position: Position): Draft {
  const summary = asText(args["summary"]) ?? "";
  return eventAt(position, {
    type: "compaction",
    kind: "full",
    trigger: "auto",
    tokensBefore: null,
    tokensAfter: null,
    text: summary,
  });
}

const QUIET = new Set(["agent_state_changed", "null", "recall", "condense", "loop_detection"]);

function observationDrafts(event: Json, position: Position, run: HandsRun): Draft[] {
  const kind = asText(event["observation"])!;
  const extras = asObject(event["extras"]);
  const text = asText(event["content"]) ?? asText(event["message"]) ?? "";
  const cause = idOf(event["cause"]);
  const known = run.calls.findLast(([action]) => action === cause)?.[1] ?? null;
  const toolCallId = known ?? asText(asObject(event["tool_call_metadata"])["tool_call_id"]);
  if (QUIET.has(kind) && known === null) {
    const words =
      kind === "recall"
        ? jsonText(extras)
        : [text, jsonText(extras)].filter((one) => one !== "" && one !== "{}").join("\n");
    return [noteAt(position, kind, clip(words, 4000))];
  }
  const isError = kind === "error" || kind === "user_rejected" || extras["error"] === true;
  // Those that stand in pairs have neither a number nor a cause: it is of the action before.
  const isPaired = event["id"] === undefined && event["cause"] === undefined && run.pairing.open.length > 0;
  if (toolCallId === null && !isPaired) {
    if (isError) return [eventAt(position, { type: "error", text })];
    return [eventAt(position, { type: "user", text, injected: "environment" })];
  }
  const exitCode = asNumber(extras["exit_code"]) ?? asNumber(asObject(extras["metadata"])["exit_code"]);
  const path = asText(extras["path"]);
  const detail: ResultDetail = {
    ...(exitCode !== null && Number.isInteger(exitCode) && { exitCode }),
    ...(path !== null && path !== "" && { filePath: path }),
  };
  const screenshot = asText(extras["screenshot"]);
  const image = screenshot === null || screenshot === "" ? null : imageOf({ type: "image_url", image_url: screenshot });
  const attachments = image !== null && typeof image !== "string" ? [image] : [];
  const body: EventBody = {
    type: "tool_result",
    toolCallId,
    text,
    isError,
    saw: /\[\.\.\. Observation truncated|<response clipped>/.test(text) ? "preview" : "full",
    ...(attachments.length > 0 && { images: imagesOf(attachments) }),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return [eventAt(position, paired(body, nameOf(position), run.pairing), { attachments })];
}
