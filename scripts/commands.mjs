// The commands of package.json's scripts.
import { join } from "node:path";
import { ensureBuild } from "./build.mjs";
import { ensureBundle, entryOf } from "./bundle.mjs";
import { ensureDeps } from "./deps.mjs";
import { pickNode, SERVER_FLAGS } from "./node.mjs";
import { Interrupted, Problem, root, run } from "./run.mjs";
import { vendor } from "./vendor.mjs";
import { bundleWorkers } from "./workers.mjs";

/** Runs one command; the exit status. */
export async function main([name = "start", ...args]) {
  try {
    const command = commands[name];
    if (!command) throw new Problem(`"${name}" is not a command. Known: ${Object.keys(commands).join(", ")}.`);
    return await command(args);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    return error instanceof Interrupted ? 130 : 1;
  }
}

const commands = {
  async start(args) {
    await ensureDeps();
    const node = pickNode();
    await ensureBuild(node);
    return serve(node, entryOf("bin/serve.ts"), args);
  },
  /** The same server from its sources, with Next in development: pages are built as they are asked for. */
  async dev(args) {
    await ensureDeps();
    const node = pickNode();
    await vendor(node);
    await bundleWorkers(node);
    return serve(node, join(root, "bin", "serve.ts"), ["--dev", ...args]);
  },
  async build() {
    await ensureDeps();
    await ensureBuild(pickNode());
    return 0;
  },
  /** The tarball that npm installs, in this folder. */
  async pack() {
    await ensureDeps();
    const { pack } = await import("./package.mjs");
    const { path, size, unpackedSize, entryCount } = await pack(pickNode());
    const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    console.log(`${path}: ${mb(size)}, unpacked ${mb(unpackedSize)} in ${entryCount} files.`);
    return 0;
  },
  /** npm runs it before `npm pack` in the project's folder, and before our own script too. */
  prepack() {
    if (process.env.npm_command?.startsWith("run")) return 0;
    throw new Problem("npm pack would pack the sources. npm run pack makes the package, and prints where it is.");
  },
  async test(args) {
    await ensureDeps();
    const { runTests } = await import("./test.mjs");
    return runTests(pickNode(), args);
  },
  /** What can be said without a build and without the tests. */
  async check() {
    await ensureDeps();
    const { runChecks } = await import("./checks.mjs");
    return runChecks(pickNode());
  },
  async unit(args) {
    await ensureDeps();
    const { runUnit } = await import("./test.mjs");
    return runUnit(pickNode(), args);
  },
  async e2e(args) {
    await ensureDeps();
    const { runBrowser } = await import("./test.mjs");
    return runBrowser(pickNode(), args);
  },
  bench: (args) => scriptWithPages("scripts/bench.ts", args),
  /** Real agents, against a server without pages. */
  async agents(args) {
    await ensureDeps();
    await ensureBundle();
    return script("scripts/agents.ts", args);
  },
  /** Other MCP clients than ours. */
  async "mcp-clients"(args) {
    await ensureDeps();
    return script("scripts/mcp-clients.ts", args);
  },
  accounting: (args) => script("scripts/accounting.ts", args),
  golden: (args) => script("scripts/golden.ts", args),
  conformance: (args) => script("scripts/conformance.ts", args),
  crash: (args) => script("scripts/crash/run.ts", args),
  "fleet-faults": (args) => script("scripts/fleet/faults.ts", args),
  long: (args) => script("scripts/long.ts", args),
  demo: (args) => script("scripts/write-demo.ts", args),
  screenshots: (args) => scriptWithPages("e2e/screenshots.ts", args),
};

function serve(node, program, args) {
  // Compiled code is kept: a start takes a fifth less. Where the folder cannot be written Node does without.
  const env = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, ".cache", "node") };
  return run(node, [...SERVER_FLAGS, program, ...args], { ipc: true, env });
}

async function script(path, args, env = {}) {
  await ensureDeps();
  return run(pickNode(), [join(root, path), ...args], { env });
}

/** A script that starts servers and looks at their pages. */
async function scriptWithPages(path, args) {
  await ensureDeps();
  const node = pickNode();
  await ensureBuild(node);
  const { ensureBrowser } = await import("./browser.mjs");
  return script(path, args, { CHROMIUM_PATH: await ensureBrowser(node) });
}
