// Calls and results of a conversation, each with an id. Google's have none, and some write the tool's name for it: then a call has its
// name and a number, the same wherever the trace has that call of those arguments again. A result is of the first call that is open.
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

export type Call = { readonly id: string; readonly name: string };

const KNOWN_ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);
const LISTS = ["parts", "content", "tool_calls"] as const;

/** Ids that were made up for calls of one trace. */
export type MadeUpIds = {
  /** Of each name, by arguments and how often the trace had these before. */
  readonly byName: Map<string, Map<string, string>>;
  /** The calls in their order, each as its name and arguments. */
  readonly calls: string[];
};

export const noIds = (): MadeUpIds => ({ byName: new Map(), calls: [] });

/** The first `sent` of the messages were sent, and the others answered. */
export function linkedMessages(messages: readonly unknown[], ids: MadeUpIds, sent: number): unknown[] {
  const open: Call[] = [];
  const seen = leftOut(messages.slice(0, sent).flatMap(callsWithoutId), ids);
  const pop = (at: number): Call | undefined => (at < 0 ? undefined : open.splice(at, 1)[0]);
  const ofName = (name: string | null): Call | undefined => pop(open.findIndex((call) => call.name === name));

  const linkedPart = (given: unknown): unknown => {
    const part = asObject(given);
    const name = nameOf(part);
    const own = idOf(part);
    const id = own === name ? null : own;
    if (isResult(part)) {
      const at = open.findIndex((call) => call.id === own);
      const isKnown = pop(at) !== undefined || (id !== null && name !== null);
      const call = isKnown ? undefined : (ofName(name ?? own) ?? (own === null ? pop(0) : undefined));
      return call === undefined ? given : { ...part, id: call.id, name: call.name };
    }
    if (name === null || !isCall(part)) return given;
    const call = { id: id ?? madeUpId(name, part, seen, ids), name };
    if (!open.some((one) => one.id === call.id)) open.push(call);
    return id === null ? { ...part, id: call.id } : given;
  };

  return messages.map((given) => {
    if (!isObject(given)) return given;
    const role = asText(given["role"]);
    const isOwn =
      role === "tool" &&
      !isObject(given["content"]) &&
      ![...asArray(given["parts"]), ...asArray(given["content"])].some(hasResult);
    const id = asText(given["tool_call_id"]) ?? asText(given["toolCallId"]);
    if (isOwn && id !== null && id !== given["name"]) return (pop(open.findIndex((call) => call.id === id)), given);
    // Some write a tool's name where the role of its result stands.
    const named = isOwn ? (asText(given["name"]) ?? id) : KNOWN_ROLES.has(role) ? null : role;
    const call = named === null ? (isOwn ? pop(0) : undefined) : ofName(named);
    if (call !== undefined) return { ...given, role: "tool", name: call.name, tool_call_id: call.id };
    const lists = LISTS.filter((list) => Array.isArray(given[list]));
    const linked = lists.map((list) => [list, asArray(given[list]).map(linkedPart)] as const);
    const isNew = linked.some(([list, parts]) => parts.some((part, i) => part !== asArray(given[list])[i]));
    return isNew ? { ...given, ...Object.fromEntries(linked) } : given;
  });
}

/**
 * An agent may send its last messages alone: then the calls that it sends are the last ones of the trace, and these came before. Where
 * all are sent, none did.
 */
function leftOut(sent: readonly string[], { calls }: MadeUpIds): Map<string, number> {
  const before = new Map<string, number>();
  const first = calls.length - sent.length;
  if (sent.length === 0 || first <= 0 || !sent.every((call, i) => call === calls[first + i])) return before;
  for (const call of calls.slice(0, first)) before.set(call, (before.get(call) ?? 0) + 1);
  return before;
}

const callsWithoutId = (message: unknown): string[] =>
  LISTS.flatMap((list) => asArray(asObject(message)[list])).flatMap((one) => {
    const part = asObject(one);
    const [id, name] = [idOf(part), nameOf(part)];
    const isNameless = name !== null && (id === null || id === name) && !isResult(part) && isCall(part);
    return isNameless ? [callKey(name, part)] : [];
  });

function callKey(name: string, part: Json): string {
  const args = part["arguments"] ?? part["args"] ?? part["input"] ?? asObject(part["function"])["arguments"] ?? {};
  return `${name} ${typeof args === "string" ? args : JSON.stringify(args)}`;
}

/** The same wherever the trace has the call again. */
function madeUpId(name: string, part: Json, seen: Map<string, number>, { byName, calls }: MadeUpIds): string {
  const key = callKey(name, part);
  const before = seen.get(key) ?? 0;
  seen.set(key, before + 1);
  const ofName = byName.get(name) ?? new Map<string, string>();
  byName.set(name, ofName);
  const known = ofName.get(`${before} ${key}`);
  if (known !== undefined) return known;
  const id = `${name}-${ofName.size + 1}`;
  ofName.set(`${before} ${key}`, id);
  calls.push(key);
  return id;
}

const hasResult = (part: unknown): boolean => isResult(asObject(part));
const isResult = (part: Json): boolean => /result|response/.test(asText(part["type"]) ?? "");
const isCall = (part: Json): boolean =>
  /^(?:tool[_-]call|tool_use|function)$/.test(asText(part["type"]) ?? "") ||
  ["function", "arguments", "args", "toolName"].some((name) => part[name] !== undefined);

const idOf = (part: Json): string | null =>
  asText(part["id"]) ?? asText(part["toolCallId"]) ?? asText(part["tool_use_id"]);
const nameOf = (part: Json): string | null =>
  asText(part["name"]) ?? asText(part["toolName"]) ?? asText(asObject(part["function"])["name"]);

/** Calls that messages name, in their order. */
export function callsIn(messages: readonly unknown[]): Call[] {
  return messages.flatMap((given) =>
    LISTS.flatMap((list) => asArray(asObject(given)[list])).flatMap((one) => {
      const part = asObject(one);
      const [id, name] = [idOf(part), nameOf(part)];
      return id === null || name === null || isResult(part) ? [] : [{ id, name }];
    }),
  );
}
