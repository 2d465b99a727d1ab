// Agents, and the types of providers' SDKs, from the package registry, in a folder outside the tree: $PLIMSOLL_AGENTS_CACHE, else `plimsoll/agents` in the user's
// cache folder. Each version is installed once, beside its path, and moved there when it is whole.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { AgentPackage } from "./agent-packages.ts";

/** 250 MB from a mirror took 9 s, from the registry 40 s. */
const INSTALL_MS = 300_000;

export type Installed = { readonly path: string } | { readonly missing: string };

export function agentsCache(env: NodeJS.ProcessEnv = process.env): string {
  const base = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache");
  return env["PLIMSOLL_AGENTS_CACHE"] || join(base, "plimsoll", "agents");
}

/** The agent's program; or why it cannot be had. */
export const installAgent = ({ id, version, command, package: name }: AgentPackage): Installed =>
  installPackages(`${id}-${version}`, [`${name}@${version}`], join(".bin", command));

/** Packages in a folder of that name; the path of one of their files, below node_modules, which says that they are there. */
export function installPackages(
  folderName: string,
  packages: readonly string[],
  proof: string,
  cache = agentsCache(),
): Installed {
  const folder = join(cache, folderName);
  const path = join(folder, "node_modules", proof);
  if (existsSync(path)) return { path };
  try {
    mkdirSync(cache, { recursive: true });
    const draft = mkdtempSync(join(cache, "installing-"));
    try {
      const problem = install(packages, draft);
      if (problem !== null) return { missing: problem };
      // Another run may have been quicker.
      if (!existsSync(path)) renameSync(draft, folder);
      return { path };
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

function install(packages: readonly string[], folder: string): string | null {
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  // No second try: a machine without a registry is to be told soon.
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--fetch-retries=0"];
  const { status, stderr, error } = spawnSync("npm", ["install", ...quiet, ...packages], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}` },
    encoding: "utf8",
    timeout: INSTALL_MS,
  });
  if (status === 0) return null;
  const reason =
    error?.message ?? stderr.split("\n").find((line) => line.startsWith("npm error")) ?? `status ${status}`;
  return `npm install ${packages.join(" ")} failed: ${reason}`;
}
