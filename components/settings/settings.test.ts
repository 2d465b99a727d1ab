import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { offloadPolicy, policyOf, PRESETS, PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { bytesOf, bytesText, daysOf } from "./typed-limits.ts";
import { LIMIT_WORDS, limitText } from "./limit-words.ts";
import { limitWords, POLICY_FIELDS, policySentences, textOf, valueOf } from "./policy-words.ts";

describe("sizes", () => {
  test("are read as they are typed", () => {
    expect([bytesOf("2 GB"), bytesOf("500mb"), bytesOf("1,500"), bytesOf("1.5 kB"), bytesOf("")]).toEqual([
      2e9,
      5e8,
      1500,
      1500,
      null,
    ]);
    expect([bytesOf("-1"), bytesOf("many"), bytesOf("2 GiB"), bytesOf("9e99")]).toEqual(Array(4).fill("unknown"));
  });

  test("of an age are whole days, or none", () => {
    expect(["90", " 1,000 ", "", " "].map(daysOf)).toEqual([90, 1000, null, null]);
    expect(["0", "-1", "1.5", "many", "36501"].map(daysOf)).toEqual(Array(5).fill("unknown"));
  });

  test("are written so that they are read back as the same", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 1e15 }), (bytes) => bytesOf(bytesText(bytes)) === bytes));
  });
});

describe("a policy", () => {
  test("stands in its fields so that nothing changes when nothing is typed", () => {
    for (const preset of PRESET_NAMES) {
      const policy = PRESETS[preset];
      const again = {
        ...policy,
        ...Object.fromEntries(POLICY_FIELDS.map((f) => [f.key, valueOf(f, textOf(f, policy))])),
      };
      expect(offloadPolicy.parse(again)).toEqual(policy);
    }
  });

  test("is told in sentences with its numbers in them", () => {
    expect(policySentences(PRESETS.plimsoll)[0]).toContain("over 8,000 bytes (1\u2009% of a 200,000-token window");
    expect(policySentences(PRESETS.off)).toEqual(["Nothing is offloaded: every output enters the context whole."]);
    expect(limitWords(PRESETS.secondbrain)).toBe("12,000 characters");
    expect(limitWords(PRESETS.openclaw)).toBe("every output");
    expect(policySentences(policyOf({ exempt_tools: ["ls", "cat"] })).join(" ")).toContain(
      "What ls and cat return stays.",
    );
  });

  test("with a field that is no number is refused by that field", () => {
    const field = POLICY_FIELDS.find(({ key }) => key === "min_threshold_bytes")!;
    const checked = offloadPolicy.safeParse({ ...PRESETS.plimsoll, [field.key]: valueOf(field, "much") });
    expect(checked.error?.issues[0]?.path).toEqual(["min_threshold_bytes"]);
  });
});

test("each limit is said in words, with a unit", () => {
  expect(Object.keys(LIMIT_WORDS).filter((key) => !(key in LIMITS))).toEqual([]);
  expect(Object.keys(LIMITS).filter((key) => !(key in LIMIT_WORDS))).toEqual([]);
  expect(limitText("batchMs", LIMITS.batchMs)).toBe("200 ms");
  expect(limitText("artifactBytes", LIMITS.artifactBytes)).toBe("4,096 bytes");
  expect(limitText("artifactMaxBytes", LIMITS.artifactMaxBytes)).toBe("17 GB");
  expect(limitText("listTextChars", LIMITS.listTextChars)).toBe("4,096 characters");
});
