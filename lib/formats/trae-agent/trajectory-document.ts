// A trajectory of Trae Agent: requests with what was sent anew and what came back, and the steps that the agent made of them. Requests are
// read; of the steps, what no request holds: results behind the last one, errors, and all of it where requests were not recorded.
import { promptTokens, type Draft, type SourceFile, type SourceRecord, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { disjointUsage } from "../disjoint-usage.ts";
import { asArray, asNumber, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { elementNames, elementsIn, headValue, restOfDocument, scanJson, type JsonRange } from "../json-parts.ts";
import { eventAt, nameOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { splitPrompt } from "../prompt-counts.ts";

export type TraeState = { readonly id: string | null };

const LISTS = ["llm_interactions", "agent_steps"] as const;

/** A task of a person; other programs have no such lists. */
export const isTraeTrajectory = (value: unknown): value is Json =>
  isObject(value) &&
  asText(value["task"]) !== null &&
  asText(value["start_time"]) !== null &&
  "max_steps" in value &&
  LISTS.some((key) => Array.isArray(value[key]));

/** Nothing names it but its task and its beginning. */
export function startTrae({ head }: SourceFile): TraeState {
  const { task, start_time: given } = asObject(headValue(head));
  const start = asText(given);
  return { id: start === null ? null : `${start}.${printOf(jsonText([task, start]))}` };
}

export const traeRequestNames = (bytes: Uint8Array): string[] | null =>
  elementNames(
    bytes,
    "llm_interactions",
    ({ timestamp, response }, i) => `${i}.${printOf(jsonText([timestamp, response]))}`,
  );

type Reading = {
  readonly task: string;
  hasPrompt: boolean;
  model: string | null;
  /** Calls that wait for a result. */
  readonly open: Set<string>;
  /** All calls by name: an id that comes twice is of another call. */
  readonly called: Set<string>;
  /** Results that requests brought, by the ids that they have: steps have them again. */
  readonly brought: Map<string, number>;
};

export function* trajectoryPieces(record: SourceRecord): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart, line } = record;
  const scanned = scanJson(bytes, LISTS);
  const [requests, steps] = LISTS.map((key) => scanned.lists.get(key) ?? []);
  // Of a document that was cut off the head says as much.
  const header = scanned.header ?? asObject(headValue(bytes.subarray(0, 65_536)));
  const task = asText(header["task"]) ?? "";
  const reading: Reading = {
    task,
    hasPrompt: false,
    model: asText(header["model"]),
    open: new Set(),
    called: new Set(),
    brought: new Map(),
  };
  const position = ({ from, to }: JsonRange, ts: unknown): Position => ({
    ...{ lane: "", ts: asTime(ts), key: null, byteStart: byteStart + from, byteEnd: byteStart + to },
  });
  const start = position({ from: 0, to: requests![0]?.from ?? steps![0]?.from ?? bytes.length }, header["start_time"]);
  yield headerDrafts(header, start);
  for (const { range, value } of elementsIn(bytes, requests))
    yield isObject(value)
      ? requestDrafts(value, position(range, value["timestamp"]), reading)
      : [brokenPart(position(range, null), line)];
  if (requests!.length === 0 && task !== "") yield promptDrafts(task, start, reading);
  for (const { range, value } of elementsIn(bytes, steps))
    yield isObject(value)
      ? stepDrafts(value, position(range, value["timestamp"]), reading, requests!.length === 0)
      : [brokenPart(position(range, null), line)];
  yield [...endDrafts(header, start), ...restOfDocument(record, scanned)];
}

const brokenPart = ({ byteStart, byteEnd }: Position, line: number): Draft => ({
  ...{ kind: "problem", line, byteStart, byteEnd },
  reason: "A part of the trajectory that is not a JSON object.",
});

function headerDrafts(header: Json, start: Position): Draft[] {
  const { llm_interactions: _requests, agent_steps: _steps, final_result: _result, ...about } = header;
  const [task, model] = [asText(header["task"])?.trim() ?? "", asText(header["model"]) ?? ""];
  return [
    patchOf("", {
      agentName: "Trae Agent",
      ...(task !== "" && { title: clip(task, 300), titleRank: 0 as const }),
      ...(model !== "" && { model }),
      ...(start.ts !== null && { startedAt: start.ts }),
    }),
    noteAt(start, "session", clip(jsonText(about), 1000), { isRecord: false }),
  ];
}

/** What was sent anew, and the answer. */
function requestDrafts(request: Json, position: Position, reading: Reading): Draft[] {
  const sent = asArray(request["input_messages"]).map(asObject);
  const response = asObject(request["response"]);
  const provider = asText(request["provider"]) ?? "";
  const model = asText(response["model"]) || asText(request["model"]) || reading.model;
  return [
    ...sent.flatMap((message) => sentDrafts(message, position, reading)),
    ...answerDrafts(response, model, usageIn(asObject(response["usage"]), provider), position, reading),
  ];
}

function sentDrafts(message: Json, position: Position, reading: Reading): Draft[] {
  if (isObject(message["tool_result"])) {
    const drafts = resultDrafts(message["tool_result"], position, reading);
    const id = resultId(message["tool_result"]);
    if (drafts.length > 0) reading.brought.set(id, (reading.brought.get(id) ?? 0) + 1);
    return drafts;
  }
  const text = asText(message["content"]) ?? "";
  switch (message["role"]) {
    case "system":
      return [eventAt(position, { type: "system", subtype: "prompt", text })];
    case "user":
      return promptDrafts(text, position, reading);
    case "assistant":
      // What Trae makes the model say about a tool that failed.
      return [eventAt(position, { type: "assistant", text })];
  }
  const reason = `A message of role "${clip(asText(message["role"]) ?? "", 60)}", which is not known.`;
  return [eventAt(position, { type: "unknown", reason, text: clip(jsonText(message), 4000) })];
}

/** The first one is the task, with the folder before it; further ones are Trae's own. */
function promptDrafts(text: string, position: Position, reading: Reading): Draft[] {
  if (reading.hasPrompt) return [eventAt(position, { type: "user", text, injected: "client" })];
  reading.hasPrompt = true;
  const cwd = /^\[Project root path\]:\s*\n(.+)$/m.exec(text)?.[1]?.trim();
  return [
    ...(cwd === undefined ? [] : [patchOf("", { cwd })]),
    eventAt(position, { type: "user", text }, { startsTurn: true }),
  ];
}

function answerDrafts(
  response: Json,
  model: string | null,
  usage: Usage | null,
  position: Position,
  reading: Reading,
): Draft[] {
  const callKey = nameOf(position);
  const text = asText(response["content"]) ?? "";
  const calls = asArray(response["tool_calls"]).map(asObject);
  const bodies: EventBody[] = [
    ...(text.trim() === "" ? [] : [{ type: "assistant", text } as const]),
    ...calls.map((call, i): EventBody => ({
      ...{ type: "tool_call", toolCallId: idOf(call, `${callKey}.${i}`, reading) },
      ...{ toolName: asText(call["name"]) ?? "unnamed", input: call["arguments"] ?? null },
    })),
  ];
  const finish = asText(response["finish_reason"]) ?? "";
  const said =
    bodies.length > 0
      ? bodies.map((body) => eventAt(position, body, { callKey }))
      : [noteAt(position, "answer", finish, { callKey })];
  const isNew = model !== null && model !== reading.model;
  reading.model = model;
  return [
    ...(isNew ? [patchOf("", { model })] : []),
    ...said,
    { kind: "call", lane: "", key: callKey, ts: position.ts, model, usage, outputLowerBound: false },
  ];
}

/** Models number their calls anew. */
function idOf(call: Json, name: string, { open, called }: Reading): string {
  const given = asText(call["call_id"]) || asText(call["id"]) || name;
  const id = called.has(given) ? `${given}@${name}` : given;
  called.add(id);
  open.add(id);
  return id;
}

const resultId = (result: Json): string => asText(result["call_id"]) ?? "";

/** Of a step: what no request brought. */
function stepResultDrafts(result: Json, position: Position, reading: Reading): Draft[] {
  const before = reading.brought.get(resultId(result)) ?? 0;
  if (before === 0) return resultDrafts(result, position, reading);
  reading.brought.set(resultId(result), before - 1);
  return [];
}

function resultDrafts(result: Json, position: Position, { open }: Reading): Draft[] {
  const given = resultId(result);
  const toolCallId = open.has(given) ? given : [...open].find((id) => id.startsWith(`${given}@`));
  // It was sent before.
  if (toolCallId === undefined) return [];
  open.delete(toolCallId);
  const [text, error] = [result["result"], result["error"]].map((said) => asText(said) ?? "");
  const words = [text, error === "" ? "" : `Tool call failed with error:\n${error}`].filter((one) => one !== "");
  const isError = result["success"] === false || error !== "";
  return [eventAt(position, { type: "tool_result", toolCallId, text: words.join("\n").trim(), isError, saw: "full" })];
}

/** Anthropic's input has no cache in it; that of others has. All zeros are no counts. */
function usageIn(usage: Json, provider: string): Usage | null {
  const [read, write] = [usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]];
  const [input, output] = [usage["input_tokens"], usage["output_tokens"]];
  if (provider === "anthropic") return disjointUsage({ uncached: input, read, write, output });
  const split = splitPrompt({
    prompt: input,
    output,
    cached: read,
    written: write,
    reasoning: usage["reasoning_tokens"],
  });
  return split === null || promptTokens(split) + split.output === 0 ? null : split;
}

function stepDrafts(step: Json, position: Position, reading: Reading, isAlone: boolean): Draft[] {
  const response = isAlone ? step["llm_response"] : null;
  const [error, reflection] = [asText(step["error"]) ?? "", asText(step["reflection"]) ?? ""];
  return [
    ...(isObject(response)
      ? answerDrafts(
          response,
          asText(response["model"]) || reading.model,
          usageIn(asObject(response["usage"]), ""),
          position,
          reading,
        )
      : []),
    ...asArray(step["tool_results"]).flatMap((result) => stepResultDrafts(asObject(result), position, reading)),
    ...(error === "" ? [] : [eventAt(position, { type: "error", text: error })]),
    ...(isAlone && reflection !== "" ? [eventAt(position, { type: "assistant", text: reflection })] : []),
    noteAt(position, "step", `${asNumber(step["step_number"]) ?? ""} ${asText(step["state"]) ?? ""}`.trim(), {
      isRecord: false,
    }),
  ];
}

/** How it ended: a trajectory that is still written has no end. */
function endDrafts(header: Json, start: Position): Draft[] {
  if (!header["end_time"]) return [];
  const position = { ...start, ts: asTime(header["end_time"]) };
  const words = `${header["success"] === true ? "success" : "no success"}\n${asText(header["final_result"]) ?? ""}`;
  return [noteAt(position, "result", clip(words.trim(), 20_000), { isRecord: false })];
}
