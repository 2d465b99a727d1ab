// Bundles Monaco into public/ with esbuild, when a page loads it: 0.7 s, where Next's bundler takes 35 s
// and 1.6 GB for the same files. The editor and its worker, each a file of its own.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Problem, root, run } from "./run.mjs";

const target = join(root, "public", "monaco");

/** Returns when public/monaco is there, if any page asks for it. */
export async function vendor(node) {
  if (!isAskedFor()) return;
  const version = JSON.parse(readFileSync(join(root, "node_modules", "monaco-editor", "package.json"), "utf8")).version;
  const entries = ["editor", "editor-worker"].map((name) => join(root, "scripts", "monaco", `${name}.mjs`));
  const hash = createHash("sha256").update(version);
  for (const path of [...entries, fileURLToPath(import.meta.url)]) hash.update(readFileSync(path));
  const digest = hash.digest("hex");
  // Written last: a bundle that was interrupted is made again.
  const stamp = join(target, "version");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  console.error("Bundling the editor …");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const esbuild = join(root, "node_modules", "esbuild", "bin", "esbuild");
  const flags = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--loader:.ttf=file", "--log-level=error"];
  let output = "";
  const status = await run(node, [esbuild, ...entries, ...flags, `--outdir=${target}`], {
    quiet: true,
    onOutput: (text) => (output = text),
  });
  if (status !== 0) throw new Problem(`${output.trim()}\n\nThe editor could not be bundled (status ${status}).`);
  writeFileSync(stamp, digest);
}

function isAskedFor() {
  return ["app", "components"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(root, folder, path)),
    )
    .some((path) => /\.tsx?$/.test(path) && readFileSync(path, "utf8").includes("/monaco/editor.js"));
}
