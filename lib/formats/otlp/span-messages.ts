// Messages that a model call was sent and gave, as blocks of one shape, whichever convention its span follows.
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { jsonOf } from "./agent-drafts.ts";
import type { PlacedRecord } from "./otlp-lines.ts";
import { textOf, type Attributes } from "./otlp-values.ts";

export type Block = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly kind: "text" | "reasoning" | "call" | "result";
  /** Words of a text, a result. */
  readonly text: string;
  /** Of a call and its result. */
  readonly id: string | null;
  readonly name: string;
  readonly input: unknown;
  /** Of a result: the tool failed, as its message says. */
  readonly isError?: boolean;
};

export type Messages = { readonly input: readonly Block[]; readonly output: readonly Block[] };

/** What a model or agent span says of its messages; empty lists where its application does not send them. */
export function messagesOf(record: PlacedRecord): Messages {
  const { attributes } = record;
  const system = blocksOf(jsonValue(attributes.get("gen_ai.system_instructions")), "system");
  const input =
    first(attributes, "gen_ai.input.messages", "ai.prompt.messages", "ai.prompt") ??
    flattened(attributes, "llm.input_messages") ??
    flattened(attributes, "gen_ai.prompt") ??
    eventMessages(record, /^gen_ai\.(system|user|assistant|tool)\.message$/);
  const output =
    first(attributes, "gen_ai.output.messages") ??
    flattened(attributes, "llm.output_messages") ??
    flattened(attributes, "gen_ai.completion") ??
    eventMessages(record, /^gen_ai\.(choice)$/);
  return {
    input: [...system, ...messageBlocks(input ?? plainValue(attributes, "input.value"), "user")],
    output: [
      ...messageBlocks(output ?? plainValue(attributes, "output.value"), "assistant"),
      ...answerBlocks(attributes),
    ],
  };
}

/** What the AI SDK puts beside each other: text, reasoning and calls of an answer. */
function answerBlocks(attributes: Attributes): Block[] {
  const reasoning = textOf(attributes, "ai.response.reasoning");
  const text = textOf(attributes, "ai.response.text", "ai.response.object");
  return [
    ...(reasoning === null ? [] : [block("assistant", "reasoning", reasoning)]),
    ...(text === null ? [] : [block("assistant", "text", text)]),
    ...asArray(jsonValue(attributes.get("ai.response.toolCalls"))).flatMap((one) =>
      blocksOf(one, "assistant", "tool-call"),
    ),
  ];
}

function first(attributes: Attributes, ...names: readonly string[]): unknown {
  const found = names.map((name) => jsonValue(attributes.get(name))).find((value) => value != null);
  return isObject(found) && found["messages"] !== undefined ? found["messages"] : found;
}

/** `input.value` is anything: only a text that is no JSON is what somebody said. */
function plainValue(attributes: Attributes, name: string): unknown {
  const value = jsonValue(attributes.get(name));
  return typeof value === "string" ? value : asObject(value)["messages"];
}

const jsonValue = (value: unknown): unknown =>
  typeof value === "string" && /^\s*[[{"]/.test(value) ? jsonOf(value) : value;

function messageBlocks(value: unknown, role: Block["role"]): Block[] {
  const one = isObject(value) && value["prompt"] !== undefined ? value["prompt"] : value;
  if (!Array.isArray(one)) return blocksOf(one, role);
  return one.flatMap((message) => (isObject(message) ? readOnce(message, role) : oneMessage(message, role)));
}

/** Blocks of messages: in some traces one message stands for all calls that were sent it. */
const known = new WeakMap<Json, { readonly role: Block["role"]; readonly blocks: Block[] }>();

function readOnce(message: Json, role: Block["role"]): Block[] {
  const found = known.get(message);
  if (found?.role === role) return found.blocks;
  const blocks = oneMessage(message, role);
  known.set(message, { role, blocks });
  return blocks;
}

function oneMessage(given: unknown, standard: Block["role"]): Block[] {
  const outer = asObject(given);
  const message = isObject(outer["message"]) ? outer["message"] : outer;
  const role = roleOf(message["role"]) ?? standard;
  const content = message["parts"] ?? message["content"] ?? message["contents"];
  const calls = asArray(message["tool_calls"] ?? message["toolCalls"]);
  const id =
    asText(message["tool_call_id"]) ??
    asText(message["toolCallId"]) ??
    (role === "tool" ? asText(message["id"]) : null);
  const own = blocksOf(content, role);
  // A result that is a message of its own has the call's id beside its text.
  const named = role === "tool" && own.every(({ kind }) => kind === "text");
  return [
    ...(named
      ? [
          {
            ...block("tool", "result", own.map(({ text }) => text).join("\n")),
            id,
            name: asText(message["name"]) ?? "",
            isError: message["is_error"] === true,
          },
        ]
      : own),
    ...calls.flatMap((call) => blocksOf(asObject(call)["tool_call"] ?? call, role, "tool_call")),
  ];
}

const ROLES: Readonly<Record<string, Block["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  model: "assistant",
  ai: "assistant",
  tool: "tool",
  function: "tool",
};
const roleOf = (role: unknown): Block["role"] | undefined => ownEntry(ROLES, (asText(role) ?? "").toLowerCase());

const block = (role: Block["role"], kind: Block["kind"], text: string): Block => ({
  role,
  kind,
  text,
  id: null,
  name: "",
  input: null,
});

/** Blocks of a content: a text, a part, or a list of parts. */
function blocksOf(content: unknown, role: Block["role"], standard = "text"): Block[] {
  if (typeof content === "string") return content === "" ? [] : [block(role, "text", content)];
  if (Array.isArray(content)) return content.flatMap((one) => blocksOf(one, role, standard));
  if (!isObject(content)) return [];
  const part = isObject(content["message_content"]) ? content["message_content"] : content;
  const type = (asText(part["type"]) ?? (isCall(part) ? "tool_call" : standard)).replaceAll("-", "_");
  if (type === "tool_call" || type === "tool_use" || type === "function" || type === "function_call")
    return [callBlock(part)];
  if (/^(?:tool_call_response|tool_result|function_response)$/.test(type)) return [resultBlock(part)];
  const inner = asObject(part["content"]);
  const text = asText(part["content"]) ?? asText(part["text"]) ?? asText(part["thinking"]) ?? asText(inner["text"]);
  const isReasoning = /reasoning|thinking/i.test(type);
  // Microsoft's reasoning stands in a part of its own, also where it is encrypted and has no words.
  if (text === "" && isReasoning) return [];
  if (text !== null) return [block(role, isReasoning ? "reasoning" : "text", text)];
  return type === "text" ? [] : [block(role, "text", `[${type}]`)];
}

const isCall = (part: Json): boolean =>
  part["toolName"] !== undefined || part["function"] !== undefined || part["arguments"] !== undefined;

function callBlock(part: Json): Block {
  const inner = asObject(part["function"]);
  const given = part["arguments"] ?? part["input"] ?? part["args"] ?? inner["arguments"];
  return {
    ...block("assistant", "call", ""),
    id: asText(part["id"]) ?? asText(part["toolCallId"]),
    name: asText(part["name"]) ?? asText(part["toolName"]) ?? asText(inner["name"]) ?? "unknown",
    input: (typeof given === "string" ? jsonOf(given) : given) ?? {},
  };
}

function resultBlock(part: Json): Block {
  const given = part["response"] ?? part["result"] ?? part["output"] ?? part["content"];
  return {
    ...block("tool", "result", resultText(given)),
    id: asText(part["id"]) ?? asText(part["toolCallId"]) ?? asText(part["tool_use_id"]),
    name: asText(part["name"]) ?? asText(part["toolName"]) ?? "",
    isError: part["is_error"] === true,
  };
}

/** A result as text. The AI SDK says beside the value of which kind it is. */
export function resultText(given: unknown): string {
  if (typeof given === "string") return given;
  if (given == null) return "";
  const { type, value } = asObject(given);
  return typeof type === "string" && value !== undefined && /^(?:text|json|error-text|error-json|content)$/.test(type)
    ? resultText(value)
    : jsonText(given);
}

/** Attributes such as `llm.input_messages.0.message.role`, as the values that they spell; null where there are none. */
function flattened(attributes: Attributes, prefix: string): unknown {
  const root: Json = {};
  const start = `${prefix}.`;
  for (const [name, value] of attributes)
    if (name.startsWith(start)) put(root, name.slice(start.length).split("."), value);
  return Object.keys(root).length === 0 ? null : listed(root);
}

/** Names of one attribute that are told apart. */
const STEPS = 12;

function put(root: Json, path: readonly string[], value: unknown): void {
  let at = root;
  const last = Math.min(path.length, STEPS) - 1;
  for (let i = 0; i < last; i++) {
    const step = path[i]!;
    let next = step === PROTO ? own(at, step) : at[step];
    if (!isObject(next)) define(at, step, (next = {}));
    at = next as Json;
  }
  define(at, path[last]!, value);
}

const PROTO = "__proto__";
const own = (value: Json, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);

/** A name may be `__proto__`, which an assignment would not take for one; for all others that takes a fifth of the time. */
function define(on: Json, name: string, value: unknown): void {
  if (name !== PROTO) on[name] = value;
  else Object.defineProperty(on, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Objects whose keys are all numbers are lists. */
function listed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.every((key) => /^\d{1,6}$/.test(key)))
    return keys.toSorted((a, b) => Number(a) - Number(b)).map((key) => listed(value[key]));
  if (!keys.some((key) => isObject(value[key]))) return value;
  return Object.fromEntries(keys.map((key) => [key, listed(value[key])] as const));
}

/** Messages that older instrumentations put into events of the span. */
function eventMessages({ events }: PlacedRecord, names: RegExp): unknown {
  const found = events.flatMap(({ name, attributes }) => {
    const role = names.exec(name)?.[1];
    if (role === undefined) return [];
    const message = Object.fromEntries([...attributes].map(([key, value]) => [key, jsonValue(value)]));
    return [{ role: role === "choice" ? "assistant" : role, ...message }];
  });
  return found.length === 0 ? null : found;
}
