import type { Command } from "./args.ts";
import { flag, pairs, text, texts } from "./option.ts";

const SESSION = text("SESSION", "ask as this session");

/** Commands that store tool outputs, and read them back. */
export const ARTIFACT_COMMANDS: readonly Command[] = [
  {
    name: "session",
    args: ["create|close", "[SESSION]", "[TURN]"],
    options: {
      title: text("TEXT", "title of a new session"),
      model: text("MODEL", "its model"),
      agent: text("NAME", "its agent"),
      window: text("TOKENS", "its context window"),
      policy: text("PRESET", "its offload policy"),
      compaction: text("JSON", "compact it automatically: '{}' or settings"),
    },
    about: "create a session that accepts outputs, or close one of its turns",
    load: () => import("./session-command.ts"),
  },
  {
    name: "store",
    args: ["SESSION", "FILE"],
    options: {
      name: text("NAME", "name of the artifact"),
      type: text("TYPE", "content type, for example application/json"),
      description: text("TEXT", "what it is, in one sentence"),
      create: flag("create the session if it does not exist"),
    },
    about: "store a file (- for standard input) as an artifact",
    load: () => import("./store-command.ts"),
  },
  {
    name: "end",
    args: ["SESSION"],
    options: { "dry-run": flag("list what would be deleted"), yes: flag("delete") },
    about: "delete all artifacts of a session; its events stay",
    load: () => import("./end-command.ts"),
  },
  {
    name: "artifacts",
    args: ["[SESSION]"],
    options: {},
    about: "list artifacts, largest first",
    load: () => import("./artifacts-command.ts"),
  },
  {
    name: "cat",
    args: ["REF"],
    options: {},
    about: "print the bytes of an artifact, unchanged",
    load: () => import("./cat-command.ts"),
  },
  {
    name: "read",
    args: ["REF"],
    options: {
      from: text("LINE", "first line"),
      to: text("LINE", "last line"),
      char: text("N", "first character within the line"),
      chars: text("N", "number of characters"),
      base64: flag("print bytes as base64"),
      session: SESSION,
    },
    about: "read an artifact as an agent reads it",
    load: () => import("./read-command.ts"),
  },
  {
    name: "grep",
    args: ["[REF]", "PATTERN", "[OPTION…]"],
    options: {
      in: texts("SESSION|REF", "search these artifacts, without REF"),
      all: flag("search all artifacts, without REF"),
      lines: text("N", "lines to show of each artifact"),
      session: SESSION,
    },
    passes: true,
    about: "matching lines of an artifact; options: -i -v -n -c -w -x -o -F -E -A -B -C -m",
    load: () => import("./grep-command.ts"),
  },
  {
    name: "jq",
    args: ["REF", "PROGRAM"],
    options: {
      raw: flag("strings without quotes", "r"),
      slurp: flag("all values as one array", "s"),
      "null-input": flag("null as input", "n"),
      compact: flag("one value a line (default)", "c"),
      pretty: flag("indented values"),
      "sort-keys": flag("keys in order", "S"),
      arg: pairs("NAME VALUE", "$NAME is this text"),
      argjson: pairs("NAME JSON", "$NAME is this JSON value"),
      long: flag("run up to 60 s (default 10 s)"),
      session: SESSION,
    },
    about: "run a jq 1.8 program on a JSON artifact",
    load: () => import("./jq-command.ts"),
  },
  {
    name: "tool",
    args: ["[NAME]", "[JSON]"],
    options: { session: SESSION },
    about: "call any tool as an agent does; without a name, list the tools",
    load: () => import("./tool-command.ts"),
  },
];
