// Which tool calls only read: the agents' own tools for files and searches, fetches, and shell commands made of readers alone.
// A test run that prints the same twice was run for a reason; a file that is shown twice was there.
import type { Fields } from "./call-input.ts";
import { shellRead } from "./shell-reads.ts";

/** `lines`: what it shows are lines of files. `bytes`: only the same answer to the same question is the same reading. */
export type Reading = "lines" | "bytes";

const FILES = /^(?:notebook_?read|read|read_?files?|read_many_files|view|view_file|cat|open_file)$/i;
const SEARCHES = /^(?:grep|search_file_content)$/i;
const OTHERS = /^(?:glob|search|find|ls|list_?dir(?:ectory)?|codebase_search|web_?fetch)$/i;
const SHELLS =
  /^(?:bash|powershell|shell|shell_command|exec_command|local_shell(?:_call)?|run_shell_command|terminal)$/i;

/** Commands that show files, and those that may stand beside them without doing anything else. */
const SHOWS = new Set(["cat", "sed", "head", "tail", "nl", "less", "more", "bat", "rg", "grep", "git"]);
const BESIDE = new Set(["cd", "echo", "printf", "pwd", "true", "wc", "sort", "uniq", "cut", "tr", "test", "["]);

/** A search that lists names or counts shows no lines of files. */
const LISTS = /\b(?:rg|grep)\s(?:[^|;&\n]*\s)?(?:-[a-zA-Z]*[lLc][a-zA-Z]*|--files\S*|--count\S*)(?=\s|$)/;

/** What a call reads, or null when it does something else. */
export function readingOf(toolName: string, input: Fields, command: string | null): Reading | null {
  if (FILES.test(toolName)) return "lines";
  if (SEARCHES.test(toolName)) return input["output_mode"] === "content" ? "lines" : "bytes";
  if (OTHERS.test(toolName)) return "bytes";
  if (!SHELLS.test(toolName) || command === null || !onlyShows(command.slice(0, 4000))) return null;
  return LISTS.test(withoutQuotes(command)) ? "bytes" : "lines";
}

function onlyShows(command: string): boolean {
  const bare = withoutQuotes(command).replace(/\d?>\s*&\s*\d|\d?>\s*\/dev\/null/g, " ");
  // What is written to a file, fed a document or worked out by another command is more than a reading.
  if (/[<>`]|\$\(/.test(bare)) return false;
  const simple = bare.split(/&&|\|\||[;|&\n]/).map((part) => part.trim().split(/\s+/));
  const named = simple.filter(([name]) => name !== undefined && name !== "");
  return named.some(([name]) => SHOWS.has(name!)) && named.every((words) => isReader(words));
}

function isReader([name = "", ...rest]: readonly string[]): boolean {
  if (name === "sed") return !rest.some((word) => /^(?:-i|--in-place)/.test(word));
  if (name === "git") return rest[0] === "show" || rest[0] === "blame" || rest[0] === "grep";
  return SHOWS.has(name) || BESIDE.has(name);
}

/** Quoted parts are arguments: nothing in them is the shell's. */
const withoutQuotes = (command: string): string => command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "q");

/** The one file that a command reads; null where it reads none that is known, or several. */
export function fileReadBy(command: string): string | null {
  const parts = command.slice(0, 4000).split(/&&|\|\||[;\n]/);
  const files = new Set(parts.flatMap((part) => shellRead(part)?.path ?? []));
  return files.size === 1 ? [...files][0]! : null;
}
