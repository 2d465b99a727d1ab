// The colours of jq, as the editor's tokenizer takes them. The names of tokens are those of the page's theme.
import type { languages } from "monaco-editor/editor";

export const JQ_CONFIGURATION: languages.LanguageConfiguration = {
  comments: { lineComment: "#" },
  brackets: [
    ["(", ")"],
    ["[", "]"],
    ["{", "}"],
  ],
  autoClosingPairs: [
    { open: "(", close: ")" },
    { open: "[", close: "]" },
    { open: "{", close: "}" },
    { open: '"', close: '"', notIn: ["string", "comment"] },
  ],
  surroundingPairs: [
    { open: "(", close: ")" },
    { open: "[", close: "]" },
    { open: "{", close: "}" },
    { open: '"', close: '"' },
  ],
  wordPattern: /[A-Za-z_][A-Za-z0-9_]*/,
};

const KEYWORDS = [
  "__loc__",
  "and",
  "as",
  "break",
  "catch",
  "def",
  "elif",
  "else",
  "end",
  "false",
  "foreach",
  "if",
  "import",
  "include",
  "label",
  "null",
  "or",
  "reduce",
  "then",
  "true",
  "try",
];

/** A string goes on behind an interpolation, so the brackets inside one are counted: each pushes the rules once more. */
export const JQ_LANGUAGE: languages.IMonarchLanguage = {
  tokenPostfix: ".jq",
  defaultToken: "invalid",
  keywords: KEYWORDS,
  tokenizer: {
    root: [{ include: "@code" }, [/[)\]}]/, "bracket"]],
    code: [
      [/\s+/, ""],
      [/#.*$/, "comment"],
      // The key of an object is a name, whatever functions are called.
      [/[A-Za-z_][A-Za-z0-9_]*(?=\s*:(?!:))/, "path"],
      [/\.[A-Za-z_][A-Za-z0-9_]*/, "path"],
      [/\.\./, "operator"],
      [/(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/, "number"],
      [/\./, "path"],
      [/\$(?:__loc__|[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*)/, "variable"],
      [/@[A-Za-z0-9]+/, "format"],
      [
        /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*/,
        { cases: { "@keywords": "keyword", "@default": "function" } },
      ],
      [/"/, "string", "@string"],
      [/[([{]/, "bracket"],
      [/\?\/\/|[|,;:?=!<>+\-*/%$]+/, "operator"],
    ],
    string: [
      [/[^\\"]+/, "string"],
      [/\\\(/, "string.escape", "@interpolation"],
      [/\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/, "string.escape"],
      [/\\./, "invalid"],
      [/"/, "string", "@pop"],
    ],
    interpolation: [
      [/\(/, "bracket", "@nested"],
      [/\)/, "string.escape", "@pop"],
      { include: "@code" },
      [/[\]}]/, "bracket"],
    ],
    nested: [[/\(/, "bracket", "@nested"], [/\)/, "bracket", "@pop"], { include: "@code" }, [/[\]}]/, "bracket"]],
  },
};
