// The agents that are run, and where they come from. A version is pinned: what its files and requests look like is what is tested.

export type AgentPackage = {
  readonly id: string;
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** In node_modules/.bin. */
  readonly command: string;
  /** Its files are of a format that Plimsoll reads. The others are run with `--all`, and must be taken for none. */
  readonly isRead: boolean;
};

export const AGENTS = [
  agent("claude", "Claude Code", "@anthropic-ai/claude-code", "2.1.330", true),
  agent("codex", "Codex", "@openai/codex", "0.169.0", true),
  agent("opencode", "OpenCode", "opencode-ai", "1.18.33", true),
  agent("pi", "pi", "@mariozechner/pi-coding-agent", "0.73.1", true),
  agent("gemini", "Gemini CLI", "@google/gemini-cli", "0.61.0", true),
  agent("qwen", "Qwen Code", "@qwen-code/qwen-code", "0.24.4", true),
  agent("copilot", "Copilot CLI", "@github/copilot", "1.0.102", true),
  agent("cline", "Cline", "cline", "3.0.65"),
  agent("openclaw", "OpenClaw", "openclaw", "2026.9.6"),
] as const;

export type AgentId = (typeof AGENTS)[number]["id"];

function agent<Id extends string>(id: Id, name: string, from: string, version: string, isRead = false) {
  return { id, name, package: from, version, command: id, isRead } satisfies AgentPackage;
}

/** Below its home: where Plimsoll looks by itself; for an agent that it does not read, everywhere. */
export const watchedFolder = (id: AgentId): string => WATCHED[id] ?? ".";

const WATCHED: Partial<Record<AgentId, string>> = {
  claude: ".claude/projects",
  codex: ".codex/sessions",
  gemini: ".gemini/tmp",
  pi: ".pi/agent/sessions",
  qwen: ".qwen/projects",
  opencode: ".local/share/opencode",
  copilot: ".copilot/session-state",
};
