// Real agents on our own MCP server, as docs/agents says to add it: a log is stored, and its errors are searched.
import { prompt, simple } from "./claude-scenarios.ts";
import { exec, settings, shell } from "./codex-scenarios.ts";
import { mcpSnippet } from "./doc-snippet.ts";
import { ERROR_LOG, ERROR_LOG_ID } from "./known-outputs.ts";
import type { Scenario } from "./scenario-types.ts";
import type { ScriptedTool } from "./script-types.ts";

const STORE = { name: "log", value: ERROR_LOG };
const GREP = { artifact_id: ERROR_LOG_ID, pattern: "^ERROR", grep_options: ["-n"] };
const SENDS = [ERROR_LOG_ID, "607:ERROR: the gauge"];

const ofCodex = (name: string, input: object): ScriptedTool => ({ name, namespace: "mcp__plimsoll", input });

export const mcpScenarios: readonly Scenario[] = [
  {
    name: "plimsoll-mcp",
    agent: "claude",
    isCore: true,
    calls: 3,
    sends: SENDS,
    commands: (at) => [
      prompt(
        "Store the log and search it",
        at,
        "--mcp-config",
        mcpSnippet("claude-code.md", at),
        "--strict-mcp-config",
      ),
    ],
    script: simple(
      { tools: [{ name: "mcp__plimsoll__artifact_store", input: STORE }] },
      { tools: [{ name: "mcp__plimsoll__artifact_grep", input: GREP }] },
      { text: "Four errors." },
    ),
  },
  {
    name: "codex-plimsoll-mcp",
    agent: "codex",
    calls: 4,
    sends: SENDS,
    files: (at) => settings(at, [], [mcpSnippet("codex.md", at)]),
    commands: () => [exec("Store the log and search it")],
    script: simple(
      // Codex asks its model before its servers are there.
      { tools: [shell("sleep 4")] },
      { tools: [ofCodex("artifact_store", STORE)] },
      { tools: [ofCodex("artifact_grep", GREP)] },
      { text: "Four errors." },
    ),
  },
];
