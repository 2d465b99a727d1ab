// Limits that `plimsoll policies` suggests, set as it says: the agent accepts them, and its model is sent less.
import { bash, lines, prompt, simple as claude } from "./claude-scenarios.ts";
import { exec, settings as codexSettings, shell } from "./codex-scenarios.ts";
import { linesCommand, linesText, rowsText } from "./known-outputs.ts";
import type { RunPaths, Scenario } from "./scenario-types.ts";
import type { Step } from "./script-types.ts";

/** Of 700 lines these are at both ends: whatever part a limit keeps, one of the middle is gone. */
const MIDDLE = "line 350 of a long output";
const LINES = 700;

/** As the file that is suggested: Claude Code reads `env` of its settings. */
const claudeSettings = (env: Record<string, string>) => () => ({
  ".claude/settings.json": `${JSON.stringify({ env }, null, 2)}\n`,
});

const shelf = ({ node, ownFile }: RunPaths): string[] => {
  const server = { type: "stdio", command: node, args: [ownFile("mcp-server.ts"), "shelf"] };
  return ["--mcp-config", JSON.stringify({ mcpServers: { shelf: server } }), "--strict-mcp-config"];
};

const codexSteps: Step[] = [
  { text: "I print.", tools: [shell(linesCommand(LINES), linesText(LINES))] },
  { text: "Seen." },
];

export const limitScenarios: readonly Scenario[] = [
  {
    name: "limit-bash",
    agent: "claude",
    calls: 2,
    sends: ["line 1 of a long output"],
    withholds: [MIDDLE],
    files: claudeSettings({ BASH_MAX_OUTPUT_LENGTH: "4000" }),
    commands: (at) => [prompt("Print much", at)],
    script: claude({ text: "I print.", tools: [lines(LINES)] }, { text: "Seen." }),
  },
  {
    name: "limit-read",
    agent: "claude",
    calls: 3,
    withholds: [MIDDLE],
    files: claudeSettings({ CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS: "2000" }),
    commands: (at) => [prompt("Read much", at)],
    script: ({ project }) => ({
      lanes: {
        main: [
          { text: "I write.", tools: [bash(`${linesCommand(LINES)} > long.txt`)] },
          { text: "I read.", tools: [{ name: "Read", input: { file_path: `${project}/long.txt` } }] },
          { text: "Seen." },
        ],
      },
    }),
  },
  {
    name: "limit-mcp",
    agent: "claude",
    calls: 2,
    withholds: ["row 350 of the 700"],
    files: claudeSettings({ MAX_MCP_OUTPUT_TOKENS: "2000" }),
    commands: (at) => [prompt("Fetch many", at, ...shelf(at))],
    script: claude(
      { text: "I fetch.", tools: [{ name: "mcp__shelf__rows", input: { count: LINES }, writes: rowsText(LINES) }] },
      { text: "Seen." },
    ),
  },
  {
    name: "codex-limit",
    agent: "codex",
    calls: 2,
    sends: ["line 1 of a long output"],
    withholds: [MIDDLE],
    files: (at) => codexSettings(at, ["tool_output_token_limit = 1000"]),
    commands: () => [exec("Print much")],
    script: () => ({ lanes: { main: codexSteps } }),
  },
  {
    name: "codex-compact-prompt",
    agent: "codex",
    calls: 6,
    sends: ["Keep the gannet on pier two", "Scripted summary"],
    withholds: ["CONTEXT CHECKPOINT COMPACTION"],
    files: (at) =>
      codexSettings(at, [
        'compact_prompt = """\nSummarize for another model.\nKeep the gannet on pier two.\n"""',
        "model_context_window = 100000",
        "model_auto_compact_token_limit = 70000",
      ]),
    commands: () => [exec("Work long")],
    script: () => ({
      charsPerToken: 1,
      asides: [{ words: "Keep the gannet on pier two", step: { text: "Scripted summary: we counted." } }],
      lanes: {
        main: [
          { tools: [shell(linesCommand(690), linesText(690))] },
          { tools: [shell(linesCommand(500), linesText(500))] },
          { tools: [shell(linesCommand(50), linesText(50))] },
          { text: "After it.", tools: [shell("echo after")] },
          { text: "Done." },
        ],
      },
    }),
  },
];
