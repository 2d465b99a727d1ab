// An answer as one message: a stream's events put together, as the provider gives it to who does not stream. What is no event
// of the provider's is left out; the text as it came is recorded beside it.
import type { CapturedApi } from "./captured-record.ts";

type Json = Readonly<Record<string, unknown>>;
type Open = Record<string, unknown>;

export type ReadAnswer = Json | null;

/** Null where nothing of it could be read. */
export function readAnswer(text: string, api: CapturedApi): ReadAnswer {
  const whole = parsed(text);
  if (whole !== null) return whole;
  const events = eventsIn(text);
  if (events.length === 0) {
    // Gemini streams a JSON list where no server-sent events were asked for.
    return api === "gemini" ? joinGemini(listIn(text)) : null;
  }
  return JOIN[api](events);
}

/** The data of server-sent events that is JSON. */
function eventsIn(text: string): Json[] {
  return text.split(/\r\n\r\n|\n\n|\r\r/).flatMap((event) => {
    const data = event
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []))
      .join("\n");
    const value = data === "" ? null : parsed(data);
    return value === null ? [] : [value];
  });
}

function listIn(text: string): Json[] {
  try {
    return asArray(JSON.parse(text)).map(asObject);
  } catch {
    return [];
  }
}

const JOIN: Readonly<Record<CapturedApi, (events: readonly Json[]) => ReadAnswer>> = {
  messages: joinMessages,
  responses: joinResponses,
  chat: joinChat,
  gemini: joinGemini,
};

/** The fields of a delta are added to those of the block; texts are appended. */
const APPENDED = new Set(["text", "thinking", "signature"]);

function joinMessages(events: readonly Json[]): ReadAnswer {
  const start = events.find(({ type }) => type === "message_start");
  if (start === undefined) return events.find(({ type }) => type === "error") ?? null;
  const message: Open = { ...asObject(start["message"]) };
  const blocks: Open[] = [];
  const inputs: string[] = [];
  for (const event of events) {
    const at = typeof event["index"] === "number" ? event["index"] : 0;
    const delta = asObject(event["delta"]);
    if (event["type"] === "content_block_start") blocks[at] = { ...asObject(event["content_block"]) };
    else if (event["type"] === "content_block_delta" && blocks[at] !== undefined) {
      const block = blocks[at];
      if (typeof delta["partial_json"] === "string") inputs[at] = (inputs[at] ?? "") + delta["partial_json"];
      for (const [name, value] of Object.entries(delta))
        if (APPENDED.has(name)) block[name] = `${asText(block[name]) ?? ""}${asText(value) ?? ""}`;
    } else if (event["type"] === "message_delta") {
      Object.assign(message, delta);
      message["usage"] = { ...asObject(message["usage"]), ...asObject(event["usage"]) };
    }
  }
  for (const [at, json] of inputs.entries())
    if (json !== undefined && blocks[at] !== undefined) blocks[at]["input"] = parsed(json) ?? json;
  return { ...message, content: blocks.filter((block) => block !== undefined) };
}

function joinResponses(events: readonly Json[]): ReadAnswer {
  const last = events.findLast(({ response }) => typeof response === "object" && response !== null);
  if (last === undefined) return events.find(({ type }) => type === "error") ?? null;
  const response = asObject(last["response"]);
  if (asArray(response["output"]).length > 0) return response;
  const output = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  return { ...response, output };
}

function joinChat(events: readonly Json[]): ReadAnswer {
  const message: Open = { role: "assistant", content: "" };
  const calls: Open[] = [];
  let finish: unknown = null;
  for (const choice of events.flatMap(({ choices }) => asArray(choices).slice(0, 1).map(asObject))) {
    const { tool_calls: parts, role: _role, ...delta } = asObject(choice["delta"]);
    for (const [name, value] of Object.entries(delta))
      if (typeof value === "string") message[name] = `${asText(message[name]) ?? ""}${value}`;
    for (const part of asArray(parts).map(asObject)) {
      const call = (calls[typeof part["index"] === "number" ? part["index"] : calls.length] ??= { type: "function" });
      const { name, arguments: more } = asObject(part["function"]);
      if (typeof part["id"] === "string") call["id"] = part["id"];
      const known = asObject(call["function"]);
      call["function"] = {
        name: `${asText(known["name"]) ?? ""}${asText(name) ?? ""}`,
        arguments: `${asText(known["arguments"]) ?? ""}${asText(more) ?? ""}`,
      };
    }
    finish = choice["finish_reason"] ?? finish;
  }
  const made = calls.filter((call) => call !== undefined);
  if (made.length > 0) message["tool_calls"] = made;
  const { id, model } = events[0]!;
  const usage = events.findLast((event) => typeof event["usage"] === "object" && event["usage"] !== null)?.["usage"];
  const tier = events.findLast((event) => typeof event["service_tier"] === "string")?.["service_tier"];
  return {
    ...{ id, model, choices: [{ index: 0, message, finish_reason: finish }], usage: usage ?? null },
    ...(tier !== undefined && { service_tier: tier }),
  };
}

function joinGemini(events: readonly Json[]): ReadAnswer {
  const last = events.at(-1);
  if (last === undefined) return null;
  const parts = events.flatMap(({ candidates }) =>
    asArray(asObject(asObject(asArray(candidates)[0])["content"])["parts"]),
  );
  const found = (name: string): unknown => events.findLast((event) => event[name] !== undefined)?.[name];
  return {
    responseId: found("responseId"),
    modelVersion: found("modelVersion"),
    usageMetadata: found("usageMetadata"),
    candidates: [{ content: { role: "model", parts } }],
  };
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asObject = (value: unknown): Json => (isObject(value) ? value : {});
const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);
