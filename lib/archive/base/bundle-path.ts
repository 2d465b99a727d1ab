// A source that came in a bundle stands under the path that it had where it was read, behind a word that no path begins
// with: it never meets a file of this machine, and nothing beside that path is looked for.

const BUNDLED = "bundle:";

export const bundledPath = (path: string): string => (isBundled(path) ? path : `${BUNDLED}${path}`);

export const isBundled = (path: string): boolean => path.startsWith(BUNDLED);

/** The path that the file had. */
export const pathBefore = (path: string): string => (isBundled(path) ? path.slice(BUNDLED.length) : path);
