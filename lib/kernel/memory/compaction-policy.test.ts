import { describe, expect, test } from "vitest";
import { resolveRequestCapacity } from "./budget.ts";
import { CompactionPolicy, isSummarized, TOOL_EVENT_POLICIES } from "./compaction-policy.ts";
import { compactionSettings } from "./settings.ts";

describe("the trigger", () => {
  const policy = new CompactionPolicy();

  test("is passed above the share of the budget, and above the budget", () => {
    expect(policy.shouldCompact(81, 100)).toBe(true);
    expect(policy.shouldCompact(100, 100)).toBe(true);
    expect(policy.shouldCompact(50, 100)).toBe(false);
    expect(policy.triggerOf(81, 100)).toBe("early");
    expect(policy.triggerOf(101, 100)).toBe("budget");
  });

  test("is not passed at exactly its number, but is with the original's comparison", () => {
    const original = new CompactionPolicy({ inclusive: true });
    expect([policy.triggerOf(80, 100), original.triggerOf(80, 100)]).toEqual([null, "early"]);
    expect([policy.triggerOf(100, 100), original.triggerOf(100, 100)]).toEqual(["early", "budget"]);
    expect([policy.triggerOf(8, 10.9), original.triggerOf(8, 10.9)], "8.72 is rounded down").toEqual([null, "early"]);
  });

  test("is passed by any prompt where there is no room", () => {
    expect([policy.triggerOf(0, 0), policy.triggerOf(1, -5)]).toEqual(["budget", "budget"]);
  });

  test("has the numbers that the design gives", () => {
    expect(policy).toMatchObject({
      triggerRatio: 0.8,
      rawTailTurns: 4,
      maxEpisodicItems: 3,
      maxSemanticItems: 20,
      maxItemChars: 2000,
      safetyMarginTokens: 256,
      inclusive: false,
      recentTurnsStyle: "turns",
    });
  });
});

test("a policy of tool events leaves out both, the calls, or none; all else is always told", () => {
  const left = (type: string) => TOOL_EVENT_POLICIES.filter((policy) => isSummarized(type, policy));
  expect(left("tool_call")).toEqual(["include_all"]);
  expect(left("tool_result")).toEqual(["include_outputs", "include_all"]);
  expect(left("user")).toEqual([...TOOL_EVENT_POLICIES]);
});

describe("the budget", () => {
  const policy = new CompactionPolicy({ safetyMarginTokens: 256 });

  test("begins at the override, else what is active, else the window", () => {
    const model = {
      activeContextTokens: 2000,
      maxContextTokens: 4000,
      maxOutputTokens: 500,
      defaultCompactionRatio: 0.8,
      defaultSafetyMarginTokens: 64,
    };
    const settings = { activeContextTokensOverride: 1500, triggerRatioOverride: null };
    expect(resolveRequestCapacity(model, { maxTokens: 300 }, policy, settings)).toMatchObject({
      effectiveContextCapacity: 1500,
      contextDerivedInputCapTokens: 1200,
      effectiveInputCapacity: 1200,
      reservedOutputTokens: 300,
      inputBudget: 1136,
      triggerThresholdTokens: 908,
      overrideActive: true,
    });
    expect(resolveRequestCapacity(model, { maxTokens: 300 }, policy)?.effectiveContextCapacity).toBe(2000);
  });

  test("subtracts the output once, and not where only the input is limited", () => {
    expect(
      resolveRequestCapacity({ maxInputTokens: 1000, maxOutputTokens: 250 }, { maxTokens: 100 }, policy),
    ).toMatchObject({ contextDerivedInputCapTokens: null, reservedOutputTokens: 100, inputBudget: 744 });
    expect(
      resolveRequestCapacity(
        { maxContextTokens: 5000, maxInputTokens: 1200, maxOutputTokens: 800 },
        { maxTokens: 400, safetyMarginTokens: 100 },
        policy,
      ),
    ).toMatchObject({ contextDerivedInputCapTokens: 4600, effectiveInputCapacity: 1200, inputBudget: 1100 });
  });

  test("takes the ratio from the configuration, then the environment, then the model, then the policy", () => {
    const ratio = (config: object, override: number | null, model: object): number | undefined =>
      resolveRequestCapacity(
        { maxContextTokens: 3000, ...model },
        config,
        new CompactionPolicy({ triggerRatio: 0.5 }),
        {
          triggerRatioOverride: override,
          activeContextTokensOverride: null,
        },
      )?.compactionRatio;
    expect(ratio({ compactionRatio: 0.7 }, 0.6, { defaultCompactionRatio: 0.9 })).toBe(0.7);
    expect(ratio({}, 0.6, { defaultCompactionRatio: 0.9 })).toBe(0.6);
    expect(ratio({}, null, { defaultCompactionRatio: 0.9 })).toBe(0.9);
    expect(ratio({}, null, {})).toBe(0.5);
  });

  test("is none where no limit is known", () => {
    expect(resolveRequestCapacity({}, { maxTokens: 200 }, policy)).toBeNull();
  });
});

describe("what the environment says", () => {
  const read = (ratio?: string, tokens?: string, logs?: string): unknown[] => {
    const settings = compactionSettings({
      AUTOBYTEUS_COMPACTION_TRIGGER_RATIO: ratio,
      AUTOBYTEUS_ACTIVE_CONTEXT_TOKENS_OVERRIDE: tokens,
      AUTOBYTEUS_COMPACTION_DEBUG_LOGS: logs,
    });
    return [settings.triggerRatioOverride, settings.activeContextTokensOverride, settings.debugLogs];
  };

  test("is bounded, rounded down, and read in any case", () => {
    expect(read("1.4", "4096.9", "YES")).toEqual([1, 4096, true]);
    expect(read(" 0.5 ", "8000", "1")).toEqual([0.5, 8000, true]);
    expect(read(undefined, undefined, "True")).toEqual([null, null, true]);
  });

  test("counts as not said where it makes no sense", () => {
    expect(read("0", "-10", "false")).toEqual([null, null, false]);
    expect(read("much", "0.5", "on")).toEqual([null, null, false]);
    expect(read("", " ", "")).toEqual([null, null, false]);
    expect(read()).toEqual([null, null, false]);
  });
});
