import { expect, test } from "vitest";
import { headShape } from "./head-shape.ts";

const shape = (text: string): string => headShape(new TextEncoder().encode(text));

test("the shape of a file names what its first record has", () => {
  expect(shape('{"type":"session","id":"a","cwd":"/"}\n{"type":"message"}\n')).toBe(
    'lines of JSON; the first has type "session", id, cwd',
  );
  expect(shape('{"trace":{"id":1},"observations":[]}')).toBe("one JSON object with trace, observations");
  expect(shape('{\n  "eval": {"task": "a,b", "x": [1, {"y": 2}]},\n  "samples": [{"id')).toBe(
    "a JSON document with eval, samples",
  );
  expect(shape('[\n {"role":"user","content":"a"}]')).toBe("a JSON array; its first item has role, content");
  expect(shape("[1,2]")).toBe("a JSON array");
  expect(shape("Dear diary")).toBe("text that is not JSON");
  expect(shape("")).toBe("no bytes");
  expect(headShape(Uint8Array.of(0x50, 0x4b, 3, 4, 0))).toBe("a zip archive");
  expect(headShape(Uint8Array.of(1, 0, 2))).toBe("binary data");
});

test("long keys and many of them are cut", () => {
  const keys = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${"k".repeat(60)}${at}`, at]));
  expect(shape(JSON.stringify(keys)).length).toBeLessThan(420);
});
