// What Codex is made to do.
import { linesCommand, linesText, rowsText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

export const shell = (cmd: string, writes?: string): ScriptedTool => ({
  name: "exec_command",
  input: { cmd },
  ...(writes === undefined ? {} : { writes }),
});
const lines = (count: number): ScriptedTool => shell(linesCommand(count), linesText(count));
const rows = (server: string, count: number): ScriptedTool => ({
  name: "rows",
  namespace: `mcp__${server}`,
  input: { count },
  writes: rowsText(count),
});

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));
const simple =
  (...steps: Step[]) =>
  () => ({ lanes: { main: paced(...steps) } });

export const exec = (...args: string[]): AgentCommand => ({ args: ["exec", "--skip-git-repo-check", ...args] });
export const resume = (text: string): AgentCommand => ({
  args: ["exec", "resume", "--skip-git-repo-check", "--last", text],
});

/** Its settings: our model, nothing asked of a person, nothing reported. */
export function settings(
  { node, ownFile }: RunPaths,
  more: readonly string[] = [],
  servers: readonly string[] = [],
): Record<string, string> {
  const server = (name: string): string[] => [
    `[mcp_servers.${name}]`,
    `command = "${node}"`,
    `args = ["${ownFile("mcp-server.ts")}", "${name}"]`,
    'default_tools_approval_mode = "approve"',
  ];
  const lines = [
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    'approval_policy = "never"',
    'sandbox_mode = "danger-full-access"',
    "check_for_update_on_startup = false",
    ...more,
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${MODEL_URL}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    "request_max_retries = 1",
    "stream_max_retries = 1",
    "[analytics]",
    "enabled = false",
    "[feedback]",
    "enabled = false",
    ...server("shelf"),
    ...server("attic"),
    ...servers,
  ];
  return { ".codex/config.toml": `${lines.join("\n")}\n` };
}

export const codexScenarios: readonly Scenario[] = [
  {
    name: "codex-hello",
    agent: "codex",
    isCore: true,
    calls: 3,
    sends: ["beta two"],
    files: settings,
    commands: () => [exec("What is in this folder?")],
    script: simple(
      { thinking: "I shall look.", text: "I list it.", tools: [shell("ls")] },
      { tools: [shell("cat notes.txt")] },
      { text: "It holds notes." },
    ),
  },
  {
    name: "codex-mcp",
    agent: "codex",
    calls: 3,
    sends: ["row 3 of the 3"],
    files: settings,
    commands: () => [exec("Fetch rows")],
    script: simple(
      { text: "From both.", tools: [rows("shelf", 3), rows("attic", 1500)] },
      { tools: [rows("shelf", 2), shell("ls /nowhere")] },
      { text: "Rows are here." },
    ),
  },
  {
    name: "codex-compaction",
    agent: "codex",
    isCore: true,
    calls: 6,
    sends: ["Scripted summary"],
    files: (at) => settings(at, ["model_context_window = 100000", "model_auto_compact_token_limit = 70000"]),
    commands: () => [exec("Work long")],
    script: () => ({
      charsPerToken: 1,
      asides: [{ words: "CONTEXT CHECKPOINT COMPACTION", step: { text: "Scripted summary: we counted." } }],
      lanes: {
        main: paced(
          { tools: [lines(690)] },
          { tools: [lines(500)] },
          { tools: [lines(50)] },
          { text: "After it.", tools: [shell("echo after")] },
          { text: "Done." },
        ),
      },
    }),
  },
  {
    name: "codex-resume",
    agent: "codex",
    calls: 4,
    sends: ["First part."],
    files: settings,
    commands: () => [exec("Begin"), resume("Go on")],
    script: simple(
      { text: "First part.", tools: [lines(5)] },
      { text: "Answered." },
      { tools: [shell("ls")] },
      { text: "Answered again." },
    ),
  },
  {
    name: "codex-killed",
    agent: "codex",
    calls: 3,
    files: settings,
    commands: () => [{ ...exec("Begin"), killAt: 2 }, resume("Go on")],
    script: simple(
      { text: "I list.", tools: [shell("ls")] },
      { text: "Never heard.", delayMs: 20_000 },
      { text: "Answered." },
    ),
  },
  {
    name: "codex-large-output",
    agent: "codex",
    calls: 3,
    files: settings,
    commands: () => [exec("Write much")],
    script: simple(
      // Codex keeps at most 65,536 bytes of an output; some 350,000 are written.
      { tools: [lines(12_500), lines(1_960)] },
      { tools: [rows("shelf", 1500)] },
      { text: "That was much." },
    ),
  },
];
