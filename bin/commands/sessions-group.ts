import type { Command } from "./args.ts";
import { STATUSLINE } from "./statusline-words.ts";
import { flag, text, texts } from "./option.ts";

/** Commands that read session files, and show what is in them. */
export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: "import",
    args: ["PATH…"],
    options: {
      archived: flag("from now on, also read reset and deleted transcripts of these folders"),
      "no-archived": flag("no longer read them"),
    },
    about: "read session files or folders of any known format, once",
    load: () => import("./import-command.ts"),
  },
  {
    name: "sessions",
    args: [],
    options: { format: text("FORMAT", "only this format"), q: text("TEXT", "only sessions with this text") },
    about: "list sessions, newest first",
    load: () => import("./sessions-command.ts"),
  },
  {
    name: "show",
    args: ["SESSION"],
    options: {},
    about: "summary of one session, with its largest outputs",
    load: () => import("./show-command.ts"),
  },
  STATUSLINE,
  {
    name: "events",
    args: ["SESSION"],
    options: {
      from: text("SEQ", "first event"),
      to: text("SEQ", "last event"),
      type: text("TYPE", "only this event type"),
    },
    about: "events of a session in order, with their full text",
    load: () => import("./events-command.ts"),
  },
  {
    name: "load",
    args: ["SESSION"],
    options: { markdown: flag("print the verdict as Markdown") },
    about: "what filled the context: ledger, blow-ups, culprits, verdict",
    load: () => import("./load-command.ts"),
  },
  {
    name: "report",
    args: ["SESSION"],
    options: {
      html: flag("write HTML (default)"),
      markdown: flag("write Markdown"),
      out: text("FILE", "write to a new file, not to standard output"),
      review: flag("list private-looking values; write nothing"),
      mask: text("WHICH", "secrets (default), all or none"),
      accept: texts("ID", "show this value of the review"),
      hide: texts("ID", "mask this value of the review"),
      events: text("N,N", "add excerpts of these events"),
    },
    about: "one self-contained file about a session, to share",
    load: () => import("./report-command.ts"),
  },
  {
    name: "whatif",
    args: ["SESSION"],
    options: {
      offload: text("TOKENS", "store tool results over this size"),
      envelope: text("TOKENS", "size of the envelope that replaces each"),
      reread: text("SHARE", "share of stored results read back, 0 to 1"),
      mask: text("N", "keep only the newest N results whole"),
      hysteresis: text("TOKENS", "mask in batches of this size"),
      trigger: text("TOKENS", "clear old results when a prompt reaches this size"),
      free: text("TOKENS", "stop clearing when this much is free"),
      "keep-tool": texts("NAME", "never clear results of this tool"),
      "from-call": text("N", "clear nothing before this call"),
      "drop-tool": texts("NAME", "leave out the schema of this tool"),
      dedupe: flag("send identical outputs once"),
      ratio: text("SHARE", "compact at this share of the load line"),
      tail: text("TURNS", "turns that a compaction keeps whole"),
      summary: text("TOKENS", "size of the summary"),
    },
    about: "replay a session under another policy: tokens, peak, cost",
    load: () => import("./whatif-command.ts"),
  },
  {
    name: "requests",
    args: ["SESSION"],
    options: { from: text("SEQ", "begin at this event (500 requests a page)") },
    about: "requests that the session's file holds, also failed and interrupted ones",
    load: () => import("./requests-command.ts"),
  },
  {
    name: "request",
    args: ["SESSION"],
    options: { call: text("N", "the request of this model call"), request: text("ID", "the request with this id") },
    about: "the body of one request, as the agent sent it",
    load: () => import("./request-command.ts"),
  },
  {
    name: "export",
    args: ["SESSION"],
    options: {
      out: text("PATH", "write to a new file or folder"),
      as: text("FORMAT", "autobyteus or autobyteus-1: write an agent's memory folder"),
    },
    about: "a session as one file that any archive imports, outputs included",
    load: () => import("./export-command.ts"),
  },
  {
    name: "restore",
    args: ["SESSION"],
    options: {
      to: text("FOLDER", "write below this folder, not where the agent had the files"),
      version: text("N", "an earlier version of the session's file"),
      "dry-run": flag("list the files with sizes and digests; write nothing"),
    },
    about: "give an agent the files of a session back, byte for byte",
    load: () => import("./restore-command.ts"),
  },
];
