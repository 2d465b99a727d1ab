// What Qwen Code is made to do. Its startup context (skills, the date) is sent before the first prompt, and stands in no file.
import { join } from "node:path";
import { linesCommand, linesText, rowsText } from "./known-outputs.ts";
import { MODEL_URL } from "./namespace-job.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

/** Any model of the chat-completions interface; its price is that of list-prices.ts. */
const MODEL = "gpt-5.5";

export const qwenBash = (command: string, writes?: string): ScriptedTool => ({
  name: "run_shell_command",
  input: { command, description: "Runs a command" },
  ...(writes === undefined ? {} : { writes }),
});
/** On a busy machine its shell now and then hands nothing over: what is small is not held to the byte. */
const lines = (count: number): ScriptedTool => qwenBash(linesCommand(count), linesText(count));
const read = ({ project }: RunPaths, name: string): ScriptedTool => ({
  name: "read_file",
  input: { file_path: join(project, name) },
});

const paced = (...steps: Step[]): Step[] => steps.map((step) => ({ delayMs: 80, ...step }));

export const QWEN_ENV = {
  OPENAI_API_KEY: "scripted",
  OPENAI_BASE_URL: `${MODEL_URL}/v1`,
  OPENAI_MODEL: MODEL,
  NO_BROWSER: "1",
};

export const qwenSay = (text: string, ...more: string[]): AgentCommand => ({
  args: ["--yolo", ...more, "-p", text],
  env: QWEN_ENV,
});

export const qwenSettings = (more: object = {}): Record<string, string> => ({
  ".qwen/settings.json": JSON.stringify({
    $version: 4,
    security: { auth: { selectedType: "openai" } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    model: { name: MODEL },
    ...more,
  }),
});

/** What the client asks for itself: a summary, and after a resumed session what to remember. */
const SUMMARY = "<analysis>Short.</analysis>\n<state_snapshot>\nScripted summary: we counted.\n</state_snapshot>";
export const QWEN_ASIDES = [
  { words: "You are the component that summarizes a conversation", step: { text: SUMMARY } },
  { words: "Managed memory has TWO directories", step: { text: "Nothing to remember." } },
];

const scenario = (
  name: string,
  commands: Scenario["commands"],
  steps: (at: RunPaths) => readonly Step[],
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `qwen-${name}`,
  agent: "qwen",
  calls: 2,
  files: () => qwenSettings(),
  commands,
  script: (at) => ({ asides: QWEN_ASIDES, lanes: { main: paced(...steps(at)) } }),
  ...more,
});

const shelf = ({ node, ownFile }: RunPaths): object => ({
  mcpServers: { shelf: { command: node, args: [ownFile("mcp-server.ts"), "shelf"], trust: true } },
});

export const qwenScenarios: readonly Scenario[] = [
  scenario(
    "hello",
    () => [qwenSay("What is in this folder?")],
    (at) => [
      { text: "I list it.", tools: [qwenBash("ls && cat notes.txt")] },
      { text: "I read it.", tools: [read(at, "notes.txt"), qwenBash("cat nowhere.txt"), read(at, "nowhere.txt")] },
      { text: "It holds notes." },
    ],
    { calls: 3, isCore: true, sends: ["beta two"] },
  ),
  scenario(
    "thinking",
    () => [qwenSay("Think")],
    () => [
      { thinking: "Which command says it?", text: "I count.", tools: [qwenBash(linesCommand(5))] },
      { thinking: "Enough.", text: "Five." },
    ],
  ),
  scenario(
    "large-output",
    () => [qwenSay("Write much")],
    () => [{ tools: [lines(12_500)] }, { text: "That was much." }],
  ),
  scenario(
    "image",
    () => [qwenSay("What is in the picture?")],
    (at) => [{ text: "I look.", tools: [read(at, "dot.png")] }, { text: "A square." }],
  ),
  scenario(
    "mcp",
    () => [qwenSay("Ask the shelf")],
    () => [
      {
        tools: [
          { name: "mcp__shelf__rows", input: { count: 3 }, writes: rowsText(3) },
          { name: "mcp__shelf__rows", input: { count: 40 }, writes: rowsText(40) },
        ],
      },
      { text: "Three rows." },
    ],
    { files: (at) => qwenSettings(shelf(at)) },
  ),
  scenario(
    "subagent",
    () => [qwenSay("Begin")],
    () => [],
    {
      calls: 4,
      script: () => ({
        markers: { sub: "SUB: count the lines" },
        lanes: {
          main: paced(
            {
              text: "I send one.",
              tools: [
                {
                  name: "agent",
                  input: {
                    description: "Counts lines",
                    prompt: "SUB: count the lines",
                    subagent_type: "general-purpose",
                    run_in_background: false,
                  },
                },
              ],
            },
            { text: "It said three." },
          ),
          sub: paced({ text: "I count.", tools: [qwenBash("wc -l notes.txt")] }, { text: "Three lines." }),
        },
      }),
    },
  ),
  scenario(
    "resume",
    ({ sessions: [id] }) => [qwenSay("Begin", "--session-id", id), qwenSay("Go on", "--resume", id)],
    () => [
      { text: "First part.", tools: [qwenBash(linesCommand(5))] },
      { text: "Answered." },
      { tools: [qwenBash("ls")] },
      { text: "Again." },
    ],
    { calls: 4, sends: ["First part."] },
  ),
  scenario(
    "compaction",
    ({ sessions: [id] }) => [
      qwenSay("Work long", "--session-id", id),
      qwenSay("/compress", "--resume", id),
      qwenSay("After it", "--resume", id),
    ],
    () => [
      { tools: [qwenBash(linesCommand(300))] },
      { tools: [qwenBash(linesCommand(400))] },
      { text: "Long work is done." },
      { text: "After.", tools: [qwenBash("echo after")] },
      { text: "Done." },
    ],
    { calls: 6, isCore: true, sends: ["Scripted summary"] },
  ),
  scenario(
    "refused",
    ({ sessions: [id] }) => [qwenSay("Begin", "--session-id", id), qwenSay("Go on", "--resume", id)],
    () => [{ text: "I list.", tools: [qwenBash("ls")] }, { status: 400 }, { text: "Answered." }],
    { calls: 3 },
  ),
  scenario(
    "killed",
    ({ sessions: [id] }) => [{ ...qwenSay("Begin", "--session-id", id), killAt: 2 }, qwenSay("Go on", "--resume", id)],
    () => [
      { text: "I list.", tools: [qwenBash("ls")] },
      { text: "Never heard.", delayMs: 20_000 },
      { text: "Answered." },
    ],
    { calls: 3 },
  ),
];
