// The agents that are run, and where they come from. A version is pinned: what its files and requests look like is what is tested.

export type AgentPackage = {
  readonly id: string;
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** In node_modules/.bin. */
  readonly command: string;
};

export const AGENTS: readonly AgentPackage[] = [
  agent("claude", "Claude Code", "@anthropic-ai/claude-code", "2.1.330"),
  agent("codex", "Codex", "@openai/codex", "0.169.0"),
];

function agent(id: string, name: string, from: string, version: string): AgentPackage {
  return { id, name, package: from, version, command: id };
}
