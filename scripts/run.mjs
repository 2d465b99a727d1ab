// Running other programs: one at a time, with our signals passed on and the bundled Node first in PATH.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A failure with the sentence that the person needs; its stack would tell them nothing. */
export class Problem extends Error {}

/** The person ended it. */
export class Interrupted extends Problem {}

/**
 * Runs a program to its end; its exit status. `quiet` keeps what it writes and hands it to `onOutput` instead of
 * showing it. `ipc` ties its life to ours: it sees when we are gone, however we went.
 */
export function run(command, args, { env = {}, quiet = false, ipc = false, onOutput, cwd = root } = {}) {
  return new Promise((done, failed) => {
    const output = quiet ? "pipe" : "inherit";
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: pathWith(command), NEXT_TELEMETRY_DISABLED: "1", ...env },
      stdio: ["inherit", output, output, ...(ipc ? ["ipc"] : [])],
    });
    const text = [];
    child.stdout?.on("data", (chunk) => text.push(chunk));
    child.stderr?.on("data", (chunk) => text.push(chunk));
    let asked = null;
    const forward = (signal) => {
      asked = signal;
      child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    const stop = () => {
      for (const signal of signals) process.off(signal, forward);
    };
    child.on("error", (error) => {
      stop();
      failed(error);
    });
    child.on("close", (code, signal) => {
      stop();
      onOutput?.(Buffer.concat(text).toString("utf8"));
      // npm ends with 1 when it is interrupted: it was the person all the same, and nothing may follow.
      if (asked && code !== 0) done(128 + constants.signals[asked]);
      else done(code ?? 128 + (constants.signals[signal] ?? 1));
    });
  });
}

/** Tools of node_modules start with `#!/usr/bin/env node`: they must find the Node that was picked. */
function pathWith(command) {
  const own = command.includes("node-") ? [dirname(command)] : [];
  return [...own, join(root, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
}
