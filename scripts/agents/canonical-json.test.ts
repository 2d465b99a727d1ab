import { expect, test } from "vitest";
import { canonicalJson, firstDifference } from "./canonical-json.ts";

test("the order of keys does not matter, that of lists does", () => {
  expect(canonicalJson({ b: 1, a: [{ d: 2, c: 3 }] })).toBe('{"a":[{"c":3,"d":2}],"b":1}');
  expect(firstDifference({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBeNull();
  expect(firstDifference([1, 2], [2, 1])).toEqual({ path: "[0]", sent: "1", shown: "2" });
});

test("a difference is named by its path, with both values", () => {
  const sent = { messages: [{ role: "user", content: [{ text: "one" }, { text: "two" }] }] };
  const shown = { messages: [{ role: "user", content: [{ text: "one" }] }] };
  expect(firstDifference(sent, shown)).toEqual({
    path: "messages[0].content[1]",
    sent: '{"text":"two"}',
    shown: "nothing",
  });
  expect(firstDifference({ a: 1 }, { a: 1, b: null })).toEqual({ path: "b", sent: "nothing", shown: "null" });
  expect(firstDifference({ a: [] }, { a: {} })?.path).toBe("a");
});

test("of long texts the place is shown where they part", () => {
  const difference = firstDifference({ text: `${"x".repeat(500)}a` }, { text: `${"x".repeat(500)}b` });
  expect(difference?.path).toBe("text at character 500");
  expect(difference?.sent).toBe(JSON.stringify(`…${"x".repeat(20)}a`));
});
