// Installs the packages when they are not those of package-lock.json. npm writes what it installed to
// node_modules/.package-lock.json at its very end, and a marker of ours stands while it works, so an
// interrupted install is seen and done again.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Interrupted, Problem, root, run } from "./run.mjs";

const marker = join(root, ".cache", "installing");

/** Returns when node_modules is what the lockfile says. */
export async function ensureDeps() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  try {
    mkdirSync(join(root, ".cache"), { recursive: true });
    writeFileSync(marker, "");
  } catch (error) {
    throw new Problem(
      `Plimsoll's packages are not installed, and its folder ${root} cannot be written (${error.code}). ` +
        `Copy it to a folder of yours, or run npm ci there as its owner.`,
    );
  }
  console.error(`Installing packages (${describe(missing)}; about half a minute, once) …`);
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  let status = await npm(["ci", ...flags]);
  if (isInterrupt(status)) throw new Interrupted("Installing was interrupted; the next start does it again.");
  if (status !== 0) {
    // `npm ci` refuses a lock that lacks another platform's optional packages; this does not, and changes no file.
    status = await npm(["install", "--no-save", "--no-package-lock", ...flags]);
  }
  if (status !== 0) {
    throw new Problem(
      `npm could not install the packages (status ${status}); its message is above. Run it again when that is mended.`,
    );
  }
  rmSync(marker, { force: true });
}

/** Names of packages that are absent or of another version, at most 20; `all` when nothing can be said. */
export function missingPackages(folder = root) {
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (existsSync(join(folder, ".cache", "installing")) || !existsSync(installed)) return ["all"];
  const want = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")).packages;
  const have = JSON.parse(readFileSync(installed, "utf8")).packages;
  const missing = Object.entries(want)
    .filter(
      ([path, entry]) => path !== "" && have[path]?.version !== entry.version && !isOptionalHere(path, entry, have),
    )
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
  const stated = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const unlocked = Object.keys({ ...stated.dependencies, ...stated.devDependencies }).filter(
    (name) => !want[`node_modules/${name}`],
  );
  return [...missing, ...unlocked].slice(0, 20);
}

/** A package for another system, or one that only such a package needs, is rightly absent. */
function isOptionalHere(path, entry, have) {
  return Boolean(entry.optional || entry.devOptional || entry.peer) && !(path in have);
}

function describe(missing) {
  if (missing[0] === "all") return "none are here yet";
  return missing.length < 4 ? missing.join(", ") : `${missing.length === 20 ? "20 or more" : missing.length} are new`;
}

function npm(args) {
  // npm's own file when it started us: no shell, on every system.
  const own = process.env.npm_execpath;
  if (own?.endsWith(".js")) return run(process.execPath, [own, ...args]);
  return run(process.platform === "win32" ? "npm.cmd" : "npm", args);
}

function isInterrupt(status) {
  return status === 130 || status === 143 || status === 129;
}
