// A record of OpenHands: a list of events, an instance of a benchmark with its history, or one event of a stream.
import type { Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { elementsOf, firstWord, headValue, scanJson, type JsonElement, type JsonRange } from "../json-parts.ts";
import { noPairing } from "../messages/call-pairing.ts";
import { noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { metricsDrafts, usageById } from "./openhands-metrics.ts";
import { isSdkEvent, sdkDrafts } from "./sdk-events.ts";
import { isTrajectoryEvent, trajectoryDrafts } from "./trajectory-events.ts";
import type { HandsRun } from "./hands-run.ts";

export type OpenHandsState = {
  id: string | null;
  /** Sessions that were read from lines before. */
  count: number;
  /** Of a stream of events, a line each: what goes on from line to line. */
  readonly stream: HandsRun | null;
};

const newRun = (lane: string): HandsRun => ({
  lane,
  model: null,
  hasTitle: false,
  pairing: noPairing(),
  calls: [],
  responses: [],
  counted: null,
  spent: {},
});

export function startOpenHands({ head }: SourceFile): OpenHandsState {
  const value = headValue(head);
  const isStream = isObject(value) && (isSdkEvent(value) || isTrajectoryEvent(value));
  const id = isStream ? nameOfEvents([value]) : null;
  return { id, count: 0, stream: isStream ? newRun("") : null };
}

const LISTS = ["history", "trajectory", "events"];

export function isOpenHands(value: unknown): boolean {
  if (Array.isArray(value)) return isEvents(value);
  if (!isObject(value)) return false;
  if (isSdkEvent(value) || isTrajectoryEvent(value)) return true;
  const events = LISTS.map((key) => value[key]).find((list) => Array.isArray(list) && list.length > 0);
  if (events !== undefined) return isEvents(asArray(events));
  // An instance whose history comes behind the head.
  return asText(value["instance_id"]) !== null && asText(asObject(value["metadata"])["agent_class"]) !== null;
}

/** The first events decide; early benchmarks have pairs of an action and an observation. */
const isEvents = (list: readonly unknown[]): boolean =>
  list.slice(0, 3).some((one) => {
    const first = Array.isArray(one) ? one[0] : one;
    return isObject(first) && (isSdkEvent(first) || isTrajectoryEvent(first, Array.isArray(one)));
  });

export function openHandsDrafts(record: SourceRecord, state: OpenHandsState): Draft[] {
  if (record.oversized === true) return [];
  const { bytes, byteStart, byteEnd, line } = record;
  const { root, header, lists, end } = scanJson(bytes, LISTS);
  const drafts: Draft[] = [];
  if (root === "array") drafts.push(...sessionDrafts({}, elementsOf(bytes, lists.get("")), record, state));
  else if (root === "object") {
    const list = LISTS.map((key) => lists.get(key)).find((one) => one !== undefined && one.length > 0);
    const about = header ?? {};
    if (state.stream !== null && list === undefined && header !== null) {
      const isFirst = state.count++ === 0;
      const position: Position = { lane: "", ts: null, key: null, byteStart, byteEnd: byteStart + end };
      if (isFirst) drafts.push(patchOf("", { agentName: "OpenHands" }));
      drafts.push(...eventDrafts(about, position, state.stream, []));
    } else drafts.push(...sessionDrafts(about, elementsOf(bytes, list), record, state));
  }
  const rest = firstWord(bytes, end);
  if (rest < bytes.length) {
    const reason = "The record ends too early or is damaged. What was before is read.";
    drafts.push({ kind: "problem", line, byteStart: byteStart + rest, byteEnd, reason });
  }
  return drafts;
}

function sessionDrafts(
  about: Json,
  events: readonly JsonElement[],
  record: SourceRecord,
  state: OpenHandsState,
): Draft[] {
  const { byteStart, bytes, line } = record;
  const instance = asText(about["instance_id"]);
  const isFirst = state.count++ === 0;
  const lane = isFirst ? "" : `${instance ?? "session"}-${line}`;
  const all = events.flatMap(({ value }) => (Array.isArray(value) ? value : [value])).filter(isObject);
  if (isFirst) state.id = [instance, nameOfEvents(all)].filter((one) => one !== null).join(".") || null;
  const run = newRun(lane);
  run.hasTitle = instance !== null;
  const config = asObject(asObject(about["metadata"])["llm_config"]);
  run.model = asText(config["model"]) ?? asText(asObject(asObject(about["metadata"])["llm"])["model"]);
  const position = ({ from, to }: JsonRange): Position => ({
    lane,
    ts: null,
    key: null,
    byteStart: byteStart + from,
    byteEnd: byteStart + to,
  });
  const start = position({ from: 0, to: events[0]?.range.from ?? bytes.length });
  const {
    history: _,
    trajectory: _trajectory,
    events: _events,
    instance: _instance,
    instruction: _instruction,
    ...rest
  } = about;
  const drafts: Draft[] = [
    patchOf(lane, {
      agentName:
        asText(asObject(about["metadata"])["agent_class"]) === null
          ? "OpenHands"
          : `OpenHands ${asText(asObject(about["metadata"])["agent_class"])!}`,
      ...(run.model !== null && { model: run.model }),
      ...(instance !== null && { title: instance, titleRank: 1 as const }),
      ...(!isFirst && { relation: "root" as const }),
    }),
    ...(Object.keys(rest).length === 0
      ? []
      : [noteAt(start, "session", clip(jsonText(rest), 2000), { isRecord: false })]),
  ];
  run.responses = usageById(about["metrics"]);
  for (const { range, value } of events) {
    const at = position(range);
    const own = (Array.isArray(value) ? value : [value]).filter(isObject);
    if (own.length === 0)
      drafts.push({
        kind: "problem",
        line,
        byteStart: at.byteStart,
        byteEnd: at.byteEnd,
        reason: "An event that is not a JSON object.",
      });
    for (const event of own) drafts.push(...eventDrafts(event, at, run, all));
  }
  drafts.push(...metricsDrafts(about["metrics"], lane, run.model), ...endDrafts(about, start));
  return drafts;
}

const eventDrafts = (event: Json, position: Position, run: HandsRun, all: readonly Json[]): Draft[] =>
  isSdkEvent(event) ? sdkDrafts(event, position, run, all) : trajectoryDrafts(event, position, run);

/** A list of events names no conversation: it is known by when it began, and with what. */
function nameOfEvents(events: readonly Json[]): string | null {
  const first = events[0];
  return first === undefined
    ? null
    : printOf(jsonText([first["id"], first["timestamp"], first["message"], first["kind"]]));
}

/** What a benchmark says of an instance: its error, and what it found of the outcome. */
function endDrafts(about: Json, start: Position): Draft[] {
  const error = asText(about["error"]);
  const result = about["test_result"];
  const patch = asText(asObject(result)["git_patch"]) ?? asText(about["git_patch"]);
  return [
    ...(error === null || error === "" ? [] : [noteAt(start, "error", clip(error, 4000), { isRecord: false })]),
    ...(patch === null || patch === "" ? [] : [noteAt(start, "submission", clip(patch, 20_000), { isRecord: false })]),
  ];
}
