import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interactionBlocks, toolResultDigests } from "./message-blocks.ts";
import { planCompaction, planOfTurns } from "./plan.ts";
import { assistant, call, result, trace } from "./testing-memory.ts";
import { logOf, randomLog } from "./testing-logs.ts";
import type { RawTrace } from "./memory-types.ts";

const ids = (traces: readonly RawTrace[] | undefined): string[] => (traces ?? []).map(({ id }) => id);
const named = (...traces: RawTrace[]): RawTrace[] => traces.map((one, i) => ({ ...one, id: `rt${i + 1}` }));

/** One long turn: an answered call, "go on", and a call that is still out. */
const longTurn = named(
  trace(2, 1),
  assistant(2, 2),
  call(2, 3, "call_1", { toolName: "run_tests" }),
  result(2, 4, "call_1", { toolName: "run_tests", content: "3 failures", toolResult: null }),
  trace(2, 5, { traceType: "tool_continuation" }),
  assistant(2, 6),
  call(2, 7, "call_2", { toolName: "write_file" }),
);

describe("the turns that are taken", () => {
  const turns = [trace(1, 1), assistant(1, 2), trace(2, 1), assistant(2, 2), trace(3, 1), assistant(3, 2)];
  const taken = (tailTurns: number, currentTurnId: string | null = null): readonly string[] =>
    planCompaction(turns, { tailTurns, currentTurnId }).plan?.turnIds ?? [];

  test("are the oldest beyond the tail", () => {
    expect(taken(1)).toEqual(["turn_0001", "turn_0002"]);
    expect(taken(3), "as many turns as the tail has").toEqual([]);
    expect(taken(4)).toEqual([]);
    expect(taken(0), "no tail").toEqual(["turn_0001", "turn_0002", "turn_0003"]);
    expect(taken(-1)).toHaveLength(3);
  });

  test("do not hold the one under way, which is not counted in the tail either", () => {
    expect(taken(1, "turn_0003")).toEqual(["turn_0001"]);
    expect(taken(0, "turn_0003")).toEqual(["turn_0001", "turn_0002"]);
  });

  test("are taken in the order in which they first appear, whatever they are called", () => {
    const uuids = [trace("b", 1), trace("a", 1), trace("b", 2), trace("c", 1)];
    const { plan } = planCompaction(uuids, { tailTurns: 1 });
    expect(plan?.turnIds).toEqual(["b", "a"]);
    expect(ids(plan?.traces)).toEqual(["rt_b_1", "rt_a_1", "rt_b_2"]);
  });

  test("leave records without a turn where they are", () => {
    const { plan } = planCompaction([trace(null, 1), ...turns], { tailTurns: 0 });
    expect(plan?.traces.every(({ turnId }) => turnId !== null)).toBe(true);
  });
});

describe("a call that is still out", () => {
  test("stops the cut before its turn, and the reason names it", () => {
    const log = [
      trace(1, 1),
      assistant(1, 2),
      trace(2, 1),
      call(2, 2, "c9"),
      trace(3, 1),
      assistant(3, 2),
      trace(4, 1),
    ];
    const { plan } = planCompaction(log, { tailTurns: 1 });
    expect(plan?.turnIds).toEqual(["turn_0001"]);
    const none = planCompaction(log.slice(2), { tailTurns: 1 });
    expect(none.plan).toBeNull();
    expect(none.reason).toBe("Turn turn_0002 cannot be taken: its call c9 of run has no result yet.");
  });

  test("and is answered in a later turn goes with that turn", () => {
    const late = [trace(1, 1), call(1, 2, "c1"), trace(2, 1), result(2, 2, "c1"), trace(3, 1), trace(4, 1)];
    expect(planCompaction(late, { tailTurns: 1 }).plan?.turnIds).toEqual(["turn_0001", "turn_0002", "turn_0003"]);
    expect(planCompaction(late, { tailTurns: 3 }).plan).toBeNull();
    expect(planOfTurns(late, ["turn_0001"]).reason).toContain("answered in turn turn_0002");
    expect(planOfTurns(late, ["turn_0001", "turn_0002"]).plan?.turnIds).toHaveLength(2);
  });

  test("waits for nothing once its turn was interrupted", () => {
    const log = [trace(1, 1), call(1, 2, "c1"), trace(1, 3, { traceType: "operation_boundary" }), trace(2, 1)];
    expect(planCompaction(log, { tailTurns: 1 }).plan?.turnIds).toEqual(["turn_0001"]);
  });
});

describe("settled blocks", () => {
  test("one long turn is split where the agent went on, and what is not settled stays raw", () => {
    const blocks = interactionBlocks(longTurn);
    expect(blocks.map((block) => [ids(block.traces), block.isComplete])).toEqual([
      [["rt1", "rt2", "rt3", "rt4"], true],
      [["rt5", "rt6", "rt7"], false],
    ]);
    const { plan } = planCompaction(longTurn, { tailTurns: 4, currentTurnId: "turn_0002", allowBlocks: true });
    expect(plan?.unit).toBe("block");
    expect(ids(plan?.traces)).toEqual(["rt1", "rt2", "rt3", "rt4"]);
    expect(toolResultDigests(blocks[0]!.traces)).toEqual([
      { traceId: "rt4", toolCallId: "call_1", toolName: "run_tests", status: "unknown" },
    ]);
  });

  test("are taken only where the budget is exceeded and no whole turn can be taken", () => {
    expect(planCompaction(longTurn, { tailTurns: 4, currentTurnId: "turn_0002" }).plan).toBeNull();
    const withOlder = [trace(1, 1), assistant(1, 2), ...longTurn];
    const { plan } = planCompaction(withOlder, { tailTurns: 0, currentTurnId: "turn_0002", allowBlocks: true });
    expect(plan).toMatchObject({ unit: "turn", turnIds: ["turn_0001"] });
  });

  test("where all are complete the newest stays", () => {
    const log = named(trace(1, 1), assistant(1, 2), trace(2, 1), assistant(2, 2));
    const { plan } = planCompaction(log, { tailTurns: 4, allowBlocks: true });
    expect(ids(plan?.traces)).toEqual(["rt1", "rt2"]);
  });

  test("where no go-on is written, the next answer after all tools begins one", () => {
    const log = [
      trace(1, 1),
      call(1, 2, "a"),
      call(1, 3, "b"),
      result(1, 4, "a"),
      assistant(1, 5, "while b runs"),
      result(1, 6, "b"),
      call(1, 7, "c"),
      assistant(1, 8),
      result(1, 9, "c"),
      assistant(1, 10, "done"),
    ];
    expect(interactionBlocks(log).map(({ traces }) => traces.map(({ seq }) => seq))).toEqual([
      [1, 2, 3, 4, 5, 6],
      [7, 8, 9],
      [10],
    ]);
  });

  test("a result that came late stands with its call", () => {
    const log = [trace(1, 1), call(1, 2, "c1"), trace(1, 3, { traceType: "tool_continuation" }), result(1, 4, "c1")];
    expect(interactionBlocks(log).map(({ traces }) => traces.length)).toEqual([3, 1]);
  });
});

describe("over any log", () => {
  const options = fc.record({
    tailTurns: fc.integer({ min: -1, max: 5 }),
    currentTurnId: fc.constantFrom(null, "turn_0001", "turn_0003", "turn_0006"),
    allowBlocks: fc.boolean(),
  });

  test("a cut never passes a call whose result is not before it, and says why it takes nothing", () => {
    fc.assert(
      fc.property(randomLog(), options, (steps, chosen) => {
        const log = logOf(steps);
        const { plan, reason } = planCompaction(log, chosen);
        if (plan === null) {
          expect(reason).not.toBe("");
          return;
        }
        const cut = new Set(plan.traces);
        expect(cut.size).toBeGreaterThan(0);
        for (const { id, toolCallId, traceType } of plan.traces) {
          if (traceType !== "tool_call") continue;
          // Ids of random logs are their own: the result of a call is the one with its id, wherever it was filed.
          const own = log.filter((one) => one.traceType === "tool_result" && one.toolCallId === toolCallId);
          expect(own.length, `${id} is open`).toBe(1);
          expect(cut.has(own[0]!)).toBe(true);
        }
        if (plan.unit === "turn") expect(plan.turnIds).not.toContain(chosen.currentTurnId);
        expect(plan.traces.every(({ turnId }) => plan.turnIds.includes(turnId!))).toBe(true);
      }),
    );
  });

  test("nothing is left to take once everything that can be taken was", () => {
    fc.assert(
      fc.property(randomLog(), options, (steps, chosen) => {
        const log = logOf(steps);
        const { plan } = planCompaction(log, chosen);
        if (plan === null) return;
        const cut = new Set(plan.traces);
        const again = planCompaction(
          log.filter((one) => !cut.has(one)),
          chosen,
        );
        // Turns first, blocks in what they leave: two rounds at the most.
        if (again.plan !== null) expect(again.plan.unit).toBe("block");
      }),
    );
  });
});
