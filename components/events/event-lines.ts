// Text of a tool output as lines: the line that says what went wrong, and how much of it a folded row shows.

/** What Codex writes before a command's output; its exit code and time stand in the head of the block. */
const EXEC_HEADER =
  /^(?:Chunk ID: .*\n)?(?:Exit code: .*\n)?Wall time: .*\n(?:Process (?:exited|running).*\n)?(?:Original token count: .*\n)?(?:Output:\n)?/u;

export const withoutExecHeader = (text: string): string => text.replace(EXEC_HEADER, "");

const TROUBLE =
  /\b(?:error|errors|fail|failed|failure|fatal|panic|exception|traceback|denied|not found|cannot|could not)\b/iu;

/** The line that says what went wrong, or −1. Looks at the first 400 lines. */
function troubleLine(lines: readonly string[]): number {
  const at = lines.slice(0, 400).findIndex((line) => TROUBLE.test(line.slice(0, 400)));
  return at;
}

export type Head = { readonly lines: readonly string[]; readonly first: string | null; readonly total: number };

/** The head of an output: `count` lines, with the line of trouble before them when it is an error. */
export function headOf(text: string, count: number, isError: boolean): Head {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = body === "" ? [] : body.split("\n");
  const at = isError ? troubleLine(lines) : -1;
  if (at < 0) return { lines: lines.slice(0, count), first: null, total: lines.length };
  const rest = lines.filter((_, i) => i !== at);
  return { lines: rest.slice(0, count - 1), first: lines[at] ?? null, total: lines.length };
}

/** Languages that a file name stands for; what is not here is shown plain. */
const BY_EXTENSION: Record<string, string> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "jsx",
  go: "go",
  rs: "rust",
  py: "python",
  rb: "ruby",
  java: "java",
  kt: "kotlin",
  swift: "swift",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  php: "php",
  sh: "bash",
  bash: "bash",
  zsh: "bash",
  json: "json",
  jsonl: "jsonl",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  md: "markdown",
  mdx: "markdown",
  html: "html",
  xml: "xml",
  svg: "xml",
  css: "css",
  scss: "scss",
  sql: "sql",
  lua: "lua",
  zig: "zig",
  dart: "dart",
  vue: "vue",
  svelte: "svelte",
  diff: "diff",
  patch: "diff",
  proto: "proto",
  graphql: "graphql",
  tf: "terraform",
  dockerfile: "docker",
  makefile: "make",
  ini: "ini",
  ps1: "powershell",
  ex: "elixir",
  erl: "erlang",
  hs: "haskell",
  ml: "ocaml",
  scala: "scala",
  clj: "clojure",
  r: "r",
};

export function languageOf(path: string): string | null {
  const name = (path.split(/[\\/]/u).at(-1) ?? "").toLowerCase();
  const extension = name.includes(".") ? (name.split(".").at(-1) ?? "") : name;
  return BY_EXTENSION[extension] ?? null;
}

/** A language that an output shows by its first characters: JSON or a difference. Null for any other text. */
export function languageOfText(text: string): string | null {
  const start = text.slice(0, 400);
  if (/^(?:diff --git |Index: \S|--- [^\n]+\n\+\+\+ )/u.test(start)) return "diff";
  return /^\s*(?:\{\s*"|\[\s*[[{"\d])/u.test(start) ? "json" : null;
}

const BY_TYPE: Record<string, string> = {
  "application/json": "json",
  "application/x-ndjson": "jsonl",
  "text/html": "html",
  "image/svg+xml": "xml",
  "text/xml": "xml",
  "application/xml": "xml",
  "text/css": "css",
  "text/markdown": "markdown",
  "text/javascript": "javascript",
  "text/x-diff": "diff",
};

export const languageOfType = (contentType: string): string | null => BY_TYPE[contentType.split(";")[0] ?? ""] ?? null;
