// A command for a person to copy: each word as a POSIX shell reads it back.
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Commands one after the other, in the session's folder, where the agent looks for it. */
export const shellCommands = (commands: readonly (readonly string[])[], cwd: string | null): string =>
  [...(cwd === null ? [] : [["cd", cwd]]), ...commands].map((words) => words.map(quoted).join(" ")).join(" && ");

export const shellWords = (words: readonly string[], cwd: string | null): string => shellCommands([words], cwd);
