// Tool interactions: each call with its result, derived from raw traces and never stored. Providers use `call_1` again
// in every turn, and some twice in one: the key is the turn, the id, and the how-manieth use of that id in the turn.
import type { RawTrace, ToolInteraction } from "./memory-types.ts";

type Open = { call: RawTrace | null; result: RawTrace | null; key: string; pairing: ToolInteraction["pairing"] };

/** Interactions in the order in which they first appear; of one turn alone when it is named. */
export function buildToolInteractions(traces: readonly RawTrace[], turnId?: string | null): ToolInteraction[] {
  const found: Open[] = [];
  /** Calls by turn and id (by turn and tool for those without an id), and how many of them have their result. */
  const waiting = new Map<string, { readonly calls: Open[]; answered: number }>();
  const uses = new Map<string, number>();
  const begin = (name: string, call: RawTrace | null, result: RawTrace | null): Open => {
    const occurrence = (uses.get(name) ?? 0) + 1;
    uses.set(name, occurrence);
    const pairing = call === null ? "orphan_result" : call.toolCallId ? "id" : "positional";
    const open: Open = { call, result, key: `${name} ${occurrence}`, pairing };
    found.push(open);
    return open;
  };
  for (const trace of traces) {
    if (turnId != null && trace.turnId !== turnId) continue;
    if (trace.traceType === "tool_call") {
      const name = nameOf(trace);
      const open = begin(name, trace, null);
      const calls = waiting.get(name);
      if (calls === undefined) waiting.set(name, { calls: [open], answered: 0 });
      else calls.calls.push(open);
    } else if (trace.traceType === "tool_result") {
      const name = nameOf(trace);
      const calls = waiting.get(name);
      if (calls === undefined || calls.answered === calls.calls.length) begin(name, null, trace);
      else calls.calls[calls.answered++]!.result = trace;
    }
  }
  return found.map(interactionOf);
}

/** Turn and id; a call without an id is paired by turn, tool and order. */
const nameOf = (trace: RawTrace): string =>
  JSON.stringify(trace.toolCallId ? [trace.turnId, trace.toolCallId] : [trace.turnId, null, trace.toolName ?? null]);

function interactionOf({ call, result, key, pairing }: Open): ToolInteraction {
  const of = call ?? result!;
  const error = result?.toolError ?? null;
  return {
    key,
    toolCallId: of.toolCallId || null,
    turnId: of.turnId,
    toolName: call?.toolName ?? result?.toolName ?? null,
    // A result may repeat the arguments: those of the call are what was asked.
    arguments: call?.toolArgs ?? null,
    // Some agents write the text of a result where messages have theirs.
    result: result?.toolResult ?? (result?.content || null),
    error,
    status: result === null ? "pending" : error !== null && error !== "" ? "error" : "success",
    pairing,
    callTrace: call,
    resultTrace: result,
    startedAt: call?.ts ?? null,
    endedAt: result?.ts ?? null,
    elapsedMs: call === null || result === null ? null : Math.max(0, Math.round((result.ts - call.ts) * 1000)),
  };
}
