// JSON laid out for reading, by its tokens: JSON.parse and stringify would round 2^53+1, turn 1e400 into null, -0 into 0
// and keep one of two equal keys. What is no JSON is not laid out, and the answer says where it stops being JSON. No
// recursion, for strangers nest as deep as they like. Pure.

/** Longer layouts are given up: every level indents, so 5 MB of brackets would take gigabytes (characters). */
const MOST_CHARS = 32 * 1024 * 1024;

export type Layout =
  | { readonly kind: "laid out"; readonly text: string; readonly values: number; readonly broken: number }
  | { readonly kind: "broken"; readonly line: number; readonly column: number }
  | { readonly kind: "too long" };

/** One value over as many lines as it has parts. */
export function layOutJson(source: string): Layout {
  const { text, at } = layOut(source, 0);
  if (text === null) return at < 0 ? { kind: "too long" } : { kind: "broken", ...placeOf(source, at) };
  return { kind: "laid out", text, values: 1, broken: 0 };
}

/** A value a line, shown as one list. Lines that are no JSON stand in it as they are, and are counted. */
export function layOutJsonLines(source: string): Layout {
  const lines = source.split("\n").filter((line) => line.trim() !== "");
  let text = "[";
  let broken = 0;
  for (const [i, line] of lines.entries()) {
    const value = layOut(line, 1);
    if (value.text === null) broken += 1;
    text += `\n  ${value.text ?? line.trim()}${i < lines.length - 1 && value.text !== null ? "," : ""}`;
    if (text.length > MOST_CHARS || (value.text === null && value.at < 0)) return { kind: "too long" };
  }
  return { kind: "laid out", text: `${text}\n]`, values: lines.length - broken, broken };
}

/** `text` is null when what stands at `at` has no place there; `at` is −1 when the layout got too long. */
function layOut(source: string, indent: number): { text: string | null; at: number } {
  const closers: string[] = [];
  let text = "";
  let at = afterSpace(source, 0);
  let expects: "value" | "value or end" | "key" | "key or end" | "comma" = "value";
  for (;;) {
    if (text.length > MOST_CHARS) return { text: null, at: -1 };
    const char = source[at] ?? "";
    const closer = closers.at(-1);
    if (expects === "comma" && closer === undefined) return at === source.length ? { text, at } : { text: null, at };
    if (char === closer && (expects === "comma" || expects.endsWith("or end"))) {
      closers.pop();
      text += expects === "comma" ? lineAt(indent + closers.length) + char : char;
      expects = "comma";
      at += 1;
    } else if (expects === "comma") {
      if (char !== ",") return { text: null, at };
      text += `,${lineAt(indent + closers.length)}`;
      expects = closer === "}" ? "key" : "value";
      at += 1;
    } else {
      if (expects.endsWith("or end")) text += lineAt(indent + closers.length);
      if (expects.startsWith("key")) {
        const end = char === '"' ? stringEnd(source, at) : at;
        if (end < 0 || end === at) return { text: null, at };
        const colon = afterSpace(source, end);
        if (source[colon] !== ":") return { text: null, at: colon };
        text += `${source.slice(at, end)}: `;
        at = afterSpace(source, colon + 1);
        expects = "value";
        continue;
      }
      if (char === "{" || char === "[") {
        closers.push(char === "{" ? "}" : "]");
        text += char;
        expects = char === "{" ? "key or end" : "value or end";
        at += 1;
      } else {
        const end = char === '"' ? stringEnd(source, at) : scalarEnd(source, at);
        if (end < 0) return { text: null, at };
        text += source.slice(at, end);
        expects = "comma";
        at = end;
      }
    }
    at = afterSpace(source, at);
  }
}

const lineEnds: string[] = [];

/** A line end and its indentation. */
function lineAt(depth: number): string {
  if (depth > 200) return `\n${"  ".repeat(depth)}`;
  return (lineEnds[depth] ??= `\n${"  ".repeat(depth)}`);
}

function afterSpace(source: string, from: number): number {
  let at = from;
  for (; ; at += 1) {
    const code = source.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
}

/** One past the closing quote; −1 when the string is no string. A loop, for a regular expression fills its stack. */
function stringEnd(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return -1;
    if (code !== 0x5c) continue;
    at += 1;
    const escaped = source[at] ?? "";
    if (escaped === "u" && /^[0-9A-Fa-f]{4}$/.test(source.slice(at + 1, at + 5))) at += 4;
    else if (escaped === "" || !'"\\/bfnrt'.includes(escaped)) return -1;
  }
  return -1;
}

const scalar = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)/y;

function scalarEnd(source: string, at: number): number {
  scalar.lastIndex = at;
  return scalar.test(source) ? scalar.lastIndex : -1;
}

function placeOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
