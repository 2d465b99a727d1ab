import type { Command } from "./args.ts";
import { flag, text } from "./option.ts";

/** Commands on what the model sees, and on what outlives a compaction. */
export const MEMORY_COMMANDS: readonly Command[] = [
  {
    name: "context",
    args: ["SESSION"],
    options: {
      at: text("SEQ", "at this event (default: the last)"),
      plan: text("COMPACTION", "after this compaction or plan"),
      as: text("PROVIDER", "openai-chat, openai-responses, anthropic, gemini or text"),
      payload: flag("print the request of that provider alone"),
      fit: text("TOKENS", "what fits a window of this size"),
    },
    about: "the messages that the model sees, with the tokens of each",
    load: () => import("./context-command.ts"),
  },
  {
    name: "compact",
    args: ["SESSION"],
    options: {
      at: text("SEQ", "compact as of this event"),
      tail: text("TURNS", "keep the last turns whole"),
      "budget-chars": text("N", "length of the summary"),
      summarizer: text("NAME", "extractive (default), or the model of Settings"),
      "tool-events": text("WHICH", "exclude, include_outputs or include_all"),
      instructions: text("TEXT", "what the model is to keep"),
      summary: text("FILE", "use the summary in this file (- for standard input)"),
      own: flag("compare with the agent's own summary"),
      out: text("FILE", "write the summary to a new file"),
      "dry-run": flag("show the result, change nothing"),
    },
    about: "replace the start of a context by a summary; an imported session gets a plan",
    load: () => import("./compact-command.ts"),
  },
  {
    name: "undo",
    args: ["COMPACTION"],
    options: {},
    about: "undo a compaction, or discard a plan",
    load: () => import("./undo-command.ts"),
  },
  {
    name: "memory",
    args: ["SESSION"],
    options: {},
    about: "epochs, compactions, items and recalls of a session",
    load: () => import("./memory-command.ts"),
  },
  {
    name: "recall",
    args: ["SESSION"],
    options: {
      query: text("TEXT", "the question"),
      at: text("SEQ", "use only events up to this one"),
      k: text("N", "at most N artifacts (default 8)"),
    },
    about: "artifacts of a session that best answer a question",
    load: () => import("./recall-command.ts"),
  },
  {
    name: "attach",
    args: ["PATH"],
    options: {},
    about: "connect the memory folder of an Autobyteus agent, or read it again",
    load: () => import("./attach-command.ts"),
  },
];
