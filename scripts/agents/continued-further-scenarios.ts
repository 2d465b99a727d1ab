// What comes after a session was carried on: the agent compacts by itself, and sends its telemetry. All of it belongs to the new session
// (compare-carried.ts, compare-reported.ts).
import { paced, SUMMARY, SUMMARY_WORDS, TOOLS } from "./claude-scenarios.ts";
import { after, carried, claudeArgs, first, GO_ON, work } from "./continuation-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import { claudeEnv } from "./telemetry-scenarios.ts";

const goOn = (text: string): AgentCommand => ({
  args: ["-p", text, "--continue", "--output-format", "json", "--allowedTools", ...TOOLS],
});

const reporting = ({ receiver }: RunPaths, commands: readonly AgentCommand[]): AgentCommand[] =>
  commands.map((command) => ({ ...command, env: { ...command.env, ...claudeEnv(receiver, "http/json") } }));

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
      lanes: { main: paced(...work(at), ...after.slice(0, 2), { text: "After it." }) },
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
];
