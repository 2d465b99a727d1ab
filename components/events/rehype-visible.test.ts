import { expect, test } from "vitest";
import { rehypeVisible } from "./rehype-visible.ts";

test("what would not show is named, in HTML that stands as text too", () => {
  const tree = {
    type: "root",
    children: [
      { type: "text", value: "pay\u202Elap" },
      { type: "raw", value: '<a href="\u0001javascript:x">' },
    ],
  };
  rehypeVisible()(tree);
  expect(tree.children.map((child) => [child.type, child.value])).toEqual([
    ["text", "pay"],
    ["element", undefined],
    ["text", "lap"],
    ["text", '<a href="'],
    ["element", undefined],
    ["text", 'javascript:x">'],
  ]);
});
