#!/usr/bin/env node
// Starts the command line on a Node that runs TypeScript: this one, or the one that the lockfile brings.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pickNode, SERVER_FLAGS } from "../scripts/node.mjs";
import { run } from "../scripts/run.mjs";

const main = fileURLToPath(new URL("./plimsoll.ts", import.meta.url));
try {
  if (!existsSync(fileURLToPath(new URL("../node_modules", import.meta.url))))
    throw new Error("Nothing is installed yet. Run npm start once, in the project's folder.");
  const node = pickNode();
  // Without a command it is the server.
  if (process.argv.length === 2) process.exitCode = await run(node, [...SERVER_FLAGS, main], { ipc: true });
  else if (node === process.execPath) await import(main);
  else {
    const { status, signal } = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
    process.exitCode = status ?? (signal === null ? 1 : 130);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
