// What a compaction may take: the oldest whole turns beyond the raw tail; where there are none and the budget is
// exceeded, the settled blocks before the newest. A cut never passes a tool call whose result is not before the cut as
// well, including one that has not arrived. Decides, and does nothing.
import { byTurn, interactionBlocks, type InteractionBlock } from "./message-blocks.ts";
import { tracesOfTurns, withoutRepeats } from "./corpus.ts";
import { buildToolInteractions } from "./tool-interactions.ts";
import type { CompactionPlan, CompactionUnit, RawTrace } from "./memory-types.ts";

export type PlanOptions = {
  /** Turns that stay as they are; 0 or less for none. */
  readonly tailTurns: number;
  /** The turn under way: never taken whole, and not counted in the tail. */
  readonly currentTurnId?: string | null;
  /** The budget is exceeded: settled blocks are taken where no turn can be. */
  readonly allowBlocks?: boolean;
  /** What stays is measured: from `over` tokens on settled steps of it go too, oldest first, until `under` are left. */
  readonly tight?: Tight | null;
  /** What a turn is called in the words that say why nothing can be taken. */
  readonly turnName?: (turnId: string) => string;
};

export type Tight = { readonly over: number; readonly under: number; readonly tokensOf: (trace: RawTrace) => number };

export type Planned =
  | { readonly plan: CompactionPlan; readonly reason: null }
  | { readonly plan: null; readonly reason: string };

export const NO_SETTLED_BLOCK = "Memory compaction failed before dispatch: no eligible settled block was available.";

/** The window of a compaction, or why there is none. `traces` are the active ones, in the order of their file. */
export function planCompaction(traces: readonly RawTrace[], options: PlanOptions): Planned {
  const active = withoutRepeats(traces);
  const first = planWindow(active, options);
  const { tight = null } = options;
  if (tight === null || first.plan?.unit === "block") return first;
  const taken = new Set(first.plan?.traces);
  const rest = active.filter((trace) => !taken.has(trace));
  const more = stepsUntil(rest, tight);
  if (more.length === 0) return first;
  for (const trace of more) taken.add(trace);
  const all = active.filter((trace) => taken.has(trace));
  return planOf("block", [...byTurn(all).keys()], all);
}

/** The settled steps that must go until there is room. One that is answered in a later step leaves together with that one. */
function stepsUntil(traces: readonly RawTrace[], { over, under, tokensOf }: Tight): readonly RawTrace[] {
  const sizeOf = (own: readonly RawTrace[]): number => own.reduce((sum, trace) => sum + tokensOf(trace), 0);
  let left = sizeOf(traces);
  const blocks = left <= over ? [] : settledBlocks(traces, null, openPairs(traces));
  const taken: RawTrace[] = [];
  let waiting: RawTrace[] = [];
  for (const block of blocks) {
    if (left <= under) break;
    waiting.push(...block.traces);
    left -= sizeOf(block.traces);
    if (!block.isComplete) continue;
    taken.push(...waiting);
    waiting = [];
  }
  return taken;
}

function planWindow(active: readonly RawTrace[], options: PlanOptions): Planned {
  const { currentTurnId = null } = options;
  const turns = [...byTurn(active)].filter(([turnId]) => turnId !== currentTurnId);
  const open = openPairs(active);
  const eligible = options.tailTurns > 0 ? turns.slice(0, Math.max(0, turns.length - options.tailTurns)) : turns;
  const taken = eligible.slice(
    0,
    settledCut(
      eligible.map(([, own]) => own),
      open,
    ),
  );
  if (taken.length > 0) {
    const turnIds = taken.map(([turnId]) => turnId);
    return planOf("turn", turnIds, tracesOfTurns(active, turnIds));
  }
  if (options.allowBlocks === true) {
    const blocks = settledBlocks(active, currentTurnId, open);
    if (blocks.length > 0) {
      const isTaken = new Set(blocks.flatMap((block) => block.traces));
      return planOf(
        "block",
        [...new Set(blocks.map(({ turnId }) => turnId))],
        active.filter((trace) => isTaken.has(trace)),
      );
    }
  }
  return { plan: null, reason: whyNothing(turns, eligible.length, options, open) };
}

/** The plan for turns that a person named, or why these cannot be taken. */
export function planOfTurns(traces: readonly RawTrace[], turnIds: readonly string[]): Planned {
  const active = withoutRepeats(traces);
  const taken = tracesOfTurns(active, turnIds);
  const inCut = new Set(taken);
  for (const { call, result } of openPairs(active).filter((pair) => inCut.has(pair.call)))
    if (result === null || !inCut.has(result)) return { plan: null, reason: waitsFor(call, result) };
  return planOf("turn", [...byTurn(taken).keys()], taken);
}

const planOf = (unit: CompactionUnit, turnIds: readonly string[], traces: readonly RawTrace[]): Planned => ({
  plan: { unit, turnIds, traces },
  reason: null,
});

type Pair = { readonly call: RawTrace; readonly result: RawTrace | null };

/**
 * Every call with its result. A result that was filed under a later turn is found by its id; a call of a turn that was
 * interrupted waits for nothing any more, and is not among them.
 */
function openPairs(traces: readonly RawTrace[]): Pair[] {
  const interactions = buildToolInteractions(traces);
  const positionOf = new Map(traces.map((trace, at) => [trace, at]));
  const strays = new Map<string, RawTrace[]>();
  for (const { callTrace, resultTrace, toolCallId } of interactions) {
    if (callTrace !== null || toolCallId === null) continue;
    const own = strays.get(toolCallId);
    if (own === undefined) strays.set(toolCallId, [resultTrace!]);
    else own.push(resultTrace!);
  }
  const interruptedAt = new Map<string | null, number>();
  for (const [trace, at] of positionOf)
    if (trace.traceType === "operation_boundary") interruptedAt.set(trace.turnId, at);
  const pairs: Pair[] = [];
  for (const { callTrace, resultTrace, toolCallId } of interactions) {
    if (callTrace === null) continue;
    if (resultTrace !== null) pairs.push({ call: callTrace, result: resultTrace });
    else {
      const own = toolCallId === null ? undefined : strays.get(toolCallId);
      const stray = own?.find((result) => positionOf.get(result)! > positionOf.get(callTrace)!);
      if (stray !== undefined) own!.splice(own!.indexOf(stray), 1);
      const isGivenUp = (interruptedAt.get(callTrace.turnId) ?? -1) > positionOf.get(callTrace)!;
      if (stray !== undefined || !isGivenUp) pairs.push({ call: callTrace, result: stray ?? null });
    }
  }
  return pairs;
}

/** How many of the first units can be cut off without parting a pair. */
function settledCut(units: readonly (readonly RawTrace[])[], pairs: readonly Pair[]): number {
  const unitOf = new Map(units.flatMap((unit, at) => unit.map((trace) => [trace, at] as const)));
  /** For each unit the last unit that one of its calls reaches into; Infinity beyond these units. */
  const reach = units.map((_, at) => at);
  for (const { call, result } of pairs) {
    const from = unitOf.get(call);
    if (from === undefined) continue;
    reach[from] = Math.max(reach[from]!, result === null ? Infinity : (unitOf.get(result) ?? Infinity));
  }
  let cut = 0;
  let farthest = -1;
  reach.forEach((to, at) => {
    farthest = Math.max(farthest, to);
    if (farthest === at) cut = at + 1;
  });
  return cut;
}

/** The blocks before the frontier: before the incomplete ones at the end, or else before the newest. */
function settledBlocks(
  traces: readonly RawTrace[],
  currentTurnId: string | null,
  pairs: readonly Pair[],
): readonly InteractionBlock[] {
  const blocks = interactionBlocks(traces);
  let frontier = blocks.length;
  while (frontier > 0 && !blocks[frontier - 1]!.isComplete) frontier--;
  if (frontier === blocks.length) {
    const last = blocks.findLastIndex(({ turnId }) => turnId === currentTurnId);
    frontier = last >= 0 ? last : Math.max(0, blocks.length - 1);
  }
  const before = blocks.slice(0, frontier);
  return before.slice(
    0,
    settledCut(
      before.map((block) => block.traces),
      pairs,
    ),
  );
}

function whyNothing(
  turns: readonly (readonly [string, readonly RawTrace[]])[],
  eligible: number,
  options: PlanOptions,
  pairs: readonly Pair[],
): string {
  if (turns.length === 0 && options.currentTurnId == null) return "This memory has no turn yet.";
  if (eligible === 0)
    return `${turns.length} ${turns.length === 1 ? "turn is" : "turns are"} there beside the one under way, and the last ${options.tailTurns} stay as they are.`;
  const taken = new Set(turns.slice(0, eligible).flatMap(([, own]) => own));
  const open = pairs.find(({ call, result }) => taken.has(call) && (result === null || !taken.has(result)));
  return open === undefined ? "No turn is settled." : waitsFor(open.call, open.result, options.turnName);
}

const waitsFor = (call: RawTrace, result: RawTrace | null, turnName = (turnId: string): string => turnId): string =>
  `Turn ${turnName(call.turnId ?? "null")} cannot be taken: its call ${call.toolCallId || call.id} of ${call.toolName || "a tool"} ${
    result === null ? "has no result yet" : `was answered in turn ${turnName(result.turnId ?? "null")}`
  }.`;
