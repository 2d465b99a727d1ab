// Observations of a Langfuse trace as spans. A generation inside a generation is the same call, told by two instrumentations: the inner
// one counts. Usage details are parts that sum to the total, or as providers count, with cache and reasoning inside.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { asCost, asCount, asObject, asText, asTime, asWhole, isObject, type Json } from "../json.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import { usageOf } from "../otlp/span-kinds.ts";
import { addOfModel } from "../reported-sums.ts";
import { callsIn, foreignSpan, inputMessages, outputMessages, valueOf } from "./foreign-span.ts";
import { fromOuter, type Messages } from "./nested-generations.ts";
import type { Range } from "./langfuse-traces.ts";

type Kind = "model" | "tool" | "agent" | null;

const KINDS: Readonly<Record<string, Kind>> = {
  generation: "model",
  llm: "model",
  chat: "model",
  tool: "tool",
  execute_tool: "tool",
  agent: "agent",
  invoke_agent: "agent",
};

const ABOVE = 64;

export function observationSpans(observations: readonly Json[], rangeOf: (one: Json) => Range): PlacedRecord[] {
  const { outer, outerOf } = nested(observations);
  const speaking = new Set(observations.filter(saysSomething).map(kindOf));
  // Some frameworks log the moments of a call as observations too. Those that say nothing are no calls, where others do.
  const isMoment = (one: Json): boolean => speaking.has(kindOf(one)) && !saysSomething(one);
  const isCall = (one: Json): boolean => kindOf(one) === "model" && !outer.has(one) && !isMoment(one);
  const messages = new Map<Json, Messages>();
  const open = new Map<string, { readonly id: string; readonly name: string }>();
  for (const one of inOrder(observations.filter(isCall))) {
    const own = { input: inputMessages(one["input"]), output: outputMessages(one["output"]) };
    const around = outerOf.get(one);
    const given = around === undefined ? own : fromOuter(own, one, around, [...open.values()]);
    messages.set(one, given);
    for (const call of callsIn([...given.input, ...given.output])) open.set(call.id, call);
  }
  const calls = [...open.values()];
  return observations.map((one) =>
    foreignSpan(
      {
        name: asText(one["name"]) ?? "",
        traceId: asText(one["traceId"]),
        spanId: asText(one["id"]),
        parentSpanId: asText(one["parentObservationId"]),
        startMs: asTime(one["startTime"]),
        endMs: asTime(one["endTime"]),
        failure: one["level"] === "ERROR" ? (asText(one["statusMessage"]) ?? "") : null,
        attributes: outer.has(one) || isMoment(one) ? {} : attributesOf(one, calls, messages.get(one)),
      },
      rangeOf(one),
    ),
  );
}

const inOrder = (observations: readonly Json[]): Json[] =>
  observations.toSorted((a, b) => (asTime(a["startTime"]) ?? 0) - (asTime(b["startTime"]) ?? 0));

const saysSomething = (one: Json): boolean =>
  one["level"] === "ERROR" ||
  Object.keys(usage(one)).length > 0 ||
  [one["input"], one["output"]].some((value) => value !== null && value !== undefined && value !== "");

const said = (one: Json): Json => asObject(asObject(valueOf(one["metadata"]))["attributes"]);

const kindOf = (one: Json): Kind => {
  const kind = KINDS[(asText(one["type"]) ?? "").toLowerCase()];
  if (kind !== undefined) return kind;
  const attributes = said(one);
  for (const name of ["openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind"]) {
    const named = KINDS[(asText(attributes[name]) ?? "").toLowerCase()];
    // Where attributes are one text, each step of an agent is called one: only what they say of tools holds.
    if (named !== undefined && (named === "tool" || typeof one["metadata"] !== "string")) return named;
  }
  return null;
};

/** Generations that have another one somewhere below them, and of each of those the nearest above. */
function nested(observations: readonly Json[]) {
  const byId = new Map(observations.map((one) => [asText(one["id"]), one]));
  const outer = new Set<Json>();
  const outerOf = new Map<Json, Json>();
  for (const one of observations) {
    if (kindOf(one) !== "model") continue;
    let above = byId.get(asText(one["parentObservationId"]));
    for (let steps = 0; above !== undefined && steps < ABOVE; steps++) {
      if (kindOf(above) === "model") {
        outer.add(above);
        if (!outerOf.has(one)) outerOf.set(one, above);
      }
      above = byId.get(asText(above["parentObservationId"]));
    }
  }
  return { outer, outerOf };
}

function attributesOf(
  one: Json,
  calls: { readonly id: string; readonly name: string }[],
  known: Messages | undefined,
): Readonly<Record<string, unknown>> {
  const kind = kindOf(one);
  if (kind === "tool") {
    const name = asText(one["name"]) ?? "";
    const at = calls.findIndex((call) => call.name === name || name.endsWith(` ${call.name}`));
    const id = asText(said(one)["gen_ai.tool.call.id"]) ?? (at < 0 ? null : calls.splice(at, 1)[0]!.id);
    return {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.call.arguments": textOf(one["input"]),
      "gen_ai.tool.call.result": valueOf(one["output"]),
    };
  }
  if (kind === null) return {};
  const messages = {
    "gen_ai.input.messages": known?.input ?? inputMessages(one["input"]),
    "gen_ai.output.messages": known?.output ?? outputMessages(one["output"]),
  };
  if (kind === "agent") return { "gen_ai.operation.name": "invoke_agent", ...messages };
  const definitions = messages["gen_ai.input.messages"]
    .filter(isDefinition)
    .map((message) => asObject(message)["content"]);
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": asText(one["model"]),
    ...messages,
    ...(definitions.length > 0 && {
      "gen_ai.input.messages": messages["gen_ai.input.messages"].filter((message) => !isDefinition(message)),
      "gen_ai.tool.definitions": JSON.stringify(definitions),
    }),
    ...usage(one),
  };
}

/** LangChain's callback puts the definitions of tools behind the messages, in the role of a tool. */
function isDefinition(message: unknown): boolean {
  const { role, content } = asObject(message);
  return role === "tool" && isObject(asObject(asObject(content)["function"])["parameters"]);
}

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);

function usage(one: Json): Readonly<Record<string, number>> {
  const { promptTokens, completionTokens, totalTokens } = one;
  // The first of these versions had the counts beside the messages.
  const first =
    promptTokens == null && completionTokens == null ? {} : { promptTokens, completionTokens, total: totalTokens };
  const told: Json = { ...first, ...asObject(valueOf(one["usage"])), ...asObject(valueOf(one["usageDetails"])) };
  const count = (...names: readonly string[]): number =>
    asCount(names.map((name) => told[name]).find((n) => n != null));
  const input = count("input", "prompt_tokens", "promptTokens", "input_tokens");
  const output = count("output", "completion_tokens", "completionTokens", "output_tokens");
  const read = count("input_cache_read", "cache_read_input_tokens", "input_cached_tokens", "prompt_details.cache_read");
  const written = count("input_cache_creation", "cache_creation_input_tokens", "prompt_details.cache_write");
  const reasoning = count("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning");
  if (Object.keys(told).length === 0 || input + output + read + written === 0) return {};
  const total = asWhole(told["total"] ?? told["total_tokens"]);
  // The total has each token once: it tells what was taken out of the input, and what of the output.
  const beyond = total === null ? 0 : total - input - output;
  const isSum = beyond > 0 && (beyond === reasoning || beyond === read + written + reasoning);
  // Anthropic's own names are disjoint, whatever the total says.
  const isApart =
    (beyond > 0 && (beyond === read + written || beyond === read + written + reasoning)) ||
    told["cache_read_input_tokens"] !== undefined;
  return {
    "gen_ai.usage.input_tokens": isApart ? input + read + written : input,
    "gen_ai.usage.output_tokens": isSum ? output + reasoning : output,
    "gen_ai.usage.cache_read.input_tokens": read,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.reasoning.output_tokens": reasoning,
  };
}

/** What Langfuse counted in dollars, with the tokens of the same calls. */
export function reportedBy(observations: readonly Json[], lane: string): Draft[] {
  const { outer } = nested(observations);
  const byModel: Record<string, Usage> = {};
  let usd = 0;
  for (const one of observations) {
    const cost =
      asCost(asObject(valueOf(one["costDetails"]))["total"]) ??
      asCost(one["totalCost"]) ??
      asCost(one["calculatedTotalCost"]);
    const counted = usageOf(new Map(Object.entries(usage(one))));
    if (kindOf(one) !== "model" || outer.has(one) || cost === null || counted === null) continue;
    usd += cost;
    addOfModel(byModel, asText(one["model"]) ?? "", counted);
  }
  return usd === 0 ? [] : [{ kind: "reported", lane, usd, usage: byModel }];
}
