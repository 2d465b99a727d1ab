// What pi is made to do. Several words on one command line are several prompts of one session; `/back` is a command of an
// extension of ours, which goes back in the tree of the session as `/tree` does at a terminal.
import { linesCommand, linesText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

export const bash = (command: string, writes?: string): ScriptedTool => ({
  name: "bash",
  input: { command },
  ...(writes === undefined ? {} : { writes }),
});
const lines = (count: number): ScriptedTool => bash(linesCommand(count), linesText(count));

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));
export const simple =
  (...steps: Step[]) =>
  () => ({ lanes: { main: paced(...steps) } });

const ENV = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" };

/** Each prompt is one of the session; options go first. */
export const say = (...args: string[]): AgentCommand => ({
  args: ["-p", "--provider", "scripted", "--model", MODEL, ...args],
  env: ENV,
});

/** Its price is that of list-prices.ts, in dollars a million tokens. */
const MODEL = "claude-opus-5-5";
const COST = { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 };

/** Of the tail that stays in a compaction some 3,000 tokens are kept; it counts four characters a token. */
const SETTINGS = { retry: { enabled: false }, compaction: { keepRecentTokens: 3000 } };

export function settings(more: Readonly<Record<string, string>> = {}, model: object = {}) {
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

/** Goes back to before the prompt with these words, with a summary of what is left where one is asked for. */
const BACK = {
  ".pi/agent/extensions/back.ts": `export default function (pi) {
  pi.registerCommand("back", {
    description: "Goes back in the tree",
    handler: async (args, ctx) => {
      const [words, summarize] = args.split("|");
      const entry = ctx.sessionManager.getEntries().find((one) => JSON.stringify(one).includes(words));
      await ctx.navigateTree(entry.id, { summarize: summarize === "summary" });
    },
  });
}
`,
};

export const SUMMARY: Step = { text: "Scripted summary: we counted." };

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
    name: "pi-branch",
    agent: "pi",
    isCore: true,
    calls: 5,
    context: { has: ["Begin here", "Another way", "Back on the first"], lacks: ["One way"] },
    files: settings(BACK),
    commands: () => [say("Begin here", "One way", "/back One way", "Another way", "Back on the first")],
    script: simple(
      { text: "Here we are." },
      { text: "I go one way.", tools: [bash("echo one")] },
      { text: "That was one." },
      { text: "That is another." },
      { text: "And on." },
    ),
  },
  {
    name: "pi-branch-summary",
    agent: "pi",
    calls: 5,
    sends: ["Scripted summary"],
    context: { has: ["Begin here", "Scripted summary", "Another way"], lacks: ["One way"] },
    files: settings(BACK),
    commands: () => [say("Begin here", "One way", "/back One way|summary", "Another way")],
    script: () => ({
      asides: [{ words: "structured summary of this conversation branch", step: SUMMARY }],
      lanes: {
        main: paced(
          { text: "Here we are." },
          { text: "I go one way.", tools: [bash("echo one")] },
          { text: "That was one." },
          { text: "That is another." },
        ),
      },
    }),
  },
  {
    name: "pi-branch-return",
    agent: "pi",
    calls: 4,
    context: { has: ["Begin here", "One way", "Again one way"], lacks: ["Another way"] },
    files: settings(BACK),
    commands: () => [
      say("Begin here", "One way", "/back One way", "Another way", "/back That was one", "Again one way"),
    ],
    script: simple(
      { text: "Here we are." },
      { text: "That was one." },
      { text: "That is another." },
      { text: "Here again." },
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
