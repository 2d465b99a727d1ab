// `npm run agents`: real agents against a scripted model, with the loopback alone, and what Plimsoll says of each run held against
// the requests on the wire. `--only NAME`, `--all`, `--table`, `--strict`; docs/wire.md says what is compared.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "./bench/bench-server.ts";
import { tableOf } from "./agents/agents-table.ts";
import { AGENTS, watchedFolder } from "./agents/agent-packages.ts";
import { claudeScenarios } from "./agents/claude-scenarios.ts";
import { codexScenarios } from "./agents/codex-scenarios.ts";
import { compareOther, compareScenario, type Compared } from "./agents/compare-scenario.ts";
import { installAgent } from "./agents/install-agent.ts";
import { excuseOf, mended } from "./agents/left-differences.ts";
import { namespaceArgs } from "./agents/namespace-job.ts";
import { otherScenarios } from "./agents/other-scenarios.ts";
import type { Scenario } from "./agents/scenario-types.ts";

/** Of agents whose files are read. */
export const SCENARIOS: readonly Scenario[] = [...claudeScenarios, ...codexScenarios];

export type Outcome = { readonly compared: readonly Compared[]; readonly notRun: readonly string[] };

/** Runs scenarios one after the other, each compared as soon as it has run. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  onCompared: (compared: Compared) => void = () => undefined,
): Promise<Outcome> {
  const namespace = namespaceArgs();
  if ("missing" in namespace) return { compared: [], notRun: [`No agent was run: ${namespace.missing}.`] };
  const programs = new Map<string, string>();
  const notRun: string[] = [];
  for (const agent of AGENTS.filter(({ id }) => scenarios.some((one) => one.agent === id))) {
    const installed = installAgent(agent);
    if ("program" in installed) programs.set(agent.id, installed.program);
    else notRun.push(`${agent.name} ${agent.version} was not run: ${installed.missing}`);
  }
  const runnable = scenarios.filter(({ agent }) => programs.has(agent));
  if (runnable.length === 0) return { compared: [], notRun };

  const work = mkdtempSync(join(tmpdir(), "plimsoll-agents-"));
  const homes = join(work, "homes");
  const server = await startServer(work, join(work, "archive"), {
    sources: runnable.map(({ name, agent }) => join(homes, name, watchedFolder(agent))),
    args: ["--no-pages"],
  });
  const stop = new AbortController();
  try {
    const compared: Compared[] = [];
    for (const scenario of runnable) {
      const program = programs.get(scenario.agent)!;
      const isRead = AGENTS.some(({ id, isRead: read }) => id === scenario.agent && read);
      const one = await (isRead ? compareScenario : compareOther)(scenario, server, {
        homes,
        program,
        namespace: namespace.args,
        logDir: join(work, "logs", scenario.name),
        signal: stop.signal,
      });
      onCompared(one);
      compared.push(one);
    }
    return { compared, notRun };
  } finally {
    stop.abort();
    await server.stop();
    if (process.env["PLIMSOLL_AGENTS_KEEP"]) console.log(`Kept: ${work}`);
    else rmSync(work, { recursive: true, force: true });
  }
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
  const all = values.all === true ? [...SCENARIOS, ...otherScenarios] : SCENARIOS;
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
