// Installs the packages when they are not those of package-lock.json. npm writes what it installed to
// node_modules/.package-lock.json at its very end, and a marker of ours stands while it works, so an
// interrupted install is seen and done again.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Interrupted, Problem, root, run } from "./run.mjs";

/** Returns when node_modules is what the lockfile says. `options.npm` runs npm; the default is the npm of this machine. */
export async function ensureDeps(folder = root, options = {}) {
  const missing = missingPackages(folder);
  if (missing.length === 0) return;
  const marker = join(folder, ".cache", "installing");
  try {
    mkdirSync(join(folder, ".cache"), { recursive: true });
    writeFileSync(marker, "");
  } catch (error) {
    throw new Problem(
      `Plimsoll's packages are not installed, and its folder ${folder} cannot be written (${error.code}). ` +
        `Copy it to a folder of yours, or run npm ci there as its owner.`,
    );
  }
  console.error(`Installing packages (${describe(missing)}; about half a minute, once) …`);
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  const npm = options.npm ?? ((args) => runNpm(args, folder));
  let { status, output } = await npm(["ci", ...flags]);
  if (status !== 0 && !isInterrupt(status) && codeOf(output) === "EUSAGE") {
    // `npm ci` refuses a lock that lacks another platform's optional packages. This adds what is missing, changes no
    // file, and still checks what is in the lock.
    ({ status, output } = await npm(["install", "--no-save", ...flags]));
  }
  if (isInterrupt(status)) throw new Interrupted("Installing was interrupted; the next start does it again.");
  if (status !== 0) throw new Problem(reasonOf(status, output, folder));
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

/** The code of npm's own error, such as EINTEGRITY; null when it gives none. Before version 10 its lines begin with `npm ERR!`. */
function codeOf(output) {
  return /^npm (?:error|ERR!) code (\w+)/m.exec(output)?.[1] ?? null;
}

function reasonOf(status, output, folder) {
  if (codeOf(output) !== "EINTEGRITY")
    return `${output.trim()}\n\nnpm could not install the packages (status ${status}); its message is above. Run it again when that is mended.`;
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  // npm names the checksum alone; the lock says whose it is.
  const wanted = /wanted (\S+) but got/.exec(output)?.[1];
  const names = Object.entries(packages)
    .filter(([path, entry]) => path !== "" && entry.integrity !== undefined && entry.integrity === wanted)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
  return (
    `${output.trim()}\n\nThe registry sent other bytes for ${names.join(", ") || "a package"} than package-lock.json allows (EINTEGRITY). ` +
    `Nothing was started. Check the registry and proxy that npm uses, run npm cache clean --force, then start again.`
  );
}

/** Runs npm in a folder; its exit status and what it wrote. */
async function runNpm(args, cwd) {
  // npm's own file when it started us: no shell, on every system.
  const own = process.env.npm_execpath;
  let output = "";
  const options = { cwd, quiet: true, onOutput: (text) => (output = text) };
  const status = await (own?.endsWith(".js")
    ? run(process.execPath, [own, ...args], options)
    : run(process.platform === "win32" ? "npm.cmd" : "npm", args, options));
  return { status, output };
}

function isInterrupt(status) {
  return status === 130 || status === 143 || status === 129;
}
