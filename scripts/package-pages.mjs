// The pages of the package: what Next built, and the files of Next itself that its own trace lists (13 MB of 210). They stand
// in .next/node_modules, where the built pages find them; a node_modules of the package's own npm would not pack.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./run.mjs";

const built = join(root, ".next");

/** Of what is built: neither caches, traces and source maps, nor links to packages. */
const LEFT_OUT =
  /^(build|cache|diagnostics|export-marker\.json|node_modules|standalone|required-server-files\.js|trace|trace-build|turbopack|types)$|\.(map|nft\.json)$/;

/** The image optimiser, which is off (20 MB), and what npm installs for the programs. */
const NOT_TRACED = /^node_modules\/(@img|better-sqlite3|detect-libc|semver|sharp)\//;

/** Copies the pages into the package's folder. */
export function copyPages(target) {
  const pages = join(target, ".next");
  cpSync(built, pages, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(built, path)) });
  for (const path of tracedFiles()) {
    const to = join(pages, path);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(root, path), to);
  }
  for (const name of linkedPackages()) writeLink(join(pages, "node_modules", name), name.replace(/-[0-9a-f]{16}$/, ""));
  withoutRoot(join(pages, "required-server-files.json"));
  cpSync(join(root, "public"), join(target, "public"), { recursive: true });
}

/** Files of packages that Next's server or a page loads, as `node_modules/…`. */
function tracedFiles() {
  const traces = readdirSync(join(built, "server"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".nft.json"))
    .map((path) => join(built, "server", path));
  const files = [join(built, "next-server.js.nft.json"), ...traces].flatMap((trace) =>
    JSON.parse(readFileSync(trace, "utf8")).files.map((path) => join(dirname(trace), path)),
  );
  return [...new Set(files.map((path) => relative(root, path).replaceAll("\\", "/")))]
    .filter((path) => path.startsWith("node_modules/") && !NOT_TRACED.test(path) && existsSync(join(root, path)))
    .sort();
}

/** The pages load a package that is not bundled by its name and a digest; Next writes a link for each, and npm packs no links. */
function linkedPackages() {
  const folder = join(built, "node_modules");
  return existsSync(folder) ? readdirSync(folder) : [];
}

function writeLink(folder, name) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.js"), `module.exports = require(${JSON.stringify(name)});\n`);
}

/** The paths of this machine that Next writes into its settings. */
function withoutRoot(path) {
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(JSON.stringify(root).slice(1, -1), "."));
}
