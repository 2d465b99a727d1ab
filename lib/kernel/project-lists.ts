// Agents whose sessions lie in each project list their projects in a file of their own.
type Environment = Readonly<Record<string, string | undefined>>;

export type ProjectLists = {
  /** The files with the lists. */
  paths(env: Environment, os: string): readonly string[];
  /** The files of sessions that such a list names. */
  files(list: unknown): readonly string[];
};
