// The points where the writer is killed: every call of the kernel that changes what is on the disk, found by tracing a run
// that is left alone.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Calls that the killed thread makes before, of the kind at which it is killed: the other thread never makes as many. */
export const OFFSET = 600;

const CHANGING = [
  ...["write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "unlink", "rmdir", "mkdir", "openat"],
  ...["fchmod", "chmod", "link", "utimensat", "fallocate"],
];

export type Point = { readonly call: string; readonly when: number; readonly thread: "main" | "pool" };

export const hasStrace = (): boolean =>
  spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "-e", "trace=none", "true"]).status === 0;

export type Target = {
  /** The program that is killed. */
  readonly writer: string;
  readonly dir: string;
  readonly scratch: string;
  readonly scenario: string;
};

type Ran = { readonly killed: boolean; readonly err: string };

/** Runs the writer under strace. */
function runTraced(options: readonly string[], { writer, dir, scenario, scratch }: Target, warm: string): Ran {
  const args = ["-f", "-qq", ...options, process.execPath, writer, dir, scenario, scratch];
  const ran = spawnSync("strace", args, {
    encoding: "utf8",
    env: { ...process.env, UV_THREADPOOL_SIZE: "1", NODE_NO_WARNINGS: "1", CRASH_WARM: warm },
    timeout: 120_000,
  });
  return { killed: ran.signal === "SIGKILL" || ran.status === 137, err: ran.stderr };
}

/** What happens at a point: the writer is killed, or the call fails with this errno and the writer goes on as it can. */
export type Harm = "SIGKILL" | `E${string}`;

/** Runs the writer, and harms it at a point. */
export function harmAt({ call, when, thread }: Point, harm: Harm, target: Target): Ran {
  const what = harm === "SIGKILL" ? "signal=SIGKILL" : `error=${harm}`;
  const options = ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:${what}:when=${when + OFFSET}`];
  return runTraced(options, target, `${thread} ${call}`);
}

/** Every point of a scenario, in the order in which a run that is left alone comes to them. */
export function findPoints(target: Target): Point[] {
  const log = join(target.scratch, "trace");
  const { err } = runTraced(["--seccomp-bpf", "-y", "-o", log, "-e", `trace=${CHANGING.join(",")}`], target, "");
  const points: Point[] = [];
  const counts = new Map<string, number>();
  let main: string | null = null;
  let isInside = false;
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [, thread, call] = /^(\d+)\s+([a-z0-9]+)\(/.exec(line) ?? [];
    if (thread === undefined || call === undefined) continue;
    main ??= thread;
    const when = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, when);
    if (line.includes('"BEGIN"')) isInside = true;
    else if (line.includes('"END"')) isInside = false;
    else if (isInside && isChange(line, call, target.dir))
      points.push({ call, when, thread: thread === main ? "main" : "pool" });
  }
  if (points.length === 0)
    throw new Error(`The scenario "${target.scenario}" made no call that changes anything: ${err}`);
  return points;
}

/** Only calls inside the archive count, and only an open that makes the file. */
function isChange(line: string, call: string, dir: string): boolean {
  if (!line.includes(dir)) return false;
  return call !== "openat" || line.includes("O_CREAT");
}
