// Answers that were kept as they were streamed: the chunks of a chat completion, the events of Anthropic's and of OpenAI's Responses, the
// parts of a generated content. Each list is put together to the answer that the provider gives whole.
import { asArray, asObject, asText, asWhole, isObject, type Json } from "../json.ts";
import { inputOf } from "./message-parts.ts";

/** The whole answer of a list of chunks; null for a list of something else. */
export function streamedAnswer(given: unknown): Json | null {
  const chunks = asArray(given).filter(isObject);
  if (chunks.length === 0) return null;
  const done = chunks.findLast(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(asText(type) ?? ""));
  if (done !== undefined && isObject(done["response"])) return done["response"];
  if (chunks.some(({ type }) => (asText(type) ?? "").startsWith("response."))) return responseAnswer(chunks);
  if (chunks.some(({ type }) => type === "message_start")) return anthropicAnswer(chunks);
  if (chunks.some(({ choices }) => isObject(asObject(asArray(choices)[0])["delta"]))) return chatAnswer(chunks);
  return chunks.every((chunk) => Array.isArray(chunk["candidates"])) ? contentAnswer(chunks) : null;
}

/** A response that was cut: the items that came to their end, and the words of those that did not. */
function responseAnswer(events: readonly Json[]): Json {
  const items = new Map<number, Json>();
  let answer: Json = { object: "response" };
  for (const event of events) {
    if (isObject(event["response"])) answer = { ...answer, ...event["response"] };
    const index = asWhole(event["output_index"]);
    if (index === null) continue;
    if (isObject(event["item"])) items.set(index, event["item"]);
    const { type, delta } = event;
    const item = items.get(index) ?? { type: "message", role: "assistant" };
    const words = asText(delta) ?? "";
    if (type === "response.output_text.delta") items.set(index, { ...item, content: withText(item["content"], words) });
    if (type === "response.function_call_arguments.delta")
      items.set(index, { ...item, arguments: `${asText(item["arguments"]) ?? ""}${words}` });
  }
  return { ...answer, output: [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item) };
}

const withText = (content: unknown, words: string): unknown[] => [
  { type: "output_text", text: `${asText(asObject(asArray(content)[0])["text"]) ?? ""}${words}` },
];

/** The first choice of a chunk: others are answers beside it. */
const choiceOf = (chunk: Json): Json =>
  asArray(chunk["choices"])
    .map(asObject)
    .find(({ index }) => (asWhole(index) ?? 0) === 0) ?? {};

function chatAnswer(chunks: readonly Json[]): Json {
  const words: Json = {};
  const calls = new Map<number, { id: unknown; name: string; arguments: string }>();
  for (const chunk of chunks) {
    const delta = asObject(choiceOf(chunk)["delta"]);
    for (const key of ["content", "reasoning_content", "reasoning", "refusal"]) {
      const text = asText(delta[key]);
      if (text !== null) words[key] = `${asText(words[key]) ?? ""}${text}`;
    }
    for (const one of asArray(delta["tool_calls"]).map(asObject)) {
      const of = asObject(one["function"]);
      const index = asWhole(one["index"]) ?? 0;
      const call = calls.get(index) ?? { id: null, name: "", arguments: "" };
      call.id ??= one["id"] ?? null;
      call.name ||= asText(of["name"]) ?? "";
      call.arguments += asText(of["arguments"]) ?? "";
      calls.set(index, call);
    }
  }
  const toolCalls = [...calls.values()].map(({ id, ...of }) => ({ id, type: "function", function: of }));
  const message = {
    role: "assistant",
    content: null,
    ...words,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  return { ...headOf(chunks), choices: [{ index: 0, message }] };
}

function contentAnswer(chunks: readonly Json[]): Json {
  const parts = chunks.flatMap((chunk) =>
    asArray(asObject(asObject(asArray(chunk["candidates"])[0])["content"])["parts"]),
  );
  return { ...headOf(chunks), candidates: [{ content: { role: "model", parts } }] };
}

/** What the chunks say of the answer: the last word holds, and counts are those of its end. */
function headOf(chunks: readonly Json[]): Json {
  const head: Json = {};
  for (const chunk of chunks)
    for (const [key, value] of Object.entries(chunk)) if (value !== null && value !== undefined) head[key] = value;
  return head;
}

function anthropicAnswer(events: readonly Json[]): Json {
  const blocks: unknown[] = [];
  let answer: Json = { type: "message", role: "assistant" };
  let open: Json | null = null;
  for (const event of events) {
    if (event["type"] === "message_start") answer = { ...answer, ...asObject(event["message"]) };
    open = nextBlock(open, event);
    if (event["type"] === "content_block_stop" && open !== null) {
      blocks.push(wholeBlock(open));
      open = null;
    }
    answer = withCounts(answer, event);
  }
  if (open !== null) blocks.push(wholeBlock(open));
  return { ...answer, content: blocks };
}

/** The block that a stream is in, behind one more event of it. */
export function nextBlock(open: Json | null, event: Json): Json | null {
  if (event["type"] === "content_block_start") return asObject(event["content_block"]);
  if (open === null || event["type"] !== "content_block_delta") return open;
  const delta = asObject(event["delta"]);
  const add = (key: string, text: unknown): Json => ({
    ...open,
    [key]: `${asText(open[key]) ?? ""}${asText(text) ?? ""}`,
  });
  switch (delta["type"]) {
    case "text_delta":
      return add("text", delta["text"]);
    case "thinking_delta":
      return add("thinking", delta["thinking"]);
    case "signature_delta":
      return add("signature", delta["signature"]);
    case "input_json_delta":
      return add("partial_json", delta["partial_json"]);
    default:
      return open;
  }
}

export function wholeBlock({ partial_json: input, ...block }: Json): Json {
  return typeof input === "string" && input !== "" ? { ...block, input: inputOf(input) } : block;
}

/** The counts of a message, behind one more event: those at its end hold. */
export const withCounts = (message: Json, event: Json): Json =>
  event["type"] === "message_delta" && isObject(event["usage"])
    ? { ...message, usage: headOf([asObject(message["usage"]), event["usage"]]) }
    : message;
