// What is measured runs in processes of its own: no compiled code, cache or heap is left from the run before.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { entryOf } from "../bundle.mjs";

const HERE = import.meta.dirname;
export const ROOT = join(HERE, "../..");

/** Runs a task of tasks.ts in a new process; what it told. */
export function runTask<T>(task: string, input: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(HERE, "tasks.ts"), task, JSON.stringify(input)], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (chunk) => (said += String(chunk)));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(`The task ${task} ended with status ${code}.`));
      resolve(JSON.parse(said) as T);
    });
  });
}

export type CommandRun = {
  readonly ms: number;
  /** Of the processor, in all its threads: a busy machine does not bend it much. */
  readonly cpuMs: number;
  readonly peakBytes: number;
  readonly said: string;
};

/** Runs `plimsoll` with these words as a person would; how long it took and its peak memory. */
export function runPlimsoll(words: readonly string[]): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const main = [entryOf("bin/plimsoll.ts"), ...words];
    const child = spawn(process.execPath, ["--import", join(HERE, "tell-peak.ts"), ...main], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit", "pipe"],
    });
    let said = "";
    let used = "";
    child.stdout!.on("data", (chunk) => (said += String(chunk)));
    child.stdio[3]!.on("data", (chunk) => (used += String(chunk)));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(`plimsoll ${words[0]} ended with status ${code}: ${said.slice(0, 500)}`));
      const [peakBytes, cpuMs] = used.split(" ").map(Number) as [number, number];
      resolve({ ms: performance.now() - startedAt, cpuMs, peakBytes, said });
    });
  });
}

/** A program of the system, to its end: milliseconds, or null when there is no such program. */
export function timeProgram(command: string, args: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { stdio: "ignore" });
    child.on("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve(null) : reject(error)));
    child.on("close", (code) =>
      code === 0 ? resolve(performance.now() - startedAt) : reject(new Error(`${command} ended with status ${code}.`)),
    );
  });
}
