// The package that npm installs: `npm run pack` puts it together in .cache/package and packs it into one tarball. Nothing is
// built where it is installed: programs, library and pages are JavaScript, and native parts come with the packages that it needs.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuild } from "./build.mjs";
import { bundlePackage } from "./bundle.mjs";
import { ENTRIES } from "./package-entries.mjs";
import { writeLicenses } from "./package-licenses.mjs";
import { copyPages } from "./package-pages.mjs";
import { writeTypes } from "./package-types.mjs";
import { Problem, root, run } from "./run.mjs";

/** What is installed beside the package: native parts, a module of a form that esbuild does not follow, and what the types name. */
const DEPENDENCIES = ["@vscode/ripgrep", "better-sqlite3", "jq-wasm", "jsonc-parser", "zod"];

/** The first Node with zstd, in which the archive keeps the bytes of sources. */
const NODE = ">=22.15";

/** Makes the package's folder. */
async function stagePackage(node, staged) {
  await ensureBuild(node);
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const library = Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [fileOf(name), source]));
  await bundlePackage(join(staged, "dist"), {
    library: { plimsoll: "bin/installed.mjs", ...library },
    external: [
      ...DEPENDENCIES.filter((name) => name !== "zod"),
      "next",
      // Our own MCP server is bundled with its SDK; the entry for servers of others imports only types of it.
      ...Object.keys(own.peerDependencies)
        .filter((name) => !(name in own.dependencies))
        .flatMap((name) => [name, `${name}/*`]),
    ],
  });
  await writeTypes(node, join(staged, "types"), Object.values(ENTRIES));
  copyPages(staged);
  await makeDemo(node, join(staged, "demo.json"));
  for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(staged, name));
  writeLicenses(join(staged, "THIRD-PARTY-LICENSES.txt"));
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(manifest(own), null, 2)}\n`);
}

/** Makes the tarball in a folder, by way of another that it leaves behind; its path and its sizes in bytes. */
export async function pack(node, folder = root, staged = join(root, ".cache", "package")) {
  await stagePackage(node, staged);
  let output = "";
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const words = ["pack", staged, "--pack-destination", folder, "--json", "--ignore-scripts", "--loglevel=error"];
  const status = await run(npm, words, { quiet: true, onOutput: (text) => (output = text) });
  if (status !== 0) throw new Problem(`${output.trim()}\n\nThe package could not be packed (status ${status}).`);
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(output.slice(output.indexOf("[")));
  return { path: join(folder, filename), size, unpackedSize, entryCount };
}

/** The file of an entry, without its ending. */
const fileOf = (name) => (name === "." ? "index" : name.slice("./".length));

function manifest(own) {
  const { name, version, description, license, type, peerDependencies, peerDependenciesMeta } = own;
  const exports = Object.entries(ENTRIES).map(([entry, source]) => [
    entry,
    { types: `./types/${source.replace(/\.ts$/, ".d.ts")}`, default: `./dist/${fileOf(entry)}.mjs` },
  ]);
  return {
    ...{ name, version, description, license, type },
    bin: { plimsoll: "dist/plimsoll.mjs" },
    exports: { ...Object.fromEntries(exports), "./package.json": "./package.json" },
    files: [".next", "demo.json", "dist", "public", "THIRD-PARTY-LICENSES.txt", "types"],
    engines: { node: NODE },
    dependencies: Object.fromEntries(DEPENDENCIES.map((one) => [one, own.dependencies[one]])),
    ...{ peerDependencies, peerDependenciesMeta },
  };
}

async function makeDemo(node, target) {
  let output = "";
  const words = [join(root, "scripts", "make-demo.ts"), target];
  const status = await run(node, words, { quiet: true, onOutput: (text) => (output = text) });
  if (status !== 0) throw new Problem(`${output.trim()}\n\nThe sessions of the demo could not be made.`);
}
