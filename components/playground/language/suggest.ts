// What may stand at the cursor of a jq program: keys of the data, functions, variables, keywords. Pure: the editor shows it.
import type { ShapeAnswer, ShapeNode } from "#lib/wire/shape.ts";
import { jqString, keyStep } from "#lib/kernel/shape-tree/path.ts";
import { isOptional, keyWords } from "../../shape/shape-words.ts";
import { Evaluation } from "./evaluate.ts";
import {
  FORMATS,
  functionNamed,
  JQ_FUNCTIONS,
  KEYWORDS,
  VARIABLES,
  type JqFunction,
} from "#lib/kernel/jq/functions.ts";
import { lex, type Token } from "./lexer.ts";
import { arrayOf, SCALAR, Shaped, type KeyView, type Views } from "./views.ts";

/** What the editor knows beside the program. */
export type Known = {
  readonly shape: Pick<ShapeAnswer, "nodes"> | null;
  /** Names of --arg and --argjson, without the sign. */
  readonly args?: readonly string[];
  readonly slurp?: boolean;
  readonly nullInput?: boolean;
};

export type Suggestion = {
  readonly kind: "path" | "function" | "variable" | "keyword" | "format";
  readonly label: string;
  /** What it says at the right, on one line. */
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

/** A document with more keys at one place is a map; some places have up to 200. */
const MOST_KEYS = 200;
/** So few matches leave room for what to do where a key is missing. */
const FEW = 3;

type Place = { readonly shaped: Shaped; readonly known: Known; readonly typed: string; readonly from: number };

export function suggestionsAt(program: string, offset: number, known: Known): readonly Suggestion[] {
  const { tokens, endsIn } = lex(program.slice(0, offset));
  if (endsIn !== "code") return [];
  const last = tokens.at(-1);
  // The word that is being typed is no part of what stands before it.
  const isTyping = last !== undefined && last.end === offset && TYPED.has(last.kind);
  const before = isTyping ? tokens.slice(0, -1) : tokens;
  const { shaped, input } = inputOf(known);
  const end = new Evaluation(shaped, input).run(before);
  const place = { shaped, known, typed: isTyping ? last.text : "", from: isTyping ? last.start : offset };
  if (isTyping && (last.kind === "field" || last.kind === "dot")) {
    const isPostfix = end.term !== undefined && isTouching(before, last);
    return pathsIn(place, isPostfix ? end.term! : end.input, isPostfix);
  }
  const variables = [...end.variables, ...(known.args ?? []).map((name) => `$${name}`)];
  if (isTyping && last.kind === "variable") return variablesIn(place, variables);
  if (isTyping && last.kind === "format") return formatsIn(place);
  if (end.term !== undefined && !end.isKey) return isTyping ? between(place) : [];
  if (end.isKey) return [...keysIn(place, end.input), ...variablesIn(place, variables)];
  return [
    ...(isTyping ? [] : pathsIn(place, end.input, false)),
    ...functionsIn(place, end.functions),
    ...(isTyping ? [] : variablesIn(place, variables)),
  ];
}

const TYPED: ReadonlySet<Token["kind"]> = new Set(["field", "dot", "name", "variable", "format"]);

/** The place that a path names at an offset inside it, for a hover. */
export function placeAt(
  program: string,
  offset: number,
  known: Known,
): { node: ShapeNode; start: number; end: number } | null {
  const { tokens } = lex(program);
  const at = tokens.findIndex(({ kind, start, end }) => kind === "field" && start <= offset && offset <= end);
  if (at < 0) return null;
  const { shaped, input } = inputOf(known);
  const end = new Evaluation(shaped, input).run(tokens.slice(0, at));
  const token = tokens[at]!;
  const isPostfix = end.term !== undefined && isTouching(tokens.slice(0, at), token);
  const [view] = shaped.key(isPostfix ? end.term! : end.input, token.text.slice(1)) ?? [];
  return view?.kind === "place" ? { node: shaped.nodes[view.at]!, start: token.start, end: token.end } : null;
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

function inputOf({ shape, slurp = false, nullInput = false }: Known): { shaped: Shaped; input: Views } {
  const shaped = new Shaped(shape ?? { nodes: [] });
  if (nullInput) return { shaped, input: SCALAR };
  return { shaped, input: slurp ? arrayOf(shaped.root) : shaped.root };
}

const isTouching = (before: readonly Token[], { start }: Token): boolean => before.at(-1)?.end === start;

/** Keys behind a dot. Where nothing is known of the place, all keys of the data. */
function pathsIn(place: Place, views: Views, isPostfix: boolean): Suggestion[] {
  const { shaped, typed } = place;
  const isKnown = views !== null;
  const keys = isKnown ? shaped.keys(views) : everyKey(shaped);
  const paths = keys.slice(0, MOST_KEYS).map((key) => path(place, key, `.${keyStep(key.key)}`));
  if (!isKnown || !shaped.hasElements(views)) return withDefaults(paths, typed);
  const open = isPostfix ? "[]" : ".[]";
  const each = shaped.keys(shaped.each(views)).slice(0, MOST_KEYS);
  return withDefaults(
    [
      { ...path(place, { key: "", node: null }, open), label: open, detail: "each of its values", filter: ".[]" },
      ...paths,
      ...each.map((key) => {
        const step = keyStep(key.key);
        const text = `${open}${step.startsWith("[") ? step : `.${step}`}`;
        return { ...path(place, key, text), filter: `.[].${key.key}` };
      }),
    ],
    typed,
  );
}

function path({ from }: Place, { key, node }: KeyView, text: string): Suggestion {
  const detail = node === null ? "" : keyWords(node);
  return { kind: "path", label: text, detail, insert: text, filter: `.${key}`, from, isSnippet: false, about: node };
}

/** Of the few that still match, what to take where the key is missing. */
function withDefaults(paths: Suggestion[], typed: string): Suggestion[] {
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

function everyKey(shaped: Shaped): KeyView[] {
  const found = new Map<string, KeyView>();
  for (const node of shaped.nodes)
    if (node.step === "key" && !found.has(node.key)) found.set(node.key, { key: node.key, node });
  return [...found.values()];
}

/** Between braces a key alone takes the value of that name. */
function keysIn({ shaped, from }: Place, views: Views): Suggestion[] {
  return shaped
    .keys(views)
    .slice(0, MOST_KEYS)
    .map(({ key, node }) => {
      const text = /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : jqString(key);
      const detail = node === null ? "" : keyWords(node);
      return { kind: "path", label: text, detail, insert: text, filter: text, from, isSnippet: false, about: node };
    });
}

function functionsIn({ from }: Place, own: readonly string[]): Suggestion[] {
  const plain = { from, isSnippet: false, about: null };
  return [
    ...JQ_FUNCTIONS.map((one): Suggestion => {
      const { name, parameters, says } = one;
      const holes = parameters.map((parameter, at) => `\${${at + 1}:${parameter}}`).join("; ");
      const insert = parameters.length === 0 ? name : `${name}(${holes})`;
      const label = parameters.length === 0 ? name : `${name}(${parameters.join("; ")})`;
      return {
        kind: "function",
        label,
        detail: says,
        insert,
        filter: name,
        from,
        isSnippet: parameters.length > 0,
        about: one,
      };
    }),
    ...own.map((name): Suggestion => ({
      kind: "function",
      label: name,
      detail: "defined in this program",
      insert: name,
      filter: name,
      ...plain,
    })),
    ...KEYWORDS.map(({ name, says, snippet }): Suggestion => ({
      kind: "keyword",
      label: name,
      detail: says,
      insert: snippet ?? name,
      filter: name,
      from,
      isSnippet: snippet !== undefined,
      about: null,
    })),
  ];
}

/** Behind a whole term only words that go on from there can stand. */
function between({ from }: Place): Suggestion[] {
  return KEYWORDS.filter(({ isBetween }) => isBetween).map(({ name, says }) => ({
    kind: "keyword",
    label: name,
    detail: says,
    insert: name,
    filter: name,
    from,
    isSnippet: false,
    about: null,
  }));
}

function variablesIn({ from, known }: Place, names: readonly string[]): Suggestion[] {
  const given = new Set((known.args ?? []).map((name) => `$${name}`));
  const own = [...new Set(names)].map((name) => ({
    name,
    says: given.has(name) ? "given by --arg" : "bound in this program",
  }));
  return [...own, ...VARIABLES].map(({ name, says }) => ({
    kind: "variable",
    label: name,
    detail: says,
    insert: name,
    filter: name,
    from,
    isSnippet: false,
    about: null,
  }));
}

function formatsIn({ from }: Place): Suggestion[] {
  return FORMATS.map((one) => ({
    kind: "format",
    label: one.name,
    detail: one.says,
    insert: one.name,
    filter: one.name,
    from,
    isSnippet: false,
    about: one,
  }));
}
