// Copilot CLI and OpenCode, carried on: the agent works, `plimsoll carry-on` writes a folder of its own, or a document to import, the
// agent resumes it, reads the envelope over MCP, is asked again, and compacts by itself (compare-carried.ts).
import { paced } from "./claude-scenarios.ts";
import { carried, GO_ON } from "./continuation-scenarios.ts";
import { COPILOT_SUMMARY, copilotBash, copilotSay } from "./copilot-scenarios.ts";
import { archiveMcpSnippet } from "./doc-snippet.ts";
import { linesCommand } from "./known-outputs.ts";
import { openCodeBash, openCodeSay, openCodeSettings } from "./opencode-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import { ENVELOPE_ID } from "./scripted-model.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

type Bash = (command: string) => ScriptedTool;

const workOf = (bash: Bash): Step[] => [
  { text: "I list it.", tools: [bash("ls")] },
  { text: "It holds notes." },
  { tools: [280, 290, 300, 400].map((count) => bash(linesCommand(count))) },
  { text: "Many lines." },
];
const afterOf = (bash: Bash, read: string): Step[] => [
  { text: "I read it.", tools: [{ name: read, input: { artifact_id: ENVELOPE_ID } }] },
  { text: "I go on.", tools: [bash("echo went on")] },
  { text: "Went on." },
  { text: "Again.", tools: [bash("echo and again")] },
  { text: "Twice." },
  { text: "After it." },
];
const work = workOf(copilotBash);
const after = afterOf(copilotBash, "plimsoll-artifact_read");

const first = [copilotSay("What is here?"), copilotSay("And many?", "--continue")];
const copilotCarried = (at: RunPaths, ...flags: string[]): AgentCommand => {
  const { args, env } = copilotSay(GO_ON, "--resume={id}");
  return { ...carried(at, flags, args), ...(env !== undefined && { env }) };
};

const openCodeFirst = [openCodeSay("What is here?"), openCodeSay("And many?", "--continue")];
const openCodeCarried = (at: RunPaths, ...flags: string[]): AgentCommand => {
  const { args, env } = openCodeSay(GO_ON, "-s", "{id}");
  return { ...carried(at, flags, args), ...(env !== undefined && { env }) };
};
/** Of which its instructions and tools are 10,000, and 8000 are left for the answer. */
const SMALL_WINDOW = 26_000;
/** From here on it compacts before the next prompt: it has no command for it outside a terminal. */
const openCodeCompacts = ({ home }: RunPaths): AgentCommand => ({
  program: "/bin/sh",
  args: ["-c", `cp ${home}/compacting.json ${home}/.config/opencode/opencode.json`],
});
const openCodeMcp = (at: RunPaths): object => JSON.parse(archiveMcpSnippet("opencode.md", at)) as object;

export const continuedOtherScenarios: readonly Scenario[] = [
  {
    name: "opencode-carry-on",
    agent: "opencode",
    isCarriedOn: true,
    calls: 12,
    sends: ["Summary of turn 1", "artifact_id", "went on", "Scripted summary"],
    files: (at) => ({
      ...openCodeSettings(openCodeMcp(at)),
      "compacting.json": Object.values(openCodeSettings(openCodeMcp(at), SMALL_WINDOW))[0]!,
    }),
    commands: (at) => [
      ...openCodeFirst,
      openCodeCarried(at, "--tail", "1"),
      openCodeSay("And again?", "--continue"),
      openCodeCompacts(at),
      openCodeSay("And after?", "--continue"),
    ],
    script: () => ({
      asides: [{ words: "<conversation>", step: { text: "Scripted summary: we counted." } }],
      lanes: { main: paced(...workOf(openCodeBash), ...afterOf(openCodeBash, "plimsoll_artifact_read")) },
    }),
  },
  {
    name: "opencode-carry-on-fork",
    agent: "opencode",
    isCarriedOn: true,
    calls: 5,
    sends: ["It holds notes."],
    files: () => openCodeSettings(),
    commands: (at) => [...openCodeFirst, openCodeCarried(at, "--fork")],
    script: () => ({ lanes: { main: paced(...workOf(openCodeBash), { text: "Forked." }) } }),
  },
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
