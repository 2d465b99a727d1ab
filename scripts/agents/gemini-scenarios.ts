// What Gemini CLI is made to do.
import { join } from "node:path";
import { linesCommand, linesText, rowsText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

/** Its price is that of list-prices.ts. */
const MODEL = "gemini-2.5-pro";

export const geminiBash = (command: string, writes?: string): ScriptedTool => ({
  name: "run_shell_command",
  input: { command, description: "Runs a command" },
  ...(writes === undefined ? {} : { writes }),
});
const read = ({ project }: RunPaths, name: string): ScriptedTool => ({
  name: "read_file",
  input: { file_path: join(project, name) },
});

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));

export const GEMINI_ENV = {
  GEMINI_API_KEY: "scripted",
  GOOGLE_GEMINI_BASE_URL: MODEL_URL,
  GEMINI_CLI_TRUST_WORKSPACE: "true",
  NO_BROWSER: "1",
};

export const geminiSay = (text: string, ...more: string[]): AgentCommand => ({
  args: ["-m", MODEL, "--yolo", ...more, "-p", text],
  env: GEMINI_ENV,
});

export const geminiSettings = (more: object = {}): Record<string, string> => ({
  ".gemini/settings.json": JSON.stringify({
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    ...more,
  }),
});

/** Asked between the calls, and at a session's end. */
export const GEMINI_ASIDES = [{ words: "next_speaker", step: { text: '{"reasoning":"done","next_speaker":"user"}' } }];

const scenario = (
  name: string,
  commands: Scenario["commands"],
  steps: (at: RunPaths) => readonly Step[],
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `gemini-${name}`,
  agent: "gemini",
  calls: 2,
  files: () => geminiSettings(),
  commands,
  script: (at) => ({ asides: GEMINI_ASIDES, lanes: { main: paced(...steps(at)) } }),
  ...more,
});

const shelf = ({ node, ownFile }: RunPaths): object => ({
  mcpServers: { shelf: { command: node, args: [ownFile("mcp-server.ts"), "shelf"], trust: true } },
});

export const geminiScenarios: readonly Scenario[] = [
  scenario(
    "hello",
    () => [geminiSay("What is in this folder?")],
    (at) => [
      { text: "I list it.", tools: [geminiBash("ls && cat notes.txt")] },
      { text: "I read it.", tools: [read(at, "notes.txt"), geminiBash("cat nowhere.txt"), read(at, "nowhere.txt")] },
      { text: "It holds notes." },
    ],
    { calls: 3, isCore: true, sends: ["beta two"] },
  ),
  scenario(
    "thinking",
    () => [geminiSay("Think")],
    () => [
      { thinking: "**Counting** Which command says it?", text: "I count.", tools: [geminiBash(linesCommand(5))] },
      { thinking: "**Done** Enough.", text: "Five." },
    ],
  ),
  scenario(
    "large-output",
    () => [geminiSay("Write much")],
    () => [{ tools: [geminiBash(linesCommand(12_500), linesText(12_500))] }, { text: "That was much." }],
  ),
  scenario(
    "image",
    () => [geminiSay("What is in the picture?")],
    (at) => [{ text: "I look.", tools: [read(at, "dot.png")] }, { text: "A square." }],
  ),
  scenario(
    "mcp",
    () => [geminiSay("Ask the shelf")],
    () => [
      {
        tools: [
          { name: "mcp_shelf_rows", input: { count: 3 }, writes: rowsText(3) },
          { name: "mcp_shelf_rows", input: { count: 40 }, writes: rowsText(40) },
        ],
      },
      { text: "Three rows." },
    ],
    { files: (at) => geminiSettings(shelf(at)) },
  ),
  scenario(
    "resume",
    () => [geminiSay("Begin"), geminiSay("Go on", "--resume", "latest")],
    () => [
      { text: "First part.", tools: [geminiBash(linesCommand(5))] },
      { text: "Answered." },
      { tools: [geminiBash("ls")] },
      { text: "Again." },
    ],
    { calls: 4, sends: ["First part."] },
  ),
  scenario(
    "killed",
    () => [{ ...geminiSay("Begin"), killAt: 2 }, geminiSay("Go on", "--resume", "latest")],
    () => [
      { text: "I list.", tools: [geminiBash("ls")] },
      { text: "Never heard.", delayMs: 20_000 },
      { text: "Answered." },
    ],
    { calls: 3 },
  ),
  scenario(
    "refused",
    () => [geminiSay("Begin"), geminiSay("Go on", "--resume", "latest")],
    () => [{ text: "I list.", tools: [geminiBash("ls")] }, { status: 400 }, { text: "Answered." }],
    { calls: 3 },
  ),
];
