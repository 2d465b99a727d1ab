// The agents that take another output from a hook: which settings file, and what stands in it.
import { join } from "node:path";
import { openCodePlugin, piExtension } from "./plugin-text.ts";
import type { SettingsEdit } from "./settings-edits.ts";

type Env = Readonly<Record<string, string | undefined>>;

export type HookAgent = {
  readonly id: string;
  readonly name: string;
  /** Where the agent keeps its settings; there when it was used on this machine. */
  readonly folder: (home: string, env: Env) => string;
  /** Below the folder. */
  readonly file: string;
  readonly edits: (command: HookCommand) => readonly SettingsEdit[];
  /** What shows our line in the agent's status line; absent where it has none, or takes no command. */
  readonly statusLine?: (command: HookCommand) => readonly SettingsEdit[];
  /** The agent ignores a settings file with comments. */
  readonly isStrict?: true;
  /** How the agent is given the MCP server that reads outputs back. */
  readonly page: string;
};

/** The hook as a shell starts it, and as its words; this command line, and its status line, as a shell starts them. */
export type HookCommand = {
  readonly shell: string;
  readonly words: readonly string[];
  readonly cli: string;
  readonly statusLine: string;
};

/** Agents wait this long for a hook, which ends by itself before (seconds). */
const TIMEOUT_S = 10;

export const HOOK_AGENTS: readonly HookAgent[] = [
  {
    id: "claude",
    name: "Claude Code",
    folder: (home, env) => env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"),
    file: "settings.json",
    isStrict: true,
    // Only tools whose outputs the hook knows to replace: for all others no process is started.
    edits: ({ shell }) =>
      ["PostToolUse", "PostToolUseFailure"].map((event) => ({
        kind: "append",
        path: ["hooks", event],
        value: { matcher: "Bash|Read|mcp__.*", hooks: [{ type: "command", command: shell, timeout: TIMEOUT_S }] },
      })),
    statusLine: ({ statusLine }) => [
      { kind: "set", path: ["statusLine"], value: { type: "command", command: statusLine }, isNew: true },
    ],
    page: "claude-code.md",
  },
  {
    id: "codex",
    name: "Codex",
    folder: (home, env) => env["CODEX_HOME"] || join(home, ".codex"),
    file: "hooks.json",
    isStrict: true,
    edits: ({ shell }) => [
      {
        kind: "append",
        path: ["hooks", "PostToolUse"],
        value: { matcher: "Bash|mcp__.*", hooks: [{ type: "command", command: shell, timeout: TIMEOUT_S }] },
      },
    ],
    page: "codex.md",
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    folder: (home) => join(home, ".gemini"),
    file: "settings.json",
    edits: ({ shell }) => [
      {
        kind: "append",
        path: ["hooks", "AfterTool"],
        value: {
          matcher: "run_shell_command|read_many_files|web_fetch|mcp_.*",
          hooks: [{ name: "plimsoll", type: "command", command: shell, timeout: 1000 * TIMEOUT_S }],
        },
      },
    ],
    page: "gemini.md",
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    folder: (home) => join(home, ".copilot"),
    file: "hooks/plimsoll.json",
    edits: ({ shell }) => {
      const hook = { type: "command", bash: shell, timeoutSec: TIMEOUT_S };
      return [{ kind: "whole", text: `${JSON.stringify({ version: 1, hooks: { postToolUse: [hook] } }, null, 2)}\n` }];
    },
    page: "copilot.md",
  },
  {
    id: "opencode",
    name: "OpenCode",
    folder: (home, env) => join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode"),
    file: "plugin/plimsoll.js",
    edits: (command) => [{ kind: "whole", text: openCodePlugin(command) }],
    page: "opencode.md",
  },
  {
    id: "pi",
    name: "pi",
    folder: (home) => join(home, ".pi", "agent"),
    file: "extensions/plimsoll.ts",
    edits: (command) => [{ kind: "whole", text: piExtension(command) }],
    page: "pi.md",
  },
];
