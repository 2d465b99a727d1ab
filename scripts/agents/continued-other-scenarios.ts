// Copilot CLI, carried on: the agent works, `plimsoll carry-on` writes a folder of its own, the agent resumes it, reads the envelope
// over MCP, is asked again, and compacts by itself (compare-carried.ts).
import { paced } from "./claude-scenarios.ts";
import { carried, GO_ON } from "./continuation-scenarios.ts";
import { COPILOT_SUMMARY, copilotBash, copilotSay } from "./copilot-scenarios.ts";
import { archiveMcpSnippet } from "./doc-snippet.ts";
import { linesCommand } from "./known-outputs.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import { ENVELOPE_ID } from "./scripted-model.ts";
import type { Step } from "./script-types.ts";

const work: Step[] = [
  { text: "I list it.", tools: [copilotBash("ls")] },
  { text: "It holds notes." },
  { tools: [280, 290, 300, 400].map((count) => copilotBash(linesCommand(count))) },
  { text: "Many lines." },
];
const after: Step[] = [
  { text: "I read it.", tools: [{ name: "plimsoll-artifact_read", input: { artifact_id: ENVELOPE_ID } }] },
  { text: "I go on.", tools: [copilotBash("echo went on")] },
  { text: "Went on." },
  { text: "Again.", tools: [copilotBash("echo and again")] },
  { text: "Twice." },
  { text: "After it." },
];

const first = [copilotSay("What is here?"), copilotSay("And many?", "--continue")];
const copilotCarried = (at: RunPaths, ...flags: string[]): AgentCommand => {
  const { args, env } = copilotSay(GO_ON, "--resume={id}");
  return { ...carried(at, flags, args), ...(env !== undefined && { env }) };
};

export const continuedOtherScenarios: readonly Scenario[] = [
  {
    name: "copilot-carry-on",
    agent: "copilot",
    isCarriedOn: true,
    calls: 11,
    sends: ["Summary of turn 1", "artifact_id", "went on", "Scripted summary"],
    files: (at) => ({ ".copilot/mcp-config.json": archiveMcpSnippet("copilot.md", at) }),
    commands: (at) => [
      ...first,
      copilotCarried(at, "--tail", "1"),
      copilotSay("And again?", "--continue"),
      copilotSay("/compact", "--continue"),
      copilotSay("And after?", "--continue"),
    ],
    script: () => ({
      asides: [{ words: "create a detailed summary", step: COPILOT_SUMMARY }],
      lanes: { main: paced(...work, ...after) },
    }),
  },
  {
    name: "copilot-carry-on-fork",
    agent: "copilot",
    isCarriedOn: true,
    calls: 5,
    sends: ["It holds notes."],
    commands: (at) => [...first, copilotCarried(at, "--fork")],
    script: () => ({ lanes: { main: paced(...work, { text: "Forked." }) } }),
  },
];
