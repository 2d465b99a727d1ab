// The promised sizes of the two styles of our own, counted with o200k, for ordinary outputs and for hostile ones.
import { Tokenizer } from "ai-tokenizer";
import * as o200k from "ai-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ENVELOPE_TOKENS, FIXED_TOKENS, envelopeOf, isEnvelope } from "./envelope.ts";
import type { EnvelopeFacts } from "./envelope.ts";
import { countChars, previewOf, summaryOf, tailOf } from "./preview.ts";
import { ContentScan } from "./scan.ts";
import { shapeOfKeys } from "./shape-counter.ts";
import { tokenBound } from "./token-bound.ts";

const tokenizer = new Tokenizer(o200k);
const count = (text: string): number => tokenizer.encode(text).length;

const TOOLS = ["artifact_read", "artifact_grep", "artifact_jq", "getArtifact", "artifact_list"];

/** Facts of a text, as if it were the beginning of 83 MB. */
function factsOf(text: string, more: Partial<EnvelopeFacts> = {}): EnvelopeFacts {
  const scan = new ContentScan();
  scan.add(new TextEncoder().encode(text));
  const { contentType, shape } = scan.end();
  return {
    artifactId: "art_3f9b2a1c8e4d7f6a",
    pointer: "art:550e8400-e29b-41d4-a716-446655440000",
    toolName: "fetchLogs",
    name: null,
    contentType,
    sizeBytes: 87_031_808,
    lineCount: 1_234_567,
    shape,
    preview: previewOf(text, 200, 83_000_000),
    summary: summaryOf(text),
    tail: tailOf(text, 400),
    isError: false,
    availableTools: TOOLS,
    path: null,
    createdAt: "2026-05-04T10:20:30.000Z",
    expiresAt: "2026-06-04T10:20:30.000Z",
    ...more,
  };
}

const LOG = Array.from(
  { length: 20 },
  (_, i) => `2026-05-04T10:00:00.${100 + i}Z INFO service-${i} request ${i} served in ${i * 3} ms status=200\n`,
).join("");
const row = (i: number): object => ({
  id: i,
  name: `user-${i}`,
  email: `u${i}@example.test`,
  score: i / 7,
  tags: ["a"],
  active: true,
});
const JSON_TEXT = JSON.stringify({ rows: Array.from({ length: 500 }, (_, i) => row(i)), next_cursor: "abc" });

/** Texts that take many tokens for their length. */
const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  ...[
    fc.integer({ min: 0x20, max: 0x7e }),
    fc.integer({ min: 0x61, max: 0x7a }),
    fc.integer({ min: 0x4e00, max: 0x9fff }),
    fc.integer({ min: 0xac00, max: 0xd7a3 }),
    fc.integer({ min: 0x1f300, max: 0x1faff }),
    fc.integer({ min: 0x12000, max: 0x123ff }),
    fc.integer({ min: 0, max: 0x1f }),
    fc.constantFrom(...Array.from('qxzjkQXZ"\\\n 7@#', (char) => char.codePointAt(0)!)),
  ].map((code) => fc.array(code, { minLength: 100, maxLength: 250 }).map((codes) => String.fromCodePoint(...codes))),
  fc.constant("👩‍👩‍👧‍👦".repeat(40)),
  fc.constant("\ud800".repeat(250)),
);
const hostileShape = fc.oneof(
  fc
    .array(fc.tuple(hostileText, fc.constantFrom("array(500) of object(6 keys)", "string")), { maxLength: 24 })
    .map((keys) => shapeOfKeys(keys, keys.length + 7)),
  hostileText.map((names) => `csv(9 rows × 24 columns): ${names}`),
);
const hostileFacts: fc.Arbitrary<EnvelopeFacts> = fc
  .tuple(
    fc.array(hostileText, { minLength: 5, maxLength: 5 }),
    hostileShape,
    fc.boolean(),
    fc.subarray(TOOLS),
    fc.nat({ max: 2 ** 31 - 1 }),
  )
  .map(([texts, shape, isError, availableTools, sizeBytes]) => ({
    ...factsOf(""),
    toolName: texts[0]!,
    contentType: texts[1]!,
    shape,
    sizeBytes,
    lineCount: sizeBytes,
    preview: previewOf(texts[2]!, 200, 1000 + sizeBytes),
    summary: summaryOf(texts[3]!),
    tail: tailOf(texts[4]!, 400),
    isError,
    availableTools,
  }));

describe("ordinary outputs of 83 MB", () => {
  test.each([
    ["a log", LOG, 150],
    ["JSON", JSON_TEXT, 130],
    ["JSON lines", Array.from({ length: 50 }, (_, i) => JSON.stringify(row(i))).join("\n"), 130],
    [
      "prose",
      "The hold was full and the line stood under water, so the mate had the last of the barrels put ashore. ".repeat(
        9,
      ),
      130,
    ],
    ["a table", `id,name,score\n${"1,one,0.5\n".repeat(40)}`, 100],
  ])("%s has an envelope of at most 250 tokens, or 450 with everything", (_, text, chars) => {
    for (const isError of [false, true]) {
      const lean = envelopeOf(factsOf(text, { isError }), "lean");
      const unified = envelopeOf(factsOf(text, { isError }), "unified");
      expect(count(lean)).toBeLessThanOrEqual(250);
      expect(count(unified)).toBeLessThanOrEqual(450);
      if (!isError) expect((JSON.parse(lean) as { preview: string }).preview.length).toBeGreaterThan(chars);
    }
  });
});

describe("hostile outputs", () => {
  test("no tool, file or key makes an envelope larger than promised", () => {
    const worst = { lean: 0, unified: 0 };
    fc.assert(
      fc.property(hostileFacts, (facts) => {
        for (const style of ["lean", "unified"] as const) {
          const tokens = count(envelopeOf(facts, style));
          worst[style] = Math.max(worst[style], tokens);
          expect(tokens).toBeLessThanOrEqual(ENVELOPE_TOKENS[style]);
        }
      }),
      { numRuns: 300 },
    );
    // The room is used: a limit that is never neared would only make previews short.
    expect(worst.lean).toBeGreaterThan(200);
    expect(worst.unified).toBeGreaterThan(350);
  });

  test("what was cut is still an envelope, says how much is missing, and splits no character", () => {
    fc.assert(
      fc.property(hostileFacts, (facts) => {
        const text = envelopeOf(facts, "lean");
        expect(isEnvelope(text)).toBe(true);
        const { preview, shape } = JSON.parse(text) as { preview: string; shape: unknown };
        const [suffix, missing] = /\.\.\.\(truncated, (\d+) more chars\)$/.exec(preview) ?? ["", "0"];
        const kept = preview.slice(0, preview.length - suffix.length);
        expect(facts.preview.startsWith(kept)).toBe(true);
        expect(countChars(kept) + Number(missing)).toBe(1000 + facts.sizeBytes);
        if (facts.preview.isWellFormed()) expect(preview.isWellFormed()).toBe(true);
        if (typeof shape === "object" && typeof facts.shape === "object") {
          const shown = Object.entries(shape as Record<string, string>);
          const keys =
            Number(/\d+/.exec(shown.find(([key]) => key === "…")?.[1] ?? "0")?.[0]) +
            shown.filter(([key]) => key !== "…").length;
          const all =
            Number(/\d+/.exec(facts.shape["…"] ?? "0")?.[0]) +
            Object.keys(facts.shape).filter((key) => key !== "…").length;
          expect(keys).toBe(all);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("24 long keys leave room for the preview", () => {
    const keys = Array.from({ length: 24 }, (_, i): [string, string] => [`${"ключЖ鑿".repeat(10)}${i}`, "string"]);
    const text = envelopeOf(factsOf(LOG, { shape: shapeOfKeys(keys, 24) }), "lean");
    expect(count(text)).toBeLessThanOrEqual(250);
    expect((JSON.parse(text) as { preview: string }).preview.length).toBeGreaterThan(100);
  });
});

describe("the bound", () => {
  test("no text of a JSON string takes more tokens than its bound", () => {
    let nearest = 0;
    fc.assert(
      fc.property(hostileText, (text) => {
        const json = JSON.stringify(text.repeat(3));
        const ratio = count(json) / tokenBound(json);
        nearest = Math.max(nearest, ratio);
        expect(ratio).toBeLessThanOrEqual(1.02);
      }),
      { numRuns: 500 },
    );
    expect(nearest).toBeGreaterThan(0.8);
  });

  test("ordinary text takes at least a third of its bound", () => {
    for (const text of [LOG, JSON_TEXT.slice(0, 2000)]) expect(count(text) / tokenBound(text)).toBeGreaterThan(0.33);
  });

  test("the fixed texts take what is reckoned for them", () => {
    const empty = {
      ...factsOf(""),
      toolName: "",
      contentType: "",
      artifactId: "",
      pointer: "",
      preview: "",
      summary: "",
      tail: "",
      shape: "",
      sizeBytes: 0,
      lineCount: 0,
      expiresAt: "",
      isError: true,
    };
    for (const style of ["lean", "unified"] as const) {
      const tokens = Math.max(
        ...["application/json", "text/plain"].map(
          (contentType) => count(envelopeOf({ ...empty, contentType }, style)) - 2,
        ),
      );
      expect(tokens).toBeLessThanOrEqual(FIXED_TOKENS[style]);
      expect(tokens).toBeGreaterThan(FIXED_TOKENS[style] - 6);
    }
  });
});
