import fc from "fast-check";
import { expect, test } from "vitest";
import { policyOf as offloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import { policyRequest } from "#lib/wire/settings-schema.ts";
import { whatIfRequest } from "#lib/wire/what-if-schema.ts";
import {
  commandText,
  contextEditingText,
  FIRST_POLICY,
  isNothing,
  isPreset,
  OFF,
  offloadPolicyText,
  POLICY_PRESETS,
  policyOf,
  STOPS,
  stopOf,
  type OrOff,
  type PolicyChoice,
} from "./policy-state.ts";

const oneOf = <Value extends OrOff>(stops: readonly Value[]) => fc.constantFrom(...stops);
const choice: fc.Arbitrary<PolicyChoice> = fc.record({
  offload: oneOf<OrOff>(STOPS.offload),
  envelope: oneOf<number>(STOPS.envelope),
  reread: oneOf<number>(STOPS.reread),
  mask: oneOf<OrOff>(STOPS.mask),
  hysteresis: oneOf<number>(STOPS.hysteresis),
  trigger: oneOf<OrOff>(STOPS.trigger),
  free: oneOf<OrOff>(STOPS.free),
  keep: fc.array(fc.constantFrom("Task", "it's"), { maxLength: 2 }),
  since: fc.integer({ min: 1, max: 500 }),
  drop: fc.array(fc.constantFrom("mcp__quay__berth", "it's"), { maxLength: 2 }),
  dedupe: fc.boolean(),
  ratio: oneOf<OrOff>(STOPS.ratio),
  tail: oneOf<number>(STOPS.tail),
  summary: oneOf<number>(STOPS.summary),
});

test("what the sliders say is what the door takes", () => {
  fc.assert(
    fc.property(choice, (chosen) => {
      expect(whatIfRequest.parse(policyOf(chosen))).toEqual(policyOf(chosen));
    }),
  );
});

test("sliders that move nothing ask nothing new", () => {
  const still = FIRST_POLICY;
  expect(isNothing(still)).toBe(true);
  expect(policyOf({ ...still, envelope: 60, reread: 1, hysteresis: 0, tail: 8, summary: 1000 })).toEqual(
    policyOf(still),
  );
  expect(isNothing({ ...still, dedupe: true })).toBe(false);
});

test("each preset changes something, and is recognised until another slider moves", () => {
  for (const { choice } of POLICY_PRESETS) {
    const chosen = { ...FIRST_POLICY, ...choice };
    expect(isNothing(chosen)).toBe(false);
    expect(POLICY_PRESETS.filter((other) => isPreset(chosen, other.choice))).toHaveLength(1);
    expect(isPreset({ ...chosen, dedupe: true }, choice)).toBe(false);
  }
});

test("every stop stands for itself, and a number between two for the nearer one", () => {
  for (const stops of Object.values(STOPS))
    for (const [i, stop] of (stops as readonly OrOff[]).entries()) expect(stopOf(stops, stop)).toBe(i);
  expect(stopOf(STOPS.offload, 2100)).toBe(STOPS.offload.indexOf(2000));
  expect(stopOf(STOPS.offload, 90_000)).toBe(STOPS.offload.indexOf(20_000));
});

test("a copied offload policy is one that the settings' door takes", () => {
  fc.assert(
    fc.property(choice, (chosen) => {
      const text = offloadPolicyText(chosen);
      expect(text === null).toBe(chosen.offload === OFF);
      if (text === null) return;
      const { policy } = policyRequest.parse(JSON.parse(text));
      const taken = offloadPolicy(policy as Parameters<typeof offloadPolicy>[0]);
      // As the replay had it: the limit alone decides, whatever the window is and however full.
      expect(taken).toMatchObject({ max_bytes: Number(chosen.offload) * 4, context_percentage: null });
      expect(taken.headroom_percentage).toBe(1);
    }),
  );
});

test("masking is copied as the API's own edit, and everything as one command", () => {
  expect(contextEditingText(FIRST_POLICY)).toBeNull();
  const masked: PolicyChoice = { ...FIRST_POLICY, mask: 10, drop: ["it's"] };
  expect(contextEditingText(masked)).toContain('"clear_tool_uses_20250919"');
  expect(commandText("s_1", masked)).toBe(`plimsoll whatif s_1 --mask 10 --hysteresis 20000 --drop-tool 'it'\\''s'`);
  const cleared: PolicyChoice = {
    ...masked,
    offload: OFF,
    trigger: 100_000,
    free: 40_000,
    keep: ["Task"],
    since: 30,
    drop: [],
  };
  expect(commandText("s_1", cleared)).toBe(
    "plimsoll whatif s_1 --mask 10 --hysteresis 20000 --trigger 100000 --free 40000 --keep-tool 'Task' --from-call 30",
  );
  expect(JSON.parse(contextEditingText(cleared)!)).toEqual({
    context_management: {
      edits: [
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: 100_000 },
          keep: { type: "tool_uses", value: 10 },
          clear_at_least: { type: "input_tokens", value: 40_000 },
          exclude_tools: ["Task"],
        },
      ],
    },
  });
});
