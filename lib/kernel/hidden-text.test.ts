import fc from "fast-check";
import { expect, test } from "vitest";
import {
  hasHidden,
  HIDDEN_PARTS,
  replaceHidden,
  runsRightToLeft,
  shownText,
  splitHidden,
  splitHits,
} from "./hidden-text.ts";

const hiddenOnes = "\u202E\u200B\u001B\u0007\uFEFF\u2066";
const shown = (text: string) =>
  splitHidden(text)
    .map((part) => (part.hidden ? `[${part.text}]` : part.text))
    .join("");

test("controls, bidi and zero-width characters are named where they stand", () => {
  expect(shown("ignore\u202Eprevious\u001B[2J")).toBe("ignore[U+202E]previous[ESC][2J");
  expect(shown("a\u200Bb\u0000c\u009B31m")).toBe("a[U+200B]b[NUL]c[CSI]31m");
  expect(shown("over\rprint, line\r\nend\ttab")).toBe("over[CR]print, line\r\nend\ttab");
});

test("tag characters are shown with what they spell", () => {
  const tags = Array.from("ignore all", (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join("");
  expect(shown(`ok${tags}.`)).toBe("ok[tags “ignore all”].");
});

test("a flood of variation selectors is seen, and an emoji is left whole", () => {
  expect(shown("x\uFE01\uFE02")).toBe("x[U+FE01][U+FE02]");
  expect(shown("fine ❤️ and 👩🏽‍💻 and 1️⃣")).toBe("fine ❤️ and 👩🏽‍💻 and 1️⃣");
  expect(hasHidden("fine ❤️")).toBe(false);
});

test("ordinary text of any script is one part", () => {
  for (const text of ["plain", "Привет", "漢字", "مرحبا", "می\u200Cخواهم", "श्री\u200Dमान", "ѕ┌─┐", ""])
    expect(splitHidden(text)).toEqual([{ text, hidden: false }]);
});

test("a joiner is named where it joins no letters of a script that needs it", () => {
  expect(shown("pay\u200Cpal می\u200C می\u200C\u200Cخواهم")).toBe("pay[U+200C]pal می[U+200C] می[U+200C][U+200C]خواهم");
});

test("no hidden character is ever part of what is shown as text", () => {
  const nasty = fc.constantFrom(
    "\u202E",
    "\u200B",
    "\u001B",
    "\u0007",
    "\u{E0041}",
    "\uFEFF",
    "a",
    "b",
    "\n",
    "❤️",
    "\u2066",
    "\uD800",
  );
  fc.assert(
    fc.property(fc.array(nasty, { maxLength: 200 }), (chars) => {
      const parts = splitHidden(chars.join(""));
      for (const part of parts) {
        if (part.hidden) expect(part.text).toMatch(/^[\x20-\x7e“”]+$/);
        else expect(Array.from(part.text).filter((char) => hiddenOnes.includes(char))).toEqual([]);
      }
    }),
  );
});

test("a megabyte of controls stays a bounded list", () => {
  const parts = splitHidden("\u0007".repeat(1_000_000));
  expect(parts).toHaveLength(HIDDEN_PARTS + 1);
  expect(parts.at(-1)?.text).toBe("998000 more characters");
});

test("hits of a snippet are marked, whatever is left open", () => {
  expect(splitHits("…the \u0002flag\u0003 is \u0002gone")).toEqual([
    { text: "…the ", hit: false },
    { text: "flag", hit: true },
    { text: " is ", hit: false },
    { text: "gone", hit: true },
  ]);
});

test("an attribute names what would not show, in brackets", () => {
  expect(shownText("invoice\u202Egpj.exe")).toBe("invoice[U+202E]gpj.exe");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !hasHidden(shownText(text))));
});

test("everything hidden can be written otherwise, however much of it there is, and emoji stay whole", () => {
  expect(replaceHidden("a\u202Eb 👩\u200D👧\u200B", (found) => `<${found.length}>`)).toBe("a<1>b 👩\u200D👧<1>");
  const many = "\u200B".repeat(HIDDEN_PARTS * 2);
  expect(replaceHidden(many, () => "x")).toBe("x".repeat(HIDDEN_PARTS * 2));
});

test("a text runs as its first letter does", () => {
  expect(["שלום", "1. “أولا” first", "\u0007مرحبا"].map(runsRightToLeft)).toEqual([true, true, true]);
  expect(["ok שלום", "٣ apples", "12", ""].map(runsRightToLeft)).toEqual([false, false, false, false]);
});
