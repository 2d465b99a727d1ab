// Changes to a settings file of an agent, as data: comments, order and layout of everything else stay as they are.
import { isDeepStrictEqual } from "node:util";
import * as jsonc from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import { fail } from "#lib/kernel/errors.ts";
import { withoutNode } from "./remove-node.ts";

type Path = readonly string[];
export type SettingsEdit =
  /** One more element of a list, which is made where there is none. */
  | { readonly kind: "append"; readonly path: Path; readonly value: unknown }
  /** `isNew`: another value there is a person's own, and is never replaced. */
  | { readonly kind: "set"; readonly path: Path; readonly value: unknown; readonly isNew?: true }
  /** A file of our own. */
  | { readonly kind: "whole"; readonly text: string };

/** The text with the edits; null is a file that is not there. Fails with `invalid` for what is no JSON of an object. */
export function withEdits(text: string | null, edits: readonly SettingsEdit[], file: string): string {
  return edits.reduce<string>((before, edit) => {
    if (edit.kind === "whole") {
      if (text !== null && text !== edit.text)
        fail("conflict", `${file} is there already, and not by Plimsoll. Move it away first.`);
      return edit.text;
    }
    const tree = treeOf(before, file);
    if (edit.kind === "set" && edit.isNew === true && tree && jsonc.findNodeAtLocation(tree, [...edit.path]))
      fail("conflict", `${file} has its own ${edit.path.join(".")}. Nothing was changed; take it out first.`);
    const path = edit.kind === "append" ? [...edit.path, -1] : [...edit.path];
    return changed(before, path, edit.value, file);
  }, text ?? "");
}

/** The text without them; null when nothing was there but they. What was changed in them since stays. */
export function withoutEdits(text: string, edits: readonly SettingsEdit[], file: string): string | null {
  let left = text;
  for (const edit of edits.toReversed()) {
    if (edit.kind === "whole") return left === edit.text ? null : left;
    for (const path of pathsOf(left, edit, file)) left = withoutEmpty(removed(left, path), path);
  }
  return left;
}

/** Whether all of them are there. */
export function hasEdits(text: string, edits: readonly SettingsEdit[], file: string): boolean {
  return edits.every((edit) => (edit.kind === "whole" ? text === edit.text : pathsOf(text, edit, file).length > 0));
}

/** Fails with `invalid` for comments and trailing commas, where an agent ignores a file that has them. */
export function requireStrict(text: string, file: string): void {
  if (treeOf(text, file) === undefined) return;
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    fail(
      "invalid",
      `${file} has comments or trailing commas, and its agent ignores such a file. Take them out first; nothing was changed.`,
      error,
    );
  }
}

/** Where the value of an edit stands, last first. */
function pathsOf(text: string, edit: Exclude<SettingsEdit, { kind: "whole" }>, file: string): (string | number)[][] {
  const tree = treeOf(text, file);
  const node = tree && jsonc.findNodeAtLocation(tree, [...edit.path]);
  if (node === undefined || node === null) return [];
  // Objects of the parser have no prototype.
  const isOwn = (one: Node): boolean => isDeepStrictEqual(structuredClone(jsonc.getNodeValue(one)), edit.value);
  if (edit.kind === "set") return isOwn(node) ? [[...edit.path]] : [];
  return (node.children ?? []).flatMap((one, i) => (isOwn(one) ? [[...edit.path, i]] : [])).toReversed();
}

/** Takes away what a removal left empty, from the inside out. */
function withoutEmpty(text: string, path: readonly (string | number)[]): string {
  const outer = path.slice(0, -1);
  const tree = jsonc.parseTree(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true });
  const node = outer.length === 0 ? undefined : tree && jsonc.findNodeAtLocation(tree, [...outer]);
  const isEmpty = node !== undefined && (node.children ?? []).length === 0;
  return isEmpty ? withoutEmpty(removed(text, outer), outer) : text;
}

const removed = (text: string, path: readonly (string | number)[]): string =>
  text.startsWith("\uFEFF") ? `\uFEFF${withoutNode(text.slice(1), path)}` : withoutNode(text, path);

function changed(text: string, path: readonly (string | number)[], value: unknown, file: string): string {
  const [mark, body] = text.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text];
  const indent = /\n([ \t]+)\S/.exec(body)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: body.includes("\r\n") ? "\r\n" : "\n",
  };
  try {
    const edits = jsonc.modify(body, [...path], value, { formattingOptions, isArrayInsertion: path.at(-1) === -1 });
    const after = jsonc.applyEdits(body, edits);
    return mark + (body.trim() === "" ? `${after}${formattingOptions.eol}` : after);
  } catch (error) {
    return fail(
      "invalid",
      `${file}: ${path.slice(0, -1).join(".")} is not a list or object. Nothing was changed.`,
      error,
    );
  }
}

/** The document, or undefined for an empty one. */
function treeOf(text: string, file: string): Node | undefined {
  const body = text.replace(/^\uFEFF/, "");
  if (body.trim() === "") return undefined;
  const errors: ParseError[] = [];
  const tree = jsonc.parseTree(body, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = body.slice(0, first.offset).split("\n").length;
    fail(
      "invalid",
      `${file} is not JSON: ${jsonc.printParseErrorCode(first.error)} in line ${line}. Mend it first; nothing was changed.`,
    );
  }
  if (tree?.type !== "object") fail("invalid", `${file} holds no JSON object. Nothing was changed.`);
  return tree;
}
