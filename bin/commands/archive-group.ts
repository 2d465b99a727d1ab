import type { Command } from "./args.ts";
import { flag, text, texts } from "./option.ts";

const PROXIED = {
  anthropic: text("URL", "where Anthropic's requests go"),
  openai: text("URL", "where OpenAI's requests go"),
  gemini: text("URL", "where Gemini's requests go"),
};

/** Commands that keep the archive in order, and let agents in. */
export const ARCHIVE_COMMANDS: readonly Command[] = [
  {
    name: "start",
    args: [],
    options: {
      port: text("N", "port (default 4567, or the next free one; 0: any)"),
      sources: texts("PATH", "read this folder or file instead of the default ones"),
      "no-open": flag("do not open the browser"),
      "no-pages": flag("only the HTTP API"),
    },
    about: "start the server, as without a command",
    load: () => import("./start-command.ts"),
  },
  {
    name: "mcp",
    args: [],
    options: {
      session: text("SESSION", "show the agent this session alone"),
      "read-only": flag("leave out the tool that stores"),
    },
    about: "an MCP server for agents, on standard input and output",
    load: () => import("./mcp-command.ts"),
  },
  {
    name: "hook",
    args: ["install|remove|status", "[AGENT…]"],
    options: {
      statusline: flag("Plimsoll's line in the agent's status line, not the hook (claude)"),
      "dry-run": flag("show the change to the settings, write nothing"),
      yes: flag("write without asking"),
    },
    about: "keep large outputs of an agent's tools out of its context",
    load: () => import("./hook-command.ts"),
  },
  {
    name: "run",
    args: ["COMMAND…"],
    options: PROXIED,
    about: "run an agent and record its exact requests: plimsoll run -- claude",
    load: () => import("./run-command.ts"),
  },
  {
    name: "proxy",
    args: [],
    options: { port: text("N", "port to listen on (default 5567; 0: any)"), ...PROXIED },
    about: "record the exact requests that programs make to their models",
    load: () => import("./proxy-command.ts"),
  },
  {
    name: "remove",
    args: ["SESSION"],
    options: { "dry-run": flag("list what would be removed"), yes: flag("remove") },
    about: "remove an imported session from the archive; its file stays",
    load: () => import("./remove-command.ts"),
  },
  {
    name: "token",
    args: ["create|list|revoke", "[TOKEN]"],
    options: {
      name: text("NAME", "name of the token"),
      scope: text("SCOPE", "read, write (default), admin or telemetry"),
      session: text("SESSION", "limit it to this session"),
      days: text("N", "days until it expires (default 90; 0: never)"),
      pin: texts("TOOL.ARGUMENT=VALUE", "fix an argument of a tool"),
    },
    about: "create, list and revoke access tokens for agents",
    load: () => import("./token-command.ts"),
  },
  {
    name: "webhook",
    args: ["ACTION", "[NAME]", "[URL]"],
    options: {
      on: text("KINDS", "of near, refused, compacted, finished, budget, with commas (default: all)"),
      name: text("NAME", "change: its new name"),
      url: text("URL", "change: its new address"),
      secret: text("SECRET", "add: sign with this secret (whsec_…), not a new one"),
      "new-secret": flag("change: sign with a new secret"),
      titles: text("YES|NO", "send session titles (default: to this machine only)"),
      enabled: text("YES|NO", "change: send to it, or do not"),
    },
    about: "add, list, change, remove, test webhooks; log: what was sent",
    load: () => import("./webhook-command.ts"),
  },
  {
    name: "budget",
    args: ["[ACTION]", "[PERIOD]", "[USD]"],
    options: { project: text("FOLDER", "only this project; a total needs one") },
    about: "list budgets; set or remove one per day, month or total: budget set day 20",
    load: () => import("./budget-command.ts"),
  },
  {
    name: "calibrate",
    args: [],
    options: {
      "dry-run": flag("show the errors, change nothing"),
      reset: flag("use the shipped weights again"),
    },
    about: "fit the token estimates to your own sessions",
    load: () => import("./calibrate-command.ts"),
  },
  {
    name: "check",
    args: [],
    options: { rebuild: flag("repair what can be repaired") },
    about: "verify blobs, rows and registries",
    load: () => import("./check-command.ts"),
  },
  {
    name: "gc",
    args: [],
    options: {
      "dry-run": flag("count, delete nothing"),
      "trust-clock": flag("confirm a clock that jumped ahead"),
    },
    about: "delete expired artifacts and unused bytes",
    load: () => import("./gc-command.ts"),
  },
  {
    name: "migrate",
    args: ["FILE…"],
    options: {
      artifacts: text("DIR", "folder for the artifacts"),
      key: text("KEY", "the session's key in the registry"),
    },
    about: "move tool results out of OpenClaw transcripts; a backup stays beside each",
    load: () => import("./migrate-command.ts"),
  },
];
