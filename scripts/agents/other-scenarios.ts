// Agents whose files Plimsoll does not read: each lists a folder and answers. What they write must be taken for no session.
import { AGENTS, type AgentId } from "./agent-packages.ts";
import { COPILOT_ENV } from "./copilot-scenarios.ts";
import { MODEL_URL } from "./namespace-job.ts";
import { OPENCODE_ENV, openCodeSettings } from "./opencode-scenarios.ts";
import type { AgentCommand, RunPaths, Scenario } from "./scenario-types.ts";
import type { ScriptedTool } from "./script-types.ts";

type Other = {
  readonly tool: ScriptedTool;
  readonly commands: readonly AgentCommand[];
  readonly files?: (paths: RunPaths) => Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
};

const PROMPT = "What is in this folder?";
const COMMAND = "ls && cat notes.txt";
const shell = (name: string, more: object = {}): ScriptedTool => ({ name, input: { command: COMMAND, ...more } });
const json = (path: string, value: object) => (): Record<string, string> => ({ [path]: JSON.stringify(value) });

/** A model of ours as several of them write it down; dollars a million tokens. */
const MODEL = {
  id: "m1",
  name: "m1",
  reasoning: false,
  input: ["text"],
  contextWindow: 100_000,
  maxTokens: 8000,
  cost: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
};

const OTHERS: Partial<Record<AgentId, Other>> = {
  opencode: {
    tool: shell("bash", { description: "Lists" }),
    commands: [{ args: ["run", PROMPT] }],
    env: OPENCODE_ENV,
    files: () => openCodeSettings(),
  },
  copilot: {
    tool: shell("bash", { description: "Lists" }),
    commands: [{ args: ["-p", PROMPT, "--allow-all"] }],
    env: COPILOT_ENV,
  },
  cline: {
    tool: { name: "run_commands", input: { commands: [COMMAND] } },
    commands: [
      { args: ["auth", "-p", "openai-compatible", "-k", "scripted", "-m", "m1", "-b", `${MODEL_URL}/v1`] },
      { args: ["-P", "openai-compatible", "-m", "m1", "--json", PROMPT] },
    ],
    env: { CLINE_TELEMETRY_DISABLED: "1", CLINE_NO_AUTO_UPDATE: "1", CLINE_DISABLE_AUTO_UPDATE: "1" },
  },
  openclaw: {
    tool: shell("exec"),
    commands: [{ args: ["agent", "--local", "--agent", "main", "--session-id", "s1", "--message", PROMPT] }],
    env: { OPENCLAW_DISABLE_UPDATE_CHECK: "1", OPENCLAW_SKIP_CHANNELS: "1" },
    files: ({ project }) =>
      json(".openclaw/openclaw.json", {
        models: {
          mode: "merge",
          providers: {
            scripted: { baseUrl: `${MODEL_URL}/v1`, apiKey: "scripted", api: "openai-completions", models: [MODEL] },
          },
        },
        agents: { defaults: { model: { primary: "scripted/m1" }, workspace: project, skipBootstrap: true } },
      })(),
  },
};

const isRead = (agent: AgentId): boolean => AGENTS.some((one) => one.id === agent && one.isRead);

export const otherScenarios: readonly Scenario[] = (Object.keys(OTHERS) as AgentId[])
  .filter((agent) => !isRead(agent))
  .map((agent) => otherScenario(agent, { name: `${agent}-hello` }));

type Given = Pick<Scenario, "name" | "isCaptured" | "isReported"> & {
  readonly env?: (paths: RunPaths) => Readonly<Record<string, string>>;
  /** Beside those of its one file of settings. */
  readonly settings?: (paths: RunPaths) => object;
};

/** An agent that lists a folder and answers. */
export function otherScenario(agent: AgentId, { env, settings, ...given }: Given): Scenario {
  const other = OTHERS[agent]!;
  const filesOf = (paths: RunPaths): Record<string, string> =>
    Object.fromEntries(
      Object.entries(other.files?.(paths) ?? {}).map(([path, text]) => [
        path,
        JSON.stringify({ ...(JSON.parse(text) as object), ...settings?.(paths) }),
      ]),
    );
  return {
    ...given,
    agent,
    calls: 2,
    sends: ["beta two"],
    commands: (paths) => other.commands.map((command) => ({ ...command, env: { ...other.env, ...env?.(paths) } })),
    files: filesOf,
    script: () => ({
      lanes: { main: [{ text: "I look.", tools: [other.tool] }, { text: "It holds notes." }] },
    }),
  };
}
