// Calls of a turn that was interrupted have no result and never will. Providers refuse such calls, and a made-up result
// would say that they were run; so, for the next request alone, they are told as words. So is a result that came after its
// call had been given up and compacted: without its call it would be dropped.
import { callsOf, resultOf, type Message, type ToolResultPayload } from "../context/message.ts";
import { jsonText } from "../json-text.ts";
import type { ContextEntry } from "./working-context.ts";

const FENCED = "Interrupted tool request was fenced from native tool-call history.";
const LATE = "Result of an earlier tool request:";
const COMPLETED = "Completed tool results before interruption:";

/**
 * The messages of a context, with the incomplete calls of interrupted turns as text, and a last note for each such
 * turn. The context itself stays as it is: a result that arrives after all makes its call whole again.
 */
export function fenceInterrupted(
  entries: readonly ContextEntry[],
  isInterrupted: (turnId: string | null) => boolean,
): Message[] {
  const { results, strays } = resultsByCaller(entries);
  const dropped = new Set<number>();
  const fenced = new Map<number, Message>();
  const turns = new Set<string | null>();
  entries.forEach(({ message, turnId }, at) => {
    const calls = callsOf(message);
    const own = results.get(at) ?? new Map<string, number>();
    if (calls.length === 0 || !isInterrupted(turnId) || calls.every(({ id }) => own.has(id))) return;
    turns.add(turnId);
    for (const position of own.values()) dropped.add(position);
    const done = calls.flatMap(({ id }) => (own.has(id) ? [resultOf(entries[own.get(id)!]!.message)!] : []));
    fenced.set(at, asWords(message, done));
  });
  return [
    ...entries.flatMap(({ message }, at) =>
      dropped.has(at) ? [] : strays.has(at) ? [asLate(message)] : [fenced.get(at) ?? message],
    ),
    ...[...turns].map(interruptionNote),
  ];
}

/** For each message with calls, where the results of its ids stand; and results that have no call before them. */
function resultsByCaller(entries: readonly ContextEntry[]): {
  readonly results: ReadonlyMap<number, ReadonlyMap<string, number>>;
  readonly strays: ReadonlySet<number>;
} {
  const strays = new Set<number>();
  const callers = new Map<string, number>();
  const results = new Map<number, Map<string, number>>();
  entries.forEach(({ message }, at) => {
    for (const { id } of callsOf(message)) callers.set(id, at);
    const id = resultOf(message)?.toolCallId;
    if (id === undefined) return;
    const caller = callers.get(id);
    if (caller === undefined) {
      strays.add(at);
      return;
    }
    const own = results.get(caller) ?? new Map<string, number>();
    results.set(caller, own);
    if (!own.has(id)) own.set(id, at);
  });
  return { results, strays };
}

function asWords(message: Message, done: readonly ToolResultPayload[]): Message {
  const names = callsOf(message)
    .map(({ name }) => name)
    .filter((name) => name.trim() !== "");
  const text = [
    ...(message.content ? [message.content] : []),
    `${FENCED}${names.length === 0 ? "" : ` Tool request(s): ${names.join(", ")}.`}`,
    ...(done.length === 0 ? [] : [COMPLETED, ...done.map(resultLine)]),
  ].join("\n");
  return { ...message, content: text, toolPayload: null };
}

const asLate = (message: Message): Message => ({
  ...message,
  role: "user",
  content: [LATE, resultLine(resultOf(message)!)].join("\n"),
  toolPayload: null,
});

function resultLine({ toolName, toolCallId, toolResult, toolError }: ToolResultPayload): string {
  const said = toolError
    ? `Error: ${toolError}`
    : `Result: ${typeof toolResult === "string" ? toolResult : jsonText(toolResult)}`;
  return `- ${toolName} (${toolCallId}): ${said}`;
}

const interruptionNote = (turnId: string | null): Message => ({
  role: "user",
  content: turnId === null ? "Note: an earlier turn was interrupted." : `Note: turn '${turnId}' was interrupted.`,
  toolPayload: null,
});
