// The Node that runs Plimsoll: 24, which the lockfile brings for Linux, or the one that is here when it is new enough.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Problem, root } from "./run.mjs";

// 22.18 is the first 22 that runs TypeScript without a flag; better-sqlite3 13 crashes below 22.
const NEEDED = [22, 18];

/**
 * V8 13.6 makes faster wrappers of the functions that WebAssembly imports (jq, Node's own HTTP parser) after 1,000 calls, and frees the old
 * ones in a list that all threads share: it ended a test process twice in three hours, with "Check failed: jit_page.has_value()" in
 * Runtime_TierUpWasmToJSWrapper. With this budget it never does; a jq program over 4 MB takes 0.05 s longer.
 */
export const WASM_FLAG = "--wasm-wrapper-tiering-budget=2000000000";

/**
 * How the server's Node is started. Each of its threads has a young heap, which V8 lets grow to some 100 MB: with a smaller one a
 * server that imports 60 MB beside 10,000 sessions peaks at 730 MB, not at 1,090. The old heap of each may grow
 * to four times of what lives in it: with a bound, 100,000 spans of 1,000 sessions peak at some 450 MB and not at 610. Bounds below this
 * one cost a fifth more processor time in an import.
 */
export const SERVER_FLAGS = ["--max-semi-space-size=8", "--heap-growing-percent=80", WASM_FLAG];

/** Path of the node program. */
export function pickNode() {
  const bundled = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(bundled)) return bundled;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const old = major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]) || (major === 23 && minor < 6);
  if (!old) return process.execPath;
  throw new Problem(
    `Plimsoll runs on Node ${NEEDED.join(".")} or newer, and none comes with it for ${process.platform} ${process.arch}; ` +
      `this is ${process.version}. Install Node 24 and run it again.`,
  );
}
