import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownParts } from "./markdown-blocks.ts";

const paragraph = (nth: number) => `Paragraph ${nth}. ${"The tide comes in. ".repeat(40)}`;

test("a long text is cut between blocks, and the parts together are the text", () => {
  const text = Array.from({ length: 60 }, (_, nth) => paragraph(nth)).join("\n\n");
  const parts = markdownParts(text);
  expect(parts.length).toBeGreaterThan(4);
  expect(parts.map((part) => part.text).join("\n")).toBe(text);
  for (const part of parts) expect(part.text.startsWith("Paragraph")).toBe(true);
});

test("code between fences, lists, quotes and tables are never parted", () => {
  for (const long of [
    `\`\`\`\`js\n${"let tide;\n\n```\nlow = 1;\n".repeat(1000)}\`\`\`\``,
    "- item\n\n  more of it\n\n".repeat(600).trim(),
    "> said\n\n".repeat(1500).trim(),
  ])
    expect(markdownParts(`Before.\n\n${long}`)).toHaveLength(1);
});

test("addresses of links are known in every part", () => {
  const text = `See [the chart][c].\n\n${Array.from({ length: 20 }, (_, nth) => paragraph(nth)).join("\n\n")}\n\n[c]: https://example.org/chart`;
  for (const part of markdownParts(text)) expect(part.text).toContain("[c]: https://example.org/chart");
});

test("nothing is added to code that no fence ends", () => {
  const text = `[c]: https://example.org/chart\n\n${Array.from({ length: 20 }, (_, nth) => paragraph(nth)).join("\n\n")}\n\n\`\`\`\nlow = 1;`;
  const parts = markdownParts(text);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.at(-1)?.text.endsWith("```\nlow = 1;")).toBe(true);
});

test("addresses that are too many are left out whole", () => {
  const links = Array.from({ length: 400 }, (_, nth) => `[chart ${nth}]: https://example.org/${nth}`);
  const text = `${Array.from({ length: 20 }, (_, nth) => paragraph(nth)).join("\n\n")}\n\n${links.join("\n")}`;
  const [first] = markdownParts(text);
  const added = (first?.text ?? "").split("\n").filter((line) => line.startsWith("["));
  expect(added.length).toBeGreaterThan(100);
  expect(links).toEqual(expect.arrayContaining(added));
});

test("any text is whole, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("", "a", "# b", "- c", "```", "    d", "x".repeat(3000))), (lines) => {
      const parts = markdownParts(lines.join("\n"));
      expect(parts.map((part) => part.text).join("\n")).toBe(lines.join("\n"));
    }),
  );
});
