#!/usr/bin/env node
// Behind `npm start`, `npm test` and the other scripts: runs on any Node that may be on a machine, needs no
// package, installs what is missing and goes on with the Node that the lockfile brings.
// This file is parsed by old Nodes too, so that they can say what is wrong.
const [major] = process.versions.node.split(".").map(Number);
if (major < 20) {
  console.error(`Plimsoll needs Node 20 or newer to start; this is ${process.version}. Install one and run it again.`);
  process.exit(1);
}
const { main } = await import("./commands.mjs");
process.exitCode = await main(process.argv.slice(2));
