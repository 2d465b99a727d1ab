// A context is kept after each answer, traces at once: after a crash the log is ahead. What tools came back with must
// not be missing then, nor said to be: calls of the context get their results, and calls that are still out come into
// it, so that their results find them.
import { callsOf, resultOf } from "../context/message.ts";
import { buildToolInteractions } from "./tool-interactions.ts";
import { traceKey, type MemoryStore, type RawTrace, type ToolInteraction } from "./memory-types.ts";
import type { WorkingContextSnapshot } from "./working-context.ts";

export function reconcile(
  context: WorkingContextSnapshot,
  store: Pick<MemoryStore, "listTraces" | "listArchived">,
): void {
  const active = store.listTraces();
  const isActive = new Set(active);
  const open = openIds(context);
  const givenUp = givenUpCalls(active);
  /** The last use of each id: earlier ones have ended. */
  const last = new Map<string, ToolInteraction>();
  for (const one of buildToolInteractions([...store.listArchived(), ...active])) {
    const id = one.toolCallId ?? one.callTrace?.id;
    if (one.callTrace !== null && id !== undefined) last.set(id, one);
  }
  for (const [id, { callTrace, resultTrace, turnId, toolName }] of last) {
    const origin = (trace: RawTrace) => ({ turnId, keys: [traceKey(trace)] });
    if (resultTrace === null && isActive.has(callTrace!) && !open.has(id) && !givenUp.has(callTrace!)) {
      const call = { id, name: toolName ?? "tool", arguments: callTrace!.toolArgs ?? {} };
      context.appendToolCalls([call], origin(callTrace!));
    } else if (resultTrace !== null && open.has(id)) {
      const { toolResult, toolError, content } = resultTrace;
      context.appendToolResult(
        id,
        toolName ?? "tool",
        toolResult ?? (content || null),
        toolError ?? null,
        origin(resultTrace),
      );
    }
  }
}

/** Calls of turns that were interrupted after them. */
function givenUpCalls(active: readonly RawTrace[]): Set<RawTrace> {
  const interrupted = new Set<string | null>();
  const givenUp = new Set<RawTrace>();
  for (const trace of active.toReversed()) {
    if (trace.traceType === "operation_boundary") interrupted.add(trace.turnId);
    else if (trace.traceType === "tool_call" && interrupted.has(trace.turnId)) givenUp.add(trace);
  }
  return givenUp;
}

/** Ids of calls whose result the context does not hold. */
function openIds(context: WorkingContextSnapshot): Set<string> {
  const open = new Set<string>();
  for (const { message } of context.entries) {
    for (const { id } of callsOf(message)) open.add(id);
    const id = resultOf(message)?.toolCallId;
    if (id !== undefined) open.delete(id);
  }
  return open;
}
