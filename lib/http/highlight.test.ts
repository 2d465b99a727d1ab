import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { highlight } from "./highlight.ts";

const textOf = (lines: [string, string, string][][]) =>
  lines.map((line) => line.map(([text]) => text).join("")).join("\n");

test("coloured lines hold the text unchanged, in the colours of both themes", async () => {
  const code = 'package main\n\nfunc f() string { return "x" } // note\n';
  const { lines, cutAtBytes } = await highlight(code, "go");
  expect(textOf(lines)).toBe(code);
  expect(cutAtBytes).toBeNull();
  const keyword = lines[2]?.find(([text]) => text.trim() === "func");
  expect(keyword?.slice(1)).toEqual(["#412696", "#c6a8f0"]);
});

test("text over 50 KB is cut at a line end, and says where", async () => {
  const { lines, cutAtBytes } = await highlight("const a = 1;\n".repeat(8000), "typescript");
  expect(cutAtBytes).toBeLessThanOrEqual(LIMITS.highlightBytes);
  expect(lines.every((line) => line.map(([text]) => text).join("") === "const a = 1;")).toBe(true);
});

test("a language without a grammar comes back plain, not as a failure", async () => {
  const { lines } = await highlight("a <b>\nc", "__proto__");
  expect(textOf(lines)).toBe("a <b>\nc");
});

test("the same text again is the same answer", async () => {
  expect(await highlight("let x = 2", "javascript")).toBe(await highlight("let x = 2", "javascript"));
});
