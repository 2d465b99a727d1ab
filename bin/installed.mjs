#!/usr/bin/env node
// The command of the installed package, as bin/plimsoll.mjs is of the checkout. It is an entry of the package's bundle, and is
// parsed by old Nodes too, so that they can say what is wrong.
import * as modules from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withCommand } from "./start-words.mjs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [command, ...words] = withCommand(process.argv.slice(2));
// The package's own folder may be read-only, and is another user's where it is installed for all.
const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
const compiled = process.env.NODE_COMPILE_CACHE || join(caches, "plimsoll", "node");

if (major < 22 || (major === 22 && minor < 15)) {
  console.error(`Plimsoll needs Node 22.15 or newer; this is ${process.version}. Install Node 24 and run it again.`);
  process.exitCode = 1;
} else if (command === "start" && !words.includes("--help")) {
  const { SERVER_FLAGS } = await import("../scripts/node.mjs");
  const { run } = await import("../scripts/run.mjs");
  const server = fileURLToPath(new URL("./serve.ts", import.meta.url));
  const env = { NODE_COMPILE_CACHE: compiled };
  process.exitCode = await run(process.execPath, [...SERVER_FLAGS, server, ...words], {
    ipc: true,
    cwd: process.cwd(),
    env,
  });
} else {
  // Compiled code is kept: a start takes a fifth less. Where the folder cannot be written Node does without.
  modules.enableCompileCache(compiled);
  const quick = {
    statusline: new URL("./statusline.ts", import.meta.url),
    usage: new URL("./quick-usage.ts", import.meta.url),
  };
  await (Object.hasOwn(quick, command) ? import(quick[command].href) : import("./plimsoll.ts"));
}
