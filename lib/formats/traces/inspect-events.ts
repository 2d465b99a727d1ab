// A sample of an Inspect log as spans: `events` has the timeline with usage, `messages` is all there is without it. Long texts are in
// `attachments`, and repeated messages in a pool of the sample.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, asWhole, isObject, type Json } from "../json.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import { CALL_NOTE, COMPACTED, COMPACTION, NO_CALL } from "../otlp/span-kinds.ts";
import { foreignSpan } from "./foreign-span.ts";
import { eventId, toolSpans, type ToolSpans } from "./inspect-tool-spans.ts";
import { inspectUsage } from "./inspect-usage.ts";

type Range = Pick<SourceRecord, "byteStart" | "byteEnd">;
const DEPTH = 12;

/** `name` is that of the sample: ids of its events and messages are its own. */
export function sampleSpans(sample: Json, name: string, startedAt: number | null, range: Range): PlacedRecord[] {
  const data = asObject(sample["events_data"]);
  const pool = asArray(sample["message_pool"] ?? data["messages"]).map((one) => asArray(one)[1] ?? one);
  const attachments = { ...asObject(data["attachments"]), ...asObject(sample["attachments"]) };
  const events = asArray(sample["events"] ?? asObject(sample["transcript"])["events"]).map(asObject);
  const whole = (value: unknown): unknown => resolved(value, attachments);
  const reading: Reading = { name, pool, range, whole, read: new WeakMap(), tools: toolSpans(events) };
  const spans = eventSpans(events, reading);
  const hasAnswers = spans.some(({ attributes }) => attributes.get("gen_ai.operation.name") === "chat");
  return hasAnswers ? spans : [...messageSpans(sample, reading, startedAt), ...spans];
}

type Reading = {
  readonly name: string;
  readonly pool: readonly unknown[];
  readonly range: Range;
  readonly whole: (value: unknown) => unknown;
  /** Messages of the pool stand for all calls that were sent them: each is read once, or a long sample takes time by its square. */
  readonly read: WeakMap<object, Json>;
  readonly tools: ToolSpans;
};

function messageIn(given: unknown, { whole, read }: Reading): Json {
  if (!isObject(given)) return message(whole(given));
  let found = read.get(given);
  if (found === undefined) read.set(given, (found = message(whole(given))));
  return found;
}

/** `above`: the number of the event whose list this is. */
function eventSpans(events: readonly Json[], reading: Reading, above = ""): PlacedRecord[] {
  const { name: traceId, whole, range, tools } = reading;
  const parentOf = (id: string | null, named: unknown): string | null =>
    id !== null && tools.parents.has(id) ? tools.parents.get(id)! : asText(named);
  return events.flatMap((event, i): PlacedRecord[] => {
    const startMs = asTime(event["timestamp"]);
    const number = `${above}${i}`;
    const inside = (): PlacedRecord[] => eventSpans(asArray(event["events"]).map(asObject), reading, `${number}.`);
    const spanId = eventId(event, number);
    const shared = {
      traceId,
      spanId,
      parentSpanId: parentOf(spanId, event["span_id"]),
      startMs,
      endMs: asTime(event["completed"]) ?? startMs,
      failure: null,
    };
    switch (event["event"]) {
      case "span_begin": {
        const id = asText(event["id"]);
        const isAgent = event["type"] === "agent" || (id !== null && tools.agents.has(id));
        const attributes = isAgent
          ? { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": asText(event["name"]) }
          : {};
        const ids = { spanId: id, parentSpanId: parentOf(id, event["parent_id"]) };
        return [foreignSpan({ ...shared, ...ids, name: asText(event["name"]) ?? "", attributes }, range)];
      }
      case "model":
        return [foreignSpan({ ...shared, ...modelSpan(event, reading) }, range)];
      case "tool": {
        const error = asObject(event["error"]);
        const result = whole(event["result"]);
        return [
          foreignSpan(
            {
              ...shared,
              name: asText(event["function"]) ?? "tool",
              failure: isObject(event["error"]) ? (asText(error["message"]) ?? "") : null,
              attributes: {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": asText(event["function"]),
                "gen_ai.tool.call.id": asText(event["id"]),
                "gen_ai.tool.call.arguments": jsonText(whole(event["arguments"] ?? {})),
                "gen_ai.tool.call.result": typeof result === "string" ? result : textOf(result),
              },
            },
            range,
          ),
          // Older logs keep what a tool's own agent did inside of its event.
          ...inside(),
        ];
      }
      case "compaction": {
        const attributes = {
          "gen_ai.operation.name": COMPACTION,
          [COMPACTED.how]: asText(event["type"]),
          [COMPACTED.by]: asText(event["source"]),
          [COMPACTED.before]: asWhole(event["tokens_before"]),
          [COMPACTED.after]: asWhole(event["tokens_after"]),
        };
        return [foreignSpan({ ...shared, name: "compaction", attributes }, range)];
      }
      case "subtask":
      case "step":
        return inside();
    }
    return [];
  });
}

function modelSpan(event: Json, reading: Reading) {
  const { pool, whole } = reading;
  const output = asObject(event["output"]);
  const refs = asArray(event["input_refs"]).flatMap((one) => {
    const [from, to] = asArray(one).map(Number);
    return from === undefined || to === undefined ? [] : pool.slice(from, to);
  });
  const input = [...refs, ...asArray(event["input"])];
  const error = asText(event["error"]) ?? asText(output["error"]);
  const answers = asArray(output["choices"]).map((one) => asObject(one)["message"]);
  return {
    name: asText(event["model"]) ?? "model",
    failure: error,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": asText(event["model"]) ?? asText(output["model"]),
      "gen_ai.input.messages": input.map((one) => messageIn(one, reading)),
      "gen_ai.output.messages": answers.map((one) => message(whole(one))),
      "gen_ai.tool.definitions": asArray(event["tools"]).length > 0 ? jsonText(whole(event["tools"])) : null,
      // Nobody was paid for what Inspect had kept: no sum of the log has its tokens.
      ...(event["cache"] === "read"
        ? { [NO_CALL]: true, [CALL_NOTE]: "The answer is from Inspect's cache." }
        : inspectUsage(asObject(output["usage"]))),
    },
  };
}

/** A log without events has its conversation in one list. What the model said in it counts as one call each. */
function messageSpans(sample: Json, { name: traceId, whole, range }: Reading, startMs: number | null): PlacedRecord[] {
  const messages = asArray(sample["messages"]).map((one) => asObject(whole(one)));
  const said = messages.map(message);
  const spanOf = (spanId: string, name: string, attributes: Readonly<Record<string, unknown>>): PlacedRecord =>
    foreignSpan(
      {
        ...{ traceId, spanId, name, parentSpanId: null, startMs, endMs: startMs, failure: null },
        attributes: { "gen_ai.operation.name": "chat", ...attributes },
      },
      range,
    );
  // Examples in the input of a sample are no answers.
  const answers = messages.flatMap(({ role, source }, i) => (role === "assistant" && source !== "input" ? [i] : []));
  const { ofAnswer, others } = sumsOf(sample, messages, answers);
  const spans = answers.map((at) => {
    const model = modelIn(messages[at]!, sample);
    const sum = ofAnswer.get(at);
    return spanOf(`message-${at}`, model ?? "model", {
      "gen_ai.response.model": sum === undefined ? model : sum.model,
      "gen_ai.input.messages": said.slice(0, at),
      "gen_ai.output.messages": [said[at]],
      ...(sum !== undefined && inspectUsage(sum.told)),
    });
  });
  if ((answers.at(-1) ?? -1) < messages.length - 1)
    spans.push(spanOf("messages", "messages", { "gen_ai.input.messages": said, [NO_CALL]: true }));
  for (const [model, told] of others)
    spans.push(
      spanOf(`usage-${model}`, model, {
        "gen_ai.response.model": model,
        [CALL_NOTE]: `The sums of ${model}: its answers are not in the log.`,
        ...inspectUsage(told),
      }),
    );
  return spans;
}

const modelIn = (answer: Json, sample: Json): string | null =>
  asText(answer["model"]) ?? asText(asObject(sample["output"])["model"]);

type Sums = {
  readonly ofAnswer: ReadonlyMap<number, { readonly model: string | null; readonly told: Json }>;
  /** Of models whose answers are not among the messages, as those that give scores. */
  readonly others: readonly (readonly [model: string, told: Json])[];
};

/** Of several calls only the sums are known, by model: each is that of the model's last answer. */
function sumsOf(sample: Json, messages: readonly Json[], answers: readonly number[]): Sums {
  const sums = Object.entries(asObject(sample["model_usage"])).map(([model, told]) => [model, asObject(told)] as const);
  const last = answers.at(-1);
  if (last === undefined) return { ofAnswer: new Map(), others: sums };
  const only = sums.length === 1 ? sums[0] : undefined;
  if (only !== undefined)
    return { ofAnswer: new Map([[last, { model: modelIn(messages[last]!, sample), told: only[1] }]]), others: [] };
  const ofAnswer = new Map<number, { model: string | null; told: Json }>();
  const others: [string, Json][] = [];
  for (const [model, told] of sums) {
    const at = answers.findLast((one) => !ofAnswer.has(one) && isModel(modelIn(messages[one]!, sample), model));
    if (at === undefined) others.push([model, told]);
    else ofAnswer.set(at, { model: modelIn(messages[at]!, sample), told });
  }
  const first = others[0];
  if (ofAnswer.size > 0 || first === undefined) return { ofAnswer, others };
  // No answer has a name that is known: the sample's own model comes first.
  return { ofAnswer: new Map([[last, { model: first[0], told: first[1] }]]), others: others.slice(1) };
}

/** True where a provider's name of a model is that of `key`, as Inspect writes it: `openai/gpt-4o`. */
function isModel(name: string | null, key: string): boolean {
  const own = key.slice(key.lastIndexOf("/") + 1);
  return name !== null && (name === key || name === own || name.startsWith(`${own}-`));
}

/** A message with the names that the conventions have. */
function message(given: unknown): Json {
  const one = asObject(given);
  const calls = asArray(one["tool_calls"]).map((call) => {
    const { id, function: name, arguments: input } = asObject(call);
    return { id, name, arguments: input ?? {} };
  });
  const error = asText(asObject(one["error"])["message"]);
  const content = typeof one["content"] === "string" ? one["content"] : asArray(one["content"]).flatMap(contentParts);
  return {
    role: one["role"],
    content: error !== null && content === "" ? error : content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(one["tool_call_id"] !== undefined && { tool_call_id: one["tool_call_id"] }),
    ...(one["function"] !== undefined && { name: one["function"] }),
    ...(isObject(one["error"]) && { is_error: true }),
  };
}

function contentParts(given: unknown): unknown[] {
  const part = asObject(given);
  if (part["type"] === "tool_use") return providerCall(part);
  if (part["type"] === "text") return [{ type: "text", content: asText(part["text"]) ?? "" }];
  if (part["type"] !== "reasoning") return [{ type: part["type"] }];
  // What is redacted is for the provider alone: its summary is what can be read.
  const words = part["redacted"] === true ? part["summary"] : part["reasoning"] || part["summary"];
  return [{ type: "reasoning", content: asText(words) ?? "" }];
}

/** A call that the provider ran, with its result. Google's have no ids. */
function providerCall({ id, name, arguments: input, result, error }: Json): unknown[] {
  const failure = asText(error);
  const call = { id: asText(id) || null, name };
  return [
    { type: "tool_call", ...call, arguments: input ?? {} },
    { type: "tool_call_response", ...call, response: asText(result) || (failure ?? ""), is_error: failure !== null },
  ];
}

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((one) => asText(asObject(one)["text"]) ?? `[${String(asObject(one)["type"] ?? "part")}]`).join("\n")
    : value === null || value === undefined
      ? ""
      : jsonText(value);

const ATTACHED = /^attachment:\/\/([\w-]+)$/;

/** Texts that were put aside are put back; what has none is itself. */
function resolved(value: unknown, attachments: Json, depth = 0): unknown {
  if (typeof value === "string") {
    const name = ATTACHED.exec(value)?.[1];
    return name === undefined ? value : (asText(attachments[name]) ?? value);
  }
  if (depth > DEPTH) return value;
  if (Array.isArray(value)) {
    const parts = value.map((one) => resolved(one, attachments, depth + 1));
    return parts.every((one, i) => one === value[i]) ? value : parts;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, resolved(one, attachments, depth + 1)] as const);
  return entries.every(([key, one]) => one === value[key]) ? value : Object.fromEntries(entries);
}
