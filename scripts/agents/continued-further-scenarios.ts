// What comes after a session was carried on: the agent compacts by itself, sends its telemetry, and has our hook. All of it belongs to the
// new session (compare-carried.ts, compare-reported.ts).
import { bash, paced, SUMMARY, SUMMARY_WORDS, TOOLS } from "./claude-scenarios.ts";
import { exec, settings } from "./codex-scenarios.ts";
import {
  after,
  carried,
  claudeArgs,
  codexAfter,
  codexFirst,
  codexResume,
  codexWork,
  first,
  GO_ON,
  piAfter,
  piCarried,
  piFirst,
  piWork,
  work,
} from "./continuation-scenarios.ts";
import { plimsoll } from "./hook-scenarios.ts";
import { linesCommand, linesText } from "./known-outputs.ts";
import { say, settings as piSettings, SUMMARY as PI_SUMMARY } from "./pi-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import { claudeEnv } from "./telemetry-scenarios.ts";

const goOn = (text: string): AgentCommand => ({
  args: ["-p", text, "--continue", "--output-format", "json", "--allowedTools", ...TOOLS],
});
const reporting = ({ receiver }: RunPaths, commands: readonly AgentCommand[]): AgentCommand[] =>
  commands.map((command) => ({ ...command, env: { ...command.env, ...claudeEnv(receiver, "http/json") } }));
/** What the hook stores goes into the archive of the server. */
const hook = (at: RunPaths, action: "install" | "remove"): AgentCommand =>
  plimsoll(at, "hook", action, "claude", "--yes", "--archive", at.receiver.archive);

const LATER = { text: "After it." };
/** Over this many tokens Codex compacts; its instructions alone are more. */
const SMALL_LIMIT = ["-c", "model_auto_compact_token_limit=3000"];
/** A window of 200,000 tokens, of which these are left for the answer: pi compacts before each prompt. */
const PI_COMPACTS = JSON.stringify({
  retry: { enabled: false },
  compaction: { keepRecentTokens: 1000, reserveTokens: 199_000 },
});
/** Of a first summary, of the start of a long turn, and of a summary that goes on from the one before. */
const PI_ASKS = ["structured context checkpoint summary", "PREFIX of a turn", "PRESERVE exact file paths"];
const LARGE = 12_900;

export const continuedFurtherScenarios: readonly Scenario[] = [
  {
    name: "carry-on-compaction",
    agent: "claude",
    isCarriedOn: true,
    calls: 10,
    sends: ["Summary of turn 1", "Scripted summary"],
    commands: (at) => [
      ...first(at),
      carried(at, ["--tail", "1"], claudeArgs(GO_ON, "{id}")),
      goOn("/compact keep the numbers"),
      goOn("And after?"),
    ],
    script: (at) => ({
      asides: [{ words: SUMMARY_WORDS, step: SUMMARY }],
      lanes: { main: paced(...work(at), ...after.slice(0, 2), LATER) },
    }),
  },
  {
    name: "codex-carry-on-compaction",
    agent: "codex",
    isCarriedOn: true,
    calls: 8,
    sends: ["Summary of turn 1", "Scripted summary"],
    files: settings,
    commands: (at) => [
      ...codexFirst,
      carried(at, ["--tail", "1"], codexResume),
      exec("resume", "--last", ...SMALL_LIMIT, "And after?"),
    ],
    script: () => ({
      asides: [{ words: "CONTEXT CHECKPOINT COMPACTION", step: { text: "Scripted summary: we counted." } }],
      lanes: { main: paced(...codexWork, ...codexAfter.slice(0, 2), LATER) },
    }),
  },
  {
    name: "pi-carry-on-compaction",
    agent: "pi",
    isCarriedOn: true,
    calls: 8,
    sends: ["Summary of turn 1", "Scripted summary"],
    files: piSettings({ "compacting.json": PI_COMPACTS }),
    commands: (at) => [
      ...piFirst,
      piCarried(at, "--tail", "1"),
      { program: "/bin/sh", args: ["-c", `cp ${at.home}/compacting.json ${at.home}/.pi/agent/settings.json`] },
      say("--continue", "And again?"),
      say("--continue", "And after?"),
    ],
    script: () => ({
      asides: PI_ASKS.map((words) => ({ words, step: PI_SUMMARY })),
      lanes: { main: paced(...piWork, ...piAfter, LATER) },
    }),
  },
  {
    name: "carry-on-telemetry",
    agent: "claude",
    isCarriedOn: true,
    isReported: true,
    calls: 8,
    commands: (at) =>
      reporting(at, [...first(at), carried(at, ["--tail", "1"], claudeArgs(GO_ON, "{id}")), goOn("And again?")]),
    script: (at) => ({ lanes: { main: paced(...work(at), ...after) } }),
  },
  {
    // What our hook stores after the cut is an output of the new session, and stands in the context as an envelope.
    name: "carry-on-hook",
    agent: "claude",
    isCarriedOn: true,
    calls: 8,
    sends: ["Summary of turn 1"],
    withholds: ["line 6000 of a long output"],
    commands: (at) => [
      ...first(at),
      hook(at, "install"),
      carried(at, ["--tail", "1"], claudeArgs(GO_ON, "{id}")),
      hook(at, "remove"),
    ],
    script: (at) => ({
      lanes: {
        main: paced(
          ...work(at),
          { text: "I go on.", tools: [bash(linesCommand(LARGE), linesText(LARGE))] },
          { text: "Went on." },
        ),
      },
    }),
  },
];
