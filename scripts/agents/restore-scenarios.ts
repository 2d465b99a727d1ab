// A session whose files are deleted and restored by Plimsoll: its agent finds it, resumes it, and sends the same history. The
// agent is asked for the last session, by its own list, or for this one by its id.
import {
  bash as claudeBash,
  lines as claudeLines,
  paced,
  prompt,
  resume,
  simple as claude,
} from "./claude-scenarios.ts";
import { exec, resume as codexLast, settings as codexSettings, shell } from "./codex-scenarios.ts";
import { copilotBash, copilotSay } from "./copilot-scenarios.ts";
import { GEMINI_ASIDES, geminiBash, geminiSay, geminiSettings } from "./gemini-scenarios.ts";
import { linesCommand, linesText } from "./known-outputs.ts";
import { say, settings as piSettings, simple as pi } from "./pi-scenarios.ts";
import { QWEN_ASIDES, qwenBash, qwenSay, qwenSettings } from "./qwen-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

/** `pattern`: the files below the folder that are the session's; others the agent makes anew. */
const restored = ({ node, ownFile }: RunPaths, folder: string, pattern = ".", ...state: string[]): AgentCommand => ({
  program: node,
  args: [ownFile("restore-step.ts"), folder, pattern, ...state],
});

const FIRST = "First part: the gannet sits on pier two.";
const steps = (bash: (command: string) => ScriptedTool): Step[] => [
  { text: FIRST, tools: [bash("ls")] },
  { text: "Answered." },
  { text: "I go on.", tools: [bash("ls")] },
  { text: "Answered again." },
];
const words = (text: string, count: number): Step => ({
  text,
  tools: [{ name: "bash", input: { command: linesCommand(count) }, writes: linesText(count) }],
});

export const restoreScenarios: readonly Scenario[] = [
  {
    name: "restore",
    agent: "claude",
    isCore: true,
    calls: 4,
    sends: [FIRST],
    context: { has: [FIRST, "Go on"] },
    commands: (at) => [prompt("Begin", at), restored(at, ".claude/projects"), resume("Go on", at.sessions[0])],
    script: claude(
      { text: FIRST, tools: [claudeLines(5)] },
      { text: "Answered." },
      { text: "I go on.", tools: [claudeBash("ls")] },
      { text: "Answered again." },
    ),
  },
  {
    name: "restore-family",
    agent: "claude",
    calls: 7,
    sends: [FIRST, "Sub-agent looked."],
    commands: (at) => [
      prompt("Begin", at),
      restored(at, ".claude/projects"),
      { args: ["-p", "Go on", "--continue", "--output-format", "json", "--allowedTools", "Bash", "Agent"] },
    ],
    script: () => ({
      lanes: {
        main: [
          // An output that Claude Code puts into a file, and a sub-agent: both have files of their own.
          { text: FIRST, tools: [claudeLines(12_500)] },
          {
            text: "I send one.",
            tools: [
              {
                name: "Agent",
                input: {
                  description: "Looks",
                  prompt: "Look at the notes",
                  subagent_type: "general-purpose",
                  run_in_background: false,
                },
              },
            ],
          },
          { text: "Answered." },
          { text: "I go on.", tools: [claudeBash("ls")] },
          { text: "Answered again." },
        ],
        helper: [{ text: "I look.", tools: [claudeBash("cat notes.txt")] }, { text: "Sub-agent looked." }],
      },
      markers: { helper: "Look at the notes" },
    }),
  },
  {
    name: "codex-restore",
    agent: "codex",
    isCore: true,
    calls: 4,
    sends: [FIRST],
    files: codexSettings,
    commands: (at) => [exec("Begin"), restored(at, ".codex/sessions"), codexLast("Go on")],
    script: claude(
      { text: FIRST, tools: [shell("ls")] },
      { text: "Answered." },
      { tools: [shell("ls")] },
      { text: "Again." },
    ),
  },
  {
    name: "codex-restore-bare",
    agent: "codex",
    calls: 4,
    sends: [FIRST],
    files: codexSettings,
    // Its state is gone with the session: every sqlite file, and the history of prompts.
    commands: (at) => [
      exec("Begin"),
      restored(at, ".codex/sessions", ".", "state", "logs", "history", "session_index", "sqlite"),
      codexLast("Go on"),
    ],
    script: claude(
      { text: FIRST, tools: [shell("ls")] },
      { text: "Answered." },
      { tools: [shell("ls")] },
      { text: "Again." },
    ),
  },
  {
    name: "pi-restore",
    agent: "pi",
    isCore: true,
    calls: 4,
    sends: [FIRST],
    context: { has: [FIRST, "Go on"] },
    files: piSettings(),
    commands: (at) => [say("Begin"), restored(at, ".pi/agent/sessions"), say("--continue", "Go on")],
    script: pi(words(FIRST, 5), { text: "Answered." }, words("I go on.", 6), { text: "Answered again." }),
  },
  {
    name: "qwen-restore",
    agent: "qwen",
    calls: 4,
    sends: [FIRST],
    files: () => qwenSettings(),
    commands: (at) => [
      qwenSay("Begin"),
      restored(at, ".qwen/projects", "chats/[^/]+\\.jsonl$"),
      qwenSay("Go on", "--continue"),
    ],
    script: () => ({ asides: QWEN_ASIDES, lanes: { main: paced(...steps(qwenBash)) } }),
  },
  {
    name: "gemini-restore",
    agent: "gemini",
    calls: 4,
    sends: [FIRST],
    files: () => geminiSettings(),
    commands: (at) => [
      geminiSay("Begin"),
      restored(at, ".gemini/tmp", "chats/[^/]+\\.jsonl$"),
      geminiSay("Go on", "--resume", "latest"),
    ],
    script: () => ({ asides: GEMINI_ASIDES, lanes: { main: paced(...steps(geminiBash)) } }),
  },
  {
    name: "copilot-restore",
    agent: "copilot",
    calls: 4,
    sends: [FIRST],
    // The folder has notes of the program beside the events: they are gone, and it makes them anew.
    commands: (at) => [
      copilotSay("Begin"),
      restored(at, ".copilot/session-state", "events\\.jsonl$"),
      copilotSay("Go on", "--continue"),
    ],
    script: () => ({ lanes: { main: paced(...steps(copilotBash)) } }),
  },
];
