// A server as `npm start` runs it, on an archive of its own; HOME is empty, so that nothing of this machine is read.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { entryOf } from "../bundle.mjs";
import { SERVER_FLAGS } from "../node.mjs";
import { ROOT } from "./measure-run.ts";

export type Server = {
  readonly url: string;
  /** Signs a browser in, once. */
  readonly link: string;
  /** Asks a door as the command line does; the whole answer, and the milliseconds until its last byte. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly ms: number; readonly text: string }>;
  /** The most memory that the process ever held; null where the system does not tell. */
  peakBytes(): number | null;
  /** Starts the peak anew; what the process holds now, or null where the system does not tell. */
  resetPeak(): number | null;
  /** Resolves when it has nothing more to do by itself (it counts tokens after a start), after two minutes at the latest. */
  rests(): Promise<void>;
  /** The command line's token: it may do everything. */
  readonly token: string;
  stop(): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
};

/** `sources` are what it watches: nothing, where none is named. `args` are added to its own. */
export async function startServer(
  work: string,
  archive: string,
  { sources = [join(work, "no-sources")], args = [] }: { sources?: readonly string[]; args?: readonly string[] } = {},
): Promise<Server> {
  const home = join(work, "home");
  for (const folder of [home, ...sources]) mkdirSync(folder, { recursive: true });
  const flags: string[] = [...SERVER_FLAGS, entryOf("bin/serve.ts")];
  const words = [
    ...flags,
    "--port",
    "0",
    "--archive",
    archive,
    ...sources.flatMap((path) => ["--sources", path]),
    "--no-open",
    ...args,
  ];
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    env: { PATH, HOME: home, TMPDIR: tmpdir(), NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  for (const pipe of [child.stdout!, child.stderr!]) pipe.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  const ready = await new Promise<{ port: number; link: string }>((done, failed) => {
    child.on("message", (message: { ready?: boolean; port: number; link: string }) => message.ready && done(message));
    void ended.then((code) => failed(new Error(`The server ended with status ${code}: ${said}`)));
  });
  const url = `http://127.0.0.1:${ready.port}`;
  const { token } = JSON.parse(readFileSync(join(archive, "endpoint.json"), "utf8")) as { token: string };
  const status = (field: string): number | null => {
    try {
      const text = readFileSync(`/proc/${child.pid}/status`, "utf8");
      const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1];
      return kilobytes === undefined ? null : Number(kilobytes) * 1024;
    } catch {
      return null;
    }
  };
  return {
    url,
    token,
    link: ready.link,
    async ask(method, path, body) {
      let startedAt = performance.now();
      const input = {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      // A connection that was idle for 5 s may be closed by the server at this very moment: asked once more on a new one.
      const answer = await fetch(url + path, input).catch(() => {
        startedAt = performance.now();
        return fetch(url + path, input);
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text.slice(0, 300)}`);
      return { ms: performance.now() - startedAt, text };
    },
    peakBytes: () => status("VmHWM"),
    resetPeak() {
      try {
        writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
      } catch {
        return null;
      }
      return status("VmRSS");
    },
    async rests() {
      const deadline = performance.now() + 120_000;
      for (let quiet = 0; quiet < 4 && performance.now() < deadline;) {
        const before = ticks(child.pid!);
        await setTimeout(500);
        quiet = ticks(child.pid!) - before <= 5 ? quiet + 1 : 0;
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Processor time of a process in hundredths of a second; 0 where the system does not tell. */
function ticks(pid: number): number {
  try {
    // After the name, which may hold spaces, the fields 14 and 15 of proc(5).
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
