import { expect, test } from "vitest";
import { thresholdOf } from "../../artifacts/offload.ts";
import { offloadPolicy } from "../../artifacts/offload-presets.ts";
import { asOffloadPolicy } from "./as-policy.ts";
import { NO_POLICY } from "./what-if-types.ts";

test("a limit in tokens is a limit in bytes, and the whole is a policy", () => {
  const policy = asOffloadPolicy({ ...NO_POLICY, offload: 2000 });
  expect(offloadPolicy.parse(policy)).toEqual(policy);
  expect([thresholdOf(policy), policy.envelope_style, policy.headroom_percentage]).toEqual([8000, "lean", 1]);
});

test("a larger envelope is of the style that is larger", () => {
  expect(asOffloadPolicy({ offload: 500, envelope: 400 })).toMatchObject({
    max_bytes: 2000,
    envelope_style: "unified",
  });
});

test("without a limit nothing goes; with none to be under, everything", () => {
  expect(asOffloadPolicy(NO_POLICY)).toMatchObject({ preset: "off", enabled: false });
  expect(thresholdOf(asOffloadPolicy({ offload: 0, envelope: 250 }))).toBe(1);
});
