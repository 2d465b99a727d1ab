// The package as a stranger meets it: packed, installed from its tarball into an empty folder with an empty HOME, and used there.
// Some 50 s of processor time with a build of the pages. Its dependencies come from npm's cache or from the registry; where
// neither has them in time, they are those of the checkout, which has the same versions.
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "#bin/commands/index.ts";
import { VERSION } from "#lib/kernel/version.ts";
import { ENTRIES } from "./package-entries.mjs";
import { pack } from "./package.mjs";

const ROOT = join(import.meta.dirname, "..");
const FIXTURE = join(ROOT, "lib/formats/fixtures/claude-code-synthetic-session.jsonl");
const MB = 1e6;

const base = mkdtempSync(join(tmpdir(), "plimsoll-package-"));
const home = join(base, "home");
const app = join(base, "app");
const archive = join(base, "archive");
const installed = join(app, "node_modules", "plimsoll");
const program = join(installed, "dist", "plimsoll.mjs");
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  USERPROFILE: home,
  NO_COLOR: "1",
  NODE_ENV: "test" as const,
  // Whom this machine trusts.
  ...(process.env["NODE_EXTRA_CA_CERTS"] && { NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] }),
};

let tarball = "";

beforeAll(async () => {
  for (const folder of [home, app]) mkdirSync(folder);
  tarball = (await pack(process.execPath, base, join(base, "staged"))).path;
  if (!installWithNpm()) installByHand();
}, 600_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** npm's own cache and registry, in a HOME that has neither. False where no registry answers in time. */
function installWithNpm(): boolean {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const setting = (name: string): string =>
    spawnSync(npm, ["config", "get", name], { cwd: ROOT }).stdout.toString().trim();
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", version: "1.0.0", type: "module" }));
  const words = [
    "install",
    tarball,
    "--prefer-offline",
    "--fetch-retries=0",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const settings = { npm_config_cache: setting("cache"), npm_config_registry: setting("registry") };
  const { status, stderr } = spawnSync(npm, words, { cwd: app, env: { ...env, ...settings }, timeout: 90_000 });
  const said = stderr.toString();
  if (status === 0) return true;
  const isAway =
    status === null || /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|_CERT/.test(said);
  if (!isAway) throw new Error(`npm could not install ${tarball}: ${said}`);
  console.error(`npm did not install the package in time, so its dependencies are the checkout's. ${said}`);
  return false;
}

/** The tarball as npm unpacks it, and beside it what it needs. */
function installByHand(): void {
  rmSync(join(app, "node_modules"), { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  const { status, stderr } = spawnSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  if (status !== 0) throw new Error(`tar could not unpack ${tarball}: ${stderr.toString()}`);
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Dependent;
  const waiting = Object.keys(dependencies!);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const from = join(ROOT, "node_modules", name);
    const to = join(app, "node_modules", name);
    // What is for another system is not there.
    if (existsSync(to) || !existsSync(from)) continue;
    cpSync(from, to, { recursive: true });
    const needs = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Dependent;
    waiting.push(...Object.keys({ ...needs.dependencies, ...needs.optionalDependencies }));
  }
}

type Dependent = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** A command of the installed package. */
function run(...words: string[]) {
  const ran = spawnSync(process.execPath, [program, ...words], {
    cwd: app,
    env: { ...env, PLIMSOLL_ARCHIVE: archive },
  });
  return { status: ran.status, out: ran.stdout.toString(), err: ran.stderr.toString() };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));

type Manifest = { readonly scripts: object; readonly peerDependencies: Readonly<Record<string, string>> };

// No container is built here; what it calls is there.
test("the Containerfile runs a script and a command that exist, on a Node that the package takes", () => {
  const text = readFileSync(join(ROOT, "Containerfile"), "utf8");
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  expect(Object.keys(scripts)).toContain(/^RUN npm run (\w+)$/m.exec(text)?.[1]);
  expect([...text.matchAll(/^FROM docker\.io\/library\/node:(\d+)/gm)].map(([, major]) => major)).toEqual(["24", "24"]);
  expect(COMMANDS.map(({ name }) => name)).toContain(/^CMD \["(\w+)"/m.exec(text)?.[1]);
  expect(/^ENTRYPOINT \["plimsoll"\]$/m.test(text)).toBe(true);
});

describe("the tarball", () => {
  test("is at most 30 MB, and names no path of the machine that made it", () => {
    expect(statSync(tarball).size).toBeLessThan(30 * MB);
    const files = filesOf(join(base, "staged")).filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThan(1000);
    expect(files.filter((path) => readFileSync(path).includes(ROOT))).toEqual([]);
  });

  test("its exports and its types have no problem that publint or attw know", async () => {
    const bytes = readFileSync(tarball);
    const { messages } = await publint({ pkgDir: join(base, "staged"), level: "suggestion", pack: false });
    expect(messages).toEqual([]);
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
    if (!analysis.types) throw new Error("attw finds no types.");
    expect(Object.keys(analysis.entrypoints)).toEqual([...Object.keys(ENTRIES), "./package.json"]);
    // What `attw --profile esm-only` leaves out: there is no CommonJS, and resolution of before Node 12 knows no exports.
    const counted = analysis.problems.filter((one) => {
      const resolution = "resolutionKind" in one ? one.resolutionKind : "";
      return resolution !== "node10" && resolution !== "node16-cjs";
    });
    expect(counted).toEqual([]);
  });
});

describe("installed", { timeout: 300_000 }, () => {
  test("takes at most 150 MB with all that it needs, and brings prebuilds for every system", () => {
    const folder = join(app, "node_modules");
    const sizes = filesOf(folder).map((path) => statSync(path).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * MB);
    const prebuilds = readdirSync(join(folder, "better-sqlite3", "prebuilds"));
    for (const system of [
      "linux-x64",
      "linux-arm64",
      "linuxmusl-x64",
      "darwin-x64",
      "darwin-arm64",
      "win32-x64",
      "win32-arm64",
    ])
      expect(prebuilds).toContain(`${system}.node`);
  });

  test("an old Node is told in one sentence", () => {
    const preload = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });";
    const words = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, program, "--help"];
    const ran = spawnSync(process.execPath, words, { env });
    expect(ran.status).toBe(1);
    expect(ran.stderr.toString()).toMatch(/^Plimsoll needs Node 22\.15 or newer; [^\n]+\n$/);
  });

  test("its commands import, list, explain, grep and query; ripgrep and jq are there", () => {
    expect(run("--version")).toEqual({ status: 0, out: `${VERSION}\n`, err: "" });
    expect(run("--help").out).toContain("start the server");
    expect(run("import", FIXTURE).status).toBe(0);
    const [session] = (JSON.parse(run("sessions", "--json").out) as { sessions: { id: string }[] }).sessions;
    expect(run("load", session!.id).out).toContain("tokens");
    writeFileSync(
      join(app, "rows.json"),
      JSON.stringify({ rows: Array.from({ length: 500 }, (_, n) => ({ n })) }, null, 1),
    );
    const made = run("session", "create", "mine");
    const stored = run("store", made.out.trim(), join(app, "rows.json"), "--type", "application/json");
    expect(stored.out).toMatch(/^art:/);
    expect(run("grep", stored.out.trim(), "4[0-9]9", "-c").out).toContain("10");
    expect(run("jq", stored.out.trim(), ".rows | length").out.trim()).toBe("500");
  });

  test("a hook for an agent names programs that are there", () => {
    const { out, status } = run("hook", "install", "claude", "pi", "--yes");
    expect([status, out]).toEqual([0, expect.stringContaining("Installed.")]);
    const named = [...out.matchAll(/\/[^\s"'`]+\.[cm]js/g)].map(([path]) => path);
    expect(new Set(named.filter((path) => !existsSync(path)))).toEqual(new Set());
    const call = { session_id: "s", tool_name: "Bash", tool_use_id: "t", hook_event_name: "PostToolUse" };
    const input = JSON.stringify({ ...call, tool_input: {}, tool_response: { stdout: "gull\n".repeat(9000) } });
    const hook = named.find((path) => path.includes("agent-hook"))!;
    const answer = spawnSync(process.execPath, [hook, "claude", archive], { input, env }).stdout.toString();
    expect(answer).toContain("artifact_id");
    expect(run("artifacts").out).toContain("Bash");
    expect(run("hook", "remove", "claude", "pi", "--yes").status).toBe(0);
  });

  test("every export can be imported, and works", () => {
    linkPeers();
    const names = Object.keys(ENTRIES).map((name) => `plimsoll${name.slice(1)}`);
    writeFileSync(
      join(app, "use.mjs"),
      `${names.map((name, i) => `import * as m${i} from ${JSON.stringify(name)};`).join("\n")}
import { getArtifact, storeArtifact, openMemory, nodeHost } from "plimsoll";
for (const [name, module] of Object.entries({ ${names.map((name, i) => `${JSON.stringify(name)}: m${i}`).join(", ")} }))
  if (Object.keys(module).length === 0) throw new Error(name + " exports nothing");
const ctx = { sessionState: {} };
const { pointer } = storeArtifact(ctx, "x".repeat(9000));
console.log(getArtifact(ctx, pointer).value.length, typeof openMemory, typeof nodeHost);
`,
    );
    const ran = spawnSync(process.execPath, ["use.mjs"], { cwd: app, env });
    expect(ran.stderr.toString()).toBe("");
    expect(ran.stdout.toString()).toBe("9000 function object\n");
  });

  test("an MCP server of an author's own offloads what its tools return, and reads it back", async () => {
    linkPeers();
    writeFileSync(
      join(app, "server.mjs"),
      `import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { ArtifactKit } from "plimsoll";
import { wrapServer } from "plimsoll/mcp";
const server = wrapServer(new McpServer({ name: "harbour", version: "1.0.0" }), new ArtifactKit());
server.registerTool("tides", { description: "Lists the tides" }, () => ({ content: [{ type: "text", text: "ebb and flow\\n".repeat(2000) }] }));
await server.connect(new StdioServerTransport());
`,
    );
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: ["server.mjs"], cwd: app, env }));
    try {
      const call = async (name: string, input: object): Promise<string> =>
        JSON.stringify((await client.callTool({ name, arguments: { ...input } })).content);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["artifact_read", "tides"]);
      const envelope = await call("tides", {});
      expect(envelope.length).toBeLessThan(4096);
      const [artifact_id] = /art_[0-9a-f]{16}/.exec(envelope)!;
      expect(await call("artifact_read", { artifact_id, start_line: 1999 })).toContain("ebb and flow");
    } finally {
      await client.close();
    }
  });

  test.each(["nodenext", "bundler"])("its types hold under %s", (resolution) => {
    linkPeers();
    const imports = Object.keys(ENTRIES).map(
      (name, i) => `import * as m${i} from "plimsoll${name.slice(1)}";\nvoid m${i};`,
    );
    writeFileSync(
      join(app, "use.ts"),
      `${imports.join("\n")}
import { approxByteSize, storeArtifact } from "plimsoll";
import type { ArtifactPointer } from "plimsoll/artifacts";
import { MemoryManager } from "plimsoll/memory";
export const size: number = approxByteSize({ a: 1 });
export const stored = (ctx: { sessionState: Record<string, unknown> }) => storeArtifact(ctx, "text");
export type Opened = Awaited<ReturnType<typeof MemoryManager.open>>;
// @ts-expect-error: were the types not found, this would be any
export const wrong: ArtifactPointer = 1;
`,
    );
    writeFileSync(
      join(app, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          ...{ strict: true, noEmit: true, target: "es2022", lib: ["es2024", "dom"], types: ["node"] },
          ...{ typeRoots: [join(ROOT, "node_modules", "@types")], moduleResolution: resolution },
          module: resolution === "bundler" ? "preserve" : resolution,
        },
        files: ["use.ts"],
      }),
    );
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const ran = spawnSync(process.execPath, [tsc, "-p", app], { env });
    expect(ran.stderr.toString()).toBe("");
    // Declarations of the SDKs are not ours: one of them names a package that it does not bring.
    const lines = ran.stdout.toString().split("\n");
    expect(lines.filter((line) => /^(error|use\.ts|node_modules\/plimsoll)/.test(line))).toEqual([]);
  });

  test("the server shows its first page, answers the API and loads the demo; nothing is written into the package", async () => {
    const before = stampsOf(installed);
    // As `npx plimsoll --no-open` is typed: without the command.
    const words = ["--no-open", "--port", "0", "--archive", join(base, "served"), "--sources", dirname(FIXTURE)];
    const server = spawn(process.execPath, [program, ...words], { cwd: app, env });
    try {
      const link = await linkOf(server);
      const signIn = await fetch(link, { redirect: "manual" });
      const headers = { cookie: signIn.headers.get("set-cookie")!.split(";")[0]!, origin: new URL(link).origin };
      const page = await fetch(new URL("/", link), { headers });
      const text = await page.text();
      expect(page.status).toBe(200);
      const [, style] = /href="(\/_next\/static\/[^"]+\.css)"/.exec(text) ?? [];
      for (const path of [style!, "/monaco/editor.js", "/playground", "/api/sessions"])
        expect((await fetch(new URL(path, link), { headers })).status, path).toBe(200);
      const demo = await fetch(new URL("/api/demo", link), {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: "{}",
      });
      expect(await demo.json()).toMatchObject({ totals: { events: expect.any(Number) } });
    } finally {
      server.kill();
      await once(server, "close");
    }
    expect(stampsOf(installed)).toEqual(before);
  });
});

/** The SDKs that a user would bring. */
function linkPeers(): void {
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  for (const name of Object.keys(peerDependencies)) {
    const path = join(app, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(join(ROOT, "node_modules", name), path, "dir");
  }
}

const stampsOf = (folder: string): string[] =>
  filesOf(folder)
    .map((path) => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}`)
    .toSorted();

/** The sign-in link that a server prints. */
function linkOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const onText = (bytes: Buffer): void => {
      said += bytes.toString();
      const link = /http:\S+\?token=\S+/.exec(said)?.[0];
      if (link !== undefined) resolve(link);
    };
    server.stdout!.on("data", onText);
    server.stderr!.on("data", onText);
    server.once("close", () => reject(new Error(`The server ended: ${said}`)));
  });
}
