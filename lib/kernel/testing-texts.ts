// The texts of a source as a person reads them: strings, templates and markup, with `…` for what is computed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vitest/node";

type Node = { readonly type: string; readonly [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Attributes that are not shown. */
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

function collect(node: unknown, found: string[]): void {
  if (Array.isArray(node)) for (const one of node) collect(one, found);
  if (!isNode(node) || node.type.startsWith("Import") || node.type.startsWith("TS")) return;
  if (node.type === "JSXAttribute" && UNREAD.test(nameOf(node))) return;
  const isMarkup = node.type === "JSXElement" || node.type === "JSXFragment";
  const hasText = isMarkup && childrenOf(node).some((child) => textOf(child).trim().length > 1);
  if (hasText) found.push(childrenOf(node).map(textOf).join(""));
  if (node.type === "Literal" || node.type === "TemplateLiteral" || node.type === "BinaryExpression")
    found.push(textOf(node));
  for (const [key, child] of Object.entries(node))
    if (key !== "type" && typeof child === "object") collect(child, found);
}

const isSource = (name: string): boolean => /\.tsx?$/u.test(name) && !/\.test\.|(?:^|\/)testing/u.test(name);

/** The texts of the sources below a folder, each with its file, their white space as one blank. */
export function textsBelow(folder: string): { readonly file: string; readonly text: string }[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isSource);
  return names
    .map((name) => join(folder, name))
    .flatMap((file) => {
      const found: string[] = [];
      collect(parseAst(readFileSync(file, "utf8"), { lang: file.endsWith("x") ? "tsx" : "ts" }), found);
      return found.map((text) => ({ file, text: text.replaceAll(/\s+/gu, " ").trim() }));
    });
}

export const WORDS = 18;
export const CHARS = 110;

const wordsIn = (text: string): number => text.split(/\s+/u).filter((word) => /[\p{L}…]/u.test(word)).length;

export const isLong = (text: string): boolean => wordsIn(text) > WORDS || text.length > CHARS;
