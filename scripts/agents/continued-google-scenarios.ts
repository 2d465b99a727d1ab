// Qwen Code and Gemini CLI, carried on: the agent works, `plimsoll carry-on` writes the new chat, the agent resumes it, reads the
// envelope over MCP, is asked again, and compacts by itself (compare-carried.ts).
import { paced } from "./claude-scenarios.ts";
import { carried, GO_ON } from "./continuation-scenarios.ts";
import { archiveMcpSnippet } from "./doc-snippet.ts";
import { GEMINI_ASIDES, geminiBash, geminiSay, geminiSettings } from "./gemini-scenarios.ts";
import { linesCommand } from "./known-outputs.ts";
import { QWEN_ASIDES, QWEN_ENV, qwenBash, qwenSay, qwenSettings } from "./qwen-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import { ENVELOPE_ID } from "./scripted-model.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

const COUNTS = [280, 290, 300, 400];

const workOf = (bash: (command: string) => ScriptedTool): Step[] => [
  { thinking: "I shall look.", text: "I list it.", tools: [bash("ls")] },
  { text: "It holds notes." },
  { thinking: "Many.", tools: COUNTS.map((count) => bash(linesCommand(count))) },
  { text: "Many lines." },
];
const afterOf = (bash: (command: string) => ScriptedTool, read: string): Step[] => [
  { text: "I read it.", tools: [{ name: read, input: { artifact_id: ENVELOPE_ID } }] },
  { text: "I go on.", tools: [bash("echo went on")] },
  { text: "Went on." },
  { text: "Again.", tools: [bash("echo and again")] },
  { text: "Twice." },
  { text: "After it." },
];

const mcpOf = (page: string, at: RunPaths): object => JSON.parse(archiveMcpSnippet(page, at)) as object;

const qwenFirst = [qwenSay("What is here?"), qwenSay("And many?", "--continue")];
const qwenCarried = (at: RunPaths, ...flags: string[]): AgentCommand => ({
  ...carried(at, flags, ["--yolo", "--resume", "{id}", "-p", GO_ON]),
  env: QWEN_ENV,
});
const qwenSteps = paced(...workOf(qwenBash), ...afterOf(qwenBash, "mcp__plimsoll__artifact_read"));

const geminiFirst = [geminiSay("What is here?"), geminiSay("And many?", "--resume", "latest")];
const geminiCarried = (at: RunPaths, ...flags: string[]): AgentCommand => {
  const { args, env } = geminiSay(GO_ON, "--resume", "{id}");
  return { ...carried(at, flags, args), ...(env !== undefined && { env }) };
};
const geminiSteps = paced(...workOf(geminiBash), ...afterOf(geminiBash, "mcp_plimsoll_artifact_read"));
/** From here on it compacts at each prompt: it has no command for it outside a terminal. */
const compacting = ({ home }: RunPaths): AgentCommand => ({
  program: "/bin/sh",
  args: ["-c", `cp ${home}/compacting.json ${home}/.gemini/settings.json`],
});

const COMPACTING = { compressionThreshold: 0.001 };
const SNAPSHOT = "<state_snapshot>Scripted snapshot: we counted.</state_snapshot>";

export const continuedGoogleScenarios: readonly Scenario[] = [
  {
    name: "qwen-carry-on",
    agent: "qwen",
    isCarriedOn: true,
    calls: 11,
    sends: ["Summary of turn 1", "artifact_id", "went on", "Scripted summary"],
    files: (at) => qwenSettings(mcpOf("qwen.md", at)),
    commands: (at) => [
      ...qwenFirst,
      qwenCarried(at, "--tail", "1"),
      qwenSay("And again?", "--continue"),
      qwenSay("/compress", "--continue"),
      qwenSay("And after?", "--continue"),
    ],
    script: () => ({ asides: QWEN_ASIDES, lanes: { main: qwenSteps } }),
  },
  {
    name: "qwen-carry-on-fork",
    agent: "qwen",
    isCarriedOn: true,
    calls: 6,
    sends: ["It holds notes."],
    files: () => qwenSettings(),
    commands: (at) => [...qwenFirst, qwenCarried(at, "--fork")],
    script: () => ({ asides: QWEN_ASIDES, lanes: { main: paced(...workOf(qwenBash), { text: "Forked." }) } }),
  },
  {
    name: "gemini-carry-on",
    agent: "gemini",
    isCarriedOn: true,
    calls: 11,
    sends: ["Summary of turn 1", "artifact_id", "went on", "Scripted snapshot"],
    files: (at) => ({
      ...geminiSettings(mcpOf("gemini.md", at)),
      "compacting.json": Object.values(geminiSettings({ ...mcpOf("gemini.md", at), model: COMPACTING }))[0]!,
    }),
    commands: (at) => [
      ...geminiFirst,
      geminiCarried(at, "--tail", "1"),
      geminiSay("And again?", "--resume", "latest"),
      compacting(at),
      geminiSay("And after?", "--resume", "latest"),
    ],
    script: () => ({
      asides: [
        ...GEMINI_ASIDES,
        { words: "First, reason in your scratchpad", step: { text: SNAPSHOT } },
        { words: "Critically evaluate the", step: { text: SNAPSHOT } },
      ],
      lanes: { main: geminiSteps },
    }),
  },
  {
    name: "gemini-carry-on-fork",
    agent: "gemini",
    isCarriedOn: true,
    calls: 5,
    sends: ["It holds notes."],
    files: () => geminiSettings(),
    commands: (at) => [...geminiFirst, geminiCarried(at, "--fork")],
    script: () => ({ asides: GEMINI_ASIDES, lanes: { main: paced(...workOf(geminiBash), { text: "Forked." }) } }),
  },
];
