// A real server for a test: its own archive and sources in a folder that is removed afterwards, its own port,
// and a HOME that holds nothing, so that no agent's files of this machine are read.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as base } from "@playwright/test";
import type { BrowserContext } from "@playwright/test";
import { entryOf } from "../scripts/bundle.mjs";
import { SERVER_FLAGS } from "../scripts/node.mjs";

export const projectDir = dirname(dirname(fileURLToPath(import.meta.url)));

export type TestServer = {
  readonly url: string;
  readonly port: number;
  readonly archive: string;
  /** The folder that holds everything of this server. */
  readonly dir: string;
  readonly process: ChildProcess;
  /** The link that it printed: signs one browser in, once. */
  readonly link: string;
  /** The command line's token. */
  readonly token: string;
  /** Signs a browser in with a link of its own; one that has opened a session before, and is shown no first hints. */
  signIn(context: BrowserContext): Promise<void>;
  /** Asks a door as the command line does. */
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  /** Ends it with a signal; its exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export type Wishes = {
  /** Folders in place of the default ones; null leaves those, below a HOME that holds nothing. */
  readonly sources?: readonly string[] | null;
  /** An archive that is there already; it is not removed. */
  readonly archive?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** What a server process is given; nothing of this machine's own settings. */
export function serverEnv(dir: string, env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH = "" } = process.env;
  return {
    PATH,
    HOME: join(dir, "home"),
    TMPDIR: tmpdir(),
    CI: "1",
    PLIMSOLL_NO_OPEN: "1",
    NODE_ENV: "production",
    // As `npm start` does: compiled code is kept, which is a fifth of what a start costs.
    NODE_COMPILE_CACHE: join(projectDir, ".cache", "node"),
    ...env,
  };
}

/** Starts the server, bundled as `npm start` does; resolves when it listens, rejects with what it said when it does not. */
export async function startServer(wishes: Wishes = {}): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-e2e-"));
  const archive =
    wishes.archive ??
    (wishes.sources === null ? join(dir, "home", ".local", "share", "plimsoll") : join(dir, "archive"));
  mkdirSync(join(dir, "home"));
  mkdirSync(join(dir, "sources"));
  const named = wishes.sources === null ? [] : (wishes.sources ?? [join(dir, "sources")]);
  const sources = named.flatMap((path) => ["--sources", path]);
  const words = [
    ...SERVER_FLAGS,
    entryOf("bin/serve.ts"),
    "--port",
    "0",
    "--archive",
    archive,
    ...sources,
    ...(wishes.args ?? []),
  ];
  const child = spawn(process.execPath, words, {
    cwd: projectDir,
    env: serverEnv(dir, wishes.env),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let said = "";
  child.stdout?.on("data", (chunk) => (said += String(chunk)));
  child.stderr?.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));

  const ready = await new Promise<{ port: number; link: string }>((done, failed) => {
    child.on("message", (message: { ready?: boolean; port: number; link: string }) => message.ready && done(message));
    ended.then((code) => failed(new Error(`The server ended with status ${code}: ${said}`)));
  });
  const url = `http://127.0.0.1:${ready.port}`;
  const { token } = JSON.parse(readFileSync(join(archive, "endpoint.json"), "utf8")) as { token: string };
  const ask: TestServer["ask"] = (method, path, body) =>
    fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ...ready,
    url,
    archive,
    dir,
    process: child,
    token,
    ask,
    async signIn(context) {
      const { link } = (await (await ask("POST", "/api/launch")).json()) as { link: string };
      await context.request.get(link);
      await context.addCookies([{ name: "hints", value: "seen", url }]);
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const code = await ended;
      rmSync(dir, { recursive: true, force: true });
      return code;
    },
  };
}

/** `test` with one server for all tests of a worker, and pages that are signed in to it. */
export const test = base.extend<{ signedIn: void }, { wishes: Wishes; server: TestServer }>({
  wishes: [{}, { scope: "worker", option: true }],
  server: [
    async ({ wishes }, use) => {
      const server = await startServer(wishes);
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  signedIn: [
    async ({ context, server }, use) => {
      await server.signIn(context);
      await use();
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
