// Each tool call is followed by exactly one result, whatever the log holds: providers refuse a request that says otherwise.
// The last step before a renderer: a limit that is applied after it parts pairs again.
import { callsOf, resultOf, type Message, type ToolCall } from "../context/message.ts";

export type RepairOptions = {
  /** Names of the tools that the request offers; calls of others are dropped. */
  readonly allowedTools?: readonly string[];
};

export type Repair = {
  readonly messages: readonly Message[];
  /** What was done, by kind: results that stood elsewhere, were made, came twice, or belong to no call; calls that were dropped. */
  readonly moved: number;
  readonly synthetic: number;
  readonly duplicates: number;
  readonly orphans: number;
  readonly droppedCalls: number;
};

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Answers that broke off: their calls were never run, and a made-up result for one is refused by providers. */
const BROKEN_OFF = new Set(["error", "aborted"]);
const MISSING = "No result was recorded for this call.";
/** Words that a client writes for the person where a call was broken off. */
const INTERRUPTED =
  /^\s*\[?\(?request interrupted\b|^\s*<turn_aborted>|^\s*Note: (?:turn '|an earlier turn was interrupted)/i;
const REASON_CHARS = 300;

/**
 * Puts each result directly behind its call, in the order of the calls, or in the log's where another agent sent it so. A call without a result gets a synthetic error;
 * a second result and one without a call are dropped. The same id may be used again by a later answer: a result belongs
 * to the last call of its id before it.
 */
export function repairPairs(messages: readonly Message[], options: RepairOptions = {}): Repair {
  const result = { moved: 0, synthetic: 0, duplicates: 0, orphans: 0, droppedCalls: 0 };
  const calls = messages.map((message) => keptCalls(message, options));
  const results = resultsByCall(messages, calls, result);
  const repaired: Message[] = [];
  messages.forEach((message, i) => {
    if (resultOf(message) !== null || message.role === "tool") return;
    const own = calls[i]!;
    result.droppedCalls += callsOf(message).length - own.length;
    if (callsOf(message).length > 0 && own.length === 0 && isEmpty(message)) return;
    repaired.push(isSame(callsOf(message), own) ? message : withCalls(message, own));
    let position = i + 1;
    for (const { call, found } of pairsInOrder(own, i, results, messages)) {
      if (found === undefined) result.synthetic++;
      else if (found !== position) result.moved++;
      position = (found ?? position - 1) + 1;
      repaired.push(
        found === undefined ? missingResult(call, reasonAfter(messages, i)) : named(messages[found]!, call),
      );
    }
  });
  return { messages: repaired, ...result };
}

type Pair = { readonly call: ToolCall; readonly found: number | undefined };

/** Calls with the positions of their results. */
function pairsInOrder(
  own: readonly ToolCall[],
  caller: number,
  results: ReadonlyMap<string, number>,
  messages: readonly Message[],
): Pair[] {
  const pairs = own.map((call): Pair => ({ call, found: results.get(keyOf(caller, call.id)) }));
  const isAsSent = pairs.some(({ found }) => found !== undefined && resultOf(messages[found]!)!.asSent === true);
  const position = ({ found = messages.length }: Pair): number => found;
  return isAsSent ? pairs.toSorted((a, b) => position(a) - position(b)) : pairs;
}

/** The calls of a message that a request may hold: with an id of their own, a name and arguments. */
function keptCalls(message: Message, { allowedTools }: RepairOptions): ToolCall[] {
  if (message.role !== "assistant" || BROKEN_OFF.has(message.stopReason ?? "")) return [];
  const seen = new Set<string>();
  return callsOf(message)
    .map((call) => ({ ...call, name: typeof call.name === "string" ? call.name.trim() : "" }))
    .filter((call) => {
      const isWhole = typeof call.id === "string" && call.id !== "" && NAME.test(call.name) && call.arguments != null;
      if (!isWhole || seen.has(call.id) || allowedTools?.includes(call.name) === false) return false;
      seen.add(call.id);
      return true;
    });
}

const keyOf = (message: number, id: string): string => `${message} ${id}`;

/** The message of each call's result, by the message and id of the call. */
function resultsByCall(
  messages: readonly Message[],
  calls: readonly (readonly ToolCall[])[],
  answer: { duplicates: number; orphans: number },
): ReadonlyMap<string, number> {
  const results = new Map<string, number>();
  /** The last message so far that calls with an id, or null where the last that used it was dropped. */
  const open = new Map<string, number | null>();
  messages.forEach((message, i) => {
    for (const { id } of callsOf(message)) open.set(id, null);
    for (const { id } of calls[i]!) open.set(id, i);
    const result = resultOf(message);
    if (result === null) {
      if (message.role === "tool") answer.orphans++;
      return;
    }
    const caller = open.get(result.toolCallId) ?? null;
    if (caller === null) answer.orphans++;
    else if (results.has(keyOf(caller, result.toolCallId))) answer.duplicates++;
    else results.set(keyOf(caller, result.toolCallId), i);
  });
  return results;
}

const isSame = (calls: readonly ToolCall[], own: readonly ToolCall[]): boolean =>
  calls.length === own.length && calls.every(({ name }, i) => name === own[i]!.name);

const isEmpty = (message: Message): boolean =>
  (message.content ?? "").trim() === "" &&
  (message.imageUrls ?? []).length + (message.audioUrls ?? []).length + (message.videoUrls ?? []).length === 0;

const withCalls = (message: Message, calls: readonly ToolCall[]): Message => ({
  ...message,
  toolPayload: calls.length === 0 ? null : { toolCalls: calls },
});

/** A result carries its call's name: some logs leave it out, and some providers ask for it. */
function named(message: Message, call: ToolCall): Message {
  const result = resultOf(message)!;
  const isSame = message.role === "tool" && result.toolName === call.name;
  return isSame ? message : { ...message, role: "tool", toolPayload: { ...result, toolName: call.name } };
}

/** Why a call has no result, where the log says so before the model goes on. */
function reasonAfter(messages: readonly Message[], caller: number): string | null {
  for (const { role, content } of messages.slice(caller + 1)) {
    if (role === "assistant") return null;
    if (role === "user" && content !== null && INTERRUPTED.test(content))
      return content.replace(/\s+/g, " ").trim().slice(0, REASON_CHARS).toWellFormed();
  }
  return null;
}

const missingResult = (call: ToolCall, reason: string | null): Message => ({
  role: "tool",
  content: null,
  toolPayload: {
    toolCallId: call.id,
    toolName: call.name,
    toolResult: null,
    toolError: reason === null ? MISSING : `${MISSING} ${reason}`,
    synthetic: true,
  },
});
