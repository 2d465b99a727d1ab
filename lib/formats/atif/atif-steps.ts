// A step of a trajectory: what was said, the calls that the agent made, and what came back.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, asWhole, clip, isObject, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { eventAt, nameOf, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { saidIn, withImages } from "./atif-content.ts";
import { usageOf } from "./atif-metrics.ts";

/** What is known of the trajectory while its steps are read. */
export type Reading = {
  readonly lane: string;
  readonly model: string | null;
  /** Names of sub-agents whose runs are inside this document, by their ids in it. */
  readonly inside: ReadonlyMap<string, string>;
  hasTitle: boolean;
  /** Key of the first prompt, which stays after a compaction. */
  firstPrompt: string | null;
};

export function stepDrafts(step: Json, position: Position, reading: Reading): Draft[] {
  const isCopied = step["is_copied_context"] === true;
  const results = resultsOf(step);
  switch (step["source"]) {
    case "user":
      return [
        ...promptDrafts(step, position, reading, isCopied),
        ...observationDrafts(step, [], results, position, reading),
      ];
    case "system":
      return systemDrafts(step, position, reading, results);
    case "agent":
    case "assistant":
      return agentDrafts(step, position, reading, isCopied);
    default:
      return otherDrafts(step, position, reading);
  }
}

function promptDrafts(step: Json, position: Position, reading: Reading, isCopied: boolean): Draft[] {
  const said = saidIn(step["message"]);
  const body = withImages({ type: "user" as const, text: said.text }, said);
  const drafts: Draft[] = [];
  if (!reading.hasTitle && said.text.trim() !== "") {
    reading.hasTitle = true;
    drafts.push(patchOf(position.lane, { title: clip(said.text.trim(), 300), titleRank: 0 }));
  }
  reading.firstPrompt ??= position.key;
  return [
    ...drafts,
    eventAt(position, body, { startsTurn: !isCopied || drafts.length > 0, attachments: said.attachments }),
  ];
}

const SUMMARIZED = /summari[sz]ation|summari[sz]ed|compact(?:ion|ed)|condens/i;

/** Words of our own export where a log has a result and not its call; the call's id stands in `extra`. */
export const RESULT_ALONE = "Result of a tool call that is not in the log.";

function systemDrafts(step: Json, position: Position, reading: Reading, results: readonly Json[]): Draft[] {
  const said = saidIn(step["message"]);
  const alone = said.text === RESULT_ALONE ? asText(asObject(step["extra"])["tool_call_id"]) : null;
  if (alone !== null) return results.map((result) => resultDraft(result, alone, position));
  const management = asObject(asObject(step["extra"])["context_management"]);
  const refs = results.flatMap(refsOf);
  const isCompaction =
    /compact|summar|truncat|condens/i.test(asText(management["type"]) ?? "") ||
    (refs.length > 0 && SUMMARIZED.test(said.text));
  if (!isCompaction) {
    // The prompt stands before all others; later ones are notes of the harness to the agent.
    const body: EventBody = { type: "system", subtype: "message", text: said.text };
    return [eventAt(position, body), ...observationDrafts(step, [], results, position, reading)];
  }
  const isCleared = management["boundary"] === "clear";
  const summary = results.map((one) => saidIn(one["content"]).text).filter((text) => text !== "");
  const body: EventBody = {
    type: "compaction",
    // Results that were taken back; what was said before stays.
    kind: isCleared ? "micro" : "full",
    trigger: "auto",
    tokensBefore: asWhole(management["tokens_before"]),
    tokensAfter: asWhole(management["tokens_after"]),
    text: summary.join("\n"),
    ...(isCleared && { cleared: asArray(management["cleared_calls"]).flatMap((id) => asText(id) ?? []) }),
    ...(!isCleared && reading.firstPrompt !== null && { preserved: [reading.firstPrompt] }),
  };
  return [eventAt(position, body), ...refs.flatMap((ref) => refDrafts(ref, null, position, reading))];
}

function agentDrafts(step: Json, position: Position, reading: Reading, isCopied: boolean): Draft[] {
  const usage = usageOf(step["metrics"]);
  const count = asWhole(step["llm_call_count"]);
  // Of a copied step whose tokens are told where it was made, no call is known here.
  const isCall = count === null ? usage !== null || !isCopied : count > 0;
  const callKey = isCall ? nameOf(position) : null;
  const model = asText(step["model_name"]) ?? reading.model;
  const said = saidIn(step["message"]);
  const thought = asText(step["reasoning_content"]) ?? "";
  const calls = asArray(step["tool_calls"]).filter(isObject);
  const bodies: EventBody[] = [
    ...(thought === "" ? [] : [{ type: "reasoning" as const, text: thought }]),
    ...(said.text === "" && said.attachments.length === 0
      ? []
      : [withImages({ type: "assistant" as const, text: said.text }, said)]),
    ...calls.map((call, i): EventBody => ({
      type: "tool_call",
      toolCallId: callIdOf(call, i, position),
      toolName: asText(call["function_name"]) ?? asText(call["name"]) ?? "unnamed",
      input: inputOf(call["arguments"]),
    })),
  ];
  const drafts: Draft[] = bodies.map((body) =>
    eventAt(position, body, { callKey, ...(body.type === "assistant" && { attachments: said.attachments }) }),
  );
  if (bodies.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  if (isCall)
    drafts.push({
      kind: "call",
      lane: position.lane,
      key: nameOf(position),
      ts: position.ts,
      model,
      usage,
      outputLowerBound: false,
    });
  if (isCall && count !== null && count > 1)
    drafts.push(patchOf(position.lane, { quality: "Some steps are several model calls; each counts as one." }));
  const ids = calls.map((call, i) => callIdOf(call, i, position));
  return [...drafts, ...observationDrafts(step, ids, resultsOf(step), position, reading)];
}

/** A step of a source that is not known: its words, and its tokens where it was a call. */
function otherDrafts(step: Json, position: Position, reading: Reading): Draft[] {
  const source = clip(asText(step["source"]) ?? "", 60);
  const reason = `A step of source "${source}", which is not known.`;
  const text = saidIn(step["message"]).text || clip(jsonText(step["extra"] ?? null), 2000);
  const isAgent =
    isObject(step["metrics"]) || Array.isArray(step["tool_calls"]) || (asWhole(step["llm_call_count"]) ?? 0) > 0;
  const own = eventAt(position, { type: "unknown", reason, text });
  return isAgent
    ? [own, ...agentDrafts(step, position, reading, step["is_copied_context"] === true)]
    : [own, ...observationDrafts(step, [], resultsOf(step), position, reading)];
}

/** Ids repeat from step to step in some files: a step's own calls are named by the step too. */
function callIdOf(call: Json, i: number, position: Position): string {
  const id = asText(call["tool_call_id"]) ?? asText(call["id"]);
  return id === null || id === "" ? `${nameOf(position)}.${i}` : id;
}

/** Arguments are an object; some writers leave the text that the model wrote, which may be no JSON. */
function inputOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  const parsed = parseJson(value);
  return isObject(parsed) ? parsed : value;
}

const resultsOf = (step: Json): Json[] => {
  const observation = step["observation"];
  const results = isObject(observation) ? (observation["results"] ?? observation["content"]) : observation;
  return (Array.isArray(results) ? results : results === undefined || results === null ? [] : [results]).map((one) =>
    isObject(one) ? one : { content: one },
  );
};

const refsOf = (result: Json): Json[] => {
  const refs = result["subagent_trajectory_ref"];
  return (Array.isArray(refs) ? refs : refs === undefined || refs === null ? [] : [refs]).map((ref) =>
    isObject(ref) ? ref : { session_id: ref },
  );
};

/** Results name their call; those that do not are of the calls without one, in their order, the last one's where there is one for all. */
function observationDrafts(
  step: Json,
  calls: readonly string[],
  results: readonly Json[],
  position: Position,
  reading: Reading,
): Draft[] {
  const named = new Set(results.map((one) => asText(one["source_call_id"])));
  let open = calls.filter((id) => !named.has(id));
  const unnamed = results.filter((one) => asText(one["source_call_id"]) === null && "content" in one).length;
  if (unnamed < open.length) open = open.slice(open.length - unnamed);
  return results.flatMap((result) => {
    const id = asText(result["source_call_id"]) ?? ("content" in result ? (open.shift() ?? null) : null);
    const refs = refsOf(result).flatMap((ref) => refDrafts(ref, id, position, reading));
    if (id === null && !("content" in result)) return refs;
    return [resultDraft(result, id, position), ...refs];
  });
}

function resultDraft(result: Json, id: string | null, position: Position): Draft {
  const said = saidIn(result["content"]);
  // What no call asked for is what the environment shows.
  if (id === null) {
    const body: EventBody = { type: "user", text: said.text, injected: "environment" };
    return eventAt(position, withImages(body, said), { attachments: said.attachments });
  }
  const extra = asObject(result["extra"]);
  const exitCode = extra["exit_code"] ?? extra["returncode"];
  const detail: ResultDetail = { ...(Number.isSafeInteger(exitCode) && { exitCode: exitCode as number }) };
  const isError =
    [result["is_error"], extra["is_error"], extra["error"]].some(
      (one) => one !== undefined && one !== null && one !== false && one !== "",
    ) || /^(?:error|failed|failure)$/i.test(asText(extra["status"]) ?? "");
  const body: EventBody = {
    type: "tool_result",
    toolCallId: id,
    text: said.text,
    isError,
    saw: "full",
    ...(Object.keys(detail).length > 0 && { detail }),
  };
  return eventAt(position, withImages(body, said), { attachments: said.attachments });
}

/** A sub-agent's run that a result refers to: inside this document, or in a file of its own. */
function refDrafts(ref: Json, toolCallId: string | null, position: Position, { inside, lane }: Reading): Draft[] {
  const trajectory = asText(ref["trajectory_id"]);
  const session = asText(ref["session_id"]);
  const agentId = inside.get(trajectory ?? "") ?? inside.get(session ?? "") ?? trajectory ?? session;
  const summary = asText(asObject(ref["extra"])["summary"]);
  const parts = [summary, trajectory ?? session, asText(ref["trajectory_path"])];
  const text = parts.filter((one) => one !== null && one !== "").join("\n");
  return [
    noteAt(position, "subagent", text === "" ? jsonText(ref) : text, agentId === null ? {} : { name: agentId }),
    ...(toolCallId === null || agentId === null ? [] : [{ kind: "link", lane, toolCallId, agentId } as const]),
  ];
}

export const stepTime = (step: Json): number | null => asTime(step["timestamp"]);
