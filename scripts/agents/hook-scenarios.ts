// Real agents with our hook, installed by `plimsoll hook install`: an output of 350 kB comes to the model as an envelope, the model greps
// the stored bytes over MCP (their id is of their digest), and after `plimsoll hook remove` the settings are as they were.
import { dirname, join } from "node:path";
import { AGENTS, type AgentId } from "./agent-packages.ts";
import { bash, prompt, simple } from "./claude-scenarios.ts";
import { exec, settings, shell } from "./codex-scenarios.ts";
import { mcpSnippet, withMcpSnippet } from "./doc-snippet.ts";
import { installPackages } from "./install-agent.ts";
import { ERROR_LOG, ERROR_LOG_ID, idOf, linesCommand, linesText, rowsText } from "./known-outputs.ts";
import { otherScenario } from "./other-scenarios.ts";
import { geminiSay, geminiSettings } from "./gemini-scenarios.ts";
import { piScenarios } from "./pi-scenarios.ts";
import { qwenSay, qwenSettings } from "./qwen-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";

const LINES = 12_900;
const ID = idOf(linesText(LINES));
const GREP = { artifact_id: ID, pattern: "line 1289[0-9] of", grep_options: ["-n"] };
const SENDS = [`{"artifact_id":"${ID}","tool_name"`, "12893:line 12893 of a long output"];
/** A line in the middle: neither the envelope shows it nor what was searched for. */
const WITHHOLDS = ["line 6000 of a long output"];

const ROWS = 8800;
const ROWS_ID = idOf(rowsText(ROWS));
const ROWS_GREP = { artifact_id: ROWS_ID, pattern: "row 879[0-9] of", grep_options: ["-n"] };

export const plimsoll = ({ node, ownFile }: RunPaths, ...words: string[]): AgentCommand => ({
  program: node,
  args: [ownFile("../../bin/plimsoll.mjs"), ...words],
});

const CLAUDE_SETTINGS = '{\n  "includeCoAuthoredBy": false,\n  "hooks": { "Stop": [] }\n}\n';
const CODEX_HOOKS = '{ "hooks": {} }\n';

/** Installed before the agent runs, removed after it. */
const hooked = (agent: string, commands: (at: RunPaths) => readonly AgentCommand[]) => (at: RunPaths) => [
  plimsoll(at, "hook", "install", agent, "--yes"),
  ...commands(at),
  plimsoll(at, "hook", "remove", agent, "--yes"),
];

/** As other-scenarios.ts sets an agent up. */
const other = (agent: AgentId): Scenario => otherScenario(agent, { name: agent });
const filesOf = (agent: AgentId, at: RunPaths): Readonly<Record<string, string>> => other(agent).files?.(at) ?? {};
const asides = [{ words: "next_speaker", step: { text: '{"reasoning":"done","next_speaker":"user"}' } }];
const DONE = { text: "Ten lines." };

const OPENCODE = ".config/opencode/opencode.json";

function openCodePackages(): string {
  const { version } = AGENTS.find(({ id }) => id === "opencode")!;
  const proof = join("@opencode-ai", "plugin", "package.json");
  const found = installPackages(`opencode-plugin-${version}`, [`@opencode-ai/plugin@${version}`], proof);
  if ("missing" in found) throw new Error(found.missing);
  return join(dirname(found.path), "../../..");
}

export const hookScenarios: readonly Scenario[] = [
  {
    name: "claude-hook",
    agent: "claude",
    calls: 3,
    sends: SENDS,
    withholds: WITHHOLDS,
    files: () => ({ ".claude/settings.json": CLAUDE_SETTINGS }),
    leaves: () => ({ ".claude/settings.json": CLAUDE_SETTINGS }),
    commands: hooked("claude", (at) => [
      prompt("Write much, and search it", at, "--mcp-config", mcpSnippet("claude-code.md", at), "--strict-mcp-config"),
    ]),
    script: simple(
      { tools: [bash(linesCommand(LINES))] },
      { tools: [{ name: "mcp__plimsoll__artifact_grep", input: GREP }] },
      DONE,
    ),
  },
  {
    // Of a shell's output Codex keeps the ends alone; what an MCP server returns comes to the hook whole.
    name: "codex-hook",
    agent: "codex",
    calls: 4,
    sends: [`{"artifact_id":"${ROWS_ID}","tool_name"`, "8793:row 8793 of the 8800"],
    withholds: ["row 4000 of the 8800"],
    files: (at) => ({ ...settings(at, [], [mcpSnippet("codex.md", at)]), ".codex/hooks.json": CODEX_HOOKS }),
    leaves: () => ({ ".codex/hooks.json": CODEX_HOOKS }),
    commands: hooked("codex", () => [exec("--dangerously-bypass-hook-trust", "Fetch much, and search it")]),
    script: simple(
      { tools: [shell("sleep 4")] },
      { tools: [{ name: "rows", namespace: "mcp__shelf", input: { count: ROWS } }] },
      { tools: [{ name: "artifact_grep", namespace: "mcp__plimsoll", input: ROWS_GREP }] },
      DONE,
    ),
  },
  {
    name: "gemini-hook",
    agent: "gemini",
    calls: 4,
    sends: [`{"artifact_id":"${ROWS_ID}","tool_name"`, "8793:row 8793 of the 8800"],
    withholds: ["row 4000 of the 8800"],
    files: (at) => {
      const own = { shelf: { command: at.node, args: [at.ownFile("mcp-server.ts"), "shelf"], trust: true } };
      const { mcpServers, ...rest } = JSON.parse(
        withMcpSnippet("gemini.md", at, geminiSettings()[".gemini/settings.json"]!),
      ) as { mcpServers: object };
      return { ".gemini/settings.json": JSON.stringify({ ...rest, mcpServers: { ...mcpServers, ...own } }) };
    },
    commands: hooked("gemini", () => [geminiSay("Write much")]),
    script: () => ({
      asides,
      lanes: {
        main: [
          // It asks its model before its servers are there.
          { tools: [{ name: "run_shell_command", input: { command: "sleep 4", description: "Waits" } }] },
          { tools: [{ name: "mcp_shelf_rows", input: { count: ROWS } }] },
          { tools: [{ name: "mcp_plimsoll_artifact_grep", input: ROWS_GREP }] },
          DONE,
        ],
      },
    }),
  },
  {
    name: "copilot-hook",
    agent: "copilot",
    calls: 3,
    sends: SENDS,
    withholds: WITHHOLDS,
    files: (at) => ({ ".copilot/mcp-config.json": mcpSnippet("copilot.md", at) }),
    leaves: () => ({ ".copilot/hooks/plimsoll.json": null }),
    commands: hooked("copilot", (at) => other("copilot").commands(at)),
    script: () => ({
      lanes: {
        main: [
          { tools: [{ name: "bash", input: { command: linesCommand(LINES), description: "Writes" } }] },
          { tools: [{ name: "plimsoll-artifact_grep", input: GREP }] },
          DONE,
        ],
      },
    }),
  },
  {
    name: "qwen-plimsoll-mcp",
    agent: "qwen",
    calls: 3,
    sends: [ERROR_LOG_ID, "607:ERROR: the gauge"],
    files: (at) => ({
      ".qwen/settings.json": withMcpSnippet("qwen.md", at, qwenSettings()[".qwen/settings.json"]!),
    }),
    commands: () => [qwenSay("Store the log and search it")],
    script: () => ({
      lanes: {
        main: [
          { tools: [{ name: "mcp__plimsoll__artifact_store", input: { name: "log", value: ERROR_LOG } }] },
          {
            tools: [
              {
                name: "mcp__plimsoll__artifact_grep",
                input: { ...GREP, artifact_id: ERROR_LOG_ID, pattern: "^ERROR" },
              },
            ],
          },
          DONE,
        ],
      },
    }),
  },
  {
    // No MCP: the model reads back in its shell, by the command that stands below the envelope.
    name: "pi-hook",
    agent: "pi",
    calls: 3,
    sends: [`{"artifact_id":"${ID}","tool_name"`, "12893:line 12893 of a long output"],
    withholds: WITHHOLDS,
    files: (at) => piScenarios[0]!.files!(at),
    leaves: () => ({ ".pi/agent/extensions/plimsoll.ts": null }),
    commands: hooked("pi", (at) => piScenarios[0]!.commands(at)),
    script: (at) => ({
      lanes: {
        main: [
          { tools: [{ name: "bash", input: { command: linesCommand(LINES) } }] },
          {
            tools: [
              {
                name: "bash",
                input: {
                  command: `${at.node} ${at.ownFile("../../bin/plimsoll.mjs")} grep ${ID} 'line 1289[0-9] of' -n`,
                },
              },
            ],
          },
          DONE,
        ],
      },
    }),
  },
  {
    // It installs a package for plugins where that is missing, which it cannot do here: it is given the one of the cache.
    name: "opencode-hook",
    agent: "opencode",
    calls: 3,
    sends: SENDS,
    withholds: WITHHOLDS,
    files: (at) => ({
      [OPENCODE]: withMcpSnippet("opencode.md", at, filesOf("opencode", at)[OPENCODE]!),
    }),
    leaves: () => ({ ".config/opencode/plugin/plimsoll.js": null }),
    commands: hooked("opencode", (at) => [
      { program: "cp", args: ["-r", `${openCodePackages()}/.`, join(at.home, dirname(OPENCODE))] },
      ...other("opencode").commands(at),
    ]),
    script: () => ({
      lanes: {
        main: [
          { tools: [{ name: "bash", input: { command: linesCommand(LINES), description: "Writes" } }] },
          { tools: [{ name: "plimsoll_artifact_grep", input: GREP }] },
          DONE,
        ],
      },
    }),
  },
];
