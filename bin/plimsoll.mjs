#!/usr/bin/env node
// Starts the command line, bundled where a bundle of these sources is there, on a Node that runs it: this one, or the one
// that the lockfile brings.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { entryOf, QUICK_COMMANDS } from "../scripts/bundle.mjs";
import { pickNode, SERVER_FLAGS } from "../scripts/node.mjs";
import { root, run } from "../scripts/run.mjs";
import { withCommand } from "./start-words.mjs";

try {
  if (!existsSync(join(root, "node_modules")))
    throw new Error("Nothing is installed yet. Run npm start once, in the project's folder.");
  const node = pickNode();
  const main = entryOf(QUICK_COMMANDS[process.argv[2]] ?? "bin/plimsoll.ts");
  const compiled = process.env.NODE_COMPILE_CACHE ?? join(root, ".cache", "node");
  const [command, ...words] = withCommand(process.argv.slice(2));
  if (command === "start" && !words.includes("--help")) {
    const env = { NODE_COMPILE_CACHE: compiled };
    const server = [...SERVER_FLAGS, entryOf("bin/serve.ts"), ...words];
    process.exitCode = await run(node, server, { ipc: true, cwd: process.cwd(), env });
  } else if (node === process.execPath) {
    // Where its folder cannot be written Node does without.
    modules.enableCompileCache?.(compiled);
    await import(pathToFileURL(main).href);
  } else {
    const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
    const { status, signal } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: "inherit", env });
    process.exitCode = status ?? (signal === null ? 1 : 130);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
