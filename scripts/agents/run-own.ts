// A scenario of our own agents, run: a folder of its own, the scripted model in this process, a process of the agent for each turn.
// No namespace is needed: our code asks nobody but the two addresses that it is given.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Server } from "../bench/bench-server.ts";
import { bundleForTests } from "../bundle.mjs";
import type { Assembled, OwnJob, OwnScenario } from "./own-types.ts";
import type { KeptRequest } from "./script-types.ts";
import { startModel } from "./scripted-model.ts";
import { squarePng } from "./square-png.ts";

/** A process takes half a second; more on a busy machine. */
const LIMIT_MS = 40_000;

export type OwnRun = {
  readonly scenario: OwnScenario;
  readonly folder: string;
  readonly requests: readonly KeptRequest[];
  /** In the order of the requests. */
  readonly assembled: readonly Assembled[];
  /** What processes said that did not end well. */
  readonly failures: readonly string[];
};

/** `onTurn` is called after each process. */
export async function runOwn(
  scenario: OwnScenario,
  server: Server,
  root: string,
  onTurn: () => Promise<void> = async () => undefined,
): Promise<OwnRun> {
  const folder = join(root, scenario.name);
  mkdirSync(folder, { recursive: true });
  const requests: KeptRequest[] = [];
  const model = await startModel(scenario.script, (request) => requests.push(request));
  const { name, door, as, model: modelName, turns, budget } = scenario;
  const job: OwnJob = {
    ...{ name, door, as, model: modelName, turns, budget, folder },
    modelUrl: model.url,
    server: { url: server.url, token: server.token },
    image: { mediaType: "image/png", base64: squarePng(64).toString("base64") },
  };
  const jobFile = join(folder, "job.json");
  writeFileSync(jobFile, JSON.stringify(job));
  writeFileSync(join(folder, "assembled.jsonl"), "");
  const failures: string[] = [];
  // From its sources each process would take twice the time.
  const program = await bundleForTests("scripts/agents/own-agent.ts");
  try {
    for (const turn of turns.keys()) {
      const failure = await runTurn(program, [jobFile, String(turn)], folder);
      if (failure !== null) failures.push(`turn ${turn + 1}: ${failure}`);
      await onTurn();
    }
  } finally {
    await model.close();
  }
  const lines = readFileSync(join(folder, "assembled.jsonl"), "utf8").split("\n");
  const assembled = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Assembled);
  return { scenario, folder, requests, assembled, failures };
}

function runTurn(program: string, args: readonly string[], home: string): Promise<string | null> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { PATH: dirname(process.execPath), HOME: home, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code, signal) =>
      done(code === 0 ? null : `ended with ${code ?? signal}: ${said.slice(-600).trim()}`),
    );
  });
}
