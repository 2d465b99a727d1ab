import { expect, test } from "vitest";
import { commitsIn, makesCommit, makesPull, pullsIn } from "./made-in-output.ts";

test("a commit is what git says when it makes one", () => {
  const output = [
    "lint passed",
    "[pier/north abc1234] Chart the reef",
    " 1 file changed, 2 insertions(+)",
    "[main (root-commit) 0123456789] First",
    "[detached HEAD fedcba9] Try [this] one",
    "  [main abc9999] indented is no line of git's",
    "[INFO 2026] not a commit",
  ].join("\n");
  expect(commitsIn(output)).toEqual([
    { sha: "abc1234", branch: "pier/north", subject: "Chart the reef" },
    { sha: "0123456789", branch: "main", subject: "First" },
    { sha: "fedcba9", branch: null, subject: "Try [this] one" },
  ]);
});

test("the commands that make one, and those that only name one", () => {
  const commands = [
    "git commit -m x",
    "cd a && git -C b commit --amend",
    'git commit -m "a; b"',
    "git cherry-pick abc",
  ];
  expect(commands.map(makesCommit)).toEqual([true, true, true, true]);
  expect(["git log --oneline", "cat commit.txt", "git status; echo commit"].map(makesCommit)).toEqual([
    false,
    false,
    false,
  ]);
  expect(makesPull("gh pr create --fill", "Bash")).toBe(true);
  expect(makesPull("gh pr view 12", "Bash")).toBe(false);
  expect(makesPull("{}", "mcp__github__create_pull_request")).toBe(true);
});

test("a pull request is its address, on GitHub, GitLab and hosts of one's own, once", () => {
  const output = `Creating pull request for tides into main in sailor/harbour

https://github.com/sailor/harbour/pull/12
{"html_url": "https://github.com/sailor/harbour/pull/12"}
https://git.example.com:8443/fleet/charts/north/-/merge_requests/7`;
  expect(pullsIn(output)).toEqual([
    { url: "https://github.com/sailor/harbour/pull/12", repository: "github.com/sailor/harbour", number: 12 },
    {
      url: "https://git.example.com:8443/fleet/charts/north/-/merge_requests/7",
      repository: "git.example.com:8443/fleet/charts/north",
      number: 7,
    },
  ]);
  expect(pullsIn("https://github.com/sailor/harbour/issues/12 http://github.com/a/b/pull/1")).toEqual([]);
});
