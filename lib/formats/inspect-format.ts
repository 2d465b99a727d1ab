// Logs of Inspect AI: a document with its samples, or one sample of a log that is a zip. Each sample is a session: its model calls with
// usage, its tool calls, its sub-agents by spans. docs/formats/inspect.md says what is read.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { headKeys } from "./head-shape.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "./json.ts";
import { elementsIn, firstWord, parseJson, scanJson } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { sampleSpans } from "./traces/inspect-events.ts";
import { inTime } from "./traces/foreign-span.ts";
import { spanDrafts } from "./otlp/span-drafts.ts";

export type InspectState = {
  id: string | null;
  task: string | null;
  evalId: string | null;
  model: string | null;
  startedAt: number | null;
};

const SAMPLE = /(^|[\\/#])samples[\\/][^\\/]+(?:[\\/]sample)?\.json$/;
/** What a sample in chunks has beside its `sample.json`. */
const CHUNK =
  /\.eval#samples\/.+\/(?:metadata|skeleton|events\/(?:stats|uuids)|(?:messages|events|calls|attachments)\/\d+)\.json$/;

export const inspect: Format<InspectState> = {
  id: "inspect",
  label: "Inspect AI",
  signs: "a log with eval and samples, or a sample with epoch, input and messages",
  // 3: samples whose events have no ids share no records; an event has the bytes of its sample.
  // 4: counts that stand as texts of digits.
  // 5: calls inside of tools and subtasks are each one; answers from Inspect's cache are no calls; without events the last results
  // are read, errors of tools, and the sums of all models.
  // 6: compactions; the sums of a log without samples.
  // 7: sub-agents below their calls; calls that the provider ran; reasoning beside the output; attempts before;
  // samples in chunks.
  version: 7,
  reader: "document",
  sources: () => [],
  wants: (path) => /(?:\.eval|[\\/#]samples[\\/][^\\/]+_epoch_\d+(?:[\\/]sample)?\.json)$/.test(path),
  isPart: (path) => /\.eval#(?:_journal\/|(?:header|summaries|reductions)\.json$)/.test(path) || CHUNK.test(path),
  detect: ({ head }) => isLog(headKeys(head)) || isSample(headKeys(head), head),
  sidecars: (path) =>
    SAMPLE.test(path) ? ["header.json", "_journal/start.json"].map((name) => path.replace(SAMPLE, `$1${name}`)) : [],
  start,
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

const isLog = (keys: readonly string[]): boolean =>
  keys.includes("eval") && (keys.includes("version") || keys.includes("status") || keys.includes("samples"));

/** The messages of a sample may begin behind the head. */
const isSample = (keys: readonly string[], head: Uint8Array): boolean =>
  keys.includes("id") &&
  keys.includes("epoch") &&
  keys.includes("input") &&
  (keys.includes("messages") || keys.includes("target") || head.length >= 65_536);

function start({ sidecars, before }: SourceFile): InspectState {
  const texts = [...sidecars.values()];
  const header = texts.map(parsed).find((one) => one !== null && isObject(one["eval"])) ?? null;
  if (header === null && before !== undefined) return { ...(before as InspectState), id: null };
  return { id: null, ...aboutLog(header ?? {}) };
}

function aboutLog(log: Json): Omit<InspectState, "id"> {
  const about = asObject(log["eval"]);
  return {
    task: asText(about["task_display_name"]) ?? asText(about["task"]),
    evalId: asText(about["eval_id"]) ?? asText(about["run_id"]) ?? asText(about["task_id"]),
    model: asText(about["model"]),
    startedAt: asTime(asObject(log["stats"])["started_at"]) ?? asTime(about["created"]),
  };
}

/** A sample at a time. */
function* pieces({ bytes, byteStart, byteEnd, line }: SourceRecord, state: InspectState): Generator<readonly Draft[]> {
  const whole = { byteStart, byteEnd };
  const problem = (range: Range, reason: string): Draft => ({ kind: "problem", line, ...range, reason });
  const { header, lists, end, isWhole } = scanJson(bytes, ["samples"]);
  if (!isWhole || header === null || firstWord(bytes, end) < bytes.length)
    return yield [problem(whole, "The log is not JSON. It may be cut off.")];
  if (!isObject(header["eval"])) {
    state.id = nameOf(header, state);
    return yield sampleDrafts(header, "", state, whole);
  }
  Object.assign(state, aboutLog(header));
  const samples = lists.get("samples") ?? [];
  if (samples.length === 0) {
    state.id = `${state.evalId ?? "log"}/no-samples`;
    return yield noSamples(header, state, whole);
  }
  // Samples of one log are sessions of their own, as they are where the log is a zip.
  let i = 0;
  for (const { range, value } of elementsIn(bytes, samples)) {
    const own = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
    if (value === undefined) {
      yield [problem(own, "The sample is not JSON.")];
      continue;
    }
    const sample = asObject(value);
    if (i === 0) state.id = nameOf(sample, state);
    yield sampleDrafts(sample, i === 0 ? "" : sampleLane(sample, i), state, own);
    i++;
  }
}

type Range = Pick<SourceRecord, "byteStart" | "byteEnd">;

const nameOf = (sample: Json, { evalId }: InspectState): string =>
  asText(sample["uuid"]) ?? `${evalId ?? "log"}/${String(sample["id"])}/${String(sample["epoch"] ?? 1)}`;

const sampleLane = (sample: Json, i: number): string =>
  `${asText(sample["uuid"]) ?? `${String(sample["id"])}/${String(sample["epoch"] ?? 1)}/${i}`}`;

/** A log that was cancelled before its first sample is a session all the same. */
function noSamples(document: Json, state: InspectState, range: Range): Draft[] {
  const text = `Status ${asText(document["status"]) ?? "unknown"}. The log has no samples.`;
  // Where samples were not logged, the sums of all are.
  const sums = { model_usage: asObject(document["stats"])["model_usage"] };
  return [
    ...about(state, "", state.task ?? "Inspect log", null),
    ...spanDrafts(sampleSpans(sums, state.id ?? "", state.startedAt, range), ""),
    {
      ...{ kind: "event", lane: "", ts: state.startedAt, recordKey: null, callKey: null, startsTurn: false },
      ...{ ...range, body: { type: "meta", subtype: "status", text } },
    } as Draft,
  ];
}

function about(state: InspectState, lane: string, title: string, startedAt: number | null): Draft[] {
  const started = startedAt ?? state.startedAt;
  return [
    {
      kind: "session",
      lane,
      patch: {
        title: clip(title, 300),
        titleRank: 1,
        ...(state.task !== null && { agentName: clip(state.task, 200) }),
        ...(state.model !== null && { model: state.model }),
        ...(started !== null && { startedAt: started }),
        ...(lane !== "" && { relation: "root" }),
      },
    },
  ];
}

function sampleDrafts(sample: Json, lane: string, state: InspectState, range: Range): Draft[] {
  const spans = inTime(sampleSpans(sample, nameOf(sample, state), state.startedAt, range));
  const epoch = Number(sample["epoch"] ?? 1) > 1 ? ` (epoch ${String(sample["epoch"])})` : "";
  const title = `${state.task ?? "Sample"}: ${String(sample["id"] ?? "?")}${epoch}`;
  const own = spanDrafts(spans, lane);
  const drafts = [...about(state, lane, title, spans[0]?.startMs ?? null), ...own];
  const tail: Draft[] = [];
  const note = (subtype: string, text: string, type: "meta" | "error" = "meta"): void => {
    const body = type === "error" ? { type, text } : { type, subtype, text };
    tail.push({
      ...{ kind: "event", lane, ts: spans.at(-1)?.endMs ?? state.startedAt, recordKey: null, callKey: null },
      ...{ startsTurn: false, ...range, body },
    } as Draft);
  };
  for (const attempt of asArray(sample["error_retries"]))
    note("retry", `An attempt before failed: ${clip(asText(asObject(attempt)["message"]) ?? "", 1000)}`);
  const error = asText(asObject(sample["error"])["message"]);
  if (error !== null) note("error", clip(error, 4000), "error");
  if (isObject(sample["limit"])) note("limit", clip(JSON.stringify(sample["limit"]), 1000));
  if (isObject(sample["scores"])) note("scores", clip(JSON.stringify(sample["scores"]), 4000));
  if (sample["events"] === undefined && sample["message_refs"] !== undefined)
    note("chunks", "The sample is in chunks (log version 3), which are not read: only its sums are here.");
  if (own.every(({ kind }) => kind !== "event") && tail.length === 0) note("sample", "The sample has no messages.");
  return [...drafts, ...tail];
}

function parsed(text: string): Json | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
