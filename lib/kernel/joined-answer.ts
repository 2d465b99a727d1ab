// A streamed answer as one message, as the provider gives it to who does not stream: the events of Anthropic's Messages and OpenAI's
// Responses, the chunks of a chat completion, the parts of a generated content. An answer that was cut has what came of it.
import type { CapturedApi } from "./captured-record.ts";

type Json = Readonly<Record<string, unknown>>;
type Open = Record<string, unknown>;

/** Null where no event of the provider is among them; a lone error is the answer. */
export const joinedAnswer = (api: CapturedApi, events: readonly Json[]): Json | null => JOIN[api](events);

const JOIN: Readonly<Record<CapturedApi, (events: readonly Json[]) => Json | null>> = {
  messages: joinMessages,
  responses: joinResponses,
  chat: joinChat,
  gemini: joinContent,
};

function joinMessages(events: readonly Json[]): Json | null {
  const start = events.find(({ type }) => type === "message_start");
  if (start === undefined) return events.find(({ type }) => type === "error") ?? null;
  let message = asObject(start["message"]);
  const blocks = new Map<number, Json>();
  let at = 0;
  for (const event of events) {
    message = messageBehind(message, event);
    at = indexIn(event["index"], event["type"] === "content_block_start" ? blocks.size : at);
    const block = blockBehind(blocks.get(at) ?? null, event);
    if (block !== null) blocks.set(at, block);
  }
  return { ...message, content: inOrder(blocks).map(wholeBlock) };
}

/** What a delta appends to the field of its block. */
const APPENDED: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
};

/** The block that a stream of Messages is in, behind one more event of it. */
export function blockBehind(open: Json | null, event: Json): Json | null {
  if (event["type"] === "content_block_start") return asObject(event["content_block"]);
  if (open === null || event["type"] !== "content_block_delta") return open;
  const delta = asObject(event["delta"]);
  const field = APPENDED[asText(delta["type"])];
  return field === undefined ? open : { ...open, [field]: asText(open[field]) + asText(delta[field]) };
}

/** A block at its end: the input that came in pieces is a value, or the text that is none. */
export function wholeBlock({ partial_json: input, ...block }: Json): Json {
  return typeof input === "string" && input !== "" ? { ...block, input: jsonIn(input) } : block;
}

/** The message of a stream, without its blocks, behind one more event: what it says at its end holds. */
export function messageBehind(message: Json, { type, delta, usage }: Json): Json {
  if (type !== "message_delta") return message;
  const ended = { ...message, ...lastWords([asObject(delta)]) };
  return isObject(usage) ? { ...ended, usage: { ...asObject(message["usage"]), ...lastWords([usage]) } } : ended;
}

function joinResponses(events: readonly Json[]): Json | null {
  const last = events.findLast(({ response }) => isObject(response));
  const items = itemsOf(events);
  if (last === undefined && items.length === 0) return events.find(({ type }) => type === "error") ?? null;
  const response = asObject(last?.["response"] ?? { object: "response" });
  return asArray(response["output"]).length > 0 ? response : { ...response, output: items };
}

/** The items that came to their end, and the words of those that did not, in their order. */
function itemsOf(events: readonly Json[]): readonly Json[] {
  const items = new Map<number, Json>();
  for (const { type, output_index: at, item, delta } of events) {
    const index = indexIn(at, items.size);
    if (isObject(item)) items.set(index, item);
    const known = items.get(index) ?? { type: "message", role: "assistant" };
    if (type === "response.output_text.delta")
      items.set(index, { ...known, content: [{ type: "output_text", text: textOf(known) + asText(delta) }] });
    if (type === "response.function_call_arguments.delta")
      items.set(index, { ...known, arguments: asText(known["arguments"]) + asText(delta) });
  }
  return inOrder(items);
}

const textOf = (item: Json): string => asText(asObject(asArray(item["content"])[0])["text"]);

/** The first choice: others are answers beside it. */
const choiceOf = (chunk: Json): Json =>
  asArray(chunk["choices"])
    .map(asObject)
    .find(({ index }) => (index ?? 0) === 0) ?? {};

function joinChat(chunks: readonly Json[]): Json | null {
  if (chunks.length === 0) return null;
  const message: Open = { role: "assistant", content: null };
  const calls = new Map<number, Json>();
  let finish: unknown = null;
  for (const choice of chunks.map(choiceOf)) {
    const { tool_calls: parts, role: _role, ...delta } = asObject(choice["delta"]);
    for (const [name, value] of Object.entries(delta))
      if (typeof value === "string") message[name] = asText(message[name]) + value;
    for (const part of asArray(parts).map(asObject)) {
      const index = indexIn(part["index"], asText(part["id"]) === "" ? Math.max(0, calls.size - 1) : calls.size);
      calls.set(index, callBehind(calls.get(index) ?? {}, part));
    }
    finish = choice["finish_reason"] ?? finish;
  }
  if (calls.size > 0) message["tool_calls"] = inOrder(calls);
  const { choices: _choices, ...head } = lastWords(chunks);
  return { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }] };
}

/** Most servers send the name once; some send it again with each piece, and some in pieces. */
function callBehind(call: Json, part: Json): Json {
  const [known, more] = [asObject(call["function"]), asObject(part["function"])];
  const [name, again] = [asText(known["name"]), asText(more["name"])];
  return {
    id: asText(call["id"]) === "" ? part["id"] : call["id"],
    type: "function",
    function: {
      name: name === again ? name : name + again,
      arguments: asText(known["arguments"]) + asText(more["arguments"]),
    },
  };
}

function joinContent(chunks: readonly Json[]): Json | null {
  if (chunks.length === 0) return null;
  const parts = chunks.flatMap(({ candidates }) =>
    asArray(asObject(asObject(asArray(candidates)[0])["content"])["parts"]),
  );
  return { ...lastWords(chunks), candidates: [{ content: { role: "model", parts } }] };
}

/** Servers that leave the index out send one after the other. */
const indexIn = (index: unknown, next: number): number => (typeof index === "number" ? index : next);
const inOrder = (byIndex: ReadonlyMap<number, Json>): readonly Json[] =>
  [...byIndex].toSorted(([a], [b]) => a - b).map(([, one]) => one);

/** The last word that each field says: a field that is null says nothing. */
function lastWords(chunks: readonly Json[]): Json {
  const said = chunks.flatMap((chunk) => Object.entries(chunk));
  return Object.fromEntries(said.filter(([, value]) => value !== null && value !== undefined));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asObject = (value: unknown): Json => (isObject(value) ? value : {});
const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string => (typeof value === "string" ? value : "");
