// Where an Autobyteus memory lies: a base folder, and in it a folder for each agent, or for each member of a team.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";

const MEMORY_DIR_VARIABLE = "AUTOBYTEUS_MEMORY_DIR";

/** The files of both generations, by what they hold. */
export const FILES = {
  rawTraces: "raw_traces.jsonl",
  /** Generation 1 alone. */
  rawTracesArchive: "raw_traces_archive.jsonl",
  episodic: "episodic.jsonl",
  semantic: "semantic.jsonl",
  snapshot: "working_context_snapshot.json",
  /** Generation 2 alone, as are the two below. */
  archiveManifest: "raw_traces_archive_manifest.json",
  archiveFolder: "raw_traces_archive",
  compactedManifest: "compacted_memory_manifest.json",
  /** What generations after the second begin with. */
  newerManifest: "raw_traces_manifest.json",
} as const;

export type BaseInput = {
  readonly override?: string | null;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly fallback?: string | null;
  readonly cwd: string;
};

/** The base folder: what was asked for, else the environment's, else the caller's, else `memory` where it runs. */
export function memoryBase({ override, env = {}, fallback, cwd }: BaseInput): string {
  const named = [override, env[MEMORY_DIR_VARIABLE], fallback].map((path) => path?.trim() ?? "");
  return named.find((path) => path !== "") ?? join(cwd, "memory");
}

export const agentDirectory = (base: string, agentId: string): string => join(base, "agents", oneName(agentId));

export const memberDirectory = (base: string, teamRunId: string, memberRunId: string): string =>
  join(base, "agent_teams", oneName(teamRunId), oneName(memberRunId));

export type Run = { readonly path: string; readonly runId: string; readonly teamRunId: string | null };

/** Every run below a base folder, by name; a folder that is not there has none, and is not made. */
export function listRuns(base: string): Run[] {
  const agents = foldersIn(join(base, "agents")).map((runId) => ({
    path: join(base, "agents", runId),
    runId,
    teamRunId: null,
  }));
  const members = foldersIn(join(base, "agent_teams")).flatMap((teamRunId) =>
    foldersIn(join(base, "agent_teams", teamRunId)).map((runId) => ({
      path: join(base, "agent_teams", teamRunId, runId),
      runId,
      teamRunId,
    })),
  );
  return [...agents, ...members];
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Ids come from agents: one that is a way to somewhere else names no folder. */
function oneName(id: string): string {
  if (id === "" || id === "." || id === ".." || /[/\\\0]/.test(id))
    fail("invalid", `"${id}" is not a valid agent folder name. It is empty or leads to another folder.`);
  return id;
}
