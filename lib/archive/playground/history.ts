// What was run: by people, as far as they ended on it, and by agents, read off the record of readings and off the logs of
// their sessions. Newest first.
import { select } from "#db/statement.ts";
import type { HistoryAnswer, PastRun } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { resolveArtifact } from "../artifacts/resolve.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import { agentRuns } from "./agent-runs.ts";
import type { NewRun } from "./program-rows.ts";
import { addRunWrite } from "./program-rows.ts";

export type HistoryInput = {
  readonly who: "all" | "mine" | "agent";
  readonly artifact?: string | undefined;
  readonly limit: number;
};

/** Keeps a run of a person; its id. */
export async function keepRun(archive: Archive, run: NewRun): Promise<string> {
  return (await write(archive, addRunWrite, run)).id;
}

/** Fails with `not_found` for an artifact that never was. */
export async function listRuns(archive: Archive, { who, artifact, limit }: HistoryInput): Promise<HistoryAnswer> {
  const pointer = artifact === undefined ? null : resolveArtifact(archive, artifact).pointer;
  const all = [...(who === "agent" ? [] : ownRuns(archive)), ...(who === "mine" ? [] : agentRuns(archive))];
  const runs = (pointer === null ? all : all.filter((run) => run.artifacts.includes(pointer))).toSorted((a, b) =>
    (b.at ?? "").localeCompare(a.at ?? ""),
  );
  return { runs: runs.slice(0, limit), total: runs.length };
}

function ownRuns(archive: Archive): PastRun[] {
  const rows = select(
    archive.sqlite,
    "playground_runs",
    ["id", "kind", "program", "options", "artifacts", "pasted", "results", "ms", "failure", "at"],
    "ORDER BY pk DESC",
  ).all();
  return rows.map(({ options, artifacts, at, ...row }): PastRun => ({
    ...row,
    who: "mine",
    options: JSON.parse(options) as PastRun["options"],
    artifacts: JSON.parse(artifacts) as string[],
    at: iso(at),
    sessionId: null,
    seq: null,
  }));
}
