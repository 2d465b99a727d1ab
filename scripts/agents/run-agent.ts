// One scenario, run: a home and a project of its own, the agent's configuration in it, the commands in a namespace.
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentId } from "./agent-packages.ts";
import { MODEL_URL, readRequests, runJob, type Ended } from "./namespace-job.ts";
import { squarePng } from "./square-png.ts";
import type { Receiver, RunPaths, Scenario } from "./scenario-types.ts";
import type { KeptRequest, Script } from "./script-types.ts";

/** A command of an agent takes 0.5 to 4 s; ten times as much on a busy machine. */
const LIMIT_MS = 40_000;
/** Several turns at a terminal took 12 s, and 24 s on a busy machine. */
const TERMINAL_LIMIT_MS = 120_000;
/** PLIMSOLL_AGENTS_SLOWNESS=5: five times as much, on a machine that does much else. */
const slowness = (): number => Number(process.env["PLIMSOLL_AGENTS_SLOWNESS"] ?? 1) || 1;

export type Run = {
  readonly scenario: Scenario;
  readonly paths: RunPaths;
  readonly script: Script;
  readonly ended: readonly Ended[];
  readonly requests: readonly KeptRequest[];
  readonly logDir: string;
};

const ENV: Partial<Record<AgentId, Readonly<Record<string, string>>>> = {
  claude: {
    ANTHROPIC_BASE_URL: MODEL_URL,
    ANTHROPIC_API_KEY: "sk-ant-scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  },
  codex: { SCRIPTED_KEY: "scripted" },
};

/** Where a scenario is run, below the folder that Plimsoll watches. */
export function preparePaths(scenario: Scenario, root: string, receiver: Receiver): RunPaths {
  const home = join(root, scenario.name);
  const project = join(home, "project");
  const paths: RunPaths = {
    home,
    project,
    sessions: [randomUUID(), randomUUID()],
    node: process.execPath,
    receiver,
    ownFile: (name) => join(import.meta.dirname, name),
  };
  const files = { "project/notes.txt": "alpha one\nbeta two\ngamma three\n", ...scenario.files?.(paths) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  mkdirSync(join(home, "tmp"));
  writeFileSync(join(project, "dot.png"), squarePng(64));
  return paths;
}

export async function runScenario(
  scenario: Scenario,
  paths: RunPaths,
  options: {
    readonly program: string;
    /** Of the server that watches. */
    readonly archive: string;
    readonly namespace: readonly string[];
    readonly logDir: string;
    readonly signal: AbortSignal;
  },
): Promise<Run> {
  const { program, archive, namespace, logDir, signal } = options;
  const script = scenario.script(paths);
  const base = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: paths.home,
    TMPDIR: join(paths.home, "tmp"),
    CLAUDE_CODE_TMPDIR: join(paths.home, "tmp"),
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
  const wrapper = [process.execPath, paths.ownFile("../../bin/plimsoll.mjs"), "run", "--archive", archive, "--"];
  const recorder = scenario.isCaptured === true ? wrapper : [];
  const commands = scenario.commands(paths).map(({ program: own = program, args, env, ...more }) => ({
    ...more,
    args: [...recorder, own, ...args],
    // Ours start the agent themselves.
    env: { ...base, ...ENV[scenario.agent], ...(own !== program && { AGENT_PROGRAM: program }), ...env },
    limitMs: (more.keystrokes === undefined ? LIMIT_MS : TERMINAL_LIMIT_MS) * slowness(),
  }));
  const relay = { port: Number(new URL(paths.receiver.url).port), socket: join(logDir, "server.sock") };
  const ended = await runJob({ cwd: paths.project, script, commands, logDir, relay }, namespace, signal);
  return { scenario, paths, script, ended, requests: readRequests(logDir), logDir };
}
