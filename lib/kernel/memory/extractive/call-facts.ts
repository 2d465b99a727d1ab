// What a tool call says and does: its words, the files that it touches, the command that it runs. Tools are told by the
// fields of their input and by what their names have in common, never by a list of one agent's tools.
import { commandIn, isFields, pathIn, type Fields } from "../../load/call-input.ts";
import { jsonText } from "../../json-text.ts";
import { shellRead } from "../../load/shell-reads.ts";
import type { FileTouch } from "./piece.ts";

export type CallFacts = {
  readonly text: string;
  readonly command: string | null;
  readonly files: readonly FileTouch[];
  readonly open: readonly string[] | null;
};

const CREATES = /^(?:write(?:_?file)?|create(?:_?file)?)$/i;
const MODIFIES = /^(?:(?:multi_?)?edit(?:_?file)?|notebook_?edit|str_replace\w*|replace\w*|insert\w*)$/i;
const READS = /^(?:read(?:_?file)?|view|cat|open(?:_?file)?|notebook_?read)$/i;
const PATCHED = /^\*\*\* (Update|Add|Delete) File: ([^\n]{1,400})$/gm;
const DEED = { Update: "modified", Add: "created", Delete: "deleted" } as const;
/** A here-document or an echo that fills a file. */
const FILLED =
  /(?:^|[;&|\n]\s{0,9})(?:cat|tee|echo|printf)\b[^\n|;&]{0,400}?>{1,2}\s{0,9}(?:"([^"\n]{1,400})"|'([^'\n]{1,400})'|([^\s|;&<>"'()]{1,400}))/g;
const EDITS_FILE =
  /\b(?:sed|perl)\s+(?:-[a-zA-Z]+\s+)*-[a-zA-Z]*i\b[^\n|;&]{0,2000}?\s([^\s|;&<>"'()]{1,400})(?=\s*(?:$|[|;&\n]))/g;
/** Files that one call is said to touch, at most. */
const TOUCHED = 64;

export function callFacts(toolName: string, input: unknown): CallFacts {
  if (typeof input === "string") {
    const files = patched(input);
    return { text: input, command: null, files, open: null };
  }
  const fields = isFields(input) ? input : {};
  const command = commandIn(fields);
  return {
    text: command ?? fieldText(fields),
    command,
    files: filesOf(toolName, fields, command),
    open: openSteps(fields),
  };
}

function filesOf(toolName: string, fields: Fields, command: string | null): readonly FileTouch[] {
  const patch = typeof fields["patch"] === "string" ? fields["patch"] : (command ?? "");
  const byPatch = patched(patch);
  if (byPatch.length > 0) return byPatch;
  if (command !== null) return byShell(command);
  const path = pathIn(fields);
  if (path === null || path.length > 400) return [];
  const does = CREATES.test(toolName)
    ? "created"
    : MODIFIES.test(toolName)
      ? "modified"
      : READS.test(toolName)
        ? "read"
        : null;
  return does === null ? [] : [{ path, does }];
}

function patched(text: string): FileTouch[] {
  if (!text.includes("*** ")) return [];
  const files: FileTouch[] = [];
  for (const [, deed, path] of text.matchAll(PATCHED)) {
    if (files.length < TOUCHED) files.push({ path: path!.trim(), does: DEED[deed as keyof typeof DEED] });
  }
  return files;
}

function byShell(command: string): FileTouch[] {
  const files: FileTouch[] = [];
  const add = (path: string | undefined, does: FileTouch["does"]): void => {
    if (path !== undefined && isFileName(path) && files.length < TOUCHED) files.push({ path, does });
  };
  const text = command.slice(0, 64 * 1024);
  for (const found of text.matchAll(FILLED)) add(found[1] ?? found[2] ?? found[3], "created");
  for (const found of text.matchAll(EDITS_FILE)) add(found[1], "modified");
  const read = files.length === 0 ? shellRead(command)?.path : undefined;
  // A word without a dot or a slash after `cat` is more often the shell's than a file's.
  if (read !== undefined && /[./\\]/.test(read)) add(read, "read");
  return files;
}

const isFileName = (path: string): boolean => /[A-Za-z]/.test(path) && !/[$*?`&]|^\/dev\/|^-/.test(path);

const STEP_TEXTS = ["content", "step", "title", "task", "description", "text", "subject"] as const;
const DONE = /^(?:completed?|done|cancell?ed|skipped|closed)$/i;
/** Steps of one plan that are looked at. */
const STEPS = 200;

/** Steps of a plan that are not done: a list of things that each have a status and words. */
function openSteps(fields: Fields): string[] | null {
  for (const value of Object.values(fields)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const steps = value.slice(0, STEPS).filter(isFields);
    if (steps.length === 0 || !steps.every(({ status }) => typeof status === "string")) continue;
    return steps
      .filter(({ status }) => !DONE.test(status as string))
      .map((step) => STEP_TEXTS.map((key) => step[key]).find((text) => typeof text === "string" && text !== ""))
      .filter((text): text is string => typeof text === "string");
  }
  return null;
}

/** Values alone, each on a line of its own: names of tools and fields are the same in every call, and no words of the log. */
const fieldText = (fields: Fields): string =>
  Object.values(fields)
    .filter((value) => typeof value !== "boolean" && value !== null)
    .map((value) => (typeof value === "string" ? value : jsonText(value)))
    .join("\n");
