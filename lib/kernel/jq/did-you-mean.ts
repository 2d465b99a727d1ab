// What somebody new to jq most likely meant, from jq's own message. Each is a whole program; whoever offers one runs it
// first, so that a guess that fails too is never offered.
import { editDistance } from "../edit-distance.ts";
import { lex, type Token } from "./lexer.ts";
import { pipeStages } from "./pipe-stages.ts";

type Failed = { readonly kind: string; readonly message: string };

/** `keys`: those that the input has anywhere. The likeliest program first. */
export function meantPrograms(program: string, failure: Failed, keys: readonly string[]): string[] {
  const found =
    failure.kind === "compile"
      ? [...unquoted(program), ...operators(program), ...named(program, failure.message)]
      : failure.kind === "runtime"
        ? [...indexed(program, failure.message), ...misspelt(program, failure.message, keys)]
        : [];
  return [...new Set(found)].filter((one) => one !== program);
}

type Edit = { readonly start: number; readonly end: number; readonly text: string };

function edited(program: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), program);
}

/** Quotes of a shell: around the whole program, or in place of double ones. */
function unquoted(program: string): string[] {
  const bare = program.trim().replace(/^jq\s+(?:-\w+\s+)*/u, "");
  const inner = /^'([^']*)'$/u.exec(bare)?.[1];
  if (inner !== undefined) return [inner];
  const doubled = bare.replaceAll(/'([^'"]*)'/gu, (_, text: string) => JSON.stringify(text));
  return doubled === program ? [] : [doubled];
}

const OTHER_SIGNS: readonly (readonly [string, string])[] = [
  ["&&", " and "],
  ["||", " or "],
  ["===", "=="],
];

/** Operators of other languages. */
function operators(program: string): string[] {
  const { tokens } = lex(program);
  const isText = (at: number): boolean =>
    tokens.some(({ kind, start, end }) => kind.includes("string") && start <= at && at < end);
  const edits = OTHER_SIGNS.flatMap(([wrong, text]) =>
    [...program.matchAll(new RegExp(wrong.replaceAll("|", "\\|"), "gu"))]
      .filter(({ index }) => !isText(index))
      .map(({ index }) => ({ start: index, end: index + wrong.length, text })),
  );
  return edits.length === 0 ? [] : [edited(program, edits).replaceAll(/ {2,}/gu, " ")];
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  filter: "select",
  where: "select",
  count: "length",
  len: "length",
  size: "length",
};

/** A key without its dot, or a function by the name that another language has for it. */
function named(program: string, message: string): string[] {
  const unknown = new Set([...message.matchAll(/([A-Za-z_]\w*)\/\d+ is not defined/gu)].map(([, name]) => name));
  const tokens = lex(program).tokens.filter(({ kind, text }) => kind === "name" && unknown.has(text));
  if (tokens.length === 0) return [];
  const asKeys = edited(
    program,
    tokens.map(({ start, end, text }) => ({ start, end, text: `.${text}` })),
  );
  const asFunctions = edited(
    program,
    tokens.map(({ start, end, text }) => ({ start, end, text: OTHER_NAMES[text] ?? `.${text}` })),
  );
  const selected = /^select\s*\(/u.test(asFunctions) ? [`map(${asFunctions})`] : [];
  return [...selected, asFunctions, asKeys];
}

const INDEXED = /Cannot index (array|string|number|boolean) with (?:string )?\(?"((?:[^"\\]|\\.)*)"/u;

/** A key of an array: of each of its values. A key of a value where its object was meant: without the `[]`. */
function indexed(program: string, message: string): string[] {
  const [, type, key] = INDEXED.exec(message) ?? [];
  if (type === undefined) return [];
  const { tokens } = lex(program);
  const at = [...tokens.keys()].filter((one) => tokens[one]!.kind === "field" && tokens[one]!.text === `.${key}`);
  if (type !== "array") return at.flatMap((one) => withoutBrackets(program, tokens, one));
  const dotted = /^\s*\[\]/u.test(program) ? [`.${program.trim()}`] : [];
  return [...dotted, ...mapped(program, tokens, at), ...at.map((one) => entered(program, tokens, one))];
}

/** A stage that selects of a whole array: `map(select(…))`. */
function mapped(program: string, tokens: readonly Token[], at: readonly number[]): string[] {
  let from = 0;
  return pipeStages(program).flatMap(({ text, program: upTo }) => {
    const start = program.indexOf(text, from);
    const end = upTo.length;
    from = end;
    const isMeant =
      /^select\s*\(/u.test(text) && at.some((one) => tokens[one]!.start >= start && tokens[one]!.end <= end);
    return isMeant ? [edited(program, [{ start, end: start + text.length, text: `map(${text})` }])] : [];
  });
}

function entered(program: string, tokens: readonly Token[], at: number): string {
  const { start } = tokens[at]!;
  const before = tokens[at - 1];
  const goesOn = before?.end === start && ["field", "string"].includes(before.kind);
  const isClosed = before?.end === start && ["]", ")", "?"].includes(before.text);
  return edited(program, [{ start, end: start, text: goesOn || isClosed ? "[]" : ".[]" }]);
}

function withoutBrackets(program: string, tokens: readonly Token[], at: number): string[] {
  const [open, close] = [tokens[at - 2], tokens[at - 1]];
  if (open?.text !== "[" || close?.text !== "]") return [];
  const before = tokens[at - 3];
  // `.[].key` keeps no dot of its own.
  const start = before?.kind === "dot" && before.end === open.start ? before.start : open.start;
  return [edited(program, [{ start, end: close.end, text: "" }])];
}

/** Letters by which a key may differ. */
const DISTANCE = 2;

/** `.itens[]` is null and cannot be entered: the key that is there. */
function misspelt(program: string, message: string, keys: readonly string[]): string[] {
  if (!/Cannot (?:iterate over|index) null|null \(null\)/u.test(message)) return [];
  return lex(program)
    .tokens.filter(({ kind, text }) => kind === "field" && !keys.includes(text.slice(1)))
    .flatMap(({ start, end, text }) =>
      keys
        .filter((key) => /^[A-Za-z_]\w*$/u.test(key) && editDistance(key, text.slice(1), DISTANCE) <= DISTANCE)
        .map((key) => edited(program, [{ start, end, text: `.${key}` }])),
    );
}
