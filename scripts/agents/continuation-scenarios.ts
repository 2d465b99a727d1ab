// Sessions that are carried on: the agent works, `plimsoll carry-on` writes the new file, the agent resumes it, calls a tool, is asked
// again, and compacts by itself. What it sends is held against the dry run (compare-carried.ts).
import { bash, paced, prompt, TOOLS } from "./claude-scenarios.ts";
import { exec, settings, shell } from "./codex-scenarios.ts";
import { linesCommand, linesText } from "./known-outputs.ts";
import { bash as piBash, say, settings as piSettings } from "./pi-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { Step } from "./script-types.ts";

/** What is typed first into the new session. */
export const GO_ON = "Carry on from the summary";
/** Where the helper puts the plan and what was written, below the home. */
export const CARRIED = "carried-on.json";

export function carried(at: RunPaths, flags: readonly string[], agentArgs: readonly string[]): AgentCommand {
  const { receiver, project, home, node, ownFile } = at;
  const args = [ownFile("carry-on-inside.ts"), receiver.archive, project, `${home}/${CARRIED}`, ...flags];
  return { program: node, args: [...args, "--", ...agentArgs] };
}

export const claudeArgs = (text: string, resumed: string): string[] => [
  ...["-p", text, "--resume", resumed, "--output-format", "json", "--allowedTools", ...TOOLS],
];
const resume = (text: string, session: string): AgentCommand => ({ args: claudeArgs(text, session) });

const LINES = 400;
export const work = ({ project }: RunPaths): Step[] => [
  { text: "I list it.", tools: [bash("ls")] },
  { thinking: "What is in it?", tools: [{ name: "Read", input: { file_path: `${project}/notes.txt` } }] },
  { text: "It holds notes." },
  { text: "I look.", tools: [{ name: "Read", input: { file_path: `${project}/dot.png` } }, bash("echo beside")] },
  { tools: [bash(linesCommand(LINES), linesText(LINES))] },
  { text: "Many lines." },
];
export const after: Step[] = [
  { text: "I go on.", tools: [bash("echo went on")] },
  { text: "Went on." },
  { text: "Again." },
];

export const first = (at: RunPaths): AgentCommand[] => [
  prompt("What is here?", at),
  resume("And the picture?", at.sessions[0]),
];

export const codexWork: Step[] = [
  { thinking: "I shall look.", text: "I list it.", tools: [shell("ls")] },
  { text: "It holds notes." },
  { thinking: "Many.", tools: [shell(linesCommand(LINES), linesText(LINES))] },
  { text: "Many lines." },
];
export const codexAfter: Step[] = [
  { text: "I go on.", tools: [shell("echo went on")] },
  { text: "Went on." },
  { text: "Again." },
];
export const codexFirst = [exec("What is here?"), exec("resume", "--last", "And many?")];
export const codexResume = ["exec", "resume", "--skip-git-repo-check", "{id}", GO_ON];

const codexScenarios: readonly Scenario[] = [
  {
    name: "codex-carry-on",
    agent: "codex",
    isCarriedOn: true,
    isCore: true,
    calls: 7,
    sends: ["Summary of turn 1", "artifact_id", "went on"],
    files: settings,
    commands: (at) => [
      ...codexFirst,
      carried(at, ["--tail", "1"], codexResume),
      exec("resume", "--last", "And again?"),
    ],
    script: () => ({ lanes: { main: paced(...codexWork, ...codexAfter) } }),
  },
  {
    name: "codex-carry-on-fork",
    agent: "codex",
    isCarriedOn: true,
    calls: 6,
    sends: ["It holds notes."],
    files: settings,
    // Codex has an index of its sessions beside their files, and does without.
    commands: (at) => [
      ...codexFirst,
      { program: "/bin/sh", args: ["-c", `rm -f ${at.home}/.codex/*.sqlite*`] },
      carried(at, ["--fork"], codexResume),
    ],
    script: () => ({ lanes: { main: paced(...codexWork, ...codexAfter) } }),
  },
];

export const piWork: Step[] = [
  { text: "I list it.", tools: [piBash("ls")] },
  { text: "It holds notes." },
  // So that the prompt has some size: a summary is counted as its model does, and the scripted one charges a token for 4 characters.
  { tools: [280, 290, 300, LINES].map((count) => piBash(linesCommand(count), linesText(count))) },
  { text: "Many lines." },
];
export const piAfter: Step[] = [
  { text: "I go on.", tools: [piBash("echo went on")] },
  { text: "Went on." },
  { text: "Again." },
];
export const piFirst = [say("What is here?"), say("--continue", "And many?")];
export const piCarried = (at: RunPaths, ...flags: string[]): AgentCommand => {
  const { args, env } = say("--session", "{path}", GO_ON);
  return { ...carried(at, flags, args), ...(env !== undefined && { env }) };
};

export const piCarriedOn: readonly Scenario[] = [
  {
    name: "pi-carry-on",
    agent: "pi",
    isCarriedOn: true,
    isCore: true,
    calls: 7,
    sends: ["Summary of turn 1", "artifact_id", "went on"],
    files: piSettings(),
    commands: (at) => [...piFirst, piCarried(at, "--tail", "1"), say("--continue", "And again?")],
    script: () => ({ lanes: { main: paced(...piWork, ...piAfter) } }),
  },
  {
    name: "pi-carry-on-fork",
    agent: "pi",
    isCarriedOn: true,
    calls: 6,
    sends: ["It holds notes."],
    files: piSettings(),
    commands: (at) => [...piFirst, piCarried(at, "--fork")],
    script: () => ({ lanes: { main: paced(...piWork, ...piAfter) } }),
  },
];

export const continuationScenarios: readonly Scenario[] = [
  ...piCarriedOn,
  ...codexScenarios,
  {
    name: "carry-on",
    agent: "claude",
    isCarriedOn: true,
    isCore: true,
    calls: 9,
    sends: ["Summary of turn 1", "artifact_id", "went on"],
    commands: (at) => [
      ...first(at),
      carried(at, ["--tail", "1"], claudeArgs(GO_ON, "{id}")),
      { args: ["-p", "And again?", "--continue", "--output-format", "json", "--allowedTools", ...TOOLS] },
    ],
    script: (at) => ({ lanes: { main: paced(...work(at), ...after) } }),
  },
  {
    name: "carry-on-path",
    agent: "claude",
    isCarriedOn: true,
    calls: 8,
    sends: ["line 399 of a long output"],
    commands: (at) => [
      ...first(at),
      carried(
        at,
        ["--tail", "1", "--no-envelopes", "--to", `${at.home}/.claude/projects`],
        claudeArgs(GO_ON, "{path}"),
      ),
    ],
    script: (at) => ({ lanes: { main: paced(...work(at), ...after) } }),
  },
  {
    name: "carry-on-fork",
    agent: "claude",
    isCarriedOn: true,
    calls: 8,
    sends: ["It holds notes."],
    commands: (at) => [...first(at), carried(at, ["--fork"], claudeArgs(GO_ON, "{id}"))],
    script: (at) => ({ lanes: { main: paced(...work(at), ...after) } }),
  },
];
