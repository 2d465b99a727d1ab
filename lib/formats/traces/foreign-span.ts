// What other tools keep of a run, as the spans that lib/formats/otlp makes a session of: one reading for all of them.
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

type Given = Pick<PlacedRecord, "name" | "traceId" | "spanId" | "parentSpanId" | "startMs" | "endMs" | "failure"> & {
  readonly attributes: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;
};

export function foreignSpan(
  given: Given,
  { byteStart, byteEnd }: Pick<SourceRecord, "byteStart" | "byteEnd">,
): PlacedRecord {
  const { attributes, ...rest } = given;
  const known =
    attributes instanceof Map
      ? (attributes as ReadonlyMap<string, unknown>)
      : new Map(Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined));
  return {
    ...rest,
    kind: "span",
    service: "",
    serviceVersion: null,
    attributes: known,
    events: [],
    body: null,
    isDelta: false,
    line: () => jsonText({ ...rest, ...Object.fromEntries(known) }),
    byteStart,
    byteEnd,
    owner: null,
  };
}

/** Parents before children of the same moment; what has no time comes last. */
export const inTime = (spans: readonly PlacedRecord[]): PlacedRecord[] =>
  spans.toSorted(
    (a, b) =>
      (a.startMs ?? Number.MAX_SAFE_INTEGER) - (b.startMs ?? Number.MAX_SAFE_INTEGER) ||
      (b.endMs ?? 0) - (a.endMs ?? 0),
  );

/** The value of a text that is JSON, else the text; any other value as it is. */
export function valueOf(given: unknown): unknown {
  if (typeof given !== "string" || !/^\s*[[{"]/.test(given)) return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

/** What a model was sent, as messages: of any of the shapes in which frameworks keep it. */
export function inputMessages(given: unknown): unknown[] {
  const value = valueOf(given);
  if (value === null || value === undefined || value === "") return [];
  if (typeof value === "string") return [{ role: "user", content: value }];
  if (Array.isArray(value)) return withResults(value.flat(1).map((one) => plainMessage(one, "user")));
  const { system, instructions } = asObject(value);
  const first = asText(system) ?? asText(instructions) ?? asText(asObject(value)["system_instruction"]);
  const messages = ["messages", "contents", "input", "prompt", "history"]
    .map((name) => asObject(value)[name])
    .find((one) => one !== undefined && one !== null);
  if (messages === undefined) {
    if (isMessage(value)) return [plainMessage(value, "user")];
    return [{ role: "user", content: jsonText(value) }];
  }
  return [...(first === null ? [] : [{ role: "system", content: first }]), ...inputMessages(messages)];
}

const KNOWN_ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);

/** Some write a tool's name where the role of its result stands: it is of the first call with that name that is still open. */
function withResults(messages: unknown[]): unknown[] {
  if (messages.every((one) => KNOWN_ROLES.has(asObject(one)["role"]))) return messages;
  const open: { readonly id: string; readonly name: string }[] = [];
  return messages.map((one) => {
    const message = asObject(one);
    open.push(...callsIn([message]));
    const at = KNOWN_ROLES.has(message["role"]) ? -1 : open.findIndex(({ name }) => name === message["role"]);
    if (at < 0) return one;
    const [{ id, name }] = open.splice(at, 1) as [{ id: string; name: string }];
    return { ...message, role: "tool", name, tool_call_id: asText(message["tool_call_id"]) ?? id };
  });
}

/** What a model answered. */
export function outputMessages(given: unknown): unknown[] {
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
  // LangChain: {type, data} and {lc, id, kwargs}.
  const inner = isObject(outer["kwargs"]) ? outer["kwargs"] : isObject(outer["data"]) ? outer["data"] : outer;
  const type = asText(inner["type"]) ?? asText(outer["type"]);
  const said = asText(inner["role"]) ?? (type !== null && ROLES[type] !== undefined ? type : null) ?? typeOfId(outer);
  const calls = [inner["tool_calls"], asObject(inner["additional_kwargs"])["tool_calls"]].find(
    (one) => asArray(one).length > 0,
  );
  const parts = asArray(inner["parts"]).map(partOf);
  return {
    ...inner,
    role: ROLES[said ?? ""] ?? said ?? role,
    ...(parts.length > 0 && { parts }),
    ...(calls !== undefined && { tool_calls: calls }),
    ...(type === "tool" && { role: "tool" }),
  };
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
  const response = part["functionResponse"] ?? part["function_response"];
  if (isObject(response)) return { type: "tool_call_response", id: response["id"], response: response["response"] };
  return given;
}

/** Calls that messages name, in their order, each once. */
export function callsIn(messages: readonly unknown[]): { readonly id: string; readonly name: string }[] {
  return messages.flatMap((given) => {
    const message = asObject(given);
    const parts = [...asArray(message["parts"]), ...asArray(message["content"]), ...asArray(message["tool_calls"])];
    return parts.map(asObject).flatMap((part) => {
      const id = asText(part["id"]) ?? asText(part["toolCallId"]);
      const name = asText(part["name"]) ?? asText(part["toolName"]) ?? asText(asObject(part["function"])["name"]);
      return id === null || name === null || /result|response/.test(asText(part["type"]) ?? "") ? [] : [{ id, name }];
    });
  });
}
