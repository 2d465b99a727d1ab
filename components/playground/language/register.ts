"use client";
// jq in the editor: colours, completion, hovers, and the position of a failure. What a model's program works on is set beside it.
import type { CancellationToken, editor, IMarkdownString, IRange, languages } from "monaco-editor/editor";
import type { JqRunEnd, ProbeAnswer } from "#lib/wire/playground-schema.ts";
import type { ShapeNode } from "#lib/wire/shape-schema.ts";
import { cursorAt, termAt, type PlainPath } from "#lib/kernel/jq/cursor.ts";
import { jqString } from "#lib/kernel/shape-tree/shape-path.ts";
import { signatureOf, type JqFunction } from "#lib/kernel/jq/functions.ts";
import type { Monaco } from "../../shared/monaco.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { keyWords, typeWords } from "../../shape/shape-words.ts";
import { JQ_CONFIGURATION, JQ_LANGUAGE } from "./jq-monarch.ts";
import { candidatesInShape, type Candidates } from "./shape-candidates.ts";
import { functionsAt, suggestionsAt, type Suggestion } from "./suggest.ts";

type Failure = NonNullable<JqRunEnd["failure"]>;
type Model = editor.ITextModel;

/** What the editor knows beside the program. */
export type Known = {
  /** Of the first input. */
  readonly shape: { readonly nodes: readonly ShapeNode[] } | null;
  /** Names of --arg and --argjson, without the sign. */
  readonly args: readonly string[];
  readonly slurp: boolean;
  readonly nullInput: boolean;
  /** Asks jq what reaches the probe of a program; null when it cannot be asked. */
  readonly ask: (probe: string, isStopped: () => boolean) => Promise<ProbeAnswer | null>;
};

const NOTHING: Known = { shape: null, args: [], slurp: false, nullInput: false, ask: async () => null };
const known = new WeakMap<Model, Known>();
const registered = new WeakSet<object>();

/** Says of a model what its program works on. */
export function setKnown(model: Model, next: Known): void {
  known.set(model, next);
}

/** By jq's own word, or else by the shape. */
async function candidatesAt(
  model: Model,
  { probe, path }: { readonly probe: string; readonly path: PlainPath },
  token: CancellationToken,
): Promise<Candidates | null> {
  const { ask, shape, ...options } = known.get(model) ?? NOTHING;
  const result = await ask(probe, () => token.isCancellationRequested);
  if (result !== null && result.nodes.length > 0) return { ...result, at: [0] };
  return candidatesInShape(shape?.nodes ?? [], path, options);
}

export function registerJq(monaco: Monaco): void {
  const { languages: all } = monaco;
  if (registered.has(all)) return;
  registered.add(all);
  all.register({ id: "jq", extensions: [".jq"], aliases: ["jq"] });
  all.setLanguageConfiguration("jq", JQ_CONFIGURATION);
  all.setMonarchTokensProvider("jq", JQ_LANGUAGE);
  all.registerCompletionItemProvider("jq", {
    // A bracket begins what a call works on, a space after a pipe what goes on from there.
    triggerCharacters: [".", "$", "@", "(", "{"],
    async provideCompletionItems(model, position, _, token) {
      const offset = model.getOffsetAt(position);
      const cursor = cursorAt(model.getValue(), offset);
      if (cursor === null) return { suggestions: [] };
      const { probe } = cursor;
      const candidates = probe === null ? null : await candidatesAt(model, { ...cursor, probe }, token);
      if (token.isCancellationRequested) return { suggestions: [] };
      const typed = model.getValue().slice(cursor.from, offset);
      const { args } = known.get(model) ?? NOTHING;
      const found = suggestionsAt({ cursor, typed, candidates, args });
      const suggestions = found.map((one, at) => itemOf(one, at, model, position, all));
      // Asked again with each letter: what to do where a key is missing is told of the last few alone.
      return { suggestions, incomplete: true };
    },
  });
  all.registerHoverProvider("jq", {
    async provideHover(model, position, token) {
      const text = model.getValue();
      const offset = model.getOffsetAt(position);
      const term = termAt(text, offset);
      const named = term === null ? functionsAt(text, offset) : null;
      if (named !== null)
        return {
          range: rangeOf(model, named.start, named.end),
          contents: named.about.map((one) => functionDoc(one, true)),
        };
      const candidates = term === null ? null : await candidatesAt(model, term, token);
      if (candidates === null || candidates.at.length !== 1 || token.isCancellationRequested) return null;
      const { start, end } = term!;
      const contents = [nodeDoc(text.slice(start, end), candidates.nodes[candidates.at[0]!]!, candidates.isAll)];
      return { range: rangeOf(model, start, end), contents };
    },
  });
}

/** Marks the position that jq named; null takes the mark away. */
export function markFailure(monaco: Monaco, model: Model, failure: Failure | null): void {
  monaco.editor.setModelMarkers(model, "jq", failure === null ? [] : [markerOf(monaco, model, failure)].flat());
}

function markerOf(monaco: Monaco, model: Model, { line, column, message }: Failure): editor.IMarkerData[] {
  if (line === null) return [];
  const startLineNumber = Math.min(Math.max(1, line), model.getLineCount());
  const most = model.getLineMaxColumn(startLineNumber);
  const at = Math.min(Math.max(1, column ?? 1), most);
  const word = model.getWordAtPosition({ lineNumber: startLineNumber, column: at });
  // At the end of a line nothing stands there: the mark is under what came last.
  const startColumn = word?.startColumn ?? (at === most ? Math.max(1, at - 1) : at);
  const endColumn = word?.endColumn ?? Math.max(startColumn + 1, at + 1);
  return [
    {
      severity: monaco.MarkerSeverity.Error,
      message: shownText(message),
      startLineNumber,
      startColumn: column === null ? 1 : startColumn,
      endLineNumber: startLineNumber,
      endColumn: column === null ? most : Math.min(most, endColumn),
    },
  ];
}

function itemOf(
  one: Suggestion,
  at: number,
  model: Model,
  position: { readonly lineNumber: number; readonly column: number },
  { CompletionItemKind, CompletionItemInsertTextRule }: typeof languages,
): languages.CompletionItem {
  const kinds = {
    path: CompletionItemKind.Field,
    function: CompletionItemKind.Function,
    variable: CompletionItemKind.Variable,
    keyword: CompletionItemKind.Keyword,
    format: CompletionItemKind.Value,
  };
  const start = model.getPositionAt(one.from);
  const { about } = one;
  return {
    label: { label: shownText(one.label), description: one.detail },
    kind: kinds[one.kind],
    insertText: one.insert,
    filterText: one.filter,
    // In the order of the data, not of the alphabet.
    sortText: `${ORDER[one.kind]}${String(at).padStart(5, "0")}`,
    range: {
      startLineNumber: start.lineNumber,
      startColumn: start.column,
      endLineNumber: position.lineNumber,
      endColumn: position.column,
    },
    ...(one.isSnippet && { insertTextRules: CompletionItemInsertTextRule.InsertAsSnippet }),
    ...(about !== null && {
      documentation: "path" in about ? nodeDoc(about.path, about, true) : functionDoc(about, false),
    }),
  };
}

const ORDER = { path: "0", variable: "1", function: "2", format: "2", keyword: "3" } as const;

function rangeOf(model: Model, from: number, to: number): IRange {
  const start = model.getPositionAt(from);
  const end = model.getPositionAt(to);
  return {
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column,
  };
}

function functionDoc(about: JqFunction, isWhole: boolean): IMarkdownString {
  const { program, input, output } = about.example;
  const example = input === "null" ? `${program}\n# gives ${output}` : `${program}\n# of ${input}\n# gives ${output}`;
  const head = isWhole ? `\`${signatureOf(about)}\`\n\n` : "";
  return { value: `${head}${about.says}\n\n${fenced(example)}` };
}

/** What strangers wrote, with what would not show named, stands in a fence that it cannot close, where nothing is read as markup. */
function nodeDoc(title: string, node: ShapeNode, isAll: boolean): IMarkdownString {
  const shown = node.values.length > 0 ? node.values : node.examples;
  const values = shown.slice(0, 5).map(({ text, type, isCut }) => {
    const literal = type === "string" ? jqString(text) : text;
    return isCut ? `${literal} …` : literal;
  });
  const lines = [title, `# ${typeWords(node)}`, `# ${keyWords(node, isAll)}`];
  if (node.least !== null && node.least !== node.most) lines.push(`# numbers from ${node.least} to ${node.most}`);
  if (values.length > 0) lines.push(`# such as ${values.join(", ")}`);
  return { value: fenced(shownText(lines.join("\n"))) };
}

function fenced(text: string): string {
  const ticks = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${ticks}jq\n${text}\n${ticks}`;
}
