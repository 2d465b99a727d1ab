import type { Command } from "./args.ts";
import { flag, text } from "./option.ts";

/** Stands apart from the other commands: an agent runs it after every message, and it loads nothing else. */
export const STATUSLINE: Command = {
  name: "statusline",
  args: ["[SESSION]"],
  options: {
    format: text(
      "TEXT",
      "what to print: {gauge} {share} {load} {fastest} {calls} {cost} {day} {budget} {cache} {model} {title}",
    ),
    "no-color": flag("print no colours; NO_COLOR in the environment does the same"),
  },
  about: "one line for an agent's status line: load, what grows fastest, cost, cache",
  load: () => import("./statusline-command.ts"),
};
