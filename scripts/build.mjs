// Builds the pages when their sources changed, and the bundle of what runs on Node. The stamp is written after a build that ended well and removed
// before the next begins, so an interrupted build is seen and done again.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBundle } from "./bundle.mjs";
import { Interrupted, Problem, root, run } from "./run.mjs";
import { vendor } from "./vendor.mjs";
import { bundleWorkers } from "./workers.mjs";

const stamp = join(root, ".cache", "build");
const lock = join(root, ".cache", "building");

// A build takes 6 to 10 s here; one that takes this long is stuck.
const WAIT_MS = 120_000;

// What Next bundles (tsconfig.json is left out: Next itself writes to it). Tests, the server and the command line are not among it.
const folders = ["app", "components", "db", "lib", "public", "scripts/monaco"];
const files = [
  "instrumentation.ts",
  "instrumentation-client.ts",
  "next.config.mjs",
  "scripts/without-json-schema.cjs",
  "postcss.config.mjs",
  "package.json",
  "package-lock.json",
  "types.d.ts",
  "scripts/vendor.mjs",
  "scripts/workers.mjs",
];

/** Returns when .next holds the pages of these sources, and .cache/bundle the server and the command line. */
export async function ensureBuild(node) {
  await ensureBundle();
  await ensurePages(node);
}

async function ensurePages(node) {
  const digest = sourcesDigest();
  if (isBuilt(digest)) return;
  try {
    await takeLock();
  } catch (error) {
    if (!["EACCES", "EROFS", "EPERM"].includes(error.code)) throw error;
    throw new Problem(
      `Plimsoll's pages are not built yet, and its folder ${root} cannot be written (${error.code}). ` +
        `Copy it to a folder of yours, or run npm start there once as its owner.`,
    );
  }
  try {
    // Whoever held the lock may have built just this.
    if (isBuilt(digest)) return;
    rmSync(stamp, { force: true });
    await vendor(node);
    await bundleWorkers(node);
    console.error("Building the pages (about ten seconds) …");
    let output = "";
    const next = join(root, "node_modules", "next", "dist", "bin", "next");
    const status = await run(node, [next, "build"], {
      quiet: true,
      onOutput: (text) => (output = text),
      env: { NODE_ENV: "production" },
    });
    if (status === 130 || status === 143)
      throw new Interrupted("Building was interrupted; the next start does it again.");
    if (status !== 0)
      throw new Problem(`${output.trim()}\n\nThe pages could not be built (status ${status}); the reason is above.`);
    // Next's own copy of what it lists; the package is made from the list.
    rmSync(join(root, ".next", "standalone"), { recursive: true, force: true });
    writeFileSync(stamp, digest);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** True when .next was built from sources with this digest. */
export function isBuilt(digest) {
  return existsSync(join(root, ".next", "BUILD_ID")) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
}

/** One digest of everything that a build reads. */
export function sourcesDigest() {
  const hash = createHash("sha256");
  for (const path of [...files, ...folders.flatMap((folder) => filesBelow(folder))]) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    hash.update(`${path}\0`).update(readFileSync(full)).update("\0");
  }
  return hash.digest("hex");
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => !/\.test\.tsx?$|(^|[\\/])fixtures([\\/]|$)|^public[\\/](monaco|jq|workers)([\\/]|$)/.test(path))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
}

async function takeLock() {
  mkdirSync(join(root, ".cache"), { recursive: true });
  for (const until = Date.now() + WAIT_MS; ; await new Promise((done) => setTimeout(done, 250))) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const pid = Number(readFileSync(lock, "utf8") || process.pid);
    // Its builder died: the next round takes it.
    if (!isAlive(pid)) rmSync(lock, { force: true });
    else if (Date.now() > until) {
      throw new Problem(`Process ${pid} is building the pages already. Wait for it, or end it, and run this again.`);
    }
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
