// Observations of a Langfuse trace as spans. A generation inside a generation is the same call, told by two instrumentations: the inner
// one counts. Usage details are parts that sum to the total, or as providers count, with cache and reasoning inside.
import type { Draft, SourceRecord, Usage } from "#lib/kernel/draft.ts";
import { asCost, asCount, asObject, asText, asTime, asWhole, type Json } from "../json.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import { usageOf } from "../otlp/span-kinds.ts";
import { callsIn, foreignSpan, inputMessages, outputMessages, valueOf } from "./foreign-span.ts";

type Kind = "model" | "tool" | "agent" | null;
type Range = Pick<SourceRecord, "byteStart" | "byteEnd">;

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

export function observationSpans(observations: readonly Json[], range: Range): PlacedRecord[] {
  const outer = outerGenerations(observations);
  const open = observations
    .filter((one) => kindOf(one) === "model" && !outer.has(one))
    .toSorted((a, b) => (asTime(a["startTime"]) ?? 0) - (asTime(b["startTime"]) ?? 0))
    .flatMap((one) => callsIn([...inputMessages(one["input"]), ...outputMessages(one["output"])]));
  const calls = [...new Map(open.map((call) => [call.id, call])).values()];
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
        attributes: outer.has(one) ? {} : attributesOf(one, calls),
      },
      range,
    ),
  );
}

const kindOf = (one: Json): Kind => {
  const said = asObject(asObject(one["metadata"])["attributes"]);
  const names = [
    one["type"],
    said["openinference.span.kind"],
    said["gen_ai.operation.name"],
    said["traceloop.span.kind"],
  ];
  for (const name of names) {
    const kind = KINDS[(asText(name) ?? "").toLowerCase()];
    if (kind !== undefined) return kind;
  }
  return null;
};

/** Generations that have another one somewhere below them. */
function outerGenerations(observations: readonly Json[]): ReadonlySet<Json> {
  const byId = new Map(observations.map((one) => [asText(one["id"]), one]));
  const outer = new Set<Json>();
  for (const one of observations) {
    if (kindOf(one) !== "model") continue;
    let above = byId.get(asText(one["parentObservationId"]));
    for (let steps = 0; above !== undefined && steps < ABOVE; steps++) {
      if (kindOf(above) === "model") outer.add(above);
      above = byId.get(asText(above["parentObservationId"]));
    }
  }
  return outer;
}

function attributesOf(one: Json, calls: { id: string; name: string }[]): Readonly<Record<string, unknown>> {
  const kind = kindOf(one);
  if (kind === "tool") {
    const name = asText(one["name"]) ?? "";
    const said = asObject(asObject(one["metadata"])["attributes"]);
    const at = calls.findIndex((call) => call.name === name || name.endsWith(` ${call.name}`));
    const id = asText(said["gen_ai.tool.call.id"]) ?? (at < 0 ? null : calls.splice(at, 1)[0]!.id);
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
    "gen_ai.input.messages": inputMessages(one["input"]),
    "gen_ai.output.messages": outputMessages(one["output"]),
  };
  if (kind === "agent") return { "gen_ai.operation.name": "invoke_agent", ...messages };
  return { "gen_ai.operation.name": "chat", "gen_ai.response.model": asText(one["model"]), ...messages, ...usage(one) };
}

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);

function usage(one: Json): Readonly<Record<string, number>> {
  const told = { ...asObject(one["usage"]), ...asObject(one["usageDetails"]) };
  const count = (...names: readonly string[]): number =>
    asCount(names.map((name) => told[name]).find((n) => n != null));
  const input = count("input", "prompt_tokens", "promptTokens", "input_tokens");
  const output = count("output", "completion_tokens", "completionTokens", "output_tokens");
  const read = count("input_cache_read", "cache_read_input_tokens", "input_cached_tokens", "prompt_details.cache_read");
  const written = count("input_cache_creation", "cache_creation_input_tokens", "prompt_details.cache_write");
  const reasoning = count("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning");
  if (Object.keys(told).length === 0 || input + output + read + written === 0) return {};
  const total = asWhole(told["total"] ?? told["total_tokens"]);
  const isSum = total !== null && total !== input + output && total === input + output + read + written + reasoning;
  // Anthropic's own names are disjoint, whatever the total says.
  const isApart = isSum || told["cache_read_input_tokens"] !== undefined;
  return {
    "gen_ai.usage.input_tokens": isApart ? input + read + written : input,
    "gen_ai.usage.output_tokens": isSum ? output + reasoning : output,
    "gen_ai.usage.cache_read.input_tokens": read,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.reasoning.output_tokens": reasoning,
  };
}

/** What Langfuse counted in dollars, with the tokens of the same calls. */
export function reportedBy(observations: readonly Json[]): Draft[] {
  const outer = outerGenerations(observations);
  const byModel: Record<string, Usage> = {};
  let usd = 0;
  for (const one of observations) {
    const cost = asCost(asObject(one["costDetails"])["total"]) ?? asCost(one["totalCost"]);
    const counted = usageOf(new Map(Object.entries(usage(one))));
    if (kindOf(one) !== "model" || outer.has(one) || cost === null || counted === null) continue;
    usd += cost;
    const model = asText(one["model"]) ?? "";
    const known = byModel[model];
    byModel[model] =
      known === undefined
        ? counted
        : (Object.fromEntries(
            Object.entries(counted).map(([name, tokens]) => [name, tokens + known[name as keyof Usage]]),
          ) as Usage);
  }
  return usd === 0 ? [] : [{ kind: "reported", lane: "", usd, usage: byModel }];
}
