// Commits and pull requests of a session: what its log says, against a real repository, and found by their names.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, line, prompt, result, SESSION, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import { readGit } from "#lib/sources/read-repository.ts";
import { sessionGit as schema } from "#lib/wire/session-git-schema.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { fillIndex } from "../search/fill-index.ts";
import { inFolder, put, testHost, withArchive } from "../testing-archive.ts";
import { listSessions } from "./list-sessions.ts";
import { sessionGit } from "./session-git.ts";

/** The records of testing-claude begin then. */
const BEGUN = Date.UTC(2026, 0, 5, 9) / 1000;

const git = (cwd: string, at: number, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Sailor", "-c", "user.email=sailor@example.com", ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, GIT_AUTHOR_DATE: `@${BEGUN + at} +0000`, GIT_COMMITTER_DATE: `@${BEGUN + at} +0000` },
  });

/** A repository with three commits, and the log of a session that made the second, and one that it amended. */
function repository(dir: string): { cwd: string; records: Rec[]; sha: string } {
  const cwd = join(dir, "harbour");
  mkdirSync(cwd);
  git(cwd, -5000, "init", "--quiet", "--initial-branch=tides");
  const commit = (at: number, subject: string): string => {
    writeFileSync(join(cwd, "chart.txt"), subject);
    git(cwd, at, "add", ".");
    return git(cwd, at, "commit", "-m", subject);
  };
  commit(-4000, "Long before");
  const printed = commit(10, "Chart the reef");
  const sha = git(cwd, 0, "rev-parse", "HEAD").trim();
  commit(15, "By somebody else");
  // Whatever the repository's settings are, reading it starts nothing.
  const trap = join(dir, "trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(dir, "sprung")}\n`);
  chmodSync(trap, 0o755);
  for (const key of ["core.fsmonitor", "core.pager", "gpg.program", "core.sshCommand"])
    git(cwd, 0, "config", key, trap);
  git(cwd, 0, "config", "log.showSignature", "true");
  const at = { cwd, gitBranch: "tides" };
  const records = [
    prompt("1", 1, "Go", at),
    answer("2", 2, "a", asks("t1", "Bash", { command: "git commit -am 'Chart the reef'" }), { more: at }),
    result("3", 11, "t1", printed, at),
    answer("4", 12, "b", asks("t2", "Bash", { command: "git commit --amend --no-edit && git log" }), { more: at }),
    result("5", 13, "t2", "[tides dead123] Gone since\n 1 file changed", at),
    answer("6", 14, "c", asks("t3", "Bash", { command: "cat log.txt" }), { more: at }),
    result("7", 15, "t3", "[tides beef456] Only named\nhttps://github.com/sailor/harbour/pull/9", at),
    answer("8", 16, "d", asks("t4", "Bash", { command: "gh pr create --fill" }), { more: at }),
    result("9", 17, "t4", "https://github.com/sailor/harbour/pull/12\n", at),
    line("pr-link", "10", 18, { prNumber: 13, prUrl: "https://github.com/sailor/harbour/pull/13", ...at }),
  ];
  return { cwd, records, sha };
}

const lines = (records: readonly Rec[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");
const found = async (archive: Archive, q: string): Promise<string[]> =>
  (await listSessions(archive, sessionsQuery.parse({ q }))).sessions.map(({ title }) => title);

test("what the log says, what the repository has of it, and what else was committed meanwhile", () =>
  inFolder(async (dir) => {
    const { cwd, records, sha } = repository(dir);
    const host = { ...testHost(), readGit };
    await withArchive(
      join(dir, "archive"),
      async (archive) => {
        await importPaths(archive, [put(dir, "logs/a.jsonl", lines(records))]);
        const answered = schema.parse(await sessionGit(archive, SESSION));
        expect(answered).toMatchObject({ branch: "tides", repository: cwd });
        expect(
          answered.commits.map(({ sha: name, subject, from, exists, seq }) => [
            name,
            subject,
            from,
            exists,
            seq !== null,
          ]),
        ).toEqual([
          [sha, "Chart the reef", "log", true, true],
          ["dead123", "Gone since", "log", false, true],
          [expect.stringMatching(/^[0-9a-f]{40}$/), "By somebody else", "repository", true, false],
        ]);
        expect(answered.pulls.map(({ number, repository }) => [number, repository])).toEqual([
          [12, "github.com/sailor/harbour"],
          [13, "github.com/sailor/harbour"],
        ]);
        expect(existsSync(join(dir, "sprung"))).toBe(false);
        await fillIndex(archive);
        expect(await found(archive, `commit:${sha.slice(0, 8)}`)).toEqual(["Go"]);
        expect(await found(archive, `commit:${sha}`), "the whole name, where git printed its start").toEqual(["Go"]);
        expect(await found(archive, "pr:12 branch:tides")).toEqual(["Go"]);
        expect(await found(archive, "pr:sailor/harbour")).toEqual(["Go"]);
        expect(await found(archive, "pr:sailor/harbour#12")).toEqual(["Go"]);
        for (const other of ["pr:sailor/harbour#2", "pr:lor/harbour#12"])
          expect(await found(archive, other)).toEqual([]);
        expect(await found(archive, "commit:beef456")).toEqual([]);
        expect(await found(archive, "pr:2")).toEqual([]);
        expect(await found(archive, "-pr:12")).toEqual([]);
      },
      host,
    );
  }));

test("without a repository the log alone speaks", () =>
  inFolder(async (dir) => {
    const { records } = repository(dir);
    await withArchive(join(dir, "archive"), async (archive) => {
      await importPaths(archive, [put(dir, "logs/a.jsonl", lines(records))]);
      const answered = await sessionGit(archive, SESSION);
      expect(answered.repository).toBeNull();
      expect(answered.commits.map(({ exists, from }) => [exists, from])).toEqual([
        [null, "log"],
        [null, "log"],
      ]);
    });
    expect(await readGit({ folder: join(dir, "none"), names: [], from: null, to: null })).toBeNull();
    expect(await readGit({ folder: "relative", names: [], from: null, to: null })).toBeNull();
  }));
