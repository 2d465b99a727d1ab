// Real agents whose requests pass the capture proxy.
import { bash, prompt, simple } from "./claude-scenarios.ts";
import { exec, settings, shell } from "./codex-scenarios.ts";
import type { Scenario } from "./scenario-types.ts";

export const capturedScenarios: readonly Scenario[] = [
  {
    name: "captured",
    agent: "claude",
    isCore: true,
    isCaptured: true,
    calls: 2,
    commands: (at) => [prompt("What is in this folder?", at)],
    script: simple({ text: "I list it.", tools: [bash("ls")] }, { text: "It holds notes." }),
  },
  {
    name: "codex-captured",
    agent: "codex",
    isCaptured: true,
    calls: 2,
    files: settings,
    commands: () => [exec("What is in this folder?")],
    script: simple({ text: "I list it.", tools: [shell("ls")] }, { text: "It holds notes." }),
  },
];
