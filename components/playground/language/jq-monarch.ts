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

/** Each bracket pushes rules of its own: a string goes on behind an interpolation, and a name between braces is a key. */
export const JQ_LANGUAGE: languages.IMonarchLanguage = {
  tokenPostfix: ".jq",
  defaultToken: "invalid",
  keywords: KEYWORDS,
  tokenizer: {
    root: [{ include: "@code" }, { include: "@stray" }],
    code: [
      [/\s+/, ""],
      [/#.*$/, "comment"],
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
      [/\(/, "bracket", "@round"],
      [/\[/, "bracket", "@square"],
      [/\{/, "bracket", "@key"],
      [/\?\/\/|[|,;:?=!<>+\-*/%$]/, "operator"],
    ],
    // What closes nothing: the program is not finished, or not right.
    stray: [[/[)\]}]/, "bracket"]],
    round: [[/\)/, "bracket", "@pop"], { include: "@code" }, { include: "@stray" }],
    square: [[/\]/, "bracket", "@pop"], { include: "@code" }, { include: "@stray" }],
    key: [
      [/\}/, "bracket", "@pop"],
      [/[A-Za-z_][A-Za-z0-9_]*/, "path"],
      [/:/, { token: "operator", switchTo: "@value" }],
      { include: "@code" },
      { include: "@stray" },
    ],
    value: [
      [/\}/, "bracket", "@pop"],
      [/,/, { token: "operator", switchTo: "@key" }],
      { include: "@code" },
      { include: "@stray" },
    ],
    string: [
      [/[^\\"]+/, "string"],
      [/\\\(/, "string.escape", "@interpolation"],
      [/\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/, "string.escape"],
      [/\\./, "invalid"],
      [/"/, "string", "@pop"],
    ],
    interpolation: [[/\)/, "string.escape", "@pop"], { include: "@code" }, { include: "@stray" }],
  },
};
