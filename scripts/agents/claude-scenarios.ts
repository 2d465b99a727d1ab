// What Claude Code is made to do.
import { linesCommand, linesText, rowsText, waitText } from "./known-outputs.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

/** Words of the prompt with which it asks for a summary. */
export const SUMMARY_WORDS = "create a detailed summary";
export const SUMMARY: Step = {
  text: "<analysis>Short.</analysis>\n<summary>\nScripted summary: we counted.\n</summary>",
};
export const NEXT: Step = { text: "Answered." };

/** Time between calls, so that what is written meanwhile can be seen to arrive. */
export const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));

export const bash = (command: string, writes?: string, more: object = {}): ScriptedTool => ({
  name: "Bash",
  input: { command, description: "Runs a command", ...more },
  ...(writes === undefined ? {} : { writes }),
});
export const lines = (count: number): ScriptedTool => bash(linesCommand(count), linesText(count));
export const read = (path: string): ScriptedTool => ({ name: "Read", input: { file_path: path } });
const rows = (server: string, count: number): ScriptedTool => ({
  name: `mcp__${server}__rows`,
  input: { count },
  writes: rowsText(count),
});
const wait = (ms: number): ScriptedTool => ({ name: "mcp__shelf__wait", input: { ms }, writes: waitText(ms) });
const agent = (prompt: string, more: object = {}): ScriptedTool => ({
  name: "Agent",
  input: { description: "Looks", prompt, subagent_type: "general-purpose", run_in_background: false, ...more },
});

export const TOOLS = ["Bash", "Read", "Agent", "mcp__shelf", "mcp__attic", "mcp__plimsoll"];

export function prompt(text: string, { sessions: [session] }: RunPaths, ...more: string[]): AgentCommand {
  const args = ["-p", text, "--session-id", session, "--output-format", "json", ...more];
  return { args: [...args, "--allowedTools", ...TOOLS] };
}

export const resume = (text: string, session: string, ...more: string[]): AgentCommand => ({
  args: ["-p", text, "--resume", session, "--output-format", "json", ...more, "--allowedTools", ...TOOLS],
});

/** Two servers, of the same tools. */
function mcp({ node, ownFile }: RunPaths): string[] {
  const server = (name: string) => ({ type: "stdio", command: node, args: [ownFile("mcp-server.ts"), name] });
  const mcpServers = { shelf: server("shelf"), attic: server("attic") };
  return ["--mcp-config", JSON.stringify({ mcpServers }), "--strict-mcp-config"];
}

function hooks({ node, ownFile }: RunPaths): string[] {
  const hook = { hooks: [{ type: "command", command: `${node} ${ownFile("replacing-hook.ts")}` }] };
  const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"];
  return ["--settings", JSON.stringify({ hooks: Object.fromEntries(events.map((name) => [name, [hook]])) })];
}

/** A window of 100,000 tokens, which is the least that can be had, fills with a few outputs when a character is a token. */
const SMALL_WINDOW = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };

export const simple =
  (...steps: Step[]) =>
  () => ({ lanes: { main: paced(...steps) } });

export const claudeScenarios: readonly Scenario[] = [
  {
    name: "hello",
    agent: "claude",
    isCore: true,
    calls: 3,
    sends: ["beta two"],
    commands: (at) => [prompt("What is in this folder?", at)],
    script: ({ project }) => ({
      lanes: {
        main: paced(
          { text: "I list it.", tools: [bash("ls")] },
          { text: "I read it.", tools: [read(`${project}/notes.txt`)] },
          { text: "It holds notes." },
        ),
      },
    }),
  },
  {
    // Slow enough to be looked at: `npm run screenshots -- growing-first`.
    name: "growing",
    agent: "claude",
    calls: 7,
    // The long output leaves its beginning in the prompt, and the rest in a file.
    sends: ["beta two", "line 20 of a long output", "2381"],
    commands: (at) => [prompt("Which notes mention the long output?", at)],
    script: ({ project }) => ({
      lanes: {
        main: [
          { text: "I list the folder.", tools: [bash("ls")] },
          { text: "I read the notes.", tools: [read(`${project}/notes.txt`)] },
          { text: "Now the output.", tools: [lines(2400)] },
          { text: "It is long. I count it.", tools: [bash("seq 2400 | wc -l")] },
          { text: "I look at its end.", tools: [bash("seq 2380 2400")] },
          { text: "And once more at the notes.", tools: [read(`${project}/notes.txt`)] },
          { text: "None of the notes mentions it." },
        ].map((step) => ({ delayMs: 3000, ...step })),
      },
    }),
  },
  {
    name: "parallel",
    agent: "claude",
    calls: 3,
    sends: ["waited 300 ms"],
    commands: (at) => [prompt("Wait in parallel", at, ...mcp(at))],
    script: simple(
      { text: "Three at once.", tools: [wait(300), wait(50), wait(150)] },
      { tools: [bash("echo first"), wait(40), bash("cat notes.txt")] },
      { text: "All came back." },
    ),
  },
  {
    name: "sub-agents",
    agent: "claude",
    calls: 12,
    sends: ["depth 5"],
    commands: (at) => [{ ...prompt("Ask other agents", at), env: { CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: "5" } }],
    script: () => ({
      markers: { five: "DEPTH-5", four: "DEPTH-4", three: "DEPTH-3", two: "DEPTH-2", one: "DEPTH-1" },
      lanes: {
        main: paced({ text: "I ask one.", tools: [agent("DEPTH-1: look deeper")] }, { text: "They looked." }),
        one: paced({ tools: [bash("echo depth 1"), agent("DEPTH-2: look deeper")] }, { text: "One is done." }),
        two: paced({ tools: [bash("echo depth 2"), agent("DEPTH-3: look deeper")] }, { text: "Two is done." }),
        three: paced({ tools: [agent("DEPTH-4: look deeper")] }, { text: "Three is done." }),
        four: paced({ tools: [agent("DEPTH-5: look deeper")] }, { text: "Four is done." }),
        five: paced({ tools: [bash("echo depth 5")] }, { text: "Five is done." }),
      },
    }),
  },
  {
    name: "image",
    agent: "claude",
    calls: 2,
    sends: ["image/png"],
    commands: (at) => [prompt("What is in the picture?", at)],
    script: ({ project }) => ({
      lanes: { main: paced({ text: "I look.", tools: [read(`${project}/dot.png`)] }, { text: "A square." }) },
    }),
  },
  {
    name: "thinking",
    agent: "claude",
    calls: 3,
    commands: (at) => [prompt("Think", at, "--effort", "high")],
    script: simple(
      { thinking: "Which command says it?", text: "I count.", tools: [lines(5)] },
      { thinking: "Once more.", tools: [lines(6)] },
      { thinking: "Enough.", text: "Five, then six." },
    ),
  },
  {
    name: "thinking-off",
    agent: "claude",
    calls: 2,
    commands: (at) => [{ ...prompt("Do not think", at), env: { CLAUDE_CODE_DISABLE_THINKING: "1" } }],
    script: simple({ text: "I count.", tools: [lines(5)] }, { text: "Five." }),
  },
  {
    name: "background",
    agent: "claude",
    calls: 3,
    commands: (at) => [prompt("Start a task", at)],
    script: simple(
      { tools: [bash("sleep 0.3; echo finished", undefined, { run_in_background: true })] },
      { tools: [bash("sleep 0.8; echo waited")] },
      { text: "It runs." },
    ),
  },
  {
    name: "hooks",
    agent: "claude",
    calls: 3,
    sends: ["Said by the session's hook", "Replaced by a hook"],
    commands: (at) => [prompt("Use a hook", at, ...hooks(at))],
    script: ({ project }) => ({
      lanes: {
        main: paced(
          { tools: [bash("ls"), read(`${project}/notes.txt`)] },
          { tools: [bash("ls /nowhere")] },
          { text: "Hooked." },
        ),
      },
    }),
  },
  {
    name: "mcp",
    agent: "claude",
    isCore: true,
    calls: 3,
    sends: ["row 3 of the 3"],
    commands: (at) => [prompt("Fetch rows", at, ...mcp(at))],
    script: simple(
      { text: "From both.", tools: [rows("shelf", 3), rows("attic", 1900)] },
      { tools: [rows("shelf", 2)] },
      { text: "Rows are here." },
    ),
  },
  {
    name: "large-output",
    agent: "claude",
    calls: 3,
    commands: (at) => [prompt("Write much", at, ...mcp(at))],
    script: simple(
      // Some 350 and 600 kB.
      { tools: [lines(12_500)] },
      { tools: [rows("shelf", 15_000)] },
      { text: "That was much." },
    ),
  },
  {
    name: "auto-compaction",
    agent: "claude",
    isCore: true,
    calls: 6,
    sends: ["Scripted summary"],
    commands: (at) => [{ ...prompt("Work long", at), env: SMALL_WINDOW }],
    script: () => ({
      charsPerToken: 1,
      asides: [{ words: SUMMARY_WORDS, step: SUMMARY }],
      lanes: {
        main: paced(
          { tools: [lines(690)] },
          { tools: [lines(860)] },
          { tools: [lines(500)] },
          { text: "After it." },
          { text: "Done." },
        ),
      },
    }),
  },
  {
    name: "manual-compaction",
    agent: "claude",
    calls: 4,
    sends: ["Scripted summary"],
    commands: (at) => [
      prompt("Count", at),
      resume("/compact keep the numbers", at.sessions[0]),
      resume("And now?", at.sessions[0]),
    ],
    script: () => ({
      asides: [{ words: SUMMARY_WORDS, step: SUMMARY }],
      lanes: { main: paced({ tools: [lines(320)] }, { text: "Counted." }, NEXT) },
    }),
  },
  {
    name: "resume",
    agent: "claude",
    calls: 4,
    sends: ["First part."],
    commands: (at) => [prompt("Begin", at), resume("Go on", at.sessions[0])],
    script: simple({ text: "First part.", tools: [lines(5)] }, NEXT, { tools: [bash("ls")] }, NEXT),
  },
  {
    name: "fork",
    agent: "claude",
    calls: 4,
    sends: ["First part."],
    commands: (at) => [
      prompt("Begin", at),
      resume("Go another way", at.sessions[0], "--fork-session", "--session-id", at.sessions[1]),
    ],
    script: simple({ text: "First part.", tools: [lines(5)] }, NEXT, { tools: [bash("ls")] }, NEXT),
  },
  {
    name: "plan-mode",
    agent: "claude",
    calls: 2,
    commands: (at) => [prompt("Plan it", at, "--permission-mode", "plan")],
    script: simple(
      { text: "I look first.", tools: [bash("cat notes.txt")] },
      { text: "A plan.", tools: [{ name: "ExitPlanMode", input: { plan: "1. Read notes." } }] },
      { text: "The plan stands." },
    ),
  },
];
