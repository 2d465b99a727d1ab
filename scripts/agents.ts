// `npm run agents`: real agents against a scripted model, with the loopback alone, and agents of our own on the library and over
// HTTP; what Plimsoll says of each run is held against the requests on the wire. `--only NAME`, `--all`, `--table`, `--strict`; docs/wire.md says what is compared.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer, type Server } from "./bench/bench-server.ts";
import { tableOf } from "./agents/agents-table.ts";
import { AGENTS, watchedFolder } from "./agents/agent-packages.ts";
import { claudeBrokenScenarios } from "./agents/claude-broken-scenarios.ts";
import { claudeScenarios } from "./agents/claude-scenarios.ts";
import { claudeTerminalScenarios } from "./agents/claude-terminal-scenarios.ts";
import { openCodeScenarios } from "./agents/opencode-scenarios.ts";
import { capturedScenarios } from "./agents/captured-scenarios.ts";
import { copilotScenarios } from "./agents/copilot-scenarios.ts";
import { continuationScenarios } from "./agents/continuation-scenarios.ts";
import { continuedFurtherScenarios } from "./agents/continued-further-scenarios.ts";
import { continuedGoogleScenarios } from "./agents/continued-google-scenarios.ts";
import { continuedOtherScenarios } from "./agents/continued-other-scenarios.ts";
import { codexScenarios } from "./agents/codex-scenarios.ts";
import { compareOwn } from "./agents/compare-own.ts";
import { compareOther, compareScenario, type Compared } from "./agents/compare-scenario.ts";
import { installAgent } from "./agents/install-agent.ts";
import { excuseOf, mended } from "./agents/left-differences.ts";
import { namespaceArgs } from "./agents/namespace-job.ts";
import { geminiScenarios } from "./agents/gemini-scenarios.ts";
import { hookScenarios } from "./agents/hook-scenarios.ts";
import { mcpScenarios } from "./agents/mcp-scenarios.ts";
import { otherScenarios } from "./agents/other-scenarios.ts";
import { ownScenarios } from "./agents/own-scenarios.ts";
import { telemetryScenarios } from "./agents/telemetry-scenarios.ts";
import { createdToken } from "#lib/wire/tokens-schema.ts";
import type { OwnScenario } from "./agents/own-types.ts";
import { piScenarios } from "./agents/pi-scenarios.ts";
import { limitScenarios } from "./agents/limit-scenarios.ts";
import { restoreScenarios } from "./agents/restore-scenarios.ts";
import { qwenScenarios } from "./agents/qwen-scenarios.ts";
import type { Scenario } from "./agents/scenario-types.ts";
import { missingTerminal } from "./agents/type-keys.ts";

/** Of agents whose files are read, and of our own. */
export const SCENARIOS: readonly AnyScenario[] = [
  ...claudeScenarios,
  ...claudeBrokenScenarios,
  ...continuationScenarios,
  ...continuedFurtherScenarios,
  ...continuedGoogleScenarios,
  ...continuedOtherScenarios,
  ...claudeTerminalScenarios,
  ...codexScenarios,
  ...mcpScenarios,
  ...telemetryScenarios,
  ...hookScenarios,
  ...capturedScenarios,
  ...piScenarios,
  ...limitScenarios,
  ...restoreScenarios,
  ...qwenScenarios,
  ...copilotScenarios,
  ...openCodeScenarios,
  ...geminiScenarios,
  ...ownScenarios,
];

export type Outcome = { readonly compared: readonly Compared[]; readonly notRun: readonly string[] };

/** Runs scenarios one after the other, each compared as soon as it has run; `beside` is given the server, with its pages, meanwhile. */
export async function runScenarios(
  scenarios: readonly AnyScenario[],
  onCompared: (compared: Compared) => void = () => undefined,
  beside?: (server: Server) => Promise<void>,
): Promise<Outcome> {
  const own = scenarios.filter(isOwn);
  const { runnable, programs, namespace, notRun } = prepared(scenarios.filter((one): one is Scenario => !isOwn(one)));
  if (runnable.length + own.length === 0) return { compared: [], notRun };

  const work = mkdtempSync(join(tmpdir(), "plimsoll-agents-"));
  const homes = join(work, "homes");
  const server = await startServer(work, join(work, "archive"), {
    sources: runnable.map(({ name, agent }) => join(homes, name, watchedFolder(agent))),
    args: beside === undefined ? ["--no-pages"] : [],
  });
  const receiver = { url: server.url, token: await telemetryToken(server), archive: join(work, "archive") };
  const stop = new AbortController();
  const compared: Compared[] = [];
  const add = (one: Compared): void => {
    onCompared(one);
    compared.push(one);
  };
  try {
    const watched = beside?.(server);
    watched?.catch(() => undefined);
    for (const scenario of runnable) {
      const program = programs.get(scenario.agent)!;
      const isRead = AGENTS.some(({ id, isRead: read }) => id === scenario.agent && read);
      const logDir = join(work, "logs", scenario.name);
      const around = {
        homes,
        program,
        receiver,
        archive: join(work, "archive"),
        namespace,
        logDir,
        signal: stop.signal,
      };
      add(await (isRead ? compareScenario : compareOther)(scenario, server, around));
    }
    for (const scenario of own) add(await compareOwn(scenario, server, join(work, "own")));
    await watched;
    return { compared, notRun };
  } finally {
    stop.abort();
    await server.stop();
    if (process.env["PLIMSOLL_AGENTS_KEEP"]) console.log(`Kept: ${work}`);
    else rmSync(work, { recursive: true, force: true });
  }
}

async function telemetryToken(server: Server): Promise<string> {
  const request = { name: "agents", scope: "telemetry" };
  const made = await server.ask("POST", "/api/commands/token-create", request);
  return createdToken.parse(JSON.parse(made.text)).token;
}

export type AnyScenario = Scenario | OwnScenario;

const isOwn = (scenario: AnyScenario): scenario is OwnScenario => "door" in scenario;

/** Which real agents can be run here, with what, and why others cannot. */
function prepared(scenarios: readonly Scenario[]) {
  const programs = new Map<string, string>();
  const notRun: string[] = [];
  const namespace = scenarios.length === 0 ? { args: [] } : namespaceArgs();
  if ("missing" in namespace) notRun.push(`No real agent was run: ${namespace.missing}.`);
  else
    for (const agent of AGENTS.filter(({ id }) => scenarios.some((one) => one.agent === id))) {
      const installed = installAgent(agent);
      if ("path" in installed) programs.set(agent.id, installed.path);
      else notRun.push(`${agent.name} ${agent.version} was not run: ${installed.missing}`);
    }
  const terminal = scenarios.some(({ needsTerminal }) => needsTerminal) ? missingTerminal() : null;
  const hasTerminal = ({ needsTerminal }: Scenario): boolean => needsTerminal !== true || terminal === null;
  for (const one of scenarios) if (!hasTerminal(one)) notRun.push(`${one.name} was not run: ${terminal}.`);
  return {
    runnable: scenarios.filter((one) => programs.has(one.agent) && hasTerminal(one)),
    programs,
    namespace: "args" in namespace ? namespace.args : [],
    notRun,
  };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      all: { type: "boolean" },
      table: { type: "boolean" },
      strict: { type: "boolean" },
    },
  });
  const all = values.all === true || values.only !== undefined ? [...SCENARIOS, ...otherScenarios] : SCENARIOS;
  const scenarios = all.filter(({ name }) => values.only?.includes(name) ?? true);
  if (scenarios.length === 0) {
    console.error(`No scenario is named ${values.only?.join(", ")}. Known: ${all.map(({ name }) => name).join(", ")}.`);
    return 1;
  }
  const { compared, notRun } = await runScenarios(scenarios, print);
  if (values.table === true) for (const line of tableOf(compared)) console.log(line);
  for (const line of mended(compared)) console.log(`Not met any more, take it off the list: ${line}`);
  for (const line of notRun) console.log(line);
  const failed = compared.flatMap(failuresOf).length;
  const left = compared.flatMap(({ checks }) => checks).filter(({ problems }) => problems.length > 0).length - failed;
  console.log(`${compared.length} scenarios: ${failed} checks failed, ${left} differ as docs/wire.md says.`);
  return failed > 0 || (values.strict === true && notRun.length > 0) ? 1 : 0;
}

/** What differs and is not known to. */
export const failuresOf = (compared: Compared): string[] =>
  compared.checks
    .filter((check) => check.problems.length > 0 && excuseOf(compared, check) === null)
    .map(({ name, problems }) => `${compared.name} ${name}: ${problems.join("; ")}`);

function print(compared: Compared): void {
  console.log(`${compared.name} (${(compared.ms / 1000).toFixed(1)} s)`);
  for (const check of compared.checks) {
    const { name, saw, problems } = check;
    const excuse = excuseOf(compared, check);
    const verdict = problems.length === 0 ? "ok" : excuse === null ? "FAILED" : "left";
    console.log(`  ${verdict.padEnd(6)}  ${name.padEnd(12)} ${saw}`);
    if (problems.length > 0) console.log(`            ${problems[0]}${more(problems.length - 1)}`);
    if (excuse !== null) console.log(`            (${excuse})`);
  }
}

const more = (count: number): string => (count === 0 ? "" : ` (and ${count} more)`);

if (import.meta.main) process.exitCode = await main();
