// The words of a command: its options and arguments.
import { parseArgs } from "node:util";
import { issueWords, type Issue } from "./issue-words.ts";
import type { Option } from "./option.ts";

export type Words = {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
};

export type Command = {
  readonly name: string;
  /** Arguments as the usage shows them: `SESSION`, `[SESSION]`, `PATH…`. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Options of one dash are not read here but come behind the arguments: `-in`, `-A 3`. */
  readonly passes?: true;
  readonly about: string;
  load(): Promise<{ readonly run: Run }>;
};

/** Runs a command. The exit status, 0 when nothing is returned. */
export type Run = (words: Words) => Promise<number | void>;

export class WrongWords extends Error {}

/** Options and arguments, or WrongWords with what was wrong. */
export function readWords(command: Command, argv: readonly string[]): Words {
  const { rest, pairs } = pairsIn(command, argv);
  const { own, passed } = command.passes === true ? parted(rest) : { own: rest, passed: [] };
  const options: Record<string, { type: "string" | "boolean"; short?: string; multiple?: boolean }> = {
    archive: { type: "string" },
    json: { type: "boolean" },
  };
  for (const [name, { kind, letter }] of Object.entries(command.options).filter(([, one]) => one.kind !== "pairs"))
    options[name] = {
      type: kind === "flag" ? "boolean" : "string",
      ...(kind === "texts" && { multiple: true }),
      ...(letter !== undefined && { short: letter }),
    };
  let parsed: { values: Record<string, string | boolean | string[] | undefined>; positionals: string[] };
  try {
    parsed = parseArgs({ args: joined(own, options), options, allowPositionals: true }) as typeof parsed;
  } catch (error) {
    throw new WrongWords(refusalOf(error instanceof Error ? error.message : String(error)));
  }
  const needed = command.args.filter((arg) => !arg.startsWith("["));
  const least = needed.length;
  const most = command.args.some((arg) => /…\]?$/.test(arg)) ? Infinity : command.args.length;
  if (parsed.positionals.length < least)
    throw new WrongWords(`plimsoll ${command.name} needs ${needed[parsed.positionals.length]!.replace("…", "")}.`);
  if (parsed.positionals.length > most)
    throw new WrongWords(`Unexpected argument "${parsed.positionals[most]}" for plimsoll ${command.name}.`);
  return { args: [...parsed.positionals, ...passed], options: { ...parsed.values, ...pairs } };
}

/** `--offload -5` as `--offload=-5`: no option begins with a digit, so that the command itself says what it takes. */
function joined(argv: readonly string[], options: Readonly<Record<string, { readonly type: string }>>): string[] {
  const out: string[] = [];
  let isBehind = false;
  for (const word of argv) {
    const before = out.at(-1) ?? "";
    const takes = before.startsWith("--") && options[before.slice(2)]?.type === "string";
    if (!isBehind && takes && /^-\d/u.test(word)) out[out.length - 1] = `${before}=${word}`;
    else out.push(word);
    isBehind ||= word === "--";
  }
  return out;
}

function refusalOf(message: string): string {
  const name = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument is ambiguous/u.exec(message)?.[1];
  return name === undefined
    ? message.split(". ")[0]!
    : `${name} needs a value. One that starts with a dash is written ${name}=-VALUE.`;
}

/** Options that take two words each, as names and values in turn; and all other words. Behind `--` nothing is an option. */
function pairsIn(
  command: Command,
  argv: readonly string[],
): { readonly rest: readonly string[]; readonly pairs: Readonly<Record<string, readonly string[]>> } {
  const pairs: Record<string, string[]> = {};
  const end = argv.indexOf("--");
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const name = word.startsWith("--") ? word.slice(2) : "";
    if ((end >= 0 && at >= end) || !Object.hasOwn(command.options, name) || command.options[name]!.kind !== "pairs") {
      rest.push(word);
      continue;
    }
    const [key, value] = argv.slice(at + 1, at + 3);
    if (key === undefined || value === undefined) throw new WrongWords(`${word} takes a name and a value.`);
    (pairs[name] ??= []).push(key, value);
    at += 2;
  }
  return { rest, pairs };
}

/** Words of one dash, with the number that follows a letter which takes one, and all others. Behind `--` nothing is an option. */
function parted(argv: readonly string[]): { own: string[]; passed: string[] } {
  const end = argv.indexOf("--");
  const own: string[] = [];
  const passed: string[] = [];
  const before = end < 0 ? argv : argv.slice(0, end);
  for (let at = 0; at < before.length; at++) {
    const word = before[at]!;
    if (!/^-[A-Za-z0-9]/.test(word)) own.push(word);
    else {
      passed.push(word);
      if (/[ABCm]$/.test(word) && /^\d+$/.test(before[at + 1] ?? "")) passed.push(before[++at]!);
    }
  }
  return { own: [...own, ...(end < 0 ? [] : argv.slice(end))], passed };
}

/** A whole number from an option, or the default. */
export function numberOption(words: Words, name: string, otherwise: number): number {
  const value = words.options[name];
  if (value === undefined) return otherwise;
  if (typeof value !== "string" || !/^\d{1,10}$/.test(value))
    throw new WrongWords(`--${name} takes a whole number, not "${String(value)}".`);
  return Number(value);
}

/** The number of an event from an option, or undefined. */
export function seqOption(words: Words, name: string): number | undefined {
  if (words.options[name] === undefined) return undefined;
  const seq = numberOption(words, name, 0);
  if (seq < 1) throw new WrongWords(`--${name} takes an event number, from 1.`);
  return seq;
}

type Schema<T> = {
  safeParse(given: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly (Issue & { path: readonly PropertyKey[] })[] };
      };
};

/** What a schema reads, or WrongWords with the option that it refuses. `words`: names of fields that are no option. */
export function readRequest<T>(schema: Schema<T>, given: unknown, words: Readonly<Record<string, string>> = {}): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  const field = String(issue.path[0]);
  const option = `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new WrongWords(issueWords(words[field] ?? option, issue));
}

export const textOption = (words: Words, name: string): string | undefined => {
  const value = words.options[name];
  return typeof value === "string" ? value : undefined;
};

/** Of an option that may be given more than once. */
export const textsOption = (words: Words, name: string): readonly string[] => {
  const value = words.options[name];
  return Array.isArray(value) ? value : [];
};
