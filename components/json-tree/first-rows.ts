// The first rows of a tree: the server puts them into the page. Pure.

/** Rows of one request: four screens, some 40 KB. */
export const ROWS = 200;

export const topKey = (digest: string) => ["json", digest, "top"] as const;
