import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import type { AddressInfo } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { entryOf } from "../scripts/bundle.mjs";
import { projectDir, serverEnv, startServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

let dir = "";
test.beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-start-"));
  mkdirSync(join(dir, "home"));
});
test.afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

type Ended = { code: number | null; out: string; err: string };

/** Starts the server as `npm start` does, and waits for its end. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [entryOf("bin/serve.ts"), ...args], {
    env: serverEnv(dir, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  return ending(child);
}

function ending(child: ChildProcess): Promise<Ended> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk) => (out += String(chunk)));
  child.stderr?.on("data", (chunk) => (err += String(chunk)));
  return new Promise((done) => child.once("close", (code) => done({ code, out, err })));
}

/** One sentence for a person: no stack, no second line. */
function expectOneSentence(text: string): void {
  expect(text.trim().split("\n")).toHaveLength(1);
  expect(text).not.toMatch(/\bat .*:\d+:\d+|Error:/);
}

test("a port that was asked for and is taken is said in one sentence", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => other.once("listening", done));
  const port = (other.address() as AddressInfo).port;
  const { code, err } = await run(["--port", String(port), "--archive", join(dir, "a")]);
  other.close();
  expect(code).toBe(1);
  expectOneSentence(err);
  expect(err).toContain(`Port ${port} is in use`);
});

test("a second server on the same archive says where the first is, and gives a new link to it", async () => {
  const first = await startServer({ archive: join(dir, "a") });
  const { code, err } = await run(["--archive", first.archive]);
  expect(code).toBe(1);
  expectOneSentence(err);
  expect(err).toContain(`process ${first.process.pid}, port ${first.port}`);
  const link = /http:\S+/.exec(err)?.[0] ?? "";
  const signedIn = await fetch(link, { redirect: "manual" });
  expect(signedIn.status).toBe(302);
  await first.stop();
});

test("of ten servers started at once on one archive, one serves", async () => {
  const starts = await Promise.allSettled(Array.from({ length: 10 }, () => startServer({ archive: join(dir, "a") })));
  const serving = starts.filter((start) => start.status === "fulfilled");
  expect(serving).toHaveLength(1);
  for (const start of serving) await start.value.stop();
});

test("a server that was killed leaves no lock behind", async () => {
  const first = await startServer({ archive: join(dir, "a") });
  await first.stop("SIGKILL");
  const second = await startServer({ archive: join(dir, "a") });
  expect((await second.ask("GET", "/api/health")).status).toBe(200);
  await second.stop();
});

test("an archive in a place that is no folder is said in one sentence", async () => {
  writeFileSync(join(dir, "file"), "");
  for (const archive of [join(dir, "file"), join(dir, "file", "below")]) {
    const { code, err } = await run(["--archive", archive]);
    expect(code).toBe(1);
    expectOneSentence(err);
    expect(err).toContain(archive);
  }
});

test("an archive in a folder that may not be written is said in one sentence", async () => {
  test.skip(process.platform !== "linux", "needs a read-only file system that is always there");
  const { code, err } = await run(["--archive", "/sys/plimsoll"]);
  expect(code).toBe(1);
  expectOneSentence(err);
});

test("any address but this machine's own is refused", async () => {
  for (const [args, env] of [
    [["--host", "0.0.0.0"], {}],
    [["--host", "192.168.1.5"], {}],
    [["--host", "::"], {}],
    [[], { HOST: "0.0.0.0" }],
    [[], { PLIMSOLL_HOST: "example.org" }],
  ] as const) {
    const { code, err } = await run([...args, "--archive", join(dir, "a")], env);
    expect(code).toBe(1);
    expectOneSentence(err);
    expect(err).toContain("127.0.0.1 only");
  }
});

test("it listens on 127.0.0.1 and on no other address of this machine", async () => {
  const server = await startServer();
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((address) => !address.internal && address.family === "IPv4")
    .map((address) => address.address);
  for (const host of others) {
    const reached = await new Promise((done) => {
      const socket = connect(server.port, host, () => done(true)).on("error", () => done(false));
      socket.setTimeout(1000, () => done(false));
    });
    expect(reached, host).toBe(false);
  }
  await server.stop();
});

test("words that are not known are said, with those that are", async () => {
  const { code, err } = await run(["--prot", "1"]);
  expect(code).toBe(2);
  expectOneSentence(err);
  expect(err).toContain("--port N");
});

test("everything in the archive is its owner's alone, whatever the umask", async () => {
  test.skip(process.platform === "win32", "Windows has no modes");
  const before = process.umask(0);
  const server = await startServer({ archive: join(dir, "a") });
  process.umask(before);
  await fetch(server.link, { redirect: "manual" });
  const open = ["", ...readdirSync(server.archive, { recursive: true, encoding: "utf8" })].filter(
    (path) => (statSync(join(server.archive, path)).mode & 0o077) !== 0,
  );
  expect(open).toEqual([]);
  await server.stop();
});

test("no secret stands in the words or the environment of its process", async () => {
  test.skip(process.platform !== "linux", "reads /proc");
  const server = await startServer();
  const token = new URL(server.link).searchParams.get("token") ?? "none";
  for (const file of ["cmdline", "environ"]) {
    const text = readFileSync(`/proc/${server.process.pid}/${file}`, "utf8");
    expect(text).not.toContain(token);
    expect(text).not.toContain(server.token);
  }
  await server.stop();
});

test("a browser stays signed in when the server starts again on the same port", async () => {
  const first = await startServer({ archive: join(dir, "a") });
  const { port } = first;
  const cookie =
    ((await fetch(first.link, { redirect: "manual" })).headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  await first.stop();
  const again = await startServer({ archive: join(dir, "a"), args: ["--port", String(port)] });
  const response = await fetch(`${again.url}/api/tools`, { headers: { cookie } });
  expect(response.status).toBe(200);
  await again.stop();
});

test("SIGTERM, SIGINT and SIGHUP end it in order: streams closed, endpoint removed, status 0", async () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    const server = await startServer({ archive: join(dir, signal) });
    const stream = await server.ask("GET", "/api/changes");
    const ended = stream.text();
    const startedAt = Date.now();
    expect(await server.stop(signal)).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(5500);
    await ended;
    expect(readdirSync(join(dir, signal))).not.toContain("endpoint.json");
  }
});

test("a second signal ends it now, although a request is still being sent", async () => {
  const server = await startServer({ archive: join(dir, "a") });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `PUT /api/upload?name=x.jsonl HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n` +
      "Content-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\nx",
  );
  await expect.poll(() => readdirSync(server.archive)).toContain("uploads");
  const startedAt = Date.now();
  const ended = server.stop("SIGTERM");
  // A signal within half a second of the first is the same wish, and a busy machine delivers late: ask as a person does.
  const asking = setInterval(() => server.process.kill("SIGTERM"), 700);
  expect(await ended).toBe(130);
  clearInterval(asking);
  // Without a second signal it waits 4.5 s for the request.
  expect(Date.now() - startedAt).toBeLessThan(4000);
  socket.destroy();
});

test("it ends when the process that started it is gone", async () => {
  const server = await startServer({ archive: join(dir, "a") });
  const ended = new Promise((done) => server.process.once("exit", done));
  server.process.disconnect();
  expect(await ended).toBe(0);
  await server.stop();
});

test("a start on built pages serves its first page in under three seconds", async () => {
  const times: number[] = [];
  let limitMs = 3000;
  // The best of three: other tests run on the same cores. Where even a bare Node takes long to load Next (0.1 s on a
  // quiet machine, a start 0.7 s), the machine is busy and the limit grows with it.
  for (let i = 0; i < 3 && Math.min(...times, Number.MAX_VALUE) >= limitMs; i += 1) {
    limitMs = Math.max(limitMs, 15 * (await msOf(bareNode)));
    const servers: TestServer[] = [];
    times.push(await msOf(async () => void servers.push(await startAndAsk())));
    await servers[0]?.stop();
  }
  expect(Math.min(...times)).toBeLessThan(limitMs);
});

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedAt = Date.now();
  await work();
  return Date.now() - startedAt;
}

async function bareNode(): Promise<void> {
  const child = spawn(process.execPath, ["-e", 'require("next")'], { cwd: projectDir, env: serverEnv(dir) });
  expect((await ending(child)).code).toBe(0);
}

async function startAndAsk(): Promise<TestServer> {
  const server = await startServer();
  const { headers } = await fetch(server.link, { redirect: "manual" });
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const page = await fetch(server.url, { headers: { cookie } });
  expect(page.status).toBe(200);
  return server;
}
