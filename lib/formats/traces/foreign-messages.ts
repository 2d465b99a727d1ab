// Messages of a model call, of any of the shapes in which frameworks keep them: those of OpenAI (chat and Responses), Anthropic, Google,
// LangChain, the AI SDK and OpenTelemetry. Each becomes one with `role`, and `content`, `parts` or `tool_calls`.
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { linkedMessages, noIds, type Call, type MadeUpIds } from "./linked-messages.ts";

export type Messages = { readonly input: readonly unknown[]; readonly output: readonly unknown[] };

/** The value of a text that is JSON, else the text; any other value as it is. */
export function valueOf(given: unknown): unknown {
  if (typeof given !== "string" || !/^\s*[[{"]/.test(given)) return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

/** What a model was sent and what it answered, each call and each result with an id. `ids`: of other conversations of the trace. */
export function conversation(input: unknown, output: unknown, ids: MadeUpIds = noIds()): Messages {
  const sent = inputMessages(input);
  // OpenAI's Responses repeat the instructions in the answer, and have them nowhere else.
  const { object, instructions } = asObject(valueOf(output));
  const said = object === "response" && !sent.some(isSystem) ? instructionsOf(instructions) : [];
  const before = [...said, ...sent];
  const all = linkedMessages([...before, ...outputMessages(output)], ids, before.length);
  return { input: all.slice(0, before.length), output: all.slice(before.length) };
}

const isSystem = (message: unknown): boolean => /^(?:system|developer)$/.test(asText(asObject(message)["role"]) ?? "");

function instructionsOf(given: unknown): unknown[] {
  const content = isObject(given) && Array.isArray(given["parts"]) ? given["parts"] : given;
  return (typeof content === "string" && content !== "") || Array.isArray(content) ? [{ role: "system", content }] : [];
}

function inputMessages(given: unknown): unknown[] {
  const value = valueOf(given);
  if (value === null || value === undefined || value === "") return [];
  if (typeof value === "string")
    return TALK.test(value) ? messagesOfText(value, []) : [{ role: "user", content: value }];
  if (Array.isArray(value)) return value.flat(1).map((one) => plainMessage(one, "user"));
  const record = asObject(value);
  // LangSmith writes this for a history that it cannot flatten.
  if (record["content"] === "role" && Object.keys(record).length === 1) return [];
  const system = [record["system"], record["instructions"], record["system_instruction"]]
    .concat(asObject(record["config"])["system_instruction"])
    .map(instructionsOf)
    .find((found) => found.length > 0);
  const messages = ["messages", "contents", "input", "prompt", "history"]
    .map((name) => record[name])
    .find((one) => one !== undefined && one !== null);
  if (messages !== undefined) return [...(system ?? []), ...inputMessages(messages)];
  if (isMessage(value)) return [plainMessage(value, "user")];
  // A function that was called with its messages.
  const args = asArray(record["args"]).flat(1);
  if (args.length > 0 && args.every((one) => typeof one === "string" || isMessage(one))) return inputMessages(args);
  return [{ role: "user", content: jsonText(value) }];
}

function outputMessages(given: unknown): unknown[] {
  const value = valueOf(given);
  if (value === null || value === undefined || value === "") return [];
  if (typeof value === "string") return [{ role: "assistant", content: value }];
  if (Array.isArray(value))
    return value.flat(1).map((one) => plainMessage(asObject(one)["message"] ?? one, "assistant"));
  const record = asObject(value);
  for (const name of ["choices", "generations", "messages", "output"])
    if (Array.isArray(record[name])) return outputMessages(record[name]);
  if (Array.isArray(record["candidates"]))
    return record["candidates"].map((one) => plainMessage(asObject(one)["content"], "assistant"));
  // A Google answer that stands without its list.
  if (Array.isArray(asObject(record["content"])["parts"])) return [plainMessage(record["content"], "assistant")];
  if (isObject(record["message"])) return [plainMessage(record["message"], "assistant")];
  return isMessage(record)
    ? [plainMessage(record, "assistant")]
    : [{ role: "assistant", content: asText(record["text"]) ?? asText(record["completion"]) ?? jsonText(value) }];
}

const isMessage = (value: unknown): boolean =>
  ["role", "content", "parts", "tool_calls", "kwargs", "data"].some((name) => asObject(value)[name] !== undefined);

const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  model: "assistant",
  function: "tool",
};

/** One message with `role`, `content` and `tool_calls`, whoever wrote it. */
function plainMessage(given: unknown, role: string): unknown {
  if (typeof given === "string") return { role, content: given };
  const outer = asObject(given);
  const item = itemMessage(outer);
  if (item !== null) return item;
  // LangChain: {type, data} and {lc, id, kwargs}.
  const inner = isObject(outer["kwargs"]) ? outer["kwargs"] : isObject(outer["data"]) ? outer["data"] : outer;
  const type = asText(inner["type"]) ?? asText(outer["type"]);
  const said =
    asText(inner["role"]) ?? (type !== null && ownEntry(ROLES, type) !== undefined ? type : null) ?? typeOfId(outer);
  const calls = [inner["tool_calls"], asObject(inner["additional_kwargs"])["tool_calls"]].find(
    (one) => asArray(one).length > 0,
  );
  const parts = asArray(inner["parts"]).map(partOf);
  return {
    ...inner,
    role: ownEntry(ROLES, said) ?? said ?? role,
    ...(parts.length > 0 && { parts }),
    ...(calls !== undefined && { tool_calls: calls }),
    ...(type === "tool" && { role: "tool" }),
  };
}

/** What stands in a list of messages and is none: items of OpenAI's Responses, calls of the AI SDK, calls as the text of a message. */
function itemMessage(item: Json): unknown {
  const type = asText(item["type"]) ?? "";
  if (/^(?:function|custom_tool)_call$/.test(type)) {
    const call = {
      id: item["call_id"] ?? item["id"],
      name: item["name"],
      arguments: item["arguments"] ?? item["input"],
    };
    return { role: "assistant", tool_calls: [call] };
  }
  if (/^(?:function|custom_tool)_call_output$/.test(type)) {
    const { output } = item;
    return {
      ...{ role: "tool", tool_call_id: item["call_id"] },
      content: typeof output === "string" || Array.isArray(output) ? output : jsonText(output ?? ""),
    };
  }
  if (type === "reasoning" && item["role"] === undefined) {
    const texts = [...asArray(item["summary"]), ...asArray(item["content"])].flatMap(
      (part) => asText(asObject(part)["text"]) ?? [],
    );
    return { role: "assistant", content: texts.map((text) => ({ type, text })) };
  }
  if (item["role"] === undefined && item["toolCallId"] !== undefined && item["toolName"] !== undefined)
    return /result/.test(type) ? null : { role: "assistant", tool_calls: [{ ...item, type: "tool_call" }] };
  const calls = asArray(valueOf(item["content"]));
  const isCalls =
    typeof item["content"] === "string" &&
    calls.length > 0 &&
    calls.every((one) => asObject(one)["type"] === "function" && isObject(asObject(one)["function"]));
  return isCalls ? { role: "assistant", tool_calls: calls } : null;
}

const typeOfId = (outer: Json): string | null => {
  const name = asText(asArray(outer["id"]).at(-1)) ?? "";
  return /^(?:Human|AI|System|Tool)Message/.test(name) ? name.replace(/Message.*$/, "").toLowerCase() : null;
};

/** Google's parts name their kind by a key. */
function partOf(given: unknown): unknown {
  const part = asObject(given);
  const call = part["functionCall"] ?? part["function_call"];
  if (isObject(call)) return { type: "tool_call", id: call["id"], name: call["name"], arguments: call["args"] ?? {} };
  const answer = part["functionResponse"] ?? part["function_response"];
  if (!isObject(answer)) return given;
  return { type: "tool_call_response", id: answer["id"], name: answer["name"], response: answer["response"] };
}

const ROLE = /^(developer|system|user|assistant|tool): /;
/** A whole conversation as one text. */
const TALK = /^(?:developer|system): [^]*\n(?:user|assistant): /;

export const isTalk = (text: unknown): text is string => typeof text === "string" && ROLE.test(text);

/** The messages of a text with a role before each. Results stand in the order of their calls, and name none. */
export function messagesOfText(text: string, calls: readonly Call[]): unknown[] {
  const messages = text.split(/\n(?=(?:developer|system|user|assistant|tool): )/).map((one) => {
    const role = ROLE.exec(one)![1]!;
    return { role: role === "developer" ? "system" : role, content: one.slice(role.length + 2) };
  });
  let result = 0;
  return messages.flatMap((message) => {
    // An answer without words: only calls, which stand in the answer before.
    if (message.role === "assistant" && message.content === "None") return [];
    return message.role === "tool" ? { ...message, tool_call_id: calls[result++]?.id ?? null } : message;
  });
}
