// The types of the package: a declaration for each module that an entry's types name. `#lib/…` is a name inside this
// repository alone, so every import becomes a relative one.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { Problem, root, run } from "./run.mjs";

const FROM = /(\bfrom\s+|\bimport\()"([#.][^"]+)\.ts"/g;

/** Writes the declarations of these sources, and of what they name, into a folder. */
export async function writeTypes(node, target, sources) {
  const draft = `${target}-draft`;
  mkdirSync(draft, { recursive: true });
  const config = join(draft, "tsconfig.json");
  const settings = { noEmit: false, emitDeclarationOnly: true, declaration: true, incremental: false, plugins: [] };
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        ...settings,
        types: ["node"],
        typeRoots: [join(root, "node_modules", "@types")],
        rootDir: root,
        outDir: draft,
      },
      include: [],
      files: ["types.d.ts", ...sources].map((path) => join(root, path)),
    }),
  );
  let output = "";
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const status = await run(node, [tsc, "-p", config], { quiet: true, onOutput: (text) => (output = text) });
  if (status !== 0) throw new Problem(`${output.trim()}\n\nThe types of the package could not be written.`);
  copyNamed(draft, target, sources);
  rmSync(draft, { recursive: true });
}

/** Copies the declarations of these sources and of all that they name: tsc writes those of values too, which nobody can see. */
function copyNamed(draft, target, sources) {
  const pending = [...sources];
  const seen = new Set(pending);
  for (let source = pending.pop(); source !== undefined; source = pending.pop()) {
    const folder = posix.dirname(source);
    const text = readFileSync(join(draft, source.replace(/\.ts$/, ".d.ts")), "utf8").replace(
      FROM,
      (_, before, name) => {
        const path = name.startsWith("#") ? name.slice(1) : posix.join(folder, name);
        if (!seen.has(`${path}.ts`)) {
          seen.add(`${path}.ts`);
          pending.push(`${path}.ts`);
        }
        const way = posix.relative(folder, path);
        return `${before}"${way.startsWith(".") ? way : `./${way}`}.js"`;
      },
    );
    const to = join(target, source.replace(/\.ts$/, ".d.ts"));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}
