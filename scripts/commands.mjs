// The commands of package.json's scripts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureBuild } from "./build.mjs";
import { ensureDeps } from "./deps.mjs";
import { pickNode } from "./node.mjs";
import { Interrupted, Problem, root, run } from "./run.mjs";

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
    return serve(node, args);
  },
  /** The same server, with Next in development: pages are built as they are asked for. */
  async dev(args) {
    await ensureDeps();
    return serve(pickNode(), ["--dev", ...args]);
  },
  async build() {
    await ensureDeps();
    await ensureBuild(pickNode());
    return 0;
  },
  async test(args) {
    await ensureDeps();
    const { runTests } = await import("./test.mjs");
    return runTests(pickNode(), args);
  },
  bench: (args) => scriptWithPages("bench", args),
  golden: (args) => script("golden", args),
  demo: (args) => script("demo", args),
  screenshots: (args) => scriptWithPages("screenshots", args),
};

function serve(node, args) {
  // Compiled code is kept: a start takes a fifth less. Where the folder cannot be written Node does without.
  const env = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, ".cache", "node") };
  return run(node, [join(root, "bin", "serve.ts"), ...args], { ipc: true, env });
}

async function script(name, args, env = {}) {
  await ensureDeps();
  const file = join(root, "scripts", `${name}.ts`);
  if (!existsSync(file)) throw new Problem(`There is no scripts/${name}.ts in this version.`);
  return run(pickNode(), [file, ...args], { env });
}

/** A script that starts servers and looks at their pages. */
async function scriptWithPages(name, args) {
  await ensureDeps();
  const node = pickNode();
  await ensureBuild(node);
  const { ensureBrowser } = await import("./browser.mjs");
  return script(name, args, { CHROMIUM_PATH: await ensureBrowser(node) });
}
