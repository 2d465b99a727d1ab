// Commits and pull requests in what a session's tools said. Only the output of a command that makes one is read: a commit's name
// in a log or in a chat is no commit of this session.

export type SaidCommit = {
  /** As git prints it: 7 characters and more. */
  readonly sha: string;
  /** Null where no branch was checked out. */
  readonly branch: string | null;
  readonly subject: string;
};

export type SaidPull = {
  readonly url: string;
  /** `github.com/owner/name`. */
  readonly repository: string;
  readonly number: number;
};

/** Commands whose output names the commit that they made. */
const COMMITS = /\bgit\b[^\n|;&]{0,200}?\s(?:commit|cherry-pick|revert|am|merge)\b/;
const PULLS = /\bgh\s+pr\s+(?:create|merge|ready|reopen)\b|\bglab\s+mr\s+(?:create|merge)\b|\bhub\s+pull-request\b/;
/** Tools of MCP servers that open one. */
const PULL_TOOLS = /create[_-]?(?:pull[_-]?request|merge[_-]?request)/i;

export const makesCommit = (input: string): boolean => COMMITS.test(input);
export const makesPull = (input: string, tool: string): boolean => PULLS.test(input) || PULL_TOOLS.test(tool);

/** `[main (root-commit) 1a2b3c4] Chart the reef`, each on a line of its own. */
const COMMIT_LINE = /^\[(detached HEAD|\S{1,250})(?: \(root-commit\))? ([0-9a-f]{7,64})\] ([^\n]{0,500})$/gm;

export const commitsIn = (output: string): SaidCommit[] =>
  [...output.matchAll(COMMIT_LINE)].map(([, branch, sha, subject]) => ({
    sha: sha!,
    branch: branch === "detached HEAD" ? null : branch!,
    subject: subject!.trim(),
  }));

const PULL_URL =
  /https:\/\/([\w.-]{1,200}(?::\d{1,5})?(?:\/[\w.-]{1,100}){2,8}?)\/(?:pull|pulls|-\/merge_requests)\/(\d{1,9})\b/g;

/** Addresses of pull and merge requests, each once. */
export function pullsIn(output: string): SaidPull[] {
  const found = new Map<string, SaidPull>();
  for (const [url, repository, number] of output.matchAll(PULL_URL))
    found.set(`${repository} ${number}`, { url, repository: repository!, number: Number(number) });
  return [...found.values()];
}
