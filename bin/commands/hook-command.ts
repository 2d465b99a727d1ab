// Hooks of agents: the change to the settings file is shown first, then made, and taken back without a trace.
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { spooledFiles, spoolFolder } from "#lib/archive/artifacts/output-spool.ts";
import { saveHookPolicy } from "#lib/archive/settings/hook-policy.ts";
import { readPolicy } from "#lib/archive/settings/offload-policy.ts";
import { fail } from "#lib/kernel/errors.ts";
import {
  applyChange,
  planInstall,
  planRemoval,
  stateOf,
  type PartState,
  type SettingsPart,
} from "../settings/change-settings.ts";
import { HOOK_AGENTS, type HookAgent } from "../settings/hook-agents.ts";
import { hookCommand, saveHookProgram } from "../settings/hook-program.ts";
import { WrongWords, type Run, type Words } from "./args.ts";
import { confirmChange } from "./confirm-change.ts";
import { archiveDir } from "./archive-dir.ts";
import { ensureArchive, reading } from "./open-archive.ts";
import { printJson, table } from "./print.ts";

export const run: Run = async (words) => {
  const [action, ...names] = words.args;
  const dir = archiveDir(words);
  if (action === "status") return status(words, dir, chosen(names, HOOK_AGENTS));
  if (action !== "install" && action !== "remove")
    throw new WrongWords(`plimsoll hook takes install, remove or status, not "${action}".`);
  const isLine = words.options["statusline"] === true;
  const agents = chosen(names, HOOK_AGENTS.filter(isUsed), isLine);
  if (agents.length === 0)
    fail("not_found", `No agent was found that takes a hook. Name one: ${HOOK_AGENTS.map(({ id }) => id).join(", ")}.`);
  const results: HookResult[] = [];
  for (const agent of agents) results.push(await change(words, dir, action, agent));
  if (words.options["json"] === true) printJson({ agents: results });
  const isDone = ({ changed, state }: HookResult): boolean =>
    changed || (state === "installed") === (action === "install");
  return words.options["dry-run"] === true || results.every(isDone) ? 0 : 1;
};

type HookResult = {
  readonly agent: string;
  readonly file: string;
  readonly changed: boolean;
  readonly backup: string | null;
  readonly state: PartState;
};

async function change(words: Words, dir: string, action: "install" | "remove", agent: HookAgent): Promise<HookResult> {
  const isLine = words.options["statusline"] === true;
  const part = isLine ? linePartOf(agent, dir) : partOf(agent, dir);
  const planned = action === "install" ? planInstall(dir, part) : planRemoval(dir, part);
  const changed = await confirmChange(words, agent.name, planned);
  if (changed && action === "install" && !isLine) {
    await ensureArchive(words);
    saveHookPolicy(dir, (await reading(words, readPolicy)).policy);
    saveHookProgram(dir);
  }
  const backup = changed ? applyChange(dir, planned) : null;
  if (changed && words.options["json"] !== true) {
    console.log(`${action === "install" ? "Installed" : "Removed"}.${backup === null ? "" : ` Backup: ${backup}`}`);
    if (action === "install") console.log(isLine ? `${agent.name} shows it in new sessions.` : afterInstall(agent));
  }
  return { agent: agent.id, file: part.file, changed, backup, state: stateOf(dir, part) };
}

const afterInstall = ({ name, page }: HookAgent): string =>
  `${name} reads stored outputs through the MCP server: see docs/agents/${page}. New sessions use the hook.`;

function chosen(names: readonly string[], otherwise: readonly HookAgent[], isLine = false): readonly HookAgent[] {
  const known = HOOK_AGENTS.filter((agent) => !isLine || hasLine(agent));
  if (names.length === 0) return otherwise.filter((agent) => known.includes(agent));
  return names.map(
    (name) =>
      known.find(({ id }) => id === name) ??
      fail(
        "invalid",
        `No ${isLine ? "status line" : "hook"} for "${name}". Known: ${known.map(({ id }) => id).join(", ")}.`,
      ),
  );
}

const hasLine = (agent: HookAgent): boolean => agent.statusLine !== undefined;

const home = (): string => process.env["HOME"] || homedir();
const isUsed = (agent: HookAgent): boolean => existsSync(agent.folder(home(), process.env));

const partOf = (agent: HookAgent, dir: string): SettingsPart => ({
  file: resolve(agent.folder(home(), process.env), agent.file),
  name: "hook",
  edits: agent.edits(hookCommand(dir, agent.id)),
  ...(agent.isStrict === true && { isStrict: true }),
});

const linePartOf = (agent: HookAgent, dir: string): SettingsPart => ({
  ...partOf(agent, dir),
  name: "statusline",
  edits: agent.statusLine!(hookCommand(dir, agent.id)),
});

function status(words: Words, dir: string, agents: readonly HookAgent[]): void {
  const rows = agents.map((agent) => {
    const part = partOf(agent, dir);
    const statusLine = hasLine(agent) ? stateOf(dir, linePartOf(agent, dir)) : null;
    return { agent: agent.id, state: stateOf(dir, part), statusLine, file: part.file };
  });
  const waiting = spooledFiles(dir).length;
  const refused = existsSync(spoolFolder(dir))
    ? readdirSync(spoolFolder(dir)).filter((name) => name.endsWith(".refused")).length
    : 0;
  if (words.options["json"] === true) return printJson({ agents: rows, waiting, refused });
  const labels = { installed: "installed", other: "changed: install again", absent: "–" };
  console.log(
    table(
      ["Agent", "Hook", "Status line", "Settings"],
      rows.map((row) => [
        row.agent,
        labels[row.state],
        row.statusLine === null ? "" : labels[row.statusLine],
        row.file,
      ]),
      new Set([0, 1, 2, 3]),
    ),
  );
  if (waiting > 0) console.log(`${waiting} outputs wait to be taken in. plimsoll artifacts takes them in.`);
  if (refused > 0) console.log(`${refused} outputs could not be stored: ${join(spoolFolder(dir), "*.refused")}`);
}
