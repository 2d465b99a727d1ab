// What Copilot CLI is made to do.
import { linesCommand, linesText, rowsText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

export const copilotBash = (command: string, writes?: string): ScriptedTool => ({
  name: "bash",
  input: { command, description: "Runs a command" },
  ...(writes === undefined ? {} : { writes }),
});
const lines = (count: number): ScriptedTool => copilotBash(linesCommand(count), linesText(count));

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));
const simple =
  (...steps: Step[]) =>
  () => ({ lanes: { main: paced(...steps) } });

/** Its model is one of list-prices.ts. */
export const COPILOT_ENV: Readonly<Record<string, string>> = {
  COPILOT_OFFLINE: "true",
  COPILOT_AUTO_UPDATE: "false",
  COPILOT_PROVIDER_BASE_URL: MODEL_URL,
  COPILOT_PROVIDER_TYPE: "anthropic",
  COPILOT_PROVIDER_API_KEY: "scripted",
  COPILOT_MODEL: "claude-opus-5-5",
};

export const copilotSay = (text: string, ...more: string[]): AgentCommand => ({
  args: ["-p", text, "--allow-all", ...more],
  env: COPILOT_ENV,
});

const mcp = ({ node, ownFile }: RunPaths): Readonly<Record<string, string>> => ({
  ".copilot/mcp-config.json": JSON.stringify({
    mcpServers: {
      shelf: { type: "local", command: node, args: [ownFile("mcp-server.ts"), "shelf"], tools: ["*"] },
    },
  }),
});

export const COPILOT_SUMMARY: Step = { text: "<overview>\nScripted summary: we counted.\n</overview>" };

/** Some 11,000 tokens of it are instructions and tools. */
const SMALL_WINDOW = { ...COPILOT_ENV, COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "24000" };

const LOOK = "Look into the notes";

export const copilotScenarios: readonly Scenario[] = [
  {
    name: "copilot-hello",
    agent: "copilot",
    isCore: true,
    calls: 3,
    sends: ["beta two"],
    commands: () => [copilotSay("What is in this folder?")],
    script: simple(
      { text: "I list it.", tools: [copilotBash("ls")] },
      { text: "I read it.", tools: [copilotBash("cat notes.txt"), copilotBash("cat nowhere.txt")] },
      { text: "It holds notes." },
    ),
  },
  {
    name: "copilot-large-output",
    agent: "copilot",
    calls: 2,
    commands: () => [copilotSay("Write much")],
    // It deletes what it put aside when it ends.
    script: simple({ tools: [lines(12_500), lines(300)] }, { text: "That was much.", delayMs: 1500 }),
  },
  {
    name: "copilot-edit",
    agent: "copilot",
    calls: 3,
    commands: ({ project }) => [copilotSay(`Change ${project}/notes.txt`)],
    script: ({ project }) => ({
      lanes: {
        main: paced(
          {
            tools: [
              { name: "view", input: { path: `${project}/notes.txt` } },
              { name: "view", input: { path: `${project}/dot.png` } },
            ],
          },
          {
            tools: [
              {
                name: "edit",
                input: { path: `${project}/notes.txt`, old_str: "beta two", new_str: "beta 2" },
              },
              { name: "unheard_of", input: {} },
            ],
          },
          { text: "Changed." },
        ),
      },
    }),
  },
  {
    name: "copilot-mcp",
    agent: "copilot",
    calls: 2,
    files: mcp,
    commands: () => [copilotSay("Fetch rows")],
    script: simple(
      { tools: [{ name: "shelf-rows", input: { count: 40 }, writes: rowsText(40) }] },
      { text: "Forty rows." },
    ),
  },
  {
    name: "copilot-resume",
    agent: "copilot",
    isCore: true,
    calls: 4,
    sends: ["First part."],
    commands: ({ sessions: [session] }) => [
      copilotSay("Begin", "--session-id", session),
      copilotSay("Go on", `--resume=${session}`),
    ],
    script: simple(
      { text: "First part.", tools: [lines(5)] },
      { text: "Answered." },
      { tools: [copilotBash("ls")] },
      { text: "Answered again." },
    ),
  },
  {
    name: "copilot-compaction",
    agent: "copilot",
    isCore: true,
    calls: 5,
    sends: ["Scripted summary"],
    context: { has: ["Scripted summary"] },
    commands: ({ sessions: [session] }) => [
      copilotSay("Work long", "--session-id", session),
      copilotSay("Work more", `--resume=${session}`),
      // Copilot CLI 1.0.102 had compacted, written it down, and not ended in 4 of 13 runs.
      { ...copilotSay("/compact", `--resume=${session}`), lastWords: "Compacted conversation history" },
      copilotSay("After it", `--resume=${session}`),
    ],
    script: () => ({
      asides: [{ words: "create a detailed summary", step: COPILOT_SUMMARY }],
      lanes: {
        main: paced(
          { tools: [lines(80)] },
          { tools: [lines(90)] },
          { text: "Long work is done." },
          { text: "More work is done." },
          { text: "After.", tools: [copilotBash("echo after")] },
          { text: "Done." },
        ),
      },
    }),
  },
  {
    name: "copilot-auto-compaction",
    agent: "copilot",
    calls: 6,
    sends: ["Scripted summary"],
    context: { has: ["Scripted summary", "Then this"] },
    commands: ({ sessions: [session] }) => [
      { ...copilotSay("Work long", "--session-id", session), env: SMALL_WINDOW },
      { ...copilotSay("Then this", `--resume=${session}`), env: SMALL_WINDOW },
    ],
    script: () => ({
      charsPerToken: 1,
      asides: [{ words: "create a detailed summary", step: COPILOT_SUMMARY }],
      lanes: {
        main: paced(
          { tools: [lines(600)] },
          { tools: [lines(20)] },
          { tools: [lines(30)] },
          { text: "Long work is done." },
          { text: "After.", tools: [copilotBash("echo after")] },
          { text: "Done." },
        ),
      },
    }),
  },
  {
    name: "copilot-agent",
    agent: "copilot",
    calls: 4,
    commands: () => [copilotSay("Ask another")],
    script: () => ({
      markers: { other: LOOK },
      lanes: {
        main: paced(
          {
            tools: [
              {
                name: "task",
                input: { description: "Looks", prompt: LOOK, agent_type: "task", name: "looker", mode: "sync" },
              },
            ],
          },
          { text: "It has looked." },
        ),
        other: paced({ text: "I look.", tools: [copilotBash("cat notes.txt")] }, { text: "Three lines." }),
      },
    }),
  },
  {
    name: "copilot-killed",
    agent: "copilot",
    calls: 3,
    commands: ({ sessions: [session] }) => [
      { ...copilotSay("Begin", "--session-id", session), killAt: 2 },
      copilotSay("Go on", `--resume=${session}`),
    ],
    script: simple(
      { text: "I list.", tools: [copilotBash("ls")] },
      { text: "Never heard.", delayMs: 20_000 },
      { text: "Answered." },
    ),
  },
  {
    name: "copilot-refused",
    agent: "copilot",
    calls: 3,
    commands: ({ sessions: [session] }) => [
      copilotSay("Begin", "--session-id", session),
      copilotSay("Go on", `--resume=${session}`),
    ],
    script: simple({ text: "I list.", tools: [copilotBash("ls")] }, { status: 400 }, { text: "Answered." }),
  },
];
