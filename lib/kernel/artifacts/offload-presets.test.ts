import { describe, expect, test } from "vitest";
import { isAppError } from "../errors.ts";
import { PRESETS, PRESET_NAMES, offloadPolicy, policyOf } from "./offload-presets.ts";
import type { PolicyInput } from "./offload-presets.ts";

describe("presets", () => {
  test("the default is one hundredth of the window between 4 and 16 KB, with headroom", () => {
    expect(policyOf()).toEqual({
      preset: "plimsoll",
      enabled: "auto",
      mode: "auto",
      max_bytes: null,
      max_chars: null,
      context_percentage: 0.01,
      min_threshold_bytes: 4096,
      max_threshold_bytes: 16_384,
      headroom_percentage: 0.7,
      chars_per_token: 4,
      context_window_tokens: 200_000,
      preview_chars: 200,
      ttl_seconds: null,
      exempt_tools: [],
      always_tools: [],
      exclude_from_context: [],
      truncate: { max_bytes: 12_288, max_lines: 400, head_share: 0.7, tail_max_bytes: 4096 },
      envelope_style: "lean",
    });
  });

  test("each design has the numbers that it was published with", () => {
    expect(PRESETS.window).toMatchObject({
      enabled: "auto",
      context_percentage: 0.05,
      min_threshold_bytes: 4096,
      max_threshold_bytes: 32_768,
      headroom_percentage: 0.7,
    });
    expect(PRESETS["vectara-2026-03"]).toMatchObject({
      enabled: "auto",
      context_percentage: 0.05,
      min_threshold_bytes: 4096,
      max_threshold_bytes: 32_768,
      headroom_percentage: 1,
      envelope_style: "vectara",
    });
    expect(PRESETS["vectara-current"]).toMatchObject({
      enabled: true,
      mode: "auto",
      context_percentage: 0.25,
      min_threshold_bytes: 4096,
      max_threshold_bytes: 1_048_576,
      headroom_percentage: 0.7,
    });
    expect(PRESETS.agentium).toMatchObject({
      max_bytes: 51_200,
      max_chars: null,
      preview_chars: 200,
      ttl_seconds: null,
    });
    expect(PRESETS.secondbrain).toMatchObject({ max_bytes: null, max_chars: 12_000, ttl_seconds: 3600 });
    expect(PRESETS.openclaw).toMatchObject({ always_tools: ["*"], ttl_seconds: null, envelope_style: "openclaw" });
    expect(PRESETS.off).toMatchObject({ enabled: false });
  });

  test("every preset is a policy of its own name", () => {
    for (const name of PRESET_NAMES) {
      expect(offloadPolicy.parse(PRESETS[name])).toEqual(PRESETS[name]);
      expect(policyOf(name).preset).toBe(name);
    }
  });
});

describe("changes", () => {
  test("what is given takes the place of the preset's, inside truncate too", () => {
    expect(policyOf({ preset: "window", max_bytes: 10, truncate: { max_lines: 20 } })).toEqual({
      ...PRESETS.window,
      max_bytes: 10,
      truncate: { ...PRESETS.window.truncate, max_lines: 20 },
    });
    expect(policyOf({ ttl_seconds: undefined })).toEqual(PRESETS.plimsoll);
  });

  const wrong: [PolicyInput, RegExp][] = [
    [{ min_threshold_bytes: 1023 }, /min_threshold_bytes/],
    [{ max_threshold_bytes: 1023 }, /max_threshold_bytes/],
    [{ min_threshold_bytes: 20_000 }, /min_threshold_bytes: is over max_threshold_bytes/],
    [{ context_percentage: 0.009 }, /context_percentage/],
    [{ context_percentage: 1.01 }, /context_percentage/],
    [{ headroom_percentage: 0 }, /headroom_percentage/],
    [{ headroom_percentage: 1.5 }, /headroom_percentage/],
    [{ max_bytes: 0 }, /max_bytes/],
    [{ max_bytes: 1.5 }, /max_bytes/],
    [{ context_window_tokens: Number.NaN }, /context_window_tokens/],
    [{ truncate: { head_share: 2 } }, /truncate\.head_share/],
    [{ limit: 5 } as PolicyInput, /limit/],
    [{ preset: "none" } as unknown as PolicyInput, /preset.*Presets: plimsoll, window/s],
  ];

  test("what is outside its bounds is refused, and the field is named", () => {
    for (const [given, message] of wrong) {
      const refused = (): unknown => policyOf(given);
      expect(refused, JSON.stringify(given)).toThrow(message);
      expect(refused).toThrow(expect.toSatisfy((error) => isAppError(error) && error.code === "invalid"));
    }
  });

  test("the bounds themselves are allowed, and a fixed limit may be small", () => {
    expect(
      policyOf({
        min_threshold_bytes: 1024,
        max_threshold_bytes: 1024,
        context_percentage: 0.01,
        headroom_percentage: 1,
      }),
    ).toMatchObject({ min_threshold_bytes: 1024 });
    expect(policyOf({ context_percentage: 1, max_bytes: 1 })).toMatchObject({ max_bytes: 1 });
  });
});
