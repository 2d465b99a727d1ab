// The agents that take another output from a hook: which settings file, and what stands in it.
import { join } from "node:path";
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
  /** The agent ignores a settings file with comments. */
  readonly isStrict?: true;
  /** How the agent is given the MCP server that reads outputs back. */
  readonly page: string;
};

/** The hook as a shell starts it, and as its words. */
export type HookCommand = { readonly shell: string; readonly words: readonly string[] };

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
    page: "claude-code.md",
  },
];
