// Bundles each components/**/*-worker.ts into public/workers/ with esbuild (0.1 s), as a module that a page starts with
// `new Worker("/workers/<name>.js", { type: "module" })`: the policy of our pages lets them run files of ours alone.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Problem, root, run } from "./run.mjs";

const target = join(root, "public", "workers");

/** Returns when public/workers holds the workers of these sources. */
export async function bundleWorkers(node) {
  const entries = readdirSync(join(root, "components"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("-worker.ts"))
    .map((path) => join(root, "components", path));
  rmSync(target, { recursive: true, force: true });
  if (entries.length === 0) return;
  mkdirSync(target, { recursive: true });
  const esbuild = join(root, "node_modules", "esbuild", "bin", "esbuild");
  if (!existsSync(esbuild)) throw new Problem(`The workers of the pages need esbuild, which is not in ${esbuild}.`);
  // Chunks that two workers share would need names of their own; each is small enough to stand alone.
  const flags = [
    "--bundle",
    "--minify",
    "--format=esm",
    "--target=es2022",
    "--entry-names=[name]",
    "--log-level=error",
  ];
  let output = "";
  const status = await run(node, [esbuild, ...entries, ...flags, `--outdir=${target}`], {
    quiet: true,
    onOutput: (text) => (output = text),
  });
  if (status !== 0) throw new Problem(`${output.trim()}\n\nThe workers could not be bundled (status ${status}).`);
}
