// Names of findings that fit a line, each another.
type Named = Readonly<Record<"id" | "subject" | "detector" | "kind", string>>;

/**
 * A path by its last two parts: `Read src/server.ts: read again`. Where another of the list would have the same name, the folder in
 * which they differ stands before it: `Read api/…/src/server.ts: read again`.
 */
export function findingNames(rows: readonly Named[]): ReadonlyMap<string, string> {
  const named = rows.map((row) => ({ row, name: nameOf(row, "") }));
  const names = new Map<string, string>();
  for (const alike of Map.groupBy(named, ({ name }) => name).values()) {
    const folders = alike.map(({ row }) => foldersOf(row));
    const longest = Math.max(...folders.map(({ length }) => length));
    const kinds = Array.from({ length: longest }, (_, at) => new Set(folders.map((path) => path[at])).size);
    const differ = kinds.indexOf(Math.max(...kinds));
    for (const [n, { row, name }] of alike.entries()) {
      const folder = alike.length === 1 ? undefined : folders[n]![differ];
      const isLast = differ === folders[n]!.length - 1;
      names.set(row.id, folder === undefined ? name : nameOf(row, `${folder}/${isLast ? "" : "…/"}`));
    }
  }
  return names;
}

/** What a detector found, before what it is about. */
const DID: Readonly<Record<string, string>> = {
  "oversized-output": "large",
  "stale-result": "old results",
  "re-read": "read again",
  "fan-out": "many at once",
  "retry-loop": "failing again and again",
  "unused-schemas": "never called",
  "memory-file": "long memory file",
};

/** Folders of a path before its last two parts. */
const FOLDERS = /(?:[\w.@~-]*[\\/])+(?=[^\\/]+[\\/][^\\/\s]+$)/u;

const hasPath = ({ kind, detector }: Named): boolean => kind === "tool" || detector === "memory-file";

const foldersOf = (row: Named): readonly string[] =>
  hasPath(row)
    ? (FOLDERS.exec(row.subject)?.[0]
        .split(/[\\/]/u)
        .filter((folder) => folder !== "") ?? [])
    : [];

function nameOf(row: Named, before: string): string {
  const short = hasPath(row) ? row.subject.replace(FOLDERS, before) : row.subject;
  const did = DID[row.detector];
  return did === undefined ? short : `${short}: ${did}`;
}
