// What a person asks with jq: a program, its options and its variables; and how it stands in the address. Pure.
import type { JqInput, JqRun, PlaygroundOptions } from "#lib/wire/playground-schema.ts";

/** In the order in which they are offered; the letter is jq's own. */
export const FLAGS = [
  { letter: "r", name: "raw", about: "Strings without quotes", option: "raw" },
  { letter: "s", name: "slurp", about: "All values as one array", option: "slurp" },
  { letter: "n", name: "no input", about: "Runs once, with null; input and inputs read", option: "nullInput" },
  { letter: "c", name: "compact", about: "Each value on one line", option: "compact" },
  { letter: "S", name: "sort keys", about: "Keys of objects in order", option: "sortKeys" },
] as const;

/** `--arg NAME VALUE`, or `--argjson` when it is JSON. */
export type Variable = { readonly name: string; readonly value: string; readonly isJson: boolean };

export type Work = {
  readonly program: string;
  /** Of FLAGS, each at most once, in their order. */
  readonly flags: string;
  readonly variables: readonly Variable[];
};

export const EMPTY: Work = { program: "", flags: "", variables: [] };

/** More is kept by the server, and its id stands in the address. */
const ADDRESS_CHARS = 2000;
/** Node refuses a request whose head is over 16 KB: 2,000 characters of Chinese alone would be 18,000 in an address. */
const ENCODED_CHARS = 6000;

/** jq's own rule for names; a variable that breaks it would end in an error about another position. */
export const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name);

const flagsOf = (letters: string): string =>
  FLAGS.map(({ letter }) => letter)
    .filter((letter) => letters.includes(letter))
    .join("");

export const toggled = (flags: string, letter: string): string =>
  flagsOf(flags.includes(letter) ? flags.replace(letter, "") : flags + letter);

export function optionsOf({ flags, variables }: Work): PlaygroundOptions {
  const named = (isJson: boolean) =>
    Object.fromEntries(
      variables.filter((one) => one.isJson === isJson && isName(one.name)).map(({ name, value }) => [name, value]),
    );
  return {
    raw: flags.includes("r"),
    slurp: flags.includes("s"),
    nullInput: flags.includes("n"),
    compact: flags.includes("c"),
    sortKeys: flags.includes("S"),
    args: named(false),
    jsonArgs: named(true),
  };
}

/** The work that a kept program was, as far as it is one of jq. */
export function workOf(program: string, options: PlaygroundOptions | readonly string[]): Work {
  if (!("raw" in options)) return { ...EMPTY, program };
  const named = (values: Readonly<Record<string, string>>, isJson: boolean): Variable[] =>
    Object.entries(values).map(([name, value]) => ({ name, value, isJson }));
  return {
    program,
    flags: FLAGS.filter(({ option }) => options[option])
      .map(({ letter }) => letter)
      .join(""),
    variables: [...named(options.args, false), ...named(options.jsonArgs, true)],
  };
}

/** The work of an example, which names the options that it needs alone. */
export const exampleOf = (program: string, options: Partial<PlaygroundOptions>): Work =>
  workOf(program, { ...optionsOf(EMPTY), ...options });

/** What is sent. A program without a word in it is what jq takes it for. */
export const requestOf = (
  work: Work,
  inputs: readonly JqInput[],
): Omit<JqRun, "deadlineMs" | "outputBytes" | "isKept"> => ({
  program: work.program.trim() === "" ? "." : work.program,
  options: optionsOf(work),
  inputs: [...inputs],
});

export type InAddress = {
  readonly program: string | null;
  readonly options: string | null;
  readonly arg: string[] | null;
  readonly argjson: string[] | null;
};

/** Null when it is too long to stand there. */
export function inAddress({ program, flags, variables }: Work): InAddress | null {
  const written = (isJson: boolean): string[] | null => {
    const some = variables.filter((one) => one.isJson === isJson).map(({ name, value }) => `${name}=${value}`);
    return some.length === 0 ? null : some;
  };
  const address = {
    program: program === "" ? null : program,
    options: flags === "" ? null : flags,
    arg: written(false),
    argjson: written(true),
  };
  if (program.length > ADDRESS_CHARS) return null;
  const encoded = encodeURIComponent(
    [program, ...(address.arg ?? []), ...(address.argjson ?? [])].join().toWellFormed(),
  );
  return encoded.length > ENCODED_CHARS ? null : address;
}

/** What stands in an address, whoever wrote it: what is no option or name is left out. */
export function fromAddress(address: InAddress): Work {
  const read = (written: readonly string[] | null, isJson: boolean): Variable[] =>
    (written ?? []).flatMap((text) => {
      const at = text.indexOf("=");
      return at < 0 ? [] : [{ name: text.slice(0, at), value: text.slice(at + 1), isJson }];
    });
  return {
    program: address.program ?? "",
    flags: flagsOf(address.options ?? ""),
    variables: [...read(address.arg, false), ...read(address.argjson, true)],
  };
}

/** Two works with the same key ask the same. */
export const keyOf = ({ program, flags, variables }: Work): string =>
  JSON.stringify([program, flags, variables.map(({ name, value, isJson }) => [name, value, isJson])]);
