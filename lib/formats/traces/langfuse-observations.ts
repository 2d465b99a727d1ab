// Observations of a Langfuse trace as spans. A generation inside a generation is the same call, told by two instrumentations: the inner
// one counts. Usage details are parts that sum to the total, or as providers count, with cache and reasoning inside.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { asArray, asCost, asCount, asObject, asText, asTime, asWhole, isObject, ownEntry, type Json } from "../json.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import { usageOf } from "../otlp/span-kinds.ts";
import { addOfModel } from "../reported-sums.ts";
import { conversation, valueOf, type Messages } from "./foreign-messages.ts";
import { foreignSpan } from "./foreign-span.ts";
import { callsIn, noIds, type Call, type MadeUpIds } from "./linked-messages.ts";
import { fromOuter } from "./nested-generations.ts";
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
  const open = new Map<string, Call>();
  const ids = noIds();
  for (const one of inOrder(observations.filter(isCall))) {
    const own = conversation(one["input"], one["output"], ids);
    const around = outerOf.get(one);
    const given = around === undefined ? own : fromOuter(own, one, around, [...open.values()], ids);
    messages.set(one, given);
    for (const call of callsIn([...given.input, ...given.output])) open.set(call.id, call);
  }
  const callOf = toolCalls(
    observations.filter((one) => kindOf(one) === "tool" && !isMoment(one)),
    [...open.values()],
  );
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
        attributes: outer.has(one) || isMoment(one) ? {} : attributesOf(one, callOf.get(one), messages.get(one), ids),
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
  const kind = ownEntry(KINDS, (asText(one["type"]) ?? "").toLowerCase());
  if (kind !== undefined) return kind;
  const attributes = said(one);
  // Koog names the tool of a span, and no kind.
  if (attributes["gen_ai.tool.call.id"] !== undefined) return "tool";
  for (const name of ["openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind"]) {
    const named = ownEntry(KINDS, (asText(attributes[name]) ?? "").toLowerCase());
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

/** The call that each observation of a tool answers, in the order of time: the one that it names, else the first open one of its tool. */
function toolCalls(tools: readonly Json[], calls: readonly Call[]): Map<Json, Call> {
  const byId = new Map<string | null, Call>(calls.map((call) => [call.id, call]));
  const named = new Map(tools.map((one) => [one, byId.get(ownCallId(one))]));
  const taken = new Set(named.values());
  const open = calls.filter((call) => !taken.has(call));
  const found = new Map<Json, Call>();
  for (const one of inOrder(tools)) {
    const name = asText(one["name"]) ?? "";
    const own = asText(said(one)["gen_ai.tool.name"]) ?? name;
    const known = named.get(one);
    const at =
      known === undefined
        ? open.findIndex((call) => call.name === own || call.name === name || name.endsWith(` ${call.name}`))
        : -1;
    const call = known ?? (at < 0 ? undefined : open.splice(at, 1)[0]);
    found.set(one, call ?? { id: ownCallId(one) ?? "", name: own });
  }
  return found;
}

const ownCallId = (one: Json): string | null =>
  asText(said(one)["gen_ai.tool.call.id"]) ?? asText(said(one)["ai.toolCall.id"]);

function attributesOf(
  one: Json,
  call: Call | undefined,
  known: Messages | undefined,
  ids: MadeUpIds,
): Readonly<Record<string, unknown>> {
  const kind = kindOf(one);
  if (kind === "tool")
    return {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call?.name ?? "",
      "gen_ai.tool.call.id": call?.id || null,
      "gen_ai.tool.call.arguments": textOf(one["input"]),
      "gen_ai.tool.call.result": valueOf(one["output"]),
    };
  if (kind === null) return {};
  const { input, output } = known ?? conversation(one["input"], one["output"], ids);
  const messages = {
    "gen_ai.system_instructions": said(one)["gen_ai.system_instructions"],
    "gen_ai.input.messages": input,
    "gen_ai.output.messages": output,
  };
  if (kind === "agent") return { "gen_ai.operation.name": "invoke_agent", ...messages };
  const listed = input.filter(isDefinition).map((message) => asObject(message)["content"]);
  const definitions = listed.length > 0 ? listed : definitionsOf(one);
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": asText(one["model"]),
    ...messages,
    ...(listed.length > 0 && { "gen_ai.input.messages": input.filter((message) => !isDefinition(message)) }),
    ...(definitions.length > 0 && { "gen_ai.tool.definitions": JSON.stringify(definitions) }),
    ...usage(one),
  };
}

/** The tools of a request stand in it, in OpenAI's Responses also in the answer, and the AI SDK's beside it. */
function definitionsOf(one: Json): readonly unknown[] {
  const [sent, answer, beside] = [one["input"], one["output"], one["metadata"]].map((value) =>
    asObject(valueOf(value)),
  );
  const stated = said(one)["gen_ai.tool.definitions"];
  const given = [
    valueOf(stated),
    sent!["tools"],
    asObject(sent!["config"])["tools"],
    answer!["tools"],
    beside!["tools"],
  ];
  return (given.map(asArray).find((list) => list.length > 0) ?? []).map(valueOf);
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
