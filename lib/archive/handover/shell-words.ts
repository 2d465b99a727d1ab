// A command for a person to copy: each word as a POSIX shell reads it back.
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** In the session's folder, where the agent looks for it. */
export const shellWords = (words: readonly string[], cwd: string | null): string =>
  `${cwd === null ? "" : `cd ${quoted(cwd)} && `}${words.map(quoted).join(" ")}`;
