// Real agents with our hook, installed by `plimsoll hook install`: an output of 350 kB comes to the model as an envelope, the model greps
// the stored bytes over MCP (their id is of their digest), and after `plimsoll hook remove` the settings are as they were.
import { bash, prompt, simple } from "./claude-scenarios.ts";
import { idOf, linesCommand, linesText } from "./known-outputs.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";

const LINES = 12_900;
const ID = idOf(linesText(LINES));
const GREP = { artifact_id: ID, pattern: "line 1289[0-9] of", grep_options: ["-n"] };
const SENDS = [`{"artifact_id":"${ID}"`, "12893:line 12893 of a long output"];
/** A line in the middle: neither the envelope shows it nor what was searched for. */
const WITHHOLDS = ["line 6000 of a long output"];

const plimsoll = ({ node, ownFile }: RunPaths, ...words: string[]): AgentCommand => ({
  program: node,
  args: [ownFile("../../bin/plimsoll.mjs"), ...words],
});

const CLAUDE_SETTINGS = '{\n  "includeCoAuthoredBy": false,\n  "hooks": { "Stop": [] }\n}\n';

const claudeMcp = ({ node, ownFile }: RunPaths): string[] => {
  const plimsoll = { type: "stdio", command: node, args: [ownFile("../../bin/plimsoll.mjs"), "mcp"] };
  return ["--mcp-config", JSON.stringify({ mcpServers: { plimsoll } }), "--strict-mcp-config"];
};

export const hookScenarios: readonly Scenario[] = [
  {
    name: "hook-claude",
    agent: "claude",
    calls: 3,
    sends: SENDS,
    withholds: WITHHOLDS,
    files: () => ({ ".claude/settings.json": CLAUDE_SETTINGS }),
    leaves: () => ({ ".claude/settings.json": CLAUDE_SETTINGS }),
    commands: (at) => [
      plimsoll(at, "hook", "install", "claude", "--yes"),
      prompt("Write much, and search it", at, ...claudeMcp(at)),
      plimsoll(at, "hook", "remove", "--yes"),
    ],
    script: simple(
      { tools: [bash(linesCommand(LINES))] },
      { tools: [{ name: "mcp__plimsoll__artifact_grep", input: GREP }] },
      { text: "Ten lines." },
    ),
  },
];
