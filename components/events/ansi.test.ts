import fc from "fast-check";
import { expect, test } from "vitest";
import { ansiLines, ansiSpans } from "./ansi.ts";
import { processorMs } from "#lib/kernel/testing-processor-time.ts";

const ESC = "\u001b";

test("colours and weight become spans, and the text is whole", () => {
  const { spans, stripped } = ansiSpans(`a${ESC}[1;31mFAIL${ESC}[0m b${ESC}[38;5;33mc${ESC}[39md`);
  expect(spans.map((span) => span.text)).toEqual(["a", "FAIL", " b", "c", "d"]);
  expect(spans[1]).toMatchObject({ bold: true, color: "amber" });
  expect(spans[3]?.color).toBe("blue");
  expect(stripped).toBe(0);
});

test("what a terminal would obey is taken out and counted", () => {
  const cases: [string, string][] = [
    [`${ESC}[2Jx`, "x"],
    [`${ESC}]0;title\u0007x`, "x"],
    [`${ESC}]8;;javascript:alert(1)${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
    [`${ESC}]52;c;aGk=\u0007x`, "x"],
    [`${ESC}Pq#0${ESC}\\x`, "x"],
    [`\u009b31mx`, "x"],
    [`${ESC}[3Aover`, "over"],
    [`${ESC}cx`, "x"],
  ];
  for (const [input, output] of cases) {
    expect(
      ansiSpans(input)
        .spans.map((span) => span.text)
        .join(""),
    ).toBe(output);
  }
  expect(ansiSpans(`${ESC}[2J${ESC}[3A`).stripped).toBe(2);
});

test("concealed text is shown and counted as hidden", () => {
  const { spans, stripped } = ansiSpans(`${ESC}[8msecret${ESC}[0m`);
  expect(spans.map((span) => span.text).join("")).toBe("secret");
  expect(stripped).toBe(1);
});

test("an unterminated sequence ends with its line and never eats the rest", () => {
  expect(
    ansiSpans(`${ESC}]0;evil\nnext line`)
      .spans.map((span) => span.text)
      .join(""),
  ).toBe("\nnext line");
});

test("no escape and no C1 control comes out, whatever goes in", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom(ESC, `${ESC}[`, `${ESC}]`, "\u009b", "\u009d", "\u0090", "1;31m", "8m", "2J", "\u0007", "plain"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = ansiSpans(pieces.join(""))
        .spans.map((span) => span.text)
        .join("");
      expect(/[\u001b\u0080-\u009f]/u.test(text)).toBe(false);
    }),
  );
});

test("a million changes of style and a 10 MB unterminated title stay fast and bounded", () => {
  const took = processorMs(() => {
    expect(ansiSpans(`${ESC}[31mx${ESC}[32my`.repeat(100_000)).spans.length).toBeLessThanOrEqual(5000);
    expect(ansiSpans(`${ESC}]0;${"t".repeat(10_000_000)}`).spans).toEqual([]);
  });
  expect(took).toBeLessThan(3000);
});

test("a colour that is not ended goes on in the lines after it", () => {
  const read = ansiLines([`a ${ESC}[32mok`, "still", `end${ESC}[0m plain`, "plain"]);
  expect(read?.map(({ spans }) => spans.map(({ text, color }) => [text, color]))).toEqual([
    [
      ["a ", null],
      ["ok", "green"],
    ],
    [["still", "green"]],
    [
      ["end", "green"],
      [" plain", null],
    ],
    [["plain", null]],
  ]);
  expect(ansiLines(["no", "colour"])).toBeNull();
});
