// What OpenCode is made to do. It keeps its sessions in a database, and asks its model for a title beside them.
import { linesCommand, linesText, rowsText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

/** Any model of the chat-completions interface; its price is that of list-prices.ts. */
const MODEL = "gpt-5.5";

export const OPENCODE_ENV: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
};

export function openCodeSettings(more: object = {}, context = 100_000): Record<string, string> {
  const scripted = {
    npm: "@ai-sdk/openai-compatible",
    name: "scripted",
    options: { baseURL: `${MODEL_URL}/v1`, apiKey: "scripted" },
    models: { [MODEL]: { name: MODEL, limit: { context, output: 8000 } } },
  };
  const settings = {
    autoupdate: false,
    share: "disabled",
    model: `scripted/${MODEL}`,
    small_model: `scripted/${MODEL}`,
    permission: "allow",
    provider: { scripted },
    ...more,
  };
  return { ".config/opencode/opencode.json": JSON.stringify(settings) };
}

export const openCodeBash = (command: string, writes?: string): ScriptedTool => ({
  name: "bash",
  input: { command, description: "Runs a command" },
  ...(writes === undefined ? {} : { writes }),
});
const lines = (count: number): ScriptedTool => openCodeBash(linesCommand(count), linesText(count));

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));
const simple =
  (...steps: Step[]) =>
  () => ({ lanes: { main: paced(...steps) } });

export const openCodeSay = (text: string, ...more: string[]): AgentCommand => ({
  args: ["run", ...more, text],
  env: OPENCODE_ENV,
});

const LOOK = "Look into the notes";

const mcp = ({ node, ownFile }: RunPaths): Record<string, string> =>
  openCodeSettings({
    mcp: { shelf: { type: "local", command: [node, ownFile("mcp-server.ts"), "shelf"], enabled: true } },
  });

export const openCodeScenarios: readonly Scenario[] = [
  {
    name: "opencode-hello",
    agent: "opencode",
    isCore: true,
    calls: 3,
    sends: ["beta two"],
    files: () => openCodeSettings(),
    commands: () => [openCodeSay("What is in this folder?")],
    script: simple(
      { text: "I list it.", tools: [openCodeBash("ls")] },
      {
        text: "I read it.",
        tools: [{ name: "read", input: { filePath: "notes.txt" } }, openCodeBash("cat nowhere.txt")],
      },
      { text: "It holds notes." },
    ),
  },
  {
    name: "opencode-large-output",
    agent: "opencode",
    calls: 2,
    files: () => openCodeSettings(),
    commands: () => [openCodeSay("Write much")],
    script: simple({ tools: [lines(12_500), lines(300)] }, { text: "That was much." }),
  },
  {
    name: "opencode-mcp",
    agent: "opencode",
    calls: 2,
    files: mcp,
    commands: () => [openCodeSay("Fetch rows")],
    script: simple(
      { tools: [{ name: "shelf_rows", input: { count: 40 }, writes: rowsText(40) }] },
      { text: "Forty rows." },
    ),
  },
  {
    name: "opencode-resume",
    agent: "opencode",
    calls: 4,
    sends: ["First part."],
    files: () => openCodeSettings(),
    commands: () => [openCodeSay("Begin"), openCodeSay("Go on", "--continue")],
    script: simple(
      { text: "First part.", tools: [lines(5)] },
      { text: "Answered." },
      { tools: [openCodeBash("ls")] },
      { text: "Answered again." },
    ),
  },
  {
    name: "opencode-agent",
    agent: "opencode",
    calls: 4,
    files: () => openCodeSettings(),
    commands: () => [openCodeSay("Ask another")],
    script: () => ({
      markers: { other: LOOK },
      lanes: {
        main: paced(
          { tools: [{ name: "task", input: { description: "Looks", prompt: LOOK, subagent_type: "general" } }] },
          { text: "It has looked." },
        ),
        other: paced({ text: "I look.", tools: [openCodeBash("cat notes.txt")] }, { text: "Three lines." }),
      },
    }),
  },
  {
    name: "opencode-compaction",
    agent: "opencode",
    calls: 5,
    sends: ["Scripted summary"],
    files: () => openCodeSettings({}, 60_000),
    commands: () => [openCodeSay("Work long"), openCodeSay("After it", "--continue")],
    script: () => ({
      charsPerToken: 1,
      asides: [{ words: "summary", step: { text: "Scripted summary: we counted." } }],
      lanes: {
        main: paced({ tools: [lines(900)] }, { text: "Long work is done." }, { text: "After." }, { text: "Done." }),
      },
    }),
  },
  {
    name: "opencode-killed",
    agent: "opencode",
    calls: 3,
    files: () => openCodeSettings(),
    commands: () => [{ ...openCodeSay("Begin"), killAt: 3 }, openCodeSay("Go on", "--continue")],
    script: simple(
      { text: "I list.", tools: [openCodeBash("ls")] },
      { text: "Never heard.", delayMs: 20_000 },
      { text: "Answered." },
    ),
  },
  {
    name: "opencode-refused",
    agent: "opencode",
    calls: 3,
    files: () => openCodeSettings(),
    commands: () => [openCodeSay("Begin"), openCodeSay("Go on", "--continue")],
    script: simple({ text: "I list.", tools: [openCodeBash("ls")] }, { status: 400 }, { text: "Answered." }),
  },
];
