// What may stand at the cursor of a jq program: keys of the data, functions, variables, keywords. Pure: the editor shows it.
import type { JqCursor } from "#lib/kernel/jq/cursor.ts";
import {
  FORMATS,
  functionNamed,
  JQ_FUNCTIONS,
  KEYWORDS,
  VARIABLES,
  type JqFunction,
} from "#lib/kernel/jq/functions.ts";
import { lex } from "#lib/kernel/jq/lexer.ts";
import { jqString, keyStep } from "#lib/kernel/shape-tree/shape-path.ts";
import type { ShapeNode } from "#lib/wire/shape-schema.ts";
import { isOptional, keyWords } from "../../shape/shape-words.ts";
import { elementsOf, keysOf, type Candidates } from "./shape-candidates.ts";

export type Suggestion = {
  readonly kind: "path" | "function" | "variable" | "keyword" | "format";
  readonly label: string;
  /** At the right, on one line. */
  readonly detail: string;
  /** Put in place of the text from `from` to the cursor. */
  readonly insert: string;
  /** What is typed is compared with this. */
  readonly filter: string;
  readonly from: number;
  /** A function whose arguments are to be filled in: `insert` is a snippet. */
  readonly isSnippet: boolean;
  readonly about: JqFunction | ShapeNode | null;
};

/** So few matches leave room for what to do where a key is missing. */
const FEW = 3;

/** `args`: names of --arg and --argjson, without the sign. `typed`: the word up to the cursor. */
type SuggestInput = {
  readonly cursor: JqCursor;
  readonly typed: string;
  readonly candidates: Candidates | null;
  readonly args: readonly string[];
};

export function suggestionsAt(request: SuggestInput): readonly Suggestion[] {
  const { cursor } = request;
  const { typing, position } = cursor;
  if (typing === "variable") return variablesIn(request);
  if (typing === "format") return formatsIn(cursor);
  if (position === "after") return typing === "name" ? between(cursor) : [];
  if (typing === "field" || typing === "dot") return pathsIn(request);
  if (position === "key") return [...keysIn(request), ...variablesIn(request)];
  if (typing === "name") return functionsIn(cursor);
  return [...pathsIn(request), ...functionsIn(cursor), ...variablesIn(request)];
}

/** The functions that a name at an offset may mean. */
export function functionsAt(
  program: string,
  offset: number,
): { about: readonly JqFunction[]; start: number; end: number } | null {
  const token = lex(program).tokens.find(
    ({ kind, start, end }) =>
      (kind === "name" || kind === "format" || kind === "variable") && start <= offset && offset <= end,
  );
  const about = token === undefined ? [] : functionNamed(token.text);
  return about.length === 0 ? null : { about, start: token!.start, end: token!.end };
}

/** Keys behind a dot. */
function pathsIn(request: SuggestInput): Suggestion[] {
  const { candidates, cursor } = request;
  if (candidates === null) return [];
  const paths = keysOf(candidates, candidates.at).map((node) => path(request, node, `.${keyStep(node.key)}`));
  const elements = elementsOf(candidates);
  if (elements === null) return withDefaults(paths, request);
  const open = cursor.position === "step" ? "[]" : ".[]";
  const all: Suggestion = { ...plain(cursor, open, "each of its values"), kind: "path", filter: ".[]" };
  const each = keysOf(candidates, elements).map((node) => {
    const step = keyStep(node.key);
    const text = `${open}${step.startsWith("[") ? step : `.${step}`}`;
    return { ...path(request, node, text), filter: `.[].${node.key}` };
  });
  return withDefaults([all, ...paths, ...each], request);
}

const path = ({ cursor, candidates }: SuggestInput, about: ShapeNode, text: string): Suggestion => ({
  ...plain(cursor, text, keyWords(about, candidates!.isAll)),
  kind: "path",
  filter: `.${about.key}`,
  about,
});

/** Of the few that still match, what to take where the key is missing. */
function withDefaults(paths: Suggestion[], { typed }: SuggestInput): Suggestion[] {
  const wanted = typed.slice(1).toLowerCase();
  const matching = paths.filter(({ filter }) => filter.toLowerCase().includes(wanted));
  if (matching.length > FEW || wanted === "") return paths;
  return paths.flatMap((one) => {
    const node = one.about as ShapeNode | null;
    const fallback =
      node === null || !matching.includes(one) || !isOptional(node) ? undefined : DEFAULTS[node.types[0]!.type];
    if (fallback === undefined) return [one];
    const text = `${one.insert} // ${fallback}`;
    return [one, { ...one, label: text, insert: text, detail: `${fallback} where it is missing` }];
  });
}

const DEFAULTS: Readonly<Partial<Record<string, string>>> = {
  number: "0",
  string: '""',
  boolean: "false",
  array: "[]",
  object: "{}",
};

/** Between braces a key alone takes the value of that name. */
function keysIn({ candidates, cursor }: SuggestInput): Suggestion[] {
  return (candidates === null ? [] : keysOf(candidates, candidates.at)).map((node) => {
    const text = /^[A-Za-z_][A-Za-z0-9_]*$/.test(node.key) ? node.key : jqString(node.key);
    return { ...plain(cursor, text, keyWords(node, candidates!.isAll)), kind: "path", about: node };
  });
}

/** What is put there as it is written. */
const plain = ({ from }: JqCursor, name: string, detail: string): Omit<Suggestion, "kind"> => ({
  label: name,
  detail,
  insert: name,
  filter: name,
  from,
  isSnippet: false,
  about: null,
});

function functionsIn(cursor: JqCursor): Suggestion[] {
  return [
    ...JQ_FUNCTIONS.map((one): Suggestion => {
      const { name, parameters, says } = one;
      const holes = parameters.map((parameter, at) => `\${${at + 1}:${parameter}}`).join("; ");
      const isSnippet = parameters.length > 0;
      return {
        ...plain(cursor, name, says),
        kind: "function",
        label: isSnippet ? `${name}(${parameters.join("; ")})` : name,
        insert: isSnippet ? `${name}(${holes})` : name,
        isSnippet,
        about: one,
      };
    }),
    ...cursor.functions.map((name): Suggestion => ({
      ...plain(cursor, name, "defined in this program"),
      kind: "function",
    })),
    ...KEYWORDS.map(({ name, says, snippet }): Suggestion => ({
      ...plain(cursor, name, says),
      kind: "keyword",
      insert: snippet ?? name,
      isSnippet: snippet !== undefined,
    })),
  ];
}

/** Behind a whole term only words that go on from there can stand. */
const between = (cursor: JqCursor): Suggestion[] =>
  KEYWORDS.filter(({ isBetween }) => isBetween).map(({ name, says }) => ({
    ...plain(cursor, name, says),
    kind: "keyword",
  }));

function variablesIn({ cursor, args }: SuggestInput): Suggestion[] {
  const given = new Set(args.map((name) => `$${name}`));
  const own = [...new Set([...cursor.variables, ...given])].map((name) => ({
    name,
    says: given.has(name) ? "given by --arg" : "bound in this program",
  }));
  return [...own, ...VARIABLES].map(({ name, says }) => ({ ...plain(cursor, name, says), kind: "variable" }));
}

const formatsIn = (cursor: JqCursor): Suggestion[] =>
  FORMATS.map((one) => ({ ...plain(cursor, one.name, one.says), kind: "format", about: one }));
