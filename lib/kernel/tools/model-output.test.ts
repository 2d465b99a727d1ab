// What is measured of a result, and what stands in its place: as MCP and the frameworks give results.
import { expect, test } from "vitest";
import { modelOutputOf } from "./model-output.ts";

const rows = Array.from({ length: 3 }, (_, id) => ({ id }));
const image = { type: "image", data: "AAAA", mimeType: "image/png" };

test("a structured result that repeats its text is measured once, and goes with it", () => {
  for (const text of [JSON.stringify({ rows }), JSON.stringify({ rows }, null, 2)]) {
    const made = modelOutputOf({ content: [{ type: "text", text }], structuredContent: { rows }, _meta: 1 });
    expect(made.text).toBe(text);
    expect(made.replace("short")).toEqual({ content: [{ type: "text", text: "short" }], _meta: 1 });
  }
});

test("a structured result alone, or one that says more than its text, is measured whole", () => {
  for (const content of [[], undefined])
    expect(modelOutputOf({ content, structuredContent: { rows } }).text).toBe(JSON.stringify({ rows }));
  const both = modelOutputOf({ content: [{ type: "text", text: "3 rows" }, image], structuredContent: { rows } });
  expect(both.text).toBe(`3 rows\n${JSON.stringify({ rows })}`);
  expect(both.replace("short")).toEqual({ content: [{ type: "text", text: "short" }, image] });
  expect(modelOutputOf({ content: "3 rows", structuredContent: { rows } }).replace("s")).toEqual({ content: "s" });
});

test("a bare list of blocks keeps its images, and the text of a resource counts", () => {
  const blocks = [
    image,
    { type: "resource", resource: { uri: "file:///a", text: "body" } },
    { type: "text", text: "b" },
  ];
  const made = modelOutputOf(blocks);
  expect(made.text).toBe("body\nb");
  expect(made.replace("short")).toEqual([image, { type: "text", text: "short" }]);
});

test("rows that have a type of their own are data", () => {
  const data = [{ type: "comment", text: "hi", id: 7 }];
  expect([modelOutputOf(data).text, modelOutputOf(data).replace("s")]).toEqual([JSON.stringify(data), "s"]);
});
