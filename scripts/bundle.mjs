// Bundles the server, its workers and the command line with esbuild (about a second), so that a start reads some ten files
// and not 600, of which Node would strip the types one by one. A stale bundle is never used: its manifest, written last, has
// the digest of every source as esbuild was given it, and whoever starts a program compares them with what is there.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { Problem, root } from "./run.mjs";

/** The programs. A worker becomes an entry of its own because a source starts it by `new URL("./x.ts", import.meta.url)`. */
const PROGRAMS = ["bin/plimsoll.ts", "bin/serve.ts"];

/** Commands that are programs of their own: agents and scripts run them often. To compare all sources would take them 30 ms. */
export const QUICK_COMMANDS = { statusline: "bin/statusline.ts", usage: "bin/quick-usage.ts" };

// Native or WebAssembly, tables of 50 MB that are loaded when something is counted, 300 grammars of which one is loaded when code is shown, what Node must find by itself, and a module of a form that esbuild does not follow.
const EXTERNAL = ["@vscode/ripgrep", "ai-tokenizer", "better-sqlite3", "jq-wasm", "jsonc-parser", "next", "shiki"];

/** What decides a bundle beside its sources. */
const SETTINGS = ["package.json", "package-lock.json", "scripts/bundle.mjs"];

/** Bundles that stay: a server that runs still loads parts of the one that it began with. */
const KEPT = 3;

const STARTED = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

const folderOf = (home) => join(home, ".cache", "bundle");
const manifestOf = (home) => join(folderOf(home), "manifest.json");

/** The file to start for a program: of the bundle, or the source where no bundle of these very sources is there. */
export function entryOf(program, home = root) {
  return bundledEntry(program, home) ?? join(home, program);
}

/** The same, or null without a bundle of these very sources. */
export function bundledEntry(program, home = root) {
  try {
    const { folder, digests, quick = {} } = JSON.parse(readFileSync(manifestOf(home), "utf8"));
    const path = join(folderOf(home), folder, fileOf(program));
    const sources = quick?.[program] ?? Object.keys(digests);
    const isFresh = sources.every((source) => digestOf(join(home, source)) === digests[source]);
    return isFresh && existsSync(path) ? path : null;
  } catch (error) {
    // No manifest, or a source that is no more.
    if (error.code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns when there is a bundle of these sources, or none can be written here: then the sources run. */
export async function ensureBundle(home = root) {
  if (bundledEntry(PROGRAMS[0], home) !== null) return;
  const folder = `${Date.now().toString(36)}-${process.pid}`;
  try {
    mkdirSync(join(folderOf(home), folder), { recursive: true });
  } catch (error) {
    if (["EACCES", "EROFS", "EPERM"].includes(error.code)) return;
    throw error;
  }
  const digests = Object.fromEntries(
    SETTINGS.filter((path) => existsSync(join(home, path))).map((path) => [path, digestOf(join(home, path))]),
  );
  const target = join(folderOf(home), folder);
  const settings = { ...digests };
  await bundle(home, target, digests, [...PROGRAMS, ...startedIn(home)]);
  // Each alone: what it loads is then two files, and not one for every part that it shares with another program.
  const quick = {};
  for (const program of Object.values(QUICK_COMMANDS).filter((path) => existsSync(join(home, path)))) {
    const own = { ...settings };
    await bundle(home, target, own, [program]);
    quick[program] = Object.keys(own);
    Object.assign(digests, own);
  }
  const draft = join(folderOf(home), folder, "manifest.json");
  writeFileSync(draft, JSON.stringify({ folder, digests, quick }));
  renameSync(draft, manifestOf(home));
  removeOld(home);
}

const forTests = new Map();

/** The path of a program of the tests, bundled for this process alone: starting its sources takes a second of processor time more. */
export function bundleForTests(program, home = root) {
  if (!forTests.has(program)) forTests.set(program, bundleOnce(program, home));
  return forTests.get(program);
}

async function bundleOnce(program, home) {
  const target = join(home, ".cache", "test-bundle", `${nameOf(program)}-${process.pid}`);
  await bundle(home, target, {}, [program, ...startedIn(home)]);
  process.once("exit", () => rmSync(target, { recursive: true, force: true }));
  return join(target, `${nameOf(program)}.mjs`);
}

/**
 * Writes the bundle that the package brings: the programs with their workers, and the entries of the library (name of the
 * file → source). The folder is a child of the package's, as `bin` is of ours; `external` is what npm installs beside it.
 */
export function bundlePackage(target, { library, external }) {
  const entries = [...PROGRAMS, ...Object.values(QUICK_COMMANDS), ...startedIn(root)];
  return bundle(root, target, {}, entries, { library, external, up: "../", sourcemap: false });
}

/**
 * Writes a bundle into a folder, and the digest of each source that went in. `up` leads from the folder to the project's;
 * `library` are modules that others import, by the name of their file.
 */
async function bundle(home, target, digests, entries, settings = {}) {
  const { build } = await import("esbuild");
  const { library = {}, external = EXTERNAL, up = "../../../", sourcemap = "linked" } = settings;
  const sources = {
    name: "sources",
    setup(context) {
      context.onLoad({ filter: /\.(ts|mjs|json)$/ }, ({ path }) => {
        const source = relative(home, path).split(sep).join("/");
        if (source.includes("node_modules/")) return undefined;
        const bytes = readFileSync(path);
        digests[source] = createHash("sha256").update(bytes).digest("hex");
        const loader = source.endsWith(".json") ? "json" : source.endsWith(".ts") ? "ts" : "js";
        return { contents: inBundle(source, bytes.toString("utf8"), entries, up), loader };
      });
    },
  };
  try {
    const named = (paths) => Object.fromEntries(paths.map((path) => [nameOf(path), path]));
    const options = (sourceOf) => ({
      entryPoints: Object.fromEntries(Object.entries(sourceOf).map(([name, path]) => [name, join(home, path)])),
      outdir: target,
      outExtension: { ".js": ".mjs" },
      absWorkingDir: home,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22",
      // Next writes to tsconfig.json; and no setting of it may make another program of these sources than Node does.
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      external,
      sourcemap,
      sourcesContent: false,
      // The tables of the tokenizers are 2 MB larger in escapes.
      charset: "utf8",
      metafile: true,
      logLevel: "silent",
      plugins: [sources],
    });
    const together = { ...named(entries.filter((path) => !isAlone(path))), ...library };
    // yazl and yauzl are CommonJS: what they require of Node is there under this name.
    const js =
      'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';
    const made = [];
    if (Object.keys(together).length > 0)
      made.push(await build({ ...options(together), splitting: true, banner: { js } }));
    const alone = entries.filter(isAlone);
    if (alone.length > 0) {
      made.push(await build({ ...options(named(alone)), ...ALONE }));
      for (const path of alone) loadLate(join(target, fileOf(path)));
    }
    const inputs = made.flatMap(({ metafile }) => Object.keys(metafile.inputs));
    const unseen = inputs.filter((path) => !path.includes("node_modules/") && !digests[path]);
    if (unseen.length > 0) throw new Error(`No digest of ${unseen.join(", ")}.`);
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw new Problem(`${error.message}\n\nThe server and the command line could not be bundled.`);
  }
}

/**
 * A source as it is bundled. A worker is started from the bundle, which is one flat folder; every other path that a source
 * names is one beside the source itself.
 */
function inBundle(source, text, entries, up) {
  if (!text.includes("import.meta")) return text;
  const own = `new URL(${JSON.stringify(up + source)}, import.meta.url).href`;
  const workers = text.replace(STARTED, (_, path) => {
    const worker = posix.join(posix.dirname(source), path);
    if (!entries.includes(worker)) throw new Error(`${source} starts ${worker}, which is no entry of the bundle.`);
    return `new URL(${JSON.stringify(`./${fileOf(worker)}`)}, import\0.meta.url)`;
  });
  if (/import\.meta\.(?!url)/.test(workers)) throw new Error(`${source}: in a bundle only import.meta.url is known.`);
  return workers.replaceAll("import.meta.url", own).replaceAll("import\0.meta", "import.meta");
}

/**
 * Whole in one file, and short: agents start them for each call of a tool and after each message. Those of hooks are copied out
 * of the bundle, by `plimsoll hook install`.
 */
const isAlone = (path) => path.startsWith("bin/hook/") || Object.values(QUICK_COMMANDS).includes(path);

/** CommonJS starts sooner, and has no address of its own. */
const ALONE = {
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  minify: true,
  sourcemap: false,
  define: { "import.meta.url": "ownUrl" },
  banner: { js: 'const ownUrl = require("node:url").pathToFileURL(__filename).href;' },
};

/** Parts of Node that take a tenth of a program's start, and that most calls have no use for. */
const LATE = /=require\("(node:(?:crypto|zlib|fs\/promises|stream\/consumers))"\)/g;

/** They are loaded when something of them is called. */
function loadLate(path) {
  const late = '=new Proxy({},{get:(_,name)=>process.getBuiltinModule("$1")[name]})';
  writeFileSync(path, readFileSync(path, "utf8").replace(LATE, late));
}

/** The file of a program or worker, in the bundle. */
const fileOf = (path) => `${nameOf(path)}.${isAlone(path) ? "cjs" : "mjs"}`;

/** Every source that another starts, in a thread or by itself. */
function startedIn(home) {
  const started = new Set();
  for (const top of ["bin", "lib"]) {
    if (!existsSync(join(home, top))) continue;
    for (const path of readdirSync(join(home, top), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts") || /\.test\.ts$|testing[^\\/]*\.ts$/.test(path)) continue;
      const source = join(top, path).split(sep).join("/");
      for (const [, name] of readFileSync(join(home, source), "utf8").matchAll(STARTED))
        started.add(posix.join(posix.dirname(source), name));
    }
  }
  return [...started].sort();
}

const nameOf = (source) => source.replaceAll("/", "-").replace(/\.ts$/, "");

const digestOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");

function removeOld(home) {
  const folders = readdirSync(folderOf(home), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folderOf(home), name))
    .map((path) => ({ path, madeAt: statSync(path).mtimeMs }))
    .sort((a, b) => b.madeAt - a.madeAt);
  for (const { path } of folders.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}
