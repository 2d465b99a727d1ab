// The program that agents start, copied beside the archive: a build or a package may go, the agents' settings stay. From the sources
// it is the source itself.
import { copyFileSync, existsSync, mkdirSync, realpathSync, renameSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultArchiveDir } from "#lib/archive/base/archive-folder.ts";
import { projectDir } from "../default-paths.ts";
import type { HookCommand } from "./hook-agents.ts";

const PROGRAM = fileURLToPath(new URL("../hook/agent-hook.ts", import.meta.url));
const PARTS = [PROGRAM, fileURLToPath(new URL("../hook/replace-output.ts", import.meta.url))];

const isSource = PROGRAM.endsWith(".ts");

/** Where the program is, or will be. */
const pathIn = (dir: string): string => (isSource ? PROGRAM : join(dir, "hooks", basename(PROGRAM)));

export function saveHookProgram(dir: string): void {
  mkdirSync(join(dir, "hooks"), { recursive: true, mode: 0o700 });
  if (isSource) return;
  for (const part of PARTS) {
    const target = join(dir, "hooks", basename(part));
    copyFileSync(part, `${target}.draft`);
    renameSync(`${target}.draft`, target);
  }
}

export function hookCommand(dir: string, agent: string, node = process.execPath): HookCommand {
  const words = [node, pathIn(dir), agent, dir];
  const cli = cliWords(node);
  const statusLine = [...cli, "statusline", ...(dir === defaultArchiveDir(process.env) ? [] : ["--archive", dir])];
  const [shell, cliText, line] = [words, cli, statusLine].map((one) => one.map(shellWord).join(" "));
  return { shell: shell!, words, cli: cliText!, statusLine: line! };
}

/** This command line: of the checkout, or of the package where it is installed. The folder of one that npx fetched goes: its name stays. */
function cliWords(node: string): string[] {
  const checkout = join(projectDir, "bin", "plimsoll.mjs");
  if (existsSync(checkout)) return [node, checkout];
  const own = process.argv[1] === undefined ? "" : realpathSync(process.argv[1]);
  return own.endsWith("plimsoll.mjs") && !own.split(sep).includes("_npx") ? [node, own] : ["npx", "plimsoll"];
}

/** Quoted where a shell would take it for more than one word. */
function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
