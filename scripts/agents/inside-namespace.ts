// Inside the namespace: the scripted model, and the agent's commands one after the other. Started by namespace-job.ts.
import { spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MODEL_PORT, type Command, type Ended, type Job } from "./namespace-job.ts";
import { relayFromPort } from "./namespace-relay.ts";
import type { KeptRequest } from "./script-types.ts";
import { startModel } from "./scripted-model.ts";
import { atTerminal, typeKeys } from "./type-keys.ts";

/** An agent that has just sent a request is given the time to note it. */
const SETTLE_MS = 300;
/** An agent that has printed its last words ended 40 ms later, or never. */
const END_MS = 5_000;

const job = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Job;
const log = openSync(join(job.logDir, "requests.jsonl"), "a");
let interrupt: { readonly at: number; readonly run: () => void } | null = null;
let answers = 0;
const keep = (request: KeptRequest): void => {
  writeSync(log, `${JSON.stringify(request)}\n`);
  if (request.answer !== null) answers++;
};
const model = await startModel(job.script, keep, {
  port: MODEL_PORT,
  onRequest: (n) => {
    if (n === interrupt?.at) setTimeout(interrupt.run, SETTLE_MS);
  },
});
await relayFromPort(job.relay);
const ended: Ended[] = [];
for (const [i, command] of job.commands.entries()) ended.push(await runCommand(command, i));
await model.close();
writeFileSync(join(job.logDir, "ended.json"), JSON.stringify(ended));
// Whatever the agent left running ends with the namespace, of which this is the first process.
process.exit(0);

async function runCommand(command: Command, i: number): Promise<Ended> {
  const { args, env, limitMs, interruptAt, killAt, keystrokes, lastWords } = command;
  const startedAt = Date.now();
  const [program, ...rest] = keystrokes === undefined ? args : atTerminal(args);
  const out = openSync(join(job.logDir, `out-${i}`), "w");
  const child = spawn(program!, rest, {
    cwd: job.cwd,
    // Bare: the type asks for a NODE_ENV, which an agent is not to be told.
    env: env as NodeJS.ProcessEnv,
    detached: true,
    stdio: [
      keystrokes === undefined ? "ignore" : "pipe",
      keystrokes === undefined ? out : "pipe",
      openSync(join(job.logDir, `err-${i}`), "w"),
    ],
  });
  child.stdout?.on("data", (chunk: Buffer) => writeSync(out, chunk));
  const keys =
    keystrokes === undefined
      ? null
      : typeKeys({ stdin: child.stdin!, stdout: child.stdout! }, keystrokes, () => answers);
  let isOverTime = false;
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  const limit = setTimeout(() => {
    isOverTime = true;
    signalGroup("SIGKILL");
  }, limitMs);
  const isPrinted = (): boolean => readFileSync(join(job.logDir, `out-${i}`), "utf8").includes(lastWords!);
  let printedAt = Infinity;
  const watch = setInterval(() => {
    if (printedAt === Infinity && lastWords !== undefined && isPrinted()) printedAt = Date.now();
    if (Date.now() - printedAt > END_MS) signalGroup("SIGTERM");
  }, SETTLE_MS);
  const at = interruptAt ?? killAt;
  interrupt = at === undefined ? null : { at, run: () => signalGroup(killAt === undefined ? "SIGINT" : "SIGKILL") };
  const [code, signal] = await new Promise<[number | null, string | null]>((done, failed) => {
    child.once("error", failed);
    child.once("exit", (...how) => done(how));
  });
  clearTimeout(limit);
  clearInterval(watch);
  interrupt = null;
  const waitedFor = keys?.waitsFor() ?? null;
  keys?.stop();
  return { code, signal, isOverTime, waitedFor, ms: Date.now() - startedAt };
}
