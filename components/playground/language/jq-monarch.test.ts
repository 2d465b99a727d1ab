// The colours of programs, by the editor's own tokenizer.
import { expect, test } from "vitest";
import { JQ_LANGUAGE } from "./jq-monarch.ts";

type Tokenizer = {
  getInitialState(): unknown;
  tokenize(
    line: string,
    hasEOL: boolean,
    state: unknown,
  ): { tokens: { offset: number; type: string }[]; endState: unknown };
};
// In variables: these inner parts of the editor have no types.
const INNER = "monaco-editor/editor/standalone/common/monarch";
const { compile } = (await import(`${INNER}/monarchCompile.js`)) as { compile(id: string, language: unknown): unknown };
const { MonarchTokenizer } = (await import(`${INNER}/monarchLexer.js`)) as {
  MonarchTokenizer: new (...parts: unknown[]) => Tokenizer;
};

const languages = { languageIdCodec: { encodeLanguageId: () => 1 }, isRegisteredLanguageId: () => false };
const settings = { getValue: () => 20_000, onDidChangeConfiguration: () => ({ dispose: () => undefined }) };

function coloured(program: string): string {
  const tokenizer = new MonarchTokenizer(languages, {}, "jq", compile("jq", JQ_LANGUAGE), settings);
  let state = tokenizer.getInitialState();
  const words: string[] = [];
  for (const line of program.split("\n")) {
    const { tokens, endState } = tokenizer.tokenize(line, true, state);
    state = endState;
    for (const [at, { type, offset }] of tokens.entries()) {
      const text = line.slice(offset, tokens[at + 1]?.offset);
      if (text.trim() !== "" && type !== "operator.jq" && type !== "bracket.jq")
        words.push(`${type.slice(0, -3)} ${text}`);
    }
  }
  return words.join(", ");
}

test.each([
  ["# why\n.a | length", "comment # why, path .a, function length"],
  [
    "{at, deep: (.m | round), n: length, if: 1}",
    "path at, path deep, path .m, function round, path n, function length, path if, number 1",
  ],
  ["{a: {b}, c: [d, e]} | f", "path a, path b, path c, function d, function e, function f"],
  [
    '"on \\(.a | {b, c: (d)}) !" | e',
    'string "on , string.escape \\(, path .a, path b, path c, function d, string.escape ), string  !", function e',
  ],
  [
    '"a\\t\\x" | .["b c"]? // 1.5e3',
    'string "a, string.escape \\t, invalid \\x, string ", path ., string "b c", number 1.5e3',
  ],
  [
    "if true then @csv else $x::y end",
    "keyword if, keyword true, keyword then, format @csv, keyword else, variable $x::y, keyword end",
  ],
  ['"over\n  lines" | sort', 'string "over, string   lines", function sort'],
  [") ] } | add", "function add"],
])("%s", (program, colours) => expect(coloured(program)).toBe(colours));
