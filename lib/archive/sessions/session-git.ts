// Branch, commits and pull requests of a session. Its log says what it made; where the repository is on this machine, git says
// which of that is still there, and what else was committed meanwhile.
import { select } from "#db/statement.ts";
import type { SessionGit } from "#lib/wire/session-git-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { madeInLog } from "../search/made-in-log.ts";

/** A commit is made a moment after the call that asks for it. */
const AFTER_MS = 60_000;
/** Over a longer time most commits are of other work. */
const LONGEST_MS = 7 * 86_400_000;

type Commit = SessionGit["commits"][number];

/** `isOfLog`: the repository is not read, which takes as long as git does. */
export async function sessionGit(archive: Archive, name: string, isOfLog = false): Promise<SessionGit> {
  const pk = findSession(archive, name);
  const { branch, cwd, started_at, ended_at, demo } = select(
    archive.sqlite,
    "sessions",
    ["branch", "cwd", "started_at", "ended_at", "demo"],
    "WHERE pk = ?",
  ).get(pk)!;
  const { commits, pulls } = await madeInLog(archive, pk);
  const isShort = started_at !== null && ended_at !== null && ended_at - started_at <= LONGEST_MS;
  const read =
    cwd === null || demo === 1 || isOfLog
      ? null
      : ((await archive.host.readGit?.({
          folder: cwd,
          names: commits.map(({ sha }) => sha),
          from: isShort ? iso(started_at) : null,
          to: isShort ? iso(ended_at + AFTER_MS) : null,
        })) ?? null);
  const said = commits.map(({ sha, ts, ...commit }): Commit => {
    const found = read?.named.find((one) => one.sha.startsWith(sha));
    const at = iso(ts);
    return { ...commit, sha: found?.sha ?? sha, at, from: "log", exists: read === null ? null : found !== undefined };
  });
  const known = new Set(said.map(({ sha }) => sha));
  const others = (read?.within ?? [])
    .filter(({ sha }) => !known.has(sha))
    .toReversed()
    .map((one): Commit => ({ ...one, branch: null, seq: null, from: "repository", exists: true }));
  return {
    branch: branch === "" ? null : branch,
    commits: [...said, ...others],
    pulls: pulls.map(({ ts, ...pull }) => ({ ...pull, at: iso(ts) })),
    repository: read?.top ?? null,
  };
}
