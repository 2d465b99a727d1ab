// Asks git about a repository: two questions that only read, with a deadline. A repository is another's to configure, so nothing
// of its settings may start a program: no hooks, no file-system monitor, no pager, no signatures, and no fetching of what a
// partial clone lacks. `rev-list` is plumbing: it takes no format or alias from the settings.
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GitCommit, GitQuestion, GitRead } from "#lib/kernel/git-question.ts";

const NOTHING_RUNS = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.pager=cat"],
  ...["-c", "log.showSignature=false", "-c", "core.untrackedCache=false", "--no-pager", "--no-optional-locks"],
];

const BYTES = 1_000_000;
const FORMAT = "--format=%H%x1f%cI%x1f%s";

export async function readGit({ folder, names, from, to }: GitQuestion): Promise<GitRead | null> {
  if (!isAbsolute(folder) || !(await isFolder(folder))) return null;
  const top = (await git(folder, ["rev-parse", "--show-toplevel"]))?.trim();
  if (top === undefined || top === "") return null;
  const known = names.filter((name) => /^[0-9a-f]{7,64}$/.test(name)).slice(0, LIMITS.gitCommits);
  const [named, within] = await Promise.all([
    known.length === 0
      ? ""
      : git(folder, ["rev-list", "--no-walk=unsorted", "--ignore-missing", FORMAT, ...known, "--"]),
    from === null || to === null
      ? ""
      : git(folder, [
          ...["rev-list", "--branches", `--max-count=${LIMITS.gitCommits}`, `--since=${from}`, `--until=${to}`],
          ...[FORMAT, "--"],
        ]),
  ]);
  if (named === null || within === null) return null;
  return { top, named: commitsOf(named), within: commitsOf(within) };
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isDirectory() === true;

/** What it prints; null where it refuses, is not installed, or is late. */
const git = (folder: string, args: readonly string[]): Promise<string | null> =>
  new Promise((settle) => {
    execFile(
      "git",
      [...NOTHING_RUNS, ...args],
      { cwd: folder, env: gitEnv(), timeout: LIMITS.gitMs, killSignal: "SIGKILL", maxBuffer: BYTES },
      (error, printed) => settle(error === null ? printed : null),
    );
  });

/** No settings but the repository's own and a person's list of safe folders; no question to a terminal; no network. */
const gitEnv = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  LC_ALL: "C.UTF-8",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat",
  NODE_ENV: process.env.NODE_ENV,
});

const commitsOf = (printed: string): GitCommit[] =>
  printed.split("\n").flatMap((line) => {
    const [sha, at, subject] = line.split("\u001f");
    return subject === undefined ? [] : [{ sha: sha!, at: at!, subject }];
  });
