// The checks that need no build: each says nothing when all is well. `npm run check` runs all of them at once, in half a
// minute at most, and `npm test` before the tests.
import { join } from "node:path";
import { Interrupted, root, run } from "./run.mjs";

/** A tool of node_modules and its arguments. */
export const tool = (path, ...args) => [join(root, "node_modules", path), ...args];

export const CHECKS = [
  ["formatting", (node) => quietly(node, tool("oxfmt/bin/oxfmt", "--check", "."))],
  ["lint", (node) => quietly(node, tool("oxlint/bin/oxlint", "--deny-warnings", "."))],
  ["types", types],
  ["unused code", (node) => quietly(node, tool("knip/bin/knip.js", "--no-progress"))],
];

/** Direction of imports, length of files and names of files: a test too, so `npm test` runs it among the others. */
const FLOORS = [
  "floors and file names",
  (node) => quietly(node, tool("vitest/vitest.mjs", "run", "--reporter=dot", "lib/floors.test.ts")),
];

/** Runs all checks side by side; 0 when nothing failed. */
export async function runChecks(node) {
  const failed = await Promise.all([...CHECKS, FLOORS].map(([name, check]) => timed(name, () => check(node))));
  return failed.some(Boolean) ? 1 : 0;
}

/** Runs one step and prints its line; true when it failed. */
async function timed(name, step) {
  const startedAt = Date.now();
  const { status, output } = await step();
  console.log(lineOf(name, status !== 0, startedAt));
  if (status !== 0) console.log(`${output.trim()}\n`);
  return status !== 0;
}

/** `ok      lint  1.2 s` */
export const lineOf = (name, isFailed, startedAt, more = "") =>
  `${isFailed ? "FAILED" : "ok    "}  ${name}${more}  ${((Date.now() - startedAt) / 1000).toFixed(1)} s`;

/** Runs a tool to its end; its status and all that it wrote. */
export async function quietly(node, args, env = {}) {
  let output = "";
  const status = await run(node, args, { quiet: true, env, onOutput: (text) => (output = text) });
  if (status === 130 || status === 143 || status === 129) throw new Interrupted("The tests were interrupted.");
  return { status, output };
}

async function types(node) {
  // tsc reads the types of routes that Next writes; stale ones of a deleted page would fail it.
  await quietly(node, tool("next/dist/bin/next", "typegen"));
  return quietly(node, tool("typescript/bin/tsc", "--noEmit", "-p", "."));
}
