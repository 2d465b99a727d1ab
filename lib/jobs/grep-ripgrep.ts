// Searches a file with ripgrep, a process of its own that is killed at the deadline. Its words are all ours: the options
// were read, the pattern was rewritten, and the file stands after `--`.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { LineHead } from "./grep-lines.ts";
import { collect, type GrepEnd, type GrepTask } from "./grep-task.ts";
import type { GrepLine } from "./job-types.ts";

/** Bytes between number and text that no log has, so that a line that begins with digits is not misread. */
const MATCH_SIGN = 0;
const CONTEXT_SIGN = 1;

/** Where ripgrep is, or null when its package has no build for this machine. */
export async function findRipgrep(): Promise<string | null> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return null;
  }
}

/** What every search is: bytes as they are, and no file of settings. */
const ENGINE = [
  ...["--no-config", "--no-ignore", "--text", "--encoding", "none", "--color", "never"],
  ...["--regex-size-limit", "10M", "--dfa-size-limit", "50M"],
];

function wordsOf({ options, limits, patterns, path }: GrepTask & { path: string }): string[] {
  const words = [...ENGINE, "--no-heading", "--no-filename"];
  if (options.invert) words.push("--invert-match");
  // -m with context is ours: lines that match after the last one would be shown as matches.
  if (options.most !== null && options.after === 0) words.push("--max-count", String(options.most));
  if (options.count) words.push("--count", "--include-zero");
  else {
    words.push("--line-number", "--no-context-separator");
    words.push("--field-match-separator", "\\x00", "--field-context-separator", "\\x01");
    // Where the match is; it costs a quarter more, and an inverted search has none.
    if (!options.invert) words.push("--column");
    if (options.only) words.push("--only-matching");
    // More lines than are shown need not be written.
    const most = limits.lines;
    if (options.before > 0) words.push("--before-context", String(Math.min(options.before, most)));
    if (options.after > 0) words.push("--after-context", String(Math.min(options.after, most)));
  }
  return [...words, "-e", patterns.rust, "--", resolve(path)];
}

type RunLimits = { readonly deadlineMs: number; readonly signal: AbortSignal };
type Ended = { readonly status: number | null; readonly said: string; readonly isLate: boolean };

/** Runs ripgrep until it ends or is late; rejects when it was stopped. `onOut` gets what it writes, and a way to end it. */
function runRipgrep(
  program: string,
  words: readonly string[],
  limits: RunLimits,
  onOut: (bytes: Buffer, end: () => void) => void,
): Promise<Ended> {
  return new Promise((settle, reject) => {
    if (limits.signal.aborted) return reject(limits.signal.reason);
    const child = spawn(program, [...words], { stdio: ["ignore", "pipe", "pipe"], env: hostEnv() });
    let said = "";
    let isLate = false;
    const kill = (): void => void child.kill("SIGKILL");
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, limits.deadlineMs);
    limits.signal.addEventListener("abort", kill);
    child.stdout.on("data", (bytes: Buffer) => onOut(bytes, kill));
    child.stderr.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(0, 2000)));
    const leave = (): void => {
      clearTimeout(timer);
      limits.signal.removeEventListener("abort", kill);
    };
    child.on("error", (error) => {
      leave();
      reject(error);
    });
    child.on("close", (status) => {
      leave();
      if (limits.signal.aborted) reject(limits.signal.reason);
      else settle({ status, said, isLate });
    });
  });
}

/** At the deadline what was found so far stands, if anything was. */
export async function searchWithRipgrep(
  program: string,
  task: GrepTask & { path: string },
  limits: RunLimits & { onLines?: (lines: readonly GrepLine[]) => void },
): Promise<GrepEnd> {
  const found = collect(task);
  // Nothing that it could write would change the answer.
  if (found.lines.isDone) return { kind: "answer", result: found.result(task.options.count ? 0 : null) };
  const reader = readLines(found.lines, !task.options.count && !task.options.invert);
  let counted = "";
  const { status, said, isLate } = await runRipgrep(program, wordsOf(task), limits, (bytes, end) => {
    if (task.options.count) counted += bytes.toString("latin1");
    else if (!found.lines.isDone) {
      reader(bytes);
      const part = limits.onLines === undefined ? [] : found.lines.take();
      if (part.length > 0) limits.onLines!(part);
      if (found.lines.isDone) end();
    }
  });
  if (isLate) return { kind: "deadline", result: found.result(null) };
  if (status === 2) return failed(said);
  return { kind: "answer", result: found.result(task.options.count ? Number(counted.trim()) || 0 : null) };
}

export type FilesTask = Pick<GrepTask, "patterns" | "options"> & { readonly paths: readonly string[] };

export type FilesEnd =
  /** Those of the paths that hold a match; at the deadline those that were found by then. */
  | { readonly kind: "answer" | "deadline"; readonly files: ReadonlySet<string> }
  | Extract<GrepEnd, { kind: "refused" | "busy" }>;

/** Which of many files have a match, in one process: to begin one takes longer than to search most files. */
export async function filesWithRipgrep(
  program: string,
  { patterns, options, paths }: FilesTask,
  limits: RunLimits,
): Promise<FilesEnd> {
  const byFile = new Map(paths.map((path) => [resolve(path), path]));
  const words = [...ENGINE, "--files-with-matches", "--null", ...(options.invert ? ["--invert-match"] : [])];
  const written: Buffer[] = [];
  const { status, said, isLate } = await runRipgrep(
    program,
    [...words, "-e", patterns.rust, "--", ...byFile.keys()],
    limits,
    (bytes) => written.push(bytes),
  );
  const names = Buffer.concat(written).toString().split("\0");
  const files = new Set(names.flatMap((file) => byFile.get(file) ?? []));
  if (isLate) return { kind: "deadline", files };
  if (status === 2) {
    const end = failed(said);
    // One that was swept meanwhile holds no match; the others were searched.
    if (end.kind === "refused") return end;
  }
  return { kind: "answer", files };
}

function failed(said: string): Extract<GrepEnd, { kind: "refused" | "missing" }> {
  if (/size limit/.test(said))
    return { kind: "refused", message: "The pattern is too large once its repeats are written out." };
  if (/No such file/.test(said)) return { kind: "missing" };
  throw new Error(`ripgrep ended with status 2: ${said.slice(0, 300)}`);
}

/** Nothing of ours is its business; Windows starts no process without this one. */
function hostEnv(): NodeJS.ProcessEnv {
  const env = process.platform === "win32" ? { SystemRoot: process.env["SystemRoot"] } : {};
  // Next's types ask every environment for NODE_ENV.
  return env as NodeJS.ProcessEnv;
}

type Lines = ReturnType<typeof collect>["lines"];

/** Takes ripgrep's output in pieces that end anywhere, and gives it line by line, long lines piece by piece. */
function readLines(lines: Lines, hasColumn: boolean): (bytes: Buffer) => void {
  let head: Buffer = Buffer.alloc(0);
  let isInLine = false;
  let isWanted = false;
  return (bytes) => {
    let at = 0;
    while (at < bytes.length && !lines.isDone) {
      if (!isInLine) {
        const rest = head.length === 0 ? bytes.subarray(at) : Buffer.concat([head, bytes.subarray(at)]);
        const parsed = parseHead(rest, hasColumn);
        if (parsed === null) {
          head = Buffer.from(rest);
          return;
        }
        isInLine = true;
        isWanted = lines.begin(parsed.head);
        // Digits that were kept for a column and are none: they are text.
        if (isWanted && parsed.length < head.length) lines.add(head.subarray(parsed.length));
        at += Math.max(0, parsed.length - head.length);
        head = Buffer.alloc(0);
        continue;
      }
      const newline = bytes.indexOf(10, at);
      const end = newline === -1 ? bytes.length : newline;
      if (isWanted) lines.add(bytes.subarray(at, end));
      at = end;
      if (newline === -1) return;
      if (isWanted) lines.end();
      isInLine = false;
      at++;
    }
  };
}

/** `12<0>7<0>text` or `12<1>text`; null when it is not whole yet. */
function parseHead(bytes: Buffer, hasColumn: boolean): { head: LineHead; length: number } | null {
  const number = digits(bytes, 0);
  const sign = bytes[number.end];
  if (sign === undefined) return null;
  if (sign !== MATCH_SIGN && sign !== CONTEXT_SIGN) throw new Error("ripgrep wrote a line without its number.");
  const isMatch = sign === MATCH_SIGN;
  const head = { line: number.value, isMatch, matchAt: null };
  const length = number.end + 1;
  if (!isMatch || !hasColumn) return { head, length };
  const column = digits(bytes, length);
  const columnSign = bytes[column.end];
  // A line has at most 20 digits of column; more, and the line itself begins with digits.
  if (columnSign === undefined && column.end - length < 20) return null;
  // ripgrep 15 leaves the column out when the last line has no newline and matches at its very end.
  if (columnSign !== MATCH_SIGN || column.end === length) return { head, length };
  return { head: { ...head, matchAt: column.value - 1 }, length: column.end + 1 };
}

function digits(bytes: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  let end = from;
  while (end < bytes.length && bytes[end]! >= 0x30 && bytes[end]! <= 0x39 && end - from < 20)
    value = value * 10 + bytes[end++]! - 0x30;
  return { value, end };
}
