// Blocks: the pieces that one long turn can be compacted by. A block begins where the agent was spoken to, by the user
// or by "go on" after its tools, and holds each call that was made in it together with that call's result, also one
// that came later. Agents that write no "go on" begin one with the next answer after all their tools.
import { buildToolInteractions } from "./tool-interactions.ts";
import type { RawTrace } from "./memory-types.ts";

export type InteractionBlock = {
  readonly turnId: string;
  readonly traces: readonly RawTrace[];
  /** More than the words it began with, every call answered, no result without its call. */
  readonly isComplete: boolean;
};

const BEGINS = new Set<string>(["user", "tool_continuation"]);
const ANSWERS = new Set<string>(["assistant", "reasoning", "tool_call"]);

/** Blocks by turn, in the order in which turns first appear. Traces without a turn are in none. */
export function interactionBlocks(traces: readonly RawTrace[]): InteractionBlock[] {
  const callOf = new Map<RawTrace, RawTrace>();
  const broken = new Set<RawTrace>();
  for (const { callTrace, resultTrace } of buildToolInteractions(traces)) {
    if (callTrace !== null && resultTrace !== null) callOf.set(resultTrace, callTrace);
    else broken.add((callTrace ?? resultTrace)!);
  }
  return [...byTurn(traces)].flatMap(([turnId, own]) => {
    const blocks: RawTrace[][] = [];
    const homeOf = new Map<RawTrace, RawTrace[]>();
    const goesOn = own.some(({ traceType }) => traceType === "tool_continuation");
    let waiting = 0;
    for (const [at, trace] of own.entries()) {
      const call = callOf.get(trace);
      const home = call === undefined ? undefined : homeOf.get(call);
      const isNextAnswer =
        !goesOn && waiting === 0 && own[at - 1]?.traceType === "tool_result" && ANSWERS.has(trace.traceType);
      if (trace.traceType === "tool_call") waiting++;
      if (call !== undefined) waiting--;
      if (home === undefined && (blocks.length === 0 || isNextAnswer || BEGINS.has(trace.traceType))) blocks.push([]);
      const block = home ?? blocks.at(-1)!;
      block.push(trace);
      homeOf.set(trace, block);
    }
    return blocks.map((block) => ({
      turnId,
      traces: block,
      isComplete: block.length > 1 && !block.some((trace) => broken.has(trace)),
    }));
  });
}

/** Traces of each turn, in the order in which turns first appear. */
export function byTurn(traces: readonly RawTrace[]): Map<string, RawTrace[]> {
  const turns = new Map<string, RawTrace[]>();
  for (const trace of traces) {
    if (trace.turnId === null) continue;
    const own = turns.get(trace.turnId);
    if (own === undefined) turns.set(trace.turnId, [trace]);
    else own.push(trace);
  }
  return turns;
}

export type ToolResultDigest = {
  readonly traceId: string;
  readonly toolCallId: string | null;
  readonly toolName: string | null;
  /** Unknown where a result says neither what came back nor what went wrong. */
  readonly status: "success" | "error" | "unknown";
};

/** What the results of a block came to, without their bytes. */
export const toolResultDigests = (traces: readonly RawTrace[]): ToolResultDigest[] =>
  traces
    .filter(({ traceType }) => traceType === "tool_result")
    .map(({ id, toolCallId, toolName, toolResult, toolError }) => ({
      traceId: id,
      toolCallId: toolCallId || null,
      toolName: toolName || null,
      status: toolError ? "error" : toolResult == null ? "unknown" : "success",
    }));
