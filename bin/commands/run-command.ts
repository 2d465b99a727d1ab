// Runs an agent so that its requests pass through a proxy of its own and it reports to the Plimsoll that runs. Terminal, signals
// and exit status are the agent's.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { basename } from "node:path";
import { askCommand, askServer, runningServer } from "#lib/http/running-server.ts";
import { launchOf, telemetryEnvironment } from "#lib/proxy/agent-environment.ts";
import { startProxy } from "#lib/proxy/start-proxy.ts";
import { upstreamsOf, type Provider } from "#lib/proxy/upstreams.ts";
import type { CreatedToken } from "#lib/wire/tokens-schema.ts";
import { archiveDir } from "./archive-dir.ts";
import { namedUpstreams, summaryOf, warnOfLoss } from "./proxy-command.ts";
import type { Run } from "./args.ts";

export const run: Run = async (words) => {
  const dir = archiveDir(words);
  const command = words.args;
  // Where it would go is read before it is told otherwise.
  const known = launchOf(command, process.env, () => "").upstreams;
  const proxy = await startProxy({
    archiveDir: dir,
    upstreams: upstreamsOf(process.env, { ...known, ...namedUpstreams(words) }),
    port: 0,
    command: basename(command[0]!),
    onLoss: warnOfLoss,
  });
  const launch = launchOf(command, process.env, (provider: Provider) => `http://127.0.0.1:${proxy.port}/${provider}`);
  const telemetry = await openTelemetry(dir, command[0]!);
  console.error(await linkLine(dir));
  try {
    return await runToEnd(launch.args, { ...process.env, ...launch.env, ...telemetry?.env });
  } finally {
    await proxy.close();
    await telemetry?.close();
    console.error(`Plimsoll: ${summaryOf(proxy)}`);
  }
};

/** A token of this run that may send telemetry and nothing else; null where no server runs. */
async function openTelemetry(dir: string, program: string) {
  try {
    const server = await runningServer(dir);
    if (server === null) return null;
    const request = { name: "plimsoll run", scope: "telemetry", session: null, days: 1, arguments: {} };
    const made = (await askCommand(dir, "token-create", request))?.answer as CreatedToken;
    return {
      env: telemetryEnvironment(program, process.env, `http://127.0.0.1:${server.port}`, made.token),
      close: () => askCommand(dir, "token-revoke", { id: made.id }).catch(() => null),
    };
  } catch {
    // The agent runs without it: its requests are recorded all the same.
    return null;
  }
}

/** A link to the sessions of the server that runs; what to start where none does. */
async function linkLine(dir: string): Promise<string> {
  const asked = await askServer(dir, "/api/launch", {}).catch(() => null);
  const link = (asked?.answer as { link?: string } | undefined)?.link;
  return link === undefined
    ? "Plimsoll records this run. Start Plimsoll to see it (plimsoll)."
    : `Plimsoll records this run. Live: ${link}`;
}

function runToEnd(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(args[0]!, args.slice(1), { stdio: "inherit", env });
    // The terminal signals the whole group: the agent decides what Ctrl-C means, and we wait for it.
    const ignored = (): void => undefined;
    const passed = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on("SIGINT", process.stdin.isTTY ? ignored : passed).on("SIGQUIT", ignored);
    process.on("SIGTERM", passed).on("SIGHUP", passed);
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "EACCES") {
        console.error(`${args[0]} cannot be run (${error.code}). Give the command as you would type it.`);
        return resolve(error.code === "ENOENT" ? 127 : 126);
      }
      reject(error);
    });
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
}
