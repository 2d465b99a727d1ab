// What both sessions have in common: the same instructions, the same question, the same plan.
import type { Todo } from "./tools.ts";

export const AGENT = "Scripted agent";

export const QUALITY = [
  "Made by a script that really ran these tools; no model was asked. Token numbers are counted with the tokenizer of the model that it names, prices are what it would have cost.",
];

export const FIRST_WORDS =
  "Importing session files has been slow since 13 January (the picture shows the time it took, day by day). Log, timings and settings are in demo-data. Please find out why, and repair it.";

export const INSTRUCTIONS = `You are an agent that works on the project in plimsoll/. You find things out with tools, and change as little as you can.

Tools:
- Read {file_path, offset?, limit?}: a text file, or some lines of it.
- LS {path}: the names in a folder.
- Grep {pattern, path, head_limit?}: the lines that match, with file and line number.
- Bash {command, description}: one command, run in plimsoll/.
- query {database, query}: rows of a SQLite database, as JSON.
- Edit {file_path, old_string, new_string}: replaces a text that occurs exactly once.
- TodoWrite {todos}: keeps your list of what is to be done.
- Task {description, subagent_type, prompt}: a sub-agent that answers one question.

Say in a sentence what you are about to do. When you are done, say what the cause was, what you changed, and how it was checked.`;

const PLAN = ["Find the slow step", "Find what changed", "Repair it", "Check that all days are explained"];

/** The plan with its first `done` items done. */
export const planAt = (done: number): Todo[] =>
  PLAN.map((content, i) => ({ content, status: i < done ? "completed" : i === done ? "in_progress" : "pending" }));
