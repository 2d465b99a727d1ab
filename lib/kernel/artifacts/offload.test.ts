// The decision, by tables: worked values of the designs that we follow, each gate, and the order in which they decide.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideOffload, thresholdOf } from "./offload.ts";
import { wouldOffload } from "./testing-would-offload.ts";
import type { OffloadDecision, OffloadSituation, ToolOutput } from "./offload.ts";
import { PRESETS, PRESET_NAMES, policyOf } from "./offload-presets.ts";
import { styleFor } from "./content-envelope.ts";
import { countChars } from "./preview.ts";
import { utf8Size } from "./pointer.ts";
import { ARTIFACT_TOOLS, READ_TOOLS } from "./tool-names.ts";

const situation = (more: Partial<OffloadSituation> = {}): OffloadSituation => ({
  policy: policyOf("window"),
  availableTools: ["artifact_read"],
  usedInputTokens: 0,
  writesClosed: false,
  ...more,
});
const bytes = (sizeBytes: number, more: Partial<ToolOutput> = {}): ToolOutput => ({
  toolName: "search",
  sizeBytes,
  chars: sizeBytes,
  ...more,
});
const textOutput = (text: string, toolName = "search"): ToolOutput => ({
  toolName,
  sizeBytes: utf8Size(text),
  chars: countChars(text),
});
const gateOf = ({ action, gate }: OffloadDecision): string => `${action} ${gate}`;

describe("the limit in bytes", () => {
  test("a share of the window is held between floor and ceiling, as the designs reckon it", () => {
    const worked = [
      [200_000, 0.05, 32_768, 32_768],
      [32_000, 0.05, 32_768, 6400],
      [8000, 0.05, 32_768, 4096],
      [200_000, 0.25, 1_048_576, 200_000],
      [2_000_000, 0.25, 1_048_576, 1_048_576],
      [200_000, 0.01, 16_384, 8000],
      // 0.07 × 100,000 × 4 is 28,000.000000000004 in binary.
      [100_000, 0.07, 32_768, 28_000],
    ] as const;
    for (const [window, share, ceiling, limit] of worked) {
      const policy = policyOf({
        preset: "window",
        context_window_tokens: window,
        context_percentage: share,
        max_threshold_bytes: ceiling,
      });
      expect(thresholdOf(policy)).toBe(limit);
      expect(gateOf(decideOffload(bytes(limit), situation({ policy })))).toBe("inline none");
      expect(gateOf(decideOffload(bytes(limit + 1), situation({ policy })))).toBe("artifact size");
    }
  });

  test("a result of exactly the limit stays inline", () => {
    const agentium = situation({ policy: policyOf("agentium"), availableTools: ["getArtifact"] });
    expect(gateOf(decideOffload(textOutput("x".repeat(51_200)), agentium))).toBe("inline none");
    expect(gateOf(decideOffload(textOutput("x".repeat(51_201)), agentium))).toBe("artifact size");
  });

  test("the size is counted in bytes of UTF-8, not in characters", () => {
    const euros = textOutput("€".repeat(17_067));
    expect(euros).toMatchObject({ sizeBytes: 51_201, chars: 17_067 });
    expect(gateOf(decideOffload(euros, situation({ policy: policyOf("agentium") })))).toBe("artifact size");
  });

  test("a fixed limit has no floor, ceiling or share of the window", () => {
    const small = situation({ policy: policyOf({ preset: "agentium", max_bytes: 10 }) });
    expect(gateOf(decideOffload(bytes(11), small))).toBe("artifact size");
    expect(gateOf(decideOffload(bytes(10), small))).toBe("inline none");
    const large = situation({ policy: policyOf({ max_bytes: 10_000_000, headroom_percentage: 1 }) });
    expect(gateOf(decideOffload(bytes(9_999_999), large))).toBe("inline none");
  });

  test("a large result is converted, a short one and that of a storing tool are not", () => {
    const policy = policyOf({ preset: "agentium", max_bytes: 1024, preview_chars: 50 });
    const decide = (output: ToolOutput): string => gateOf(decideOffload(output, situation({ policy })));
    expect(decide(textOutput("x".repeat(100_000)))).toBe("artifact size");
    expect(decide(textOutput("hi"))).toBe("inline none");
    const tiny = situation({ policy: policyOf({ preset: "agentium", max_bytes: 10 }) });
    expect(gateOf(decideOffload(textOutput("x".repeat(500), "storeArtifact"), tiny))).toBe("inline exempt");
    const off = situation({ policy: policyOf("off") });
    expect(gateOf(decideOffload(textOutput("x".repeat(100_000)), off))).toBe("inline disabled");
  });
});

describe("the limit in characters", () => {
  test("12,000 characters stay, one more is offloaded, and an emoji is one character", () => {
    const policy = policyOf("secondbrain");
    const decide = (text: string): string => gateOf(decideOffload(textOutput(text), situation({ policy })));
    expect(decide("x".repeat(12_000))).toBe("inline none");
    expect(decide("x".repeat(12_001))).toBe("artifact chars");
    expect(decide("😀".repeat(12_000))).toBe("inline none");
    expect(decide("😀".repeat(12_001))).toBe("artifact chars");
  });
});

describe("headroom", () => {
  const window = policyOf("window");
  test("what would crowd the window is offloaded although it is small, but never under the floor", () => {
    const decide = (size: number, used: number | null, headroom = 0.7): string =>
      gateOf(
        decideOffload(
          bytes(size),
          situation({ policy: { ...window, headroom_percentage: headroom }, usedInputTokens: used }),
        ),
      );
    expect(decide(4095, 198_000)).toBe("inline none");
    expect(decide(4096, 198_000)).toBe("inline none");
    expect(decide(4097, 198_000)).toBe("artifact headroom");
    // 69.9 % and 1,250 tokens more are 70.5 %.
    expect(decide(5000, 139_800)).toBe("artifact headroom");
    expect(decide(5000, 139_800, 1)).toBe("inline none");
    expect(decide(5000, 199_999, 1)).toBe("inline none");
    // Exactly 70 % is not over it.
    expect(decide(5000, 138_750)).toBe("inline none");
    expect(decide(5000, 138_751)).toBe("artifact headroom");
    expect(decide(5000, null)).toBe("inline none");
  });
});

describe("who is asked first", () => {
  test("tools that store and read artifacts are never offloaded", () => {
    for (const preset of PRESET_NAMES)
      for (const toolName of ARTIFACT_TOOLS) {
        const decision = decideOffload(
          bytes(10_000_000, { toolName }),
          situation({ policy: policyOf({ preset, always_tools: ["*"] }), usedInputTokens: 199_000 }),
        );
        expect(gateOf(decision)).toBe("inline exempt");
      }
    expect([...ARTIFACT_TOOLS].toSorted()).toEqual([
      "artifact_grep",
      "artifact_jq",
      "artifact_list",
      "artifact_read",
      "artifact_store",
      "getArtifact",
      "listArtifacts",
      "read_file",
      "storeArtifact",
    ]);
  });

  test("an envelope is never put behind another", () => {
    const output = bytes(40_000, { isEnvelope: true });
    expect(gateOf(decideOffload(output, situation({ policy: policyOf("openclaw") })))).toBe("inline exempt");
  });

  test("exempt tools stay, tools that are always offloaded go at any size", () => {
    const policy = policyOf({ preset: "window", exempt_tools: ["clock"], always_tools: ["crawl", "clock"] });
    const decide = (toolName: string, size: number): string =>
      gateOf(decideOffload(bytes(size, { toolName }), situation({ policy })));
    expect(decide("clock", 1_000_000)).toBe("inline exempt");
    expect(decide("crawl", 0)).toBe("artifact always");
    expect(decide("search", 5)).toBe("inline none");
  });

  test("a tool can be kept out of the context: its output is stored at any size, and named in one line", () => {
    const policy = policyOf({ exclude_from_context: ["trace"] });
    expect(gateOf(decideOffload(bytes(5, { toolName: "trace" }), situation({ policy })))).toBe("artifact always");
    expect(gateOf(decideOffload(bytes(5), situation({ policy })))).toBe("inline none");
    expect(styleFor(policy, "trace")).toBe("note");
    expect(styleFor(policy, "search")).toBe("lean");
  });

  test("everything is stored under openclaw, whatever its size", () => {
    expect(gateOf(decideOffload(bytes(5), situation({ policy: policyOf("openclaw"), availableTools: [] })))).toBe(
      "artifact always",
    );
    expect(gateOf(decideOffload(bytes(5), situation({ policy: policyOf("plimsoll") })))).toBe("inline none");
  });

  test("nothing is kept of what comes after its turn was closed", () => {
    expect(gateOf(decideOffload(bytes(1_000_000), situation({ writesClosed: true })))).toBe("drop late");
    expect(gateOf(decideOffload(bytes(5), situation({ writesClosed: true })))).toBe("drop late");
    const exempt = bytes(5, { toolName: "artifact_read" });
    expect(gateOf(decideOffload(exempt, situation({ writesClosed: true })))).toBe("inline exempt");
    const off = situation({ policy: policyOf("off"), writesClosed: true });
    expect(gateOf(decideOffload(bytes(5), off))).toBe("inline disabled");
  });

  test("the reason says the larger limit first: always, size, characters, headroom", () => {
    const policy = policyOf({ max_bytes: 100, max_chars: 10, always_tools: ["all"], headroom_percentage: 0.01 });
    const gate = (output: ToolOutput): string =>
      decideOffload(output, situation({ policy, usedInputTokens: 199_000 })).gate;
    expect(gate(bytes(9999, { toolName: "all" }))).toBe("always");
    expect(gate(bytes(9999))).toBe("size");
    expect(gate(bytes(100))).toBe("chars");
    const wide = policyOf({ ...policy, max_bytes: 10_000, max_chars: null });
    expect(decideOffload(bytes(9999), situation({ policy: wide, usedInputTokens: 199_000 })).gate).toBe("headroom");
  });
});

describe("on or off, stored or cut", () => {
  const large = bytes(1_000_000);
  test("offloading is on when a tool reads artifacts back, unless the policy says otherwise", () => {
    const expected = [
      ["plimsoll", ["artifact_read"], "artifact size"],
      ["plimsoll", ["artifact_jq"], "artifact size"],
      ["plimsoll", ["getArtifact"], "artifact size"],
      ["plimsoll", [], "inline disabled"],
      ["plimsoll", ["search", "read_file"], "inline disabled"],
      ["window", [], "inline disabled"],
      ["vectara-2026-03", ["artifact_grep"], "artifact size"],
      ["vectara-2026-03", [], "inline disabled"],
      ["vectara-current", ["artifact_grep"], "artifact size"],
      ["vectara-current", [], "truncate size"],
      ["agentium", [], "artifact size"],
      ["secondbrain", ["read_file"], "artifact chars"],
      ["off", ["artifact_read"], "inline disabled"],
    ] as const;
    const decided = expected.map(([preset, availableTools]) => {
      const decision = decideOffload(large, situation({ policy: policyOf(preset), availableTools }));
      return [preset, availableTools, gateOf(decision)];
    });
    expect(decided).toEqual(expected);
  });

  test("a mode that is said is kept, and cutting needs no tool that reads back", () => {
    const decide = (mode: "artifact" | "truncate", availableTools: string[], enabled: boolean | "auto"): string =>
      gateOf(decideOffload(large, situation({ policy: policyOf({ mode, enabled }), availableTools })));
    expect(decide("truncate", ["artifact_read"], "auto")).toBe("truncate size");
    expect(decide("truncate", [], "auto")).toBe("truncate size");
    expect(decide("artifact", [], true)).toBe("artifact size");
    expect(decide("artifact", [], "auto")).toBe("inline disabled");
    expect(decide("truncate", [], false)).toBe("inline disabled");
  });
});

describe("the sentence for people", () => {
  test.each([
    [
      bytes(12_000),
      {},
      "12,000 bytes are over the limit of 8,000 bytes (1 % of a 200,000-token window), so it is stored as an artifact.",
    ],
    [bytes(8000), {}, "8,000 bytes are within the limit of 8,000 bytes (1 % of a 200,000-token window)."],
    [
      bytes(5000),
      { usedInputTokens: 139_800 },
      "With it the context would hold about 141,050 tokens, over 70 % of the 200,000-token window, so it is stored as an artifact.",
    ],
    [
      bytes(5000, { toolName: "artifact_read" }),
      {},
      "What artifact_read returns is never offloaded: it reads or stores artifacts.",
    ],
    [bytes(50_000), { availableTools: [] }, "The agent has no tool to read artifacts, so the output stays inline."],
    [
      bytes(50_000),
      { policy: policyOf({ mode: "truncate", context_window_tokens: 1_000_000 }) },
      "50,000 bytes are over the limit of 16,384 bytes (the ceiling; 1 % of a 1,000,000-token window would be more), so it is cut to its head and tail.",
    ],
  ] as const)("%j, %j", (output, more, reason) => {
    expect(decideOffload(output, situation({ policy: policyOf("plimsoll"), ...more })).reason).toBe(reason);
  });

  test("every decision has one sentence, and the same output gets the same one", () => {
    const policies = fc.constantFrom(...PRESET_NAMES.map((name) => PRESETS[name]));
    const output = fc.record({
      toolName: fc.constantFrom("search", "artifact_read", ""),
      sizeBytes: fc.nat(),
      chars: fc.option(fc.nat()),
      isEnvelope: fc.boolean(),
    });
    fc.assert(
      fc.property(
        policies,
        output,
        fc.option(fc.nat()),
        fc.boolean(),
        fc.subarray([...READ_TOOLS]),
        (policy, one, used, late, tools) => {
          const now = { policy, availableTools: tools, usedInputTokens: used, writesClosed: late };
          const decision = decideOffload(one, now);
          expect(decision).toEqual(decideOffload(one, now));
          expect(decision.reason).toMatch(/^[^\n]{10,300}\.$/);
          expect(decision.action === "inline").toBe(["none", "exempt", "disabled"].includes(decision.gate));
        },
      ),
    );
  });

  test("a larger output is never kept where a smaller one is offloaded", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PRESET_NAMES),
        fc.nat({ max: 2_000_000 }),
        fc.nat({ max: 2_000_000 }),
        fc.nat({ max: 200_000 }),
        (preset, a, b, used) => {
          const isKept = (size: number): boolean =>
            decideOffload(bytes(size), situation({ policy: policyOf(preset), usedInputTokens: used })).action ===
            "inline";
          if (isKept(Math.max(a, b))) expect(isKept(Math.min(a, b))).toBe(true);
        },
      ),
    );
  });
});

describe("what a preset would have done", () => {
  test("outputs, bytes and tokens are summed for sessions that came from elsewhere", () => {
    const outputs = [
      bytes(100),
      bytes(9000, { chars: null }),
      { ...bytes(40_000), tokens: 11_000 },
      bytes(9000, { toolName: "artifact_read" }),
    ];
    expect(wouldOffload(outputs, policyOf("plimsoll"))).toEqual({
      outputs: 4,
      bytes: 58_100,
      offloaded: 2,
      offloadedBytes: 49_000,
      // 9,000 bytes are 2,728 tokens; each leaves an envelope of 250.
      tokensSaved: 2728 - 250 + 11_000 - 250,
    });
    expect(wouldOffload(outputs, policyOf("off"))).toMatchObject({ offloaded: 0, tokensSaved: 0 });
    expect(wouldOffload(outputs, policyOf("vectara-current"), 32_000)).toMatchObject({ offloaded: 1 });
    expect(wouldOffload([], policyOf())).toEqual({
      outputs: 0,
      bytes: 0,
      offloaded: 0,
      offloadedBytes: 0,
      tokensSaved: 0,
    });
  });

  test("what is known of the context at that time opens the headroom gate", () => {
    const output = { ...bytes(5000), usedInputTokens: 139_800 };
    expect(wouldOffload([output], policyOf("plimsoll"))).toMatchObject({ offloaded: 1 });
    expect(wouldOffload([output], policyOf("vectara-2026-03"))).toMatchObject({ offloaded: 0 });
  });
});
