// What a summary should keep beside names: files that were changed, commands that were run, lines that told of an error.
import type { Piece } from "./piece.ts";

/** Characters by which a command or a line is told: longer ones are the same when they begin the same. */
const KEY_CHARS = 120;
/** Shorter lines say too little to be looked for. */
const LEAST_LINE = 12;

/** One space for each run of white space, no line break, cut to `chars`. */
export const commandKey = (text: string, chars = KEY_CHARS): string => text.replace(/\s+/g, " ").trim().slice(0, chars);

/** Paths that were created, modified or deleted, as they were written, each once. */
export function modifiedFiles(pieces: readonly Piece[]): string[] {
  const files = new Set<string>();
  for (const { kind, files: touched } of pieces)
    if (kind === "tool_call") for (const { path, does } of touched) if (does !== "read") files.add(path);
  return [...files];
}

/** By what a file is told in a summary: its name; where two files share one, as much of their paths as tells them apart. */
export function fileNames(paths: readonly string[]): string[] {
  const parts = [...new Set(paths.map((path) => path.replaceAll("\\", "/")))].map((path) => path.split("/"));
  return parts.map((own) => {
    for (let n = 1; n < own.length; n++) {
      const name = own.slice(-n).join("/");
      if (parts.every((other) => other === own || other.slice(-n).join("/") !== name)) return name;
    }
    return own.join("/");
  });
}

/** Commands that were run, each once. */
export function commandsOf(pieces: readonly Piece[]): string[] {
  const commands = new Set<string>();
  for (const { kind, command } of pieces)
    if (kind === "tool_call" && command !== null) commands.add(commandKey(command));
  commands.delete("");
  return [...commands];
}

const TELLS =
  /\b(?:error|errors|failed|failure|fatal|panic|exception|traceback|cannot|undefined|denied|refused|not found|no such|unexpected|invalid|unable)\b|\b\w+(?:Error|Exception)\b|^\s*(?:FAIL|---\s*FAIL|E\s{2,}|✗|×)/i;

/** Lines that tell of an error, in outputs that failed, each once. What a file says about errors is no error. */
export function errorLinesOf(pieces: readonly Piece[]): string[] {
  const lines = new Set<string>();
  for (const piece of pieces) {
    if (piece.kind !== "tool_result" || !piece.isError) continue;
    for (const line of piece.text.split("\n")) if (isErrorLine(line)) lines.add(commandKey(line));
  }
  return [...lines];
}

export const isErrorLine = (line: string): boolean =>
  line.length <= 2000 && line.trim().length >= LEAST_LINE && TELLS.test(line);
