// The position in a program where somebody types, and the program that asks jq what comes there: the text up to the cursor,
// `_probe` in the place of the word that is being typed, and what closes the rest.
import { lex, type Token, type TokenKind } from "./lexer.ts";
import { pathOf } from "../shape-tree/shape-path.ts";
import { OpenBrackets } from "./open-brackets.ts";

export type JqCursor = {
  /** The word that is being typed, from here to the cursor; its kind, or null between two words. */
  readonly from: number;
  readonly typing: "field" | "dot" | "name" | "variable" | "format" | null;
  /** `step`: goes on from a term. `start`: a new term. `key`: of an object. `after`: a whole term stands before. */
  readonly position: "start" | "step" | "key" | "after";
  /** Null where nothing is to be asked. */
  readonly probe: string | null;
  /** For inputs that are too large for a probe. */
  readonly path: PlainPath;
  readonly variables: readonly string[];
  readonly functions: readonly string[];
};

/** The path that a program goes along before anything else, as a shape has it; `isWhole` when it does nothing else. */
export type PlainPath = { readonly path: string; readonly isWhole: boolean };

const TYPED: ReadonlySet<TokenKind> = new Set(["field", "dot", "name", "variable", "format"]);

/** Null inside a string and a comment. */
export function cursorAt(text: string, offset: number): JqCursor | null {
  const { tokens, endsIn } = lex(text.slice(0, offset));
  if (endsIn !== "code") return null;
  const last = tokens.at(-1);
  const word = last !== undefined && last.end === offset && TYPED.has(last.kind) ? last : null;
  const before = word === null ? tokens : tokens.slice(0, -1);
  const open = new OpenBrackets();
  open.take(before);
  const from = word?.start ?? offset;
  const typing = (word?.kind ?? null) as JqCursor["typing"];
  const position = positionOf(open, typing);
  const rest = text.slice(offset).replace(/^\w+/, "");
  const hasProbe = position === "key" || (position !== "after" && (typing === null || isPath(typing)));
  return {
    from,
    typing,
    position,
    variables: [...open.variables],
    functions: [...open.functions.keys()],
    path: plainPath(before),
    probe: hasProbe ? probeOf(text.slice(0, from), position === "step" ? open.top.term : null, open, rest) : null,
  };
}

/** The term that ends behind the key at an offset, for a hover; null where there is none. */
export function termAt(
  text: string,
  offset: number,
): { start: number; end: number; probe: string; path: PlainPath } | null {
  const { tokens } = lex(text);
  const at = tokens.findIndex(({ kind, start, end }) => kind === "field" && start <= offset && offset <= end);
  if (at < 0) return null;
  const { start, end } = tokens[at]!;
  const before = tokens.slice(0, at + 1);
  const open = new OpenBrackets();
  open.take(before);
  const probe = probeOf(text.slice(0, end), open.top.term ?? start, open, text.slice(end));
  return { start, end, probe, path: plainPath(before) };
}

const isPath = (typing: JqCursor["typing"]): boolean => typing === "field" || typing === "dot";

function positionOf({ top }: OpenBrackets, typing: JqCursor["typing"]): JqCursor["position"] {
  if (top.pattern !== null) return "after";
  if (top.term !== null) return isPath(typing) ? "step" : "after";
  return top.isKey ? "key" : "start";
}

/** `text`, with the probe behind its end: of what goes on from the term at `term`, or of the input. */
function probeOf(text: string, term: number | null, open: OpenBrackets, rest: string): string {
  const request =
    term === null
      ? `${text}${open.top.isKey ? `(_probe)` : ` _probe`}`
      : `${text.slice(0, term)}(${text.slice(term)}|_probe)`;
  const closing = open.closing();
  const definition = open.frames.findIndex(({ opener }) => opener === "def");
  if (definition === -1) return request + closing;
  const inner = open.closing(definition + 1);
  const called = calledIn(open, definition, rest);
  return request + (called === null ? closing : `${inner}; ${called}`);
}

/** The definition at the cursor is called by what follows it. Null where nothing does. */
function calledIn(open: OpenBrackets, definition: number, rest: string): string | null {
  const { tokens } = lex(rest);
  const next = open.take(tokens, 0, () => open.frames.length > definition);
  if (open.frames.length > definition) return null;
  const called = rest.slice(tokens[next - 1]!.end);
  return called.trim() === "" ? null : called;
}

function plainPath(tokens: readonly Token[]): PlainPath {
  let path = "";
  let certain = "";
  for (let i = 0; i < tokens.length; i++) {
    const [{ kind, text }, next, after] = [tokens[i]!, tokens[i + 1], tokens[i + 2]];
    const isIndex = text === "[" && i > 0 && tokens[i - 1]!.text !== "|";
    if (kind === "field") path += text;
    else if (kind === "dot" && next?.kind === "string") path = pathOf(path, "key", tokens[++i]!.text, true);
    else if (isIndex && next?.text === "]") [path, i] = [`${path}[]`, i + 1];
    else if (isIndex && after?.text === "]" && next?.kind === "number") [path, i] = [`${path}[]`, i + 2];
    else if (isIndex && after?.text === "]" && next?.kind === "string")
      [path, i] = [pathOf(path, "key", next.text, true), i + 2];
    else if (text === "|") certain = path;
    else if (kind !== "dot" && text !== "?") return { path: certain, isWhole: false };
  }
  return { path, isWhole: true };
}
