// The program that agents start, copied beside the archive: a build or a package may go, the agents' settings stay. From the sources
// it is the source itself.
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
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
  // A package of npx goes: its name stays.
  const checkout = join(projectDir, "bin", "plimsoll.mjs");
  const cli = existsSync(checkout) ? [node, checkout] : ["npx", "plimsoll"];
  return { shell: words.map(shellWord).join(" "), words, cli: cli.map(shellWord).join(" ") };
}

/** Quoted where a shell would take it for more than one word. */
function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
