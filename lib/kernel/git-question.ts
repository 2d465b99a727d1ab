// Reading a git repository: given by the host, as nothing below it starts programs.

export type GitCommit = { readonly sha: string; readonly at: string; readonly subject: string };

export type GitRead = {
  /** The top folder of the working tree. */
  readonly top: string;
  /** Of the names asked for, those that are there; the first part of each was asked for. */
  readonly named: readonly GitCommit[];
  /** Commits of its branches within the time asked for, the newest first. */
  readonly within: readonly GitCommit[];
};

export type GitQuestion = {
  readonly folder: string;
  readonly names: readonly string[];
  /** ISO times. */
  readonly from: string | null;
  readonly to: string | null;
};

/** Null where the folder is gone, is no repository, or cannot be read in time. */
export type ReadGit = (question: GitQuestion) => Promise<GitRead | null>;
