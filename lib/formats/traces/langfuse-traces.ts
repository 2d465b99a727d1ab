// Traces in a file of Langfuse's: one document, a list of traces or of observations, the `data` of an answer of its API, or one of them a
// line; or a table of either. Exports of its database and dumps of its Python SDK write the same keys in snake case.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { csvNames, csvRows } from "./table-text.ts";
import { elementsOf, firstWord, hasWholeLine, parseJson, scanJson, valueAt, type JsonElement } from "../json-parts.ts";

export type Range = Pick<SourceRecord, "byteStart" | "byteEnd">;
export type Trace = {
  id: string | null;
  /** What says something of the trace itself. */
  value: Json;
  readonly observations: Json[];
  /** The bytes of the trace, and of each observation that stands alone. */
  readonly range: Range;
  readonly ranges: Map<Json, Range>;
};
type Problem = Range & { readonly reason: string };

const LF = 0x0a;
const LISTS = ["data"];
export const NO_JSON = "The document is not JSON. It may be cut off.";

export function readTraces({ bytes, byteStart }: Pick<SourceRecord, "bytes" | "byteStart">): {
  readonly traces: readonly Trace[];
  readonly problems: readonly Problem[];
} {
  const traces = new Traces();
  const problems: Problem[] = [];
  if (isTable(bytes)) {
    const { rows, rest } = csvRows(bytes);
    const at = (from: number, to: number) => ({ byteStart: byteStart + from, byteEnd: byteStart + to });
    for (const { value, from, to } of rows)
      if (!traces.add(ofRow(value), at(from, to))) problems.push({ ...at(from, to), reason: NEITHER });
    if (rest < bytes.length) problems.push({ ...at(rest, bytes.length), reason: "The last row is cut off." });
    return { traces: traces.all, problems };
  }
  const isLines = hasWholeLine(bytes);
  for (let at = firstWord(bytes, 0); at < bytes.length; at = firstWord(bytes, at)) {
    const newline = isLines ? bytes.indexOf(LF, at) : -1;
    const limit = newline < 0 ? bytes.length : newline;
    const { root, lists, end, isWhole } = scanJson(bytes.subarray(0, limit), LISTS, at);
    const listed: JsonElement[] = [...lists.values()].flatMap((ranges) => elementsOf(bytes, ranges));
    const whole = { from: at, to: end };
    // A document of its own, and not a page of others.
    const own =
      root === "object" && isWhole && listed.length === 0 ? [{ range: whole, value: valueAt(bytes, whole) }] : [];
    for (const { value, range } of [...listed, ...own]) {
      const position = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
      if (!isObject(value) || !traces.add(value, position)) problems.push({ ...position, reason: NEITHER });
    }
    if (isWhole) {
      at = end;
      continue;
    }
    // What was listed before the damage is read; of the rest nothing is.
    const from = listed.length > 0 && firstWord(bytes, end) < limit ? end : at;
    problems.push({ byteStart: byteStart + from, byteEnd: byteStart + limit, reason: NO_JSON });
    at = limit;
  }
  return { traces: traces.all, problems };
}

const NEITHER = "Not a trace or an observation.";

/** True for a table of observations or of traces, as Langfuse exports them from its pages. */
export function isTable(head: Uint8Array): boolean {
  const first = head.find((byte) => byte > 0x20);
  if (first === 0x7b || first === 0x5b) return false;
  const names = new Set(csvNames(head.subarray(0, 65_536)).map((name) => ownEntry(SNAKE, name) ?? name));
  const has = (...all: readonly string[]): boolean => all.every((name) => names.has(name));
  return has("id", "traceId", "startTime", "input") || has("id", "timestamp", "input", "output", "observationCount");
}

/** Cells are texts: one of JSON is read where its value is, other than a name or a time in quotes. The first exports had generations alone. */
function ofRow(row: Json): Json {
  const cells = Object.entries(row).map(([name, cell]) => {
    const isQuoted = name !== "input" && name !== "output" && /^".*"$/s.test(String(cell));
    return [name, isQuoted ? (parseJson(String(cell)) ?? cell) : cell] as const;
  });
  const value = Object.fromEntries(cells);
  const isObserved = asText(value["traceId"] ?? value["trace_id"]) !== null;
  return isObserved && value["type"] === undefined ? { ...value, type: "GENERATION" } : value;
}

class Traces {
  readonly all: Trace[] = [];
  readonly #byId = new Map<string, Trace>();

  /** False for a value that is neither. */
  add(given: Json, range: Range): boolean {
    if (isObservation(given)) {
      const one = inCamelCase(given);
      const trace = this.#traceOf(asText(one["traceId"]), range);
      trace.observations.push(one);
      trace.ranges.set(one, range);
      return true;
    }
    if (!isTrace(given)) return false;
    const document = inCamelCase(given);
    const value = isObject(document["trace"]) ? inCamelCase(document["trace"]) : document;
    const listed = [document["observations"], value["observations"]].find((one) => asArray(one).length > 0);
    // A list of the API has the ids of observations alone.
    const observations = asArray(listed).filter(isObject).map(inCamelCase);
    const trace = this.#traceOf(asText(value["id"]) ?? asText(observations[0]?.["traceId"]), range);
    trace.value = value;
    trace.observations.push(...observations);
    return true;
  }

  #traceOf(id: string | null, range: Range): Trace {
    const known = id === null ? undefined : this.#byId.get(id);
    if (known !== undefined) return known;
    const trace: Trace = { id, value: {}, observations: [], range, ranges: new Map() };
    if (id !== null) this.#byId.set(id, trace);
    this.all.push(trace);
    return trace;
  }
}

const TYPES: ReadonlySet<unknown> = new Set([
  ...["SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN"],
  ...["RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"],
]);

export const isObservation = (value: Json): boolean =>
  TYPES.has(value["type"]) &&
  asText(value["traceId"] ?? value["trace_id"]) !== null &&
  asText(value["startTime"] ?? value["start_time"]) !== null;

const isTrace = (value: Json): boolean =>
  isObject(value["trace"]) || Array.isArray(value["observations"]) || asText(value["timestamp"]) !== null;

const SNAKE: Readonly<Record<string, string>> = {
  trace_id: "traceId",
  session_id: "sessionId",
  parent_observation_id: "parentObservationId",
  start_time: "startTime",
  end_time: "endTime",
  status_message: "statusMessage",
  usage_details: "usageDetails",
  cost_details: "costDetails",
  prompt_tokens: "promptTokens",
  completion_tokens: "completionTokens",
  total_tokens: "totalTokens",
  total_cost: "totalCost",
  calculated_total_cost: "calculatedTotalCost",
  observation_count: "observationCount",
  provided_model_name: "model",
  providedModelName: "model",
};

/** The same with the keys of the API. */
export function inCamelCase(value: Json): Json {
  const other = Object.keys(value).filter((key) => ownEntry(SNAKE, key) !== undefined && value[key] !== null);
  return other.length === 0
    ? value
    : { ...Object.fromEntries(other.map((key) => [SNAKE[key]!, value[key]])), ...withoutNulls(value) };
}

const withoutNulls = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined));

/** The first trace or observation of a list, as far as a file's head goes; the value itself where it is no list. */
export function firstListed(value: unknown): Json | null {
  const list = isObject(value) ? (value["data"] ?? value) : value;
  const first = Array.isArray(list) ? asArray(list)[0] : list;
  return isObject(first) ? first : null;
}

/** True for a trace with observations in it that say so. */
export function hasObservations(value: Json): boolean {
  const [first] = asArray(asObject(value)["observations"]);
  return isObject(first) && isObservation(first);
}
