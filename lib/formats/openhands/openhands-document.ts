// A record of OpenHands: a list of events, an instance of a benchmark with its history, or one event of a stream.
import type { Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { elementsIn, firstWord, hasWholeLine, headValue, scanJson, type JsonRange } from "../json-parts.ts";
import { areRecordsOf } from "../first-records.ts";
import { noPairing } from "../messages/call-pairing.ts";
import { noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { metricsDrafts, usageById } from "./openhands-metrics.ts";
import { eventOfRow, isRow, rowDrafts } from "./openhands-rows.ts";
import { isSdkEvent, sdkDrafts } from "./sdk-events.ts";
import { isTrajectoryEvent, trajectoryDrafts } from "./trajectory-events.ts";
import type { HandsRun } from "./hands-run.ts";

export type OpenHandsState = {
  id: string | null;
  /** Sessions that were read from lines before. */
  count: number;
  /** Of a stream of events, a line each: what goes on from line to line. */
  readonly stream: HandsRun | null;
  /** The file is one event among others that are not in it. */
  readonly isPart?: true;
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
  earlier: {},
  hasStart: null,
  head: null,
  hasTotals: false,
});

export function startOpenHands({ path, head }: SourceFile): OpenHandsState {
  const value = headValue(head);
  if (isObject(value) && isRow(value)) return { id: nameOfEvent(eventOfRow(value)), count: 0, stream: newRun("") };
  const isStream = isObject(value) && (isEvent(value) || isEventStream(head));
  if (isStream && isLaterEvent(path) && !hasSecondLine(head)) return { id: null, count: 0, stream: null, isPart: true };
  const id = isStream ? nameOfEvent(value) : null;
  return { id, count: 0, stream: isStream ? newRun("") : null };
}

/** The name of a file that has one event, and not the first. */
function isLaterEvent(path: string): boolean {
  const [, number, named] = /(?:^|[\\/#])(?:(\d{1,9})|event[-_](\d{5,9})[-_][\w-]+)\.json$/.exec(path) ?? [];
  return Number(number ?? named ?? 0) > 0;
}

const hasSecondLine = (head: Uint8Array): boolean => {
  const end = head.indexOf(0x0a);
  return end >= 0 && hasWholeLine(head) && firstWord(head, end) < head.length;
};

const isEvent = (value: Json): boolean => isSdkEvent(value) || isTrajectoryEvent(value);

/** Events, a line each. */
export const isEventStream = (head: Uint8Array): boolean => areRecordsOf(head, isEvent, isEvent);

const LISTS = ["history", "trajectory", "events"];

export function isOpenHands(value: unknown): boolean {
  if (Array.isArray(value)) return isEvents(value);
  if (!isObject(value)) return false;
  if (isEvent(value) || isRow(value)) return true;
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

export function* openHandsPieces(record: SourceRecord, state: OpenHandsState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart, byteEnd, line } = record;
  const { root, header, lists, end } = scanJson(bytes, LISTS);
  if (state.isPart === true)
    return yield [
      { kind: "problem", line, byteStart, byteEnd, reason: "One event of a conversation. Import its folder." },
    ];
  if (root === "array") yield* sessionPieces({}, lists.get("") ?? [], record, state);
  else if (root === "object") {
    const list = LISTS.map((key) => lists.get(key)).find((one) => one !== undefined && one.length > 0);
    const about = header ?? {};
    if (state.stream !== null && list === undefined) {
      if (header === null) return yield [{ kind: "problem", line, byteStart, byteEnd, reason: "A damaged event." }];
      const isFirst = state.count++ === 0;
      const position: Position = { lane: "", ts: null, key: null, byteStart, byteEnd: byteStart + end };
      if (isFirst) yield [patchOf("", { agentName: "OpenHands" })];
      const { stream } = state;
      yield isRow(about)
        ? rowDrafts(about, position, stream, (event) => eventDrafts(event, position, stream, []))
        : eventDrafts(about, position, stream, []);
    } else if (state.count > 0 && list === undefined && header !== null && asText(about["instance_id"]) === null)
      // Between instances a line may be of something else.
      yield [{ kind: "problem", line, byteStart, byteEnd: byteStart + end, reason: "A record without events." }];
    else yield* sessionPieces(about, list ?? [], record, state);
  }
  const rest = firstWord(bytes, end);
  if (rest < bytes.length) {
    const reason = "The record ends too early or is damaged. What was before is read.";
    yield [{ kind: "problem", line, byteStart: byteStart + rest, byteEnd, reason }];
  }
}

/** An event at a time. */
function* sessionPieces(
  about: Json,
  events: readonly JsonRange[],
  record: SourceRecord,
  state: OpenHandsState,
): Generator<readonly Draft[]> {
  const { byteStart, bytes, line } = record;
  const instance = asText(about["instance_id"]);
  const isFirst = state.count++ === 0;
  const lane = isFirst ? "" : `${instance ?? "session"}-${line}`;
  if (isFirst) state.id = [instance, nameOfEvents(bytes, events)].filter((one) => one !== null).join(".") || null;
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
  const start = position({ from: 0, to: events[0]?.from ?? bytes.length });
  const {
    history: _,
    trajectory: _trajectory,
    events: _events,
    instance: _instance,
    instruction: _instruction,
    ...rest
  } = about;
  yield [
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
  run.hasTotals = metricsDrafts(about["metrics"], lane, run.model).length > 0;
  const before: string[] = [];
  for (const { range, value } of elementsIn(bytes, events)) {
    const at = position(range);
    const own = eventsIn(value);
    if (own.length === 0) {
      const { byteStart: from, byteEnd: to } = at;
      yield [{ kind: "problem", line, byteStart: from, byteEnd: to, reason: "An event that is not a JSON object." }];
    }
    for (const event of own) {
      yield eventDrafts(event, at, run, before);
      const id = asText(event["id"]);
      if (id !== null) before.push(id);
    }
  }
  yield [...metricsDrafts(about["metrics"], lane, run.model), ...endDrafts(about, start)];
}

/** Early benchmarks have pairs. */
const eventsIn = (value: unknown): Json[] => (Array.isArray(value) ? value : [value]).filter(isObject);

/** `before`: the ids of the events before it. */
function eventDrafts(event: Json, position: Position, run: HandsRun, before: readonly string[]): Draft[] {
  const { earlier } = run;
  const drafts = isSdkEvent(event) ? sdkDrafts(event, position, run, before) : trajectoryDrafts(event, position, run);
  return run.earlier === earlier ? drafts : [patchOf(run.lane, { quality: CUT }), ...drafts];
}

const CUT = "The file begins in the middle of a run. The tokens of its first call are not in it.";

/** A list of events names no conversation: it is known by when it began, and with what. */
function nameOfEvents(bytes: Uint8Array, events: readonly JsonRange[]): string | null {
  for (const { value } of elementsIn(bytes, events)) {
    const first = eventsIn(value)[0];
    if (first !== undefined) return nameOfEvent(first);
  }
  return null;
}

const nameOfEvent = (first: Json): string =>
  printOf(jsonText([first["id"], first["timestamp"], first["message"], first["kind"]]));

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
