// What pi is made to do. Several words on one command line are several prompts of one session.
import { linesCommand, linesText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

const bash = (command: string, writes?: string): ScriptedTool => ({
  name: "bash",
  input: { command },
  ...(writes === undefined ? {} : { writes }),
});
const lines = (count: number): ScriptedTool => bash(linesCommand(count), linesText(count));

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));
const simple =
  (...steps: Step[]) =>
  () => ({ lanes: { main: paced(...steps) } });

const ENV = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" };

/** Each prompt is one of the session; options go first. */
const say = (...args: string[]): AgentCommand => ({
  args: ["-p", "--provider", "scripted", "--model", MODEL, ...args],
  env: ENV,
});

/** Its price is that of list-prices.ts, in dollars a million tokens. */
const MODEL = "claude-opus-5-5";
const COST = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 };

/** Of the tail that stays in a compaction some 3,000 tokens are kept; it counts four characters a token. */
const SETTINGS = { retry: { enabled: false }, compaction: { keepRecentTokens: 3000 } };

function settings(more: Readonly<Record<string, string>> = {}, model: object = {}) {
  const models = [
    {
      id: MODEL,
      name: MODEL,
      reasoning: false,
      input: ["text", "image"],
      contextWindow: 200_000,
      maxTokens: 8000,
      cost: COST,
      ...model,
    },
  ];
  const scripted = { baseUrl: MODEL_URL, api: "anthropic-messages", apiKey: "scripted", models };
  return () => ({
    ".pi/agent/models.json": JSON.stringify({ providers: { scripted } }),
    ".pi/agent/settings.json": JSON.stringify(SETTINGS),
    ...more,
  });
}

const SUMMARY: Step = { text: "Scripted summary: we counted." };

export const piScenarios: readonly Scenario[] = [
  {
    name: "pi-hello",
    agent: "pi",
    isCore: true,
    calls: 3,
    sends: ["beta two"],
    files: settings(),
    commands: () => [say("What is in this folder?")],
    script: simple(
      { text: "I list it.", tools: [bash("ls")] },
      { text: "I read it.", tools: [{ name: "read", input: { path: "notes.txt" } }, bash("cat nowhere.txt")] },
      { text: "It holds notes." },
    ),
  },
  {
    name: "pi-thinking",
    agent: "pi",
    calls: 3,
    files: settings({}, { reasoning: true }),
    commands: () => [say("--thinking", "high", "Think")],
    script: simple(
      { thinking: "Which command says it?", text: "I count.", tools: [lines(5)] },
      { thinking: "Once more.", tools: [lines(6)] },
      { thinking: "Enough.", text: "Five, then six." },
    ),
  },
  {
    name: "pi-image",
    agent: "pi",
    calls: 2,
    sends: ["image/png"],
    files: settings(),
    commands: () => [say("What is in the picture?")],
    script: simple({ text: "I look.", tools: [{ name: "read", input: { path: "dot.png" } }] }, { text: "A square." }),
  },
  {
    name: "pi-large-output",
    agent: "pi",
    calls: 3,
    files: settings(),
    commands: () => [say("Write much")],
    script: simple(
      // It keeps 2,000 lines or 50 KB in the context, and the rest in a temporary file.
      { tools: [lines(12_500), lines(1960)] },
      { tools: [bash(`${linesCommand(3000)}; exit 3`)] },
      { text: "That was much." },
    ),
  },
  {
    name: "pi-edit",
    agent: "pi",
    calls: 3,
    files: settings(),
    commands: () => [say("Change the notes")],
    script: simple(
      { tools: [{ name: "edit", input: { path: "notes.txt", edits: [{ oldText: "beta two", newText: "beta 2" }] } }] },
      { tools: [{ name: "write", input: { path: "more.txt", content: "delta\n" } }] },
      { text: "Changed." },
    ),
  },
  {
    name: "pi-compaction",
    agent: "pi",
    isCore: true,
    calls: 6,
    sends: ["Scripted summary"],
    context: { has: ["Scripted summary", "After it"], lacks: ["Work long"] },
    files: settings({}, { contextWindow: 60_000 }),
    commands: () => [say("Work long", "After it")],
    script: () => ({
      charsPerToken: 1,
      asides: ["structured context checkpoint summary", "PREFIX of a turn"].map((words) => ({ words, step: SUMMARY })),
      lanes: {
        main: paced(
          { tools: [lines(800)] },
          { tools: [lines(900)] },
          { text: "Long work is done." },
          { text: "After.", tools: [bash("echo after")] },
          { text: "Done." },
        ),
      },
    }),
  },
  {
    name: "pi-resume",
    agent: "pi",
    calls: 4,
    sends: ["First part."],
    files: settings(),
    commands: () => [say("Begin"), say("--continue", "Go on")],
    script: simple(
      { text: "First part.", tools: [lines(5)] },
      { text: "Answered." },
      { tools: [bash("ls")] },
      { text: "Answered again." },
    ),
  },
  {
    name: "pi-fork",
    agent: "pi",
    calls: 3,
    files: settings({ ".pi/agent/sessions/begun/.keep": "" }),
    commands: ({ home, sessions: [session] }) => {
      const path = `${home}/.pi/agent/sessions/begun/${session}.jsonl`;
      return [say("--session", path, "Begin"), say("--fork", path, "Go another way")];
    },
    script: simple({ text: "Begun.", tools: [lines(3)] }, { text: "Three." }, { text: "Another." }),
  },
  {
    name: "pi-killed",
    agent: "pi",
    calls: 3,
    files: settings(),
    commands: () => [{ ...say("Begin"), killAt: 2 }, say("--continue", "Go on")],
    script: simple(
      { text: "I list.", tools: [bash("ls")] },
      { text: "Never heard.", delayMs: 20_000 },
      { text: "Answered." },
    ),
  },
  {
    name: "pi-refused",
    agent: "pi",
    calls: 3,
    files: settings(),
    commands: () => [say("Begin"), say("--continue", "Go on")],
    script: simple({ text: "I list.", tools: [bash("ls")] }, { status: 500 }, { text: "Answered." }),
  },
];
