// What the program inside the namespace is given, as JSON, and how a run is started in one: with the loopback alone, processes of
// its own that end with it, and nothing of this machine's settings.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { relayToPort, type Relay } from "./namespace-relay.ts";
import type { KeptRequest, Script } from "./script-types.ts";
import type { Keystrokes } from "./type-keys.ts";

/** In a network of its own any port is free. */
export const MODEL_PORT = 8899;
export const MODEL_URL = `http://127.0.0.1:${MODEL_PORT}`;

export type Command = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Interrupted, as by Ctrl-C, while the request of this number waits for its answer. */
  readonly interruptAt?: number;
  /** The same, and given no time to end in order. */
  readonly killAt?: number;
  /** Run at a terminal, and these typed. */
  readonly keystrokes?: readonly Keystrokes[];
  /** The last that it prints: where it does not end by itself after that, it is ended. */
  readonly lastWords?: string;
};

export type Job = {
  readonly cwd: string;
  readonly script: Script;
  readonly commands: readonly Command[];
  /** A server outside that may be reached. */
  readonly relay: Relay;
  /** Requests, outputs and `ended.json` go here. */
  readonly logDir: string;
};

export type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly isOverTime: boolean;
  /** Words that the next keys waited for when it ended. */
  readonly waitedFor: string | null;
  readonly ms: number;
};

// As root, or as a user who is root in a namespace of users.
const OWN = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
const WAYS = [OWN, ["--user", "--map-root-user", ...OWN]];
const UP = 'ip link set lo up && exec "$@"';

/** How a namespace is made on this machine; or why it is not. */
export function namespaceArgs(): { readonly args: readonly string[] } | { readonly missing: string } {
  if (process.platform !== "linux") return { missing: `no network namespaces on ${process.platform}` };
  for (const args of WAYS)
    if (spawnSync("unshare", [...args, "sh", "-c", UP, "sh", "true"]).status === 0) return { args };
  return { missing: "unshare --net, or ip link in it, is refused here: an agent is not run with a network" };
}

/** Runs a job to its end, at the latest when `signal` aborts: then all its processes are gone. */
export async function runJob(job: Job, args: readonly string[], signal: AbortSignal): Promise<readonly Ended[]> {
  mkdirSync(job.logDir, { recursive: true });
  const jobFile = join(job.logDir, "job.json");
  writeFileSync(jobFile, JSON.stringify(job));
  const relay = await relayToPort(job.relay);
  const program = join(import.meta.dirname, "inside-namespace.ts");
  const { PATH = "" } = process.env;
  const child = spawn("unshare", [...args, "sh", "-c", UP, "sh", process.execPath, program, jobFile], {
    env: { PATH: `${dirname(process.execPath)}:${PATH}`, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  let said = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk) => (said += String(chunk)));
  const status = await new Promise<number | null>((done, failed) => {
    child.once("error", failed);
    child.once("close", done);
  }).finally(() => relay.close());
  if (status !== 0) throw new Error(`The run ended with status ${status}: ${said}`);
  return JSON.parse(readFileSync(join(job.logDir, "ended.json"), "utf8")) as Ended[];
}

/** All requests of a run, in the order in which they were sent. */
export function readRequests(logDir: string): KeptRequest[] {
  const lines = readFileSync(join(logDir, "requests.jsonl"), "utf8").split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as KeptRequest)
    .toSorted((a, b) => a.n - b.n);
}
