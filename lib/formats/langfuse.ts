// Traces that were exported from Langfuse, each with its observations, in any order. docs/formats/langfuse.md says what is read.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { headKeys } from "./head-shape.ts";
import { asText, asTime, clip, isObject, type Json } from "./json.ts";
import { headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { observationSpans, reportedBy } from "./traces/langfuse-observations.ts";
import {
  firstListed,
  hasObservations,
  isObservation,
  isTable,
  NO_JSON,
  readTraces,
  type Range,
  type Trace,
} from "./traces/langfuse-traces.ts";
import { conversation } from "./traces/foreign-messages.ts";
import { inTime } from "./traces/foreign-span.ts";
import { spanDrafts } from "./otlp/span-drafts.ts";

export type LangfuseState = { id: string | null };

export const langfuse: Format<LangfuseState> = {
  id: "langfuse",
  label: "Langfuse",
  signs: "traces with observations, or observations of a trace, also as a table",
  // 3: counts that stand as texts of digits.
  // 4: costs that stand as texts. 5: observations before their trace. 6: the session's model; lists of traces and of observations; snake case.
  // 7: tables of observations and of traces.
  // 8: the total tells of input and output apart what was taken out of them.
  // 9: items of OpenAI's Responses, calls of the AI SDK and of Koog, Google's calls without an id, conversations as one text, definitions of
  // tools in requests; a tool's observation is of a call by its id, and in the order of time.
  // 10: results whose block says that they are errors. 11: Google's calls are told apart by their arguments. 12: equal ones too, where
  // the last messages are sent alone.
  version: 12,
  reader: "document",
  sources: () => [],
  wants: (path) => /\.trace\.json$/.test(path),
  detect,
  start: () => ({ id: null }),
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
};

const OBSERVED = /"(?:parentObservationId|observations|traceId)"\s*:/;

function detect({ head }: SourceFile): boolean {
  if (isTable(head)) return true;
  const keys = headKeys(head);
  if (keys.includes("trace") && !keys.includes("resourceSpans"))
    return OBSERVED.test(new TextDecoder().decode(head)) || keys.includes("observations");
  // The answer of the API: a trace with its observations inside.
  if (keys.includes("observations") && (keys.includes("projectId") || keys.includes("timestamp"))) return true;
  // Keys in another order: what says so may stand behind the observations, and behind the head. Or a list, or one a line.
  const first = firstListed(headValue(head));
  return first !== null && (isObservation(first) || isTraceOf(first));
}

/** True for a trace that has its observations in it. */
const isTraceOf = (value: Json): boolean =>
  hasObservations(value) ||
  (isObject(value["trace"]) && hasObservations(value["trace"])) ||
  (Array.isArray(value["observations"]) && ("projectId" in value || "timestamp" in value));

/** A trace at a time. */
function* pieces(record: SourceRecord, state: LangfuseState): Generator<readonly Draft[]> {
  const { line, byteStart, byteEnd } = record;
  const { traces, problems } = readTraces(record);
  const [first] = traces;
  state.id ??= first?.id ?? null;
  const empty: Range[] = [];
  let hasEvents = false;
  for (const [at, trace] of traces.entries()) {
    const drafts = traceDrafts(trace, trace === first ? "" : (trace.id ?? `trace-${at}`));
    hasEvents ||= drafts.length > 0;
    if (drafts.length > 0) yield drafts;
    else empty.push(trace.range);
  }
  const silent = empty.map((range) => ({ ...range, reason: NO_MESSAGES }));
  const said = hasEvents
    ? [...silent, ...problems]
    : [{ byteStart, byteEnd, reason: [...silent, ...problems][0]?.reason ?? NO_JSON }];
  yield said.map((problem): Draft => ({ kind: "problem", line, ...problem }));
}

const NO_MESSAGES = "The trace has no messages of a model, a tool or an agent.";

/** `lane` is "" for the first trace of a file. */
function traceDrafts({ value: trace, observations, range, ranges }: Trace, lane: string): Draft[] {
  const rangeOf = (one: Json): Range => ranges.get(one) ?? range;
  const own = spanDrafts(inTime(observationSpans(observations, rangeOf)), lane);
  const said = own.some(({ kind }) => kind === "event") ? own : spanDrafts([wholeTrace(trace, range)], lane);
  if (!said.some(({ kind }) => kind === "event")) return [];
  const startedAt = asTime(trace["timestamp"]);
  const name = asText(trace["name"]);
  const session = asText(trace["sessionId"]);
  return [
    {
      kind: "session",
      lane,
      patch: {
        quality: "Exported from Langfuse: what its observations did not carry is not here.",
        ...(name !== null && name !== "" && { agentName: clip(name, 200) }),
        ...(startedAt !== null && { startedAt }),
        ...(session !== null && { quality: `Langfuse session ${clip(session, 100)}.` }),
        ...(lane !== "" && { relation: "root" as const }),
      },
    },
    ...said,
    ...reportedBy(observations, lane),
  ];
}

/** A trace without observations of models says what went in and came out. */
function wholeTrace(trace: Json, range: Range) {
  const { input, output } = conversation(trace["input"], trace["output"]);
  return {
    ...observationSpans([{ ...trace, type: "AGENT", startTime: trace["timestamp"] }], () => range)[0]!,
    attributes: new Map<string, unknown>([
      ["gen_ai.operation.name", "invoke_agent"],
      ["gen_ai.input.messages", input],
      ["gen_ai.output.messages", output],
    ]),
  };
}
