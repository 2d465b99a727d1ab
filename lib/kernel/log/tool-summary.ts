// The input of a tool call in one line: the command, the pattern, the path, the first words. Transcript rows, the
// outline, culprits and lists show this one text. Known kinds of tools are read as their kind; of any other the field
// that says most is taken, else its plain fields by name.
import { commandIn, isFields, pathIn, type Fields } from "../load/call-input.ts";
import { jsonText } from "../json-text.ts";
import { kindOfTool, type ToolKind } from "./tool-kinds.ts";

const MOST_CHARS = 400;

type SummaryOptions = {
  /** Paths by their last two parts, where there is little room. */
  readonly shortPaths?: boolean;
};

/** At most 400 characters, without line breaks; empty when the input says nothing. */
export function toolSummary(toolName: string, input: unknown, { shortPaths = false }: SummaryOptions = {}): string {
  const kind = kindOfTool(toolName);
  const pathOf = (path: string): string => (shortPaths ? path.split(/[\\/]/).slice(-2).join("/") : path);
  if (typeof input === "string") return oneLine(patchedFiles(input, pathOf) || input);
  if (!isFields(input)) return "";
  const own = kind === null ? "" : BY_KIND[kind](input, pathOf);
  return oneLine(own || telling(input, pathOf) || plainFields(input));
}

/** A label, which begins with its tool's name, in few words: of a command the command alone, of an MCP server's tool no server. */
export function briefLabel(label: string): string {
  const [name = "", ...rest] = label.split(" ");
  const words = rest.join(" ");
  if (kindOfTool(name) === "shell" && words !== "") return words.replace(/^(?:cd \S+ (?:&&|;) )+/u, "") || label;
  const mcp = /^mcp__.+__([^_].*)$/.exec(name);
  return mcp === null ? label : `${mcp[1]} ${words}`.trim();
}

type PathText = (path: string) => string;

const BY_KIND: { readonly [Kind in ToolKind]: (input: Fields, pathOf: PathText) => string } = {
  shell: (input, pathOf) => {
    const command = commandIn(input) ?? "";
    const patch = patchedFiles(command, pathOf);
    if (command !== "") return patch === "" ? withoutGoing(command) : `apply_patch ${patch}`;
    const typed = text(input, "chars");
    const target = text(input, "session_id", "bash_id", "shell_id");
    if (typed.trim() !== "") return jsonText(typed).slice(1, -1);
    return target === "" ? "" : `session ${target}`;
  },
  read: (input, pathOf) => {
    const path = pathOf(pathIn(input) ?? text(input, "uri"));
    const from = text(input, "offset", "start_line");
    const count = text(input, "limit");
    if (path === "" || from === "") return path;
    return `${path} from line ${from}${count === "" ? "" : `, ${count} lines`}`;
  },
  edit: (input, pathOf) =>
    pathOf(pathIn(input) ?? "") ||
    patchedFiles(text(input, "patch", "input", "diff") || (commandIn(input) ?? ""), pathOf),
  write: (input, pathOf) => pathOf(pathIn(input) ?? ""),
  search: (input, pathOf) => {
    const pattern = text(input, "pattern", "query", "regex", "glob");
    const path = text(input, "path", "dir_path", "directory", "include");
    if (path === "") return pattern;
    return pattern === "" ? pathOf(path) : `${pattern} in ${pathOf(path)}`;
  },
  todo: (input) => {
    const steps = [input["todos"], input["plan"]].filter(Array.isArray).flat().filter(isFields);
    if (steps.length === 0) {
      const id = text(input, "taskId");
      return `${id === "" ? "" : `#${id} `}${text(input, "subject", "status", "explanation", "description")}`.trim();
    }
    const done = steps.filter(({ status }) => status === "completed").length;
    const current = steps.find(({ status }) => status === "in_progress");
    const words = current === undefined ? "" : text(current, "content", "step", "subject", "description");
    return `${done} of ${steps.length} done${words === "" ? "" : `: ${words}`}`;
  },
  agent: (input) => text(input, "description", "task_name", "name", "prompt", "message", "task_id", "targets"),
  web: (input) => {
    const action = input["action"];
    return (
      text(input, "url", "query", "q", "queries") || (isFields(action) ? text(action, "query", "url", "queries") : "")
    );
  },
};

/** Agents that start in no folder go to theirs in every command: what follows is the command. */
const GO_THERE = /^\s*cd\s+(?:"[^"]*"|'[^']*'|[^\s"'&;]+)\s*(?:&&|;)\s*(?=\S)/;

/** Only what a line can show is looked at: commands of 100 KB exist. */
const withoutGoing = (command: string): string => command.slice(0, MOST_CHARS * 2).replace(GO_THERE, "");

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: ([^\n]{1,400})$/gm;

/** The files of a patch, in Codex's language; empty for any other text. */
function patchedFiles(patch: string, pathOf: PathText): string {
  if (!patch.includes("*** Begin Patch")) return "";
  const files = [...patch.matchAll(PATCHED)].map((match) => pathOf((match[1] ?? "").trim()));
  return files.length <= 2 ? files.join(", ") : `${files[0]} and ${files.length - 1} more files`;
}

// What a person asks first of a call, over the inputs of the MCP servers in real sessions: what it ran or wrote down
// comes before the names of things.
const TELLING = [
  "query",
  "pattern",
  "url",
  "description",
  "prompt",
  "question",
  "summary",
  "title",
  "subject",
  "message",
  "code",
  "text",
  "expression",
  "skill",
  "markdown",
  "plan",
] as const;

/** The field that says most. */
function telling(fields: Fields, pathOf: PathText): string {
  const own = (commandIn(fields) ?? "") || pathOf(pathIn(fields) ?? "") || text(fields, ...TELLING);
  if (own !== "") return own;
  for (const value of Object.values(fields)) {
    // Questions and findings come as lists: the first of them names the call.
    if (!Array.isArray(value) || !isFields(value[0])) continue;
    const first = value[0];
    const words = text(first, ...TELLING);
    if (words !== "") return value.length === 1 ? words : `${words} and ${value.length - 1} more`;
  }
  return "";
}

/** `action: screenshot, tabId: seed` */
function plainFields(fields: Fields): string {
  return Object.entries(fields)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value) && value !== "")
    .slice(0, 8)
    .map(([key, value]) => `${key.slice(0, 60)}: ${String(value).slice(0, 120)}`)
    .join(", ");
}

/** The first of the fields that holds words or a number, or a list of words. */
function text(fields: Fields, ...names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === "string" && value.trim() !== "") return value;
    if (typeof value === "number") return String(value);
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
      return value.join(" ");
  }
  return "";
}

// Twice the length is looked at: white space is squeezed out of it.
const oneLine = (words: string): string =>
  words
    .slice(0, MOST_CHARS * 2)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MOST_CHARS);
