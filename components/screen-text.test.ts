// Every text of the pages is short: at most 18 words and 110 characters, whatever is put into it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAst } from "vitest/node";

const WORDS = 18;
const CHARS = 110;

/** What stays longer, and why. By a part of the text. */
const LONG: readonly (readonly [part: string, why: string])[] = [
  ["curl -sS", "a command to copy"],
  ["leave the disk", "what a deletion takes with it, in one place before it is done"],
  ["the turns that are cut are sent to", "what leaves this machine, and where to"],
];

type Node = { readonly type: string; readonly [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Attributes that nobody reads. */
const UNREAD = /^(?:className|.*Class|look|d|style|key|href|viewBox|points|stroke.*|width|src|rel|name|data-.*)$/u;
/** Inline elements are part of the sentence around them. */
const INLINE = /^(?:a|b|span|i|em|strong|code|Num|SafeText|Link|When|Strong)$/u;

const nameOf = (node: Node): string => {
  const name = (node["openingElement"] as Node | undefined)?.["name"] ?? node["name"];
  return isNode(name) ? String(name["name"] ?? "") : "";
};
const childrenOf = (node: Node): Node[] => (node["children"] as unknown[] | undefined)?.filter(isNode) ?? [];

/** A text as it is read: what is computed is one word. */
function textOf(node: Node): string {
  switch (node.type) {
    case "JSXText":
      return String(node["value"]);
    case "Literal":
      return typeof node["value"] === "string" ? node["value"] : "…";
    case "JSXExpressionContainer":
      return textOf(node["expression"] as Node);
    case "JSXEmptyExpression":
      return "";
    case "TemplateLiteral":
      return (node["quasis"] as Node[]).map(({ value }) => (value as { cooked: string }).cooked).join("…");
    case "BinaryExpression":
      return node["operator"] === "+" ? textOf(node["left"] as Node) + textOf(node["right"] as Node) : "…";
    case "JSXFragment":
      return childrenOf(node).map(textOf).join("");
    case "JSXElement":
      return INLINE.test(nameOf(node)) ? childrenOf(node).map(textOf).join("") : "…";
    default:
      return "…";
  }
}

function textsIn(node: unknown, found: string[]): void {
  if (Array.isArray(node)) for (const one of node) textsIn(one, found);
  if (!isNode(node) || node.type.startsWith("Import") || node.type.startsWith("TS")) return;
  if (node.type === "JSXAttribute" && UNREAD.test(nameOf(node))) return;
  const isMarkup = node.type === "JSXElement" || node.type === "JSXFragment";
  const hasText = isMarkup && childrenOf(node).some((child) => textOf(child).trim().length > 1);
  if (hasText) found.push(childrenOf(node).map(textOf).join(""));
  if (node.type === "Literal" || node.type === "TemplateLiteral" || node.type === "BinaryExpression")
    found.push(textOf(node));
  for (const [key, child] of Object.entries(node))
    if (key !== "type" && typeof child === "object") textsIn(child, found);
}

const isSource = (name: string): boolean => /\.tsx?$/u.test(name) && !/\.test\.|^testing/u.test(name);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(isSource)
    .map((name) => join(folder, name));
}

/** Names of classes, selectors and addresses. */
const isCode = (text: string): boolean =>
  /<\/?\w+[ >]|(?:^| )[\w-]+:[\w-]|\[&|\bvar\(|-\[|\btext-\d\d\b|\bpx-\d/u.test(text);

const wordsOf = (text: string): number => text.split(/\s+/u).filter((word) => /[\p{L}…]/u.test(word)).length;

test("no text of a page is over 18 words or 110 characters, but those that are named here", () => {
  const long = ["components", "app"].flatMap(filesIn).flatMap((file) => {
    const found: string[] = [];
    textsIn(parseAst(readFileSync(file, "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" }), found);
    return found
      .map((text) => text.replaceAll(/\s+/gu, " ").trim())
      .filter((text) => !isCode(text) && (wordsOf(text) > WORDS || text.length > CHARS))
      .map((text) => `${file}: ${text}`);
  });
  const named = LONG.map(([part]) => part);
  expect(long.filter((text) => !named.some((part) => text.includes(part)))).toEqual([]);
  expect(named.filter((part) => !long.some((text) => text.includes(part)))).toEqual([]);
});
