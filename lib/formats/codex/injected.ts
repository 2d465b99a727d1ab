// User messages that no person wrote: Codex puts instructions, the environment and notices before the model in the
// user's name. The names are kept; an unknown one is told by its shape, a text that is wholly one `<snake_tag>`.

export const SUMMARY_START = "Another language model started to solve this problem";

const STARTS: readonly (readonly [start: string, name: string])[] = [
  ["# AGENTS.md instructions", "agents_md"],
  ["<user_instructions>", "user_instructions"],
  ["<environment_context>", "environment_context"],
  ["<turn_aborted>", "turn_aborted"],
  ["<subagent_notification>", "subagent_notification"],
  ["<skill>", "skill"],
  ["<user_shell_command>", "user_shell_command"],
  ["<INSTRUCTIONS>", "instructions"],
  [SUMMARY_START, "summary"],
  ["Warning: The maximum number of unified exec processes", "warning"],
  ["Warning: apply_patch was requested via", "warning"],
];

/** Why a user message is not a prompt; null when it is one. */
export function injectedAs(text: string): string | null {
  const start = /\S/.exec(text)?.index ?? 0;
  for (const [prefix, name] of STARTS) if (text.startsWith(prefix, start)) return name;
  // People do type `<div>…</div>`: only names with an underscore are taken for Codex's own.
  const tag = /^<([a-z]+(?:_[a-z]+)+)>/.exec(text.slice(start, start + 80))?.[1];
  return tag !== undefined && text.slice(-200).trimEnd().endsWith(`</${tag}>`) ? tag : null;
}

/** Name of the tag that opens a developer's text, for its subtype. */
export function tagOf(text: string): string | null {
  const tag = /^\s*<([a-z][a-z0-9_ -]{1,40})>/.exec(text.slice(0, 80))?.[1];
  return tag === undefined ? null : tag.trim().replaceAll(/[ -]+/g, "_");
}

/** A session's title from its first prompt: what was asked, without the editor's preamble. */
export function titleOf(prompt: string): string | null {
  const mark = "## My request for Codex:";
  const request = prompt.startsWith("# Context from my IDE setup") ? prompt.lastIndexOf(mark) : -1;
  const text = prompt.slice(request < 0 ? 0 : request + mark.length).slice(0, 2000);
  const line = text.split("\n").find((one) => one.trim() !== "");
  return line === undefined ? null : line.trim().slice(0, 200);
}
