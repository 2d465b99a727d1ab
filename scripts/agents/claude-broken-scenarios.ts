// What Claude Code is made to do while something goes wrong: it is interrupted, killed, and its tools and its model fail.
import { bash, NEXT, paced, prompt, read, resume, simple } from "./claude-scenarios.ts";
import type { Scenario } from "./scenario-types.ts";

export const claudeBrokenScenarios: readonly Scenario[] = [
  {
    name: "interrupted",
    agent: "claude",
    calls: 3,
    commands: (at) => [{ ...prompt("Begin", at), interruptAt: 2 }, resume("Go on", at.sessions[0])],
    script: simple({ text: "I list.", tools: [bash("ls")] }, { text: "Never heard.", delayMs: 20_000 }, NEXT),
  },
  {
    name: "killed",
    agent: "claude",
    calls: 3,
    commands: (at) => [{ ...prompt("Begin", at), killAt: 2 }, resume("Go on", at.sessions[0])],
    script: simple({ text: "I list.", tools: [bash("ls")] }, { text: "Never heard.", delayMs: 20_000 }, NEXT),
  },
  {
    name: "failed-tool",
    agent: "claude",
    calls: 4,
    sends: ["No such file or directory"],
    commands: (at) => [prompt("Fail", at)],
    script: ({ project }) => ({
      lanes: {
        main: paced(
          { tools: [bash("ls /nowhere")] },
          { tools: [read(`${project}/absent.txt`), bash("exit 3")] },
          { status: 529 },
          { text: "It failed." },
        ),
      },
    }),
  },
];
