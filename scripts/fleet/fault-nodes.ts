// Real servers as nodes of a fleet, which can be killed, paused and started again: each has its own archive, and its own clock.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { entryOf } from "../bundle.mjs";
import { SERVER_FLAGS } from "../node.mjs";

export type FaultNode = {
  readonly name: string;
  /** Where it listens; null while it does not run. */
  url: string | null;
  readonly pid: number | null;
  /** Of the command line, where it runs. */
  readonly token: string | null;
  isPaused: boolean;
  /** How often it ended by itself. */
  ended: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Ends in its own time. */
  end(): Promise<void>;
  /** Its archive is a cache: it is taken away. */
  forget(): void;
};

const START_MS = 180_000;

export function faultNode(
  dir: string,
  name: string,
  env: Readonly<Record<string, string>>,
  clock: () => number,
): FaultNode {
  const home = join(dir, name);
  let child: ChildProcess | null = null;
  const gone = (one: ChildProcess): Promise<void> =>
    new Promise((done) => (one.exitCode !== null || one.signalCode !== null ? done() : one.once("exit", () => done())));
  const node: FaultNode = {
    name,
    url: null,
    get pid() {
      return child?.pid ?? null;
    },
    get token() {
      const file = join(home, "archive", "endpoint.json");
      return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { token: string }).token : null;
    },
    isPaused: false,
    ended: 0,
    async start() {
      for (const folder of ["home", "sources"]) mkdirSync(join(home, folder), { recursive: true });
      const log = openSync(join(dir, `${name}.log`), "a");
      const args = [
        ...SERVER_FLAGS,
        entryOf("bin/serve.ts"),
        "--no-pages",
        "--no-open",
        "--port",
        "0",
        "--archive",
        join(home, "archive"),
      ];
      const started = spawn(process.execPath, [...args, "--sources", join(home, "sources")], {
        cwd: join(import.meta.dirname, "../.."),
        env: {
          ...{ PATH: process.env["PATH"], HOME: join(home, "home"), LD_LIBRARY_PATH: "" },
          ...env,
          NODE_ENV: "production",
          // A start from its sources takes seconds where all of them are compiled.
          NODE_COMPILE_CACHE: join(dir, "compiled"),
          PLIMSOLL_CLOCK_OFFSET_MS: String(Math.round(clock())),
        } as unknown as NodeJS.ProcessEnv,
        stdio: ["ignore", log, log, "ipc"],
      });
      child = started;
      started.once("exit", () => {
        // By itself, where it is still believed to run.
        if (child === started && node.url !== null) {
          node.url = null;
          node.ended++;
        }
      });
      node.isPaused = false;
      node.url = await new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${name} did not start; its log says why`)), START_MS);
        started.once("message", (message) => {
          clearTimeout(timer);
          resolve(`http://127.0.0.1:${(message as { port: number }).port}`);
        });
        started.once("exit", (code) => {
          clearTimeout(timer);
          reject(new Error(`${name} ended with ${code}`));
        });
      }).catch(async (error: unknown) => {
        started.kill("SIGKILL");
        await gone(started);
        throw error;
      });
    },
    async kill() {
      node.url = null;
      if (child === null) return;
      child.kill("SIGKILL");
      await gone(child);
      child = null;
    },
    pause() {
      node.isPaused = true;
      child?.kill("SIGSTOP");
    },
    resume() {
      node.isPaused = false;
      child?.kill("SIGCONT");
    },
    async end() {
      node.url = null;
      if (child === null) return;
      node.resume();
      child.kill("SIGTERM");
      await gone(child);
      child = null;
    },
    forget: () => rmSync(join(home, "archive"), { recursive: true, force: true }),
  };
  return node;
}
