// Beginnings, ends and cut texts: in characters, with both ends.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8Size } from "./pointer.ts";
import { countChars, headOf, previewOf, summaryOf, tailOf } from "./preview.ts";
import { TRUNCATE_TIERS, capResult, resultCharsOf, truncateOutput } from "./truncate.ts";

const anyText = fc.string({ unit: "binary", maxLength: 300 });
const mixedText = fc
  .array(fc.constantFrom("a", "é", "漢", "😀", "👩‍👩‍👧‍👦", "\n", "\r\n", "\ud800"), { maxLength: 300 })
  .map((parts) => parts.join(""));

describe("preview", () => {
  test("says how many characters are missing", () => {
    const preview = previewOf("x".repeat(500), 100);
    expect(preview).toBe(`${"x".repeat(100)}...(truncated, 400 more chars)`);
    expect(preview.length).toBeLessThan(500);
    expect(preview).toContain("more chars");
    expect(previewOf("x".repeat(200), 200, 98_200)).toBe(`${"x".repeat(200)}...(truncated, 98000 more chars)`);
  });

  test("a short text is its own preview", () => {
    expect(previewOf("hello world", 200)).toBe("hello world");
    expect(previewOf("x".repeat(200), 200)).toBe("x".repeat(200));
    expect(previewOf("", 200)).toBe("");
  });

  test("a character outside the basic plane is one character, and is not cut in two", () => {
    expect(previewOf("😀😀😀", 2)).toBe("😀😀...(truncated, 1 more chars)");
    fc.assert(
      fc.property(fc.oneof(anyText, mixedText), fc.nat({ max: 320 }), (text, chars) => {
        const points = [...text];
        expect(countChars(text)).toBe(points.length);
        expect(headOf(text, chars)).toBe(points.slice(0, chars).join(""));
        expect(tailOf(text, chars)).toBe(chars === 0 ? "" : points.slice(-chars).join(""));
        const left = points.length - chars;
        expect(previewOf(text, chars)).toBe(
          left > 0 ? `${headOf(text, chars)}...(truncated, ${left} more chars)` : text,
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe("summary", () => {
  test("is one line of at most 200 characters", () => {
    const content = "a\nb\nc\n".repeat(50);
    expect(content.length).toBe(300);
    const summary = summaryOf(content);
    expect(summary).toBe("a b c ".repeat(34).slice(0, 200));
    expect(summary).not.toContain("\n");
  });

  test("a line end of two characters is one space, and 200 characters are counted behind it", () => {
    expect(summaryOf("a\r\nb\rc\nd")).toBe("a b c d");
    expect(summaryOf("\r\n".repeat(300))).toBe(" ".repeat(200));
    fc.assert(
      fc.property(fc.oneof(anyText, mixedText), (text) => {
        expect(summaryOf(text)).toBe(headOf(text.replace(/\r\n|[\n\r\u0085\u2028\u2029]/g, " "), 200));
      }),
    );
  });
});

describe("cut output", () => {
  const limits = { max_bytes: 4000, max_lines: 100_000, head_share: 0.7, tail_max_bytes: 4096 };

  test("keeps both ends, and says what was cut", () => {
    const text = `FIRST-LINE ${"x".repeat(20_000)} TAIL-ERROR`;
    const cut = truncateOutput(text, limits, { toolName: "exec", callId: "call_7", exitCode: 2 });
    expect(cut.length).toBeLessThanOrEqual(4000);
    expect(cut.startsWith("FIRST-LINE")).toBe(true);
    expect(cut.endsWith("TAIL-ERROR")).toBe(true);
    expect(cut).toContain(
      "[output truncated: original 20022 bytes, 1 lines, tool exec, call call_7, exit code 2; head and tail kept]",
    );
    // The room is used.
    expect(cut.length).toBeGreaterThan(3900);
  });

  test("a text of exactly the limit is returned as it is", () => {
    const text = "x".repeat(4000);
    expect(truncateOutput(text, limits)).toBe(text);
    expect(truncateOutput(`${text}x`, limits)).not.toBe(`${text}x`);
    const lines = "line\n".repeat(20);
    expect(truncateOutput(lines, { ...limits, max_lines: 20 })).toBe(lines);
    expect(truncateOutput(lines, { ...limits, max_lines: 19 })).not.toBe(lines);
  });

  test("commands are cut earlier than other tools", () => {
    const text = "0123456789\n".repeat(900);
    const byTool = truncateOutput(text, TRUNCATE_TIERS.tool);
    const byExec = truncateOutput(text, TRUNCATE_TIERS.exec);
    expect(utf8Size(byTool)).toBeLessThanOrEqual(12_288);
    expect(byTool.split("\n").length).toBeLessThanOrEqual(401);
    expect(utf8Size(byExec)).toBeLessThanOrEqual(6144);
    expect(byExec.split("\n").length).toBeLessThanOrEqual(201);
    for (const cut of [byTool, byExec]) expect(cut.endsWith("0123456789\n0123456789\n")).toBe(true);
  });

  test("whatever the text and the limits, it keeps within them and loses no end", () => {
    fc.assert(
      fc.property(
        fc
          .tuple(fc.oneof(mixedText, anyText), fc.integer({ min: 1, max: 60 }))
          .map(([text, times]) => text.repeat(times)),
        fc.record({
          max_bytes: fc.integer({ min: 256, max: 3000 }),
          max_lines: fc.integer({ min: 3, max: 50 }),
          head_share: fc.double({ min: 0, max: 1, noNaN: true }),
          tail_max_bytes: fc.integer({ min: 1, max: 2000 }),
        }),
        (text, given) => {
          const cut = truncateOutput(text, given, {
            toolName: "t".repeat(100),
            callId: "😀\n".repeat(9),
            exitCode: -1,
          });
          const notice = /(?:^|\n)\[output truncated: .* head and tail kept\]\n/.exec(cut);
          if (cut === text) return;
          expect(utf8Size(cut)).toBeLessThanOrEqual(given.max_bytes);
          expect(cut.split("\n").length - (cut.endsWith("\n") ? 1 : 0)).toBeLessThanOrEqual(given.max_lines);
          const [head, tail] = [cut.slice(0, notice!.index), cut.slice(notice!.index + notice![0].length)];
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
          expect(tail).not.toBe("");
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("of an output whose two ends alone are there, the notice says the size of the whole", () => {
    const ends = `${"head\n".repeat(2000)}${"tail\n".repeat(2000)}`;
    const cut = truncateOutput(ends, TRUNCATE_TIERS.tool, {
      whole: { sizeBytes: 83_000_000, lineCount: 1_000_000 },
      rest: "It could not be stored.",
    });
    expect(cut).toContain(
      "original 83000000 bytes, 1000000 lines; head and tail kept. It could not be stored.]\ntail\n",
    );
    expect(cut.startsWith("head\n") && cut.endsWith("tail\n")).toBe(true);
  });

  test("names that are too long are left out of the notice, and it is one line", () => {
    const text = "x".repeat(1000);
    const small = { ...limits, max_bytes: 256 };
    expect(truncateOutput(text, small, { toolName: "😀".repeat(100) })).toContain(
      "[output truncated: original 1000 bytes, 1 lines; head and tail kept]",
    );
    expect(truncateOutput(text, { ...small, max_bytes: 600 }, { toolName: "a\nb", callId: "c\u2028d" })).toContain(
      "tool a b, call c d; head",
    );
  });

  test("a result brings at most 32,000 characters, fewer into a small window", () => {
    expect(resultCharsOf(128_000)).toBe(16_000);
    expect(resultCharsOf(200_000)).toBe(25_000);
    expect(resultCharsOf(1_000_000)).toBe(32_000);
    expect(resultCharsOf(null)).toBe(32_000);
    const text = `FIRST-LINE\n${"row\n".repeat(10_000)}TAIL-ERROR`;
    const capped = capResult(text, null, { toolName: "exec" });
    expect(capped.length).toBeLessThanOrEqual(32_000);
    expect(capped.length).toBeGreaterThan(31_900);
    expect(capped.startsWith("FIRST-LINE\n") && capped.endsWith("\nTAIL-ERROR")).toBe(true);
    expect(countChars(capResult("😀".repeat(20_000), 128_000))).toBeLessThanOrEqual(16_000);
    const whole = "😀".repeat(16_000);
    expect(capResult(whole, 128_000)).toBe(whole);
    expect(capResult("x".repeat(32_000), 1_000_000)).toBe("x".repeat(32_000));
  });
});
