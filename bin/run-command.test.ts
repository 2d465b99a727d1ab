// `plimsoll run` and `plimsoll proxy` as programs: what the agent is told, its exit status, its signals, and what stays.
import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, put } from "#lib/archive/testing-archive.ts";
import { launchOf } from "#lib/proxy/agent-environment.ts";

const CLI = join(import.meta.dirname, "plimsoll.ts");

type Said = { readonly code: number | null; readonly out: string; readonly err: string };

function start(dir: string, words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, words[0]!, "--archive", join(dir, "archive"), ...words.slice(1)], {
    env: { PATH: process.env["PATH"] ?? "", HOME: dir, NODE_ENV: "test", ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (err += String(chunk)));
  const ended = new Promise<Said>((done) => child.once("close", (code) => done({ code, out, err })));
  return { child, ended, out: () => out };
}

const run = (dir: string, words: readonly string[], env?: Record<string, string>): Promise<Said> =>
  start(dir, words, env).ended;

async function withProvider(work: (url: string, asked: string[]) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end(JSON.stringify({ id: "msg_1", usage: { input_tokens: 3 } })));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A program that asks its model once, as an SDK does. */
const ASKS = `await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
  method: "POST", headers: { "x-api-key": "sk-secret" }, body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
}).then((answer) => answer.json()).then(({ id }) => console.log(id));`;

test("a program asks where it would have asked, through the proxy, and the request is recorded", async () => {
  await inFolder((dir) =>
    withProvider(async (url, asked) => {
      const program = put(dir, "ask.mjs", ASKS);
      const said = await run(dir, ["run", "--", process.execPath, program], { ANTHROPIC_BASE_URL: `${url}/gate` });
      expect(said.err).toContain("Plimsoll records this run.");
      expect(said.err).toContain("1 request recorded.");
      expect(said).toMatchObject({ code: 0, out: "msg_1\n" });
      expect(asked).toEqual(["POST /gate/v1/messages"]);
      const files = readdirSync(join(dir, "archive", "captured"));
      expect(files).toHaveLength(1);
      const text = readFileSync(join(dir, "archive", "captured", files[0]!), "utf8");
      expect(text).not.toContain("sk-secret");
      // The archive reads it like any other session.
      const imported = await run(dir, ["import", join(dir, "archive", "captured"), "--json"]);
      expect(JSON.parse(imported.out)).toMatchObject({ totals: { sessions: 1, modelCalls: 1, errors: 0 } });
    }),
  );
});

test("exit status, standard input and options are the program's own", async () => {
  await inFolder(async (dir) => {
    expect(await run(dir, ["run", "--", "sh", "-c", "exit 7"])).toMatchObject({ code: 7 });
    expect((await run(dir, ["run", "--", "echo", "--json", "-v", "--help"])).out).toBe("--json -v --help\n");
    const missing = await run(dir, ["run", "--", "no-such-program"]);
    expect(missing).toMatchObject({ code: 127 });
    expect(missing.err).toContain("no-such-program cannot be run (ENOENT)");
    expect(await run(dir, ["run"])).toMatchObject({ code: 2 });
    const { child, ended } = start(dir, ["run", "--", "cat"]);
    child.stdin.end("through");
    expect(await ended).toMatchObject({ code: 0, out: "through" });
  });
});

test("a signal reaches the program, and how it ends is how the run ends", async () => {
  await inFolder(async (dir) => {
    const program = put(
      dir,
      "wait.mjs",
      'process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1000); console.log("up");',
    );
    const { child, ended, out } = start(dir, ["run", "--", process.execPath, program]);
    await expect.poll(out, { timeout: 10_000 }).toContain("up");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 9 });
    expect(await run(dir, ["run", "--", "sh", "-c", "kill -KILL $$"])).toMatchObject({ code: 137 });
  });
});

async function addressOf({ out }: { readonly out: () => string; readonly child: ChildProcess }): Promise<string> {
  await expect.poll(out, { timeout: 10_000 }).toContain("}}\n");
  return (JSON.parse(out()) as { address: string }).address;
}

test("the proxy listens until it is interrupted, on the loopback alone", async () => {
  await inFolder((dir) =>
    withProvider(async (url) => {
      const proxy = start(dir, ["proxy", "--json", "--port", "0", "--openai", `${url}/v1`]);
      const address = await addressOf(proxy);
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const answer = await fetch(`${address}/openai/responses`, { method: "POST", body: "{}" });
      expect(answer.status).toBe(200);
      const second = await run(dir, ["proxy", "--port", new URL(address).port]);
      expect(second).toMatchObject({ code: 1 });
      expect(second.err).toContain("is in use");
      proxy.child.kill("SIGINT");
      expect((await proxy.ended).code).toBe(0);
      const wrong = await run(dir, ["proxy", "--anthropic", "https://key@host.example"]);
      expect(wrong).toMatchObject({ code: 2 });
      expect(wrong.err).toContain("--anthropic has a key, query or fragment in it.");
    }),
  );
});

test("Codex is told on its command line, and its own provider is where requests go", async () => {
  await inFolder(async (dir) => {
    const url = (provider: string): string => `http://127.0.0.1:1/${provider}`;
    expect(launchOf(["codex", "exec"], { CODEX_HOME: dir }, url)).toMatchObject({
      args: ["codex", "-c", 'openai_base_url="http://127.0.0.1:1/openai"', "exec"],
      upstreams: {},
    });
    writeFileSync(
      join(dir, "config.toml"),
      'model_provider = "own"\n[model_providers.own]\nname = "x"\nbase_url = "https://own.example/v1"\n[other]\nbase_url = "no"\n',
    );
    expect(launchOf(["/bin/codex"], { CODEX_HOME: dir }, url)).toMatchObject({
      args: ["/bin/codex", "-c", 'model_providers.own.base_url="http://127.0.0.1:1/openai"'],
      upstreams: { openai: "https://own.example/v1" },
    });
  });
});

test("where Plimsoll runs, the agent gets a token of this run that sends telemetry alone, and it ends with the run", async () => {
  await inFolder(async (dir) => {
    const server = spawn(
      process.execPath,
      [
        join(import.meta.dirname, "serve.ts"),
        "--port",
        "0",
        "--archive",
        join(dir, "archive"),
        "--no-open",
        "--no-pages",
      ],
      {
        env: { PATH: process.env["PATH"] ?? "", HOME: dir, NODE_ENV: "test", PLIMSOLL_SOURCES: join(dir, "none") },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      },
    );
    try {
      await new Promise((ready) => server.once("message", ready));
      const claude = put(dir, "claude", "#!/bin/sh\necho $OTEL_EXPORTER_OTLP_ENDPOINT $OTEL_EXPORTER_OTLP_HEADERS\n");
      chmodSync(claude, 0o700);
      const told = "echo $OTEL_EXPORTER_OTLP_ENDPOINT $OTEL_EXPORTER_OTLP_HEADERS";
      const said = await run(dir, ["run", "--", claude]);
      expect(said.err).toMatch(/Live: http:\/\/127\.0\.0\.1:\d+\/\?token=/);
      const [, endpoint, token] = /^(\S+) Authorization=Bearer (\S+)\n$/.exec(said.out)!;
      const sent = await fetch(`${endpoint}/v1/logs`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "{}",
      });
      expect(sent.status).toBe(401);
      const { tokens } = JSON.parse((await run(dir, ["token", "list", "--json"])).out) as { tokens: object[] };
      expect(tokens).toMatchObject([{ name: "plimsoll run", scope: "telemetry", state: "revoked" }]);
      expect((await run(dir, ["run", "--", "sh", "-c", told])).out).toBe("\n");
      const own = await run(dir, ["run", "--", claude], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://mine" });
      expect(own.out).toBe("http://mine\n");
    } finally {
      server.kill();
    }
  });
});
