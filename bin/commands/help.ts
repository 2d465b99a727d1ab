// The texts of `plimsoll help`: all commands in a line each, or one command with its options.
import { editDistance } from "#lib/kernel/edit-distance.ts";
import type { Command } from "./args.ts";
import { oneLine } from "./print.ts";

/** Letters that differ, at most, where another command was meant. */
const MEANT = 2;

/** Commands under their headings, their summaries in one column. */
export function overview(groups: readonly { readonly title: string; readonly commands: readonly Command[] }[]): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map((one) => syntax(one).length)));
  const line = (left: string, right: string): string => `  ${left.padEnd(width)}  ${right}`;
  return [
    "Usage: plimsoll COMMAND",
    line("(no command)", "start the server"),
    ...groups.flatMap(({ title, commands }) => [
      "",
      title,
      ...commands.map((command) => line(syntax(command), command.about)),
    ]),
    "",
    "plimsoll help COMMAND lists its options. All take --archive DIR and --json.",
    "SESSION is an id, a native id, the start of either, a title, or latest.",
    "REF is art:<uuid>, art_<16 hex>, sha256:<digest> or SESSION/NAME.",
  ].join("\n");
}

/** In two lines, with the commands that are nearest to it. */
export function unknownCommand(name: string, commands: readonly Command[]): string {
  const distances = commands.map((one) => [one.name, editDistance(one.name, name, MEANT)] as const);
  const least = Math.min(...distances.map(([, distance]) => distance));
  const near = distances.filter(([, distance]) => distance === least && least <= MEANT).map(([known]) => known);
  const meant = near.length === 0 ? "" : ` Did you mean ${near.slice(0, 3).join(" or ")}?`;
  return `Unknown command "${oneLine(name, 60)}".${meant}\nUsage: plimsoll COMMAND. plimsoll help lists the commands.`;
}

/** One command with a line for each of its options. */
export function commandHelp(command: Command): string {
  const rows = optionRows(command);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return [
    `Usage: plimsoll ${syntax(command)}${rows.length > 0 ? " [OPTIONS]" : ""}`,
    `  ${command.about}`,
    ...(rows.length > 0 ? ["", ...rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`)] : []),
    "",
    "--archive DIR and --json work with every command.",
  ].join("\n");
}

/** Options as they are written, with what each does. */
export const optionRows = (command: Command): [name: string, help: string][] =>
  Object.entries(command.options).map(([name, { kind, value, help, letter }]) => [
    `${letter === undefined ? "" : `-${letter}, `}--${name}${value === "" ? "" : ` ${value}`}`,
    kind === "texts" || kind === "pairs" ? `${help} (repeatable)` : help,
  ]);

export const syntax = (command: Command): string => [command.name, ...command.args].join(" ");
