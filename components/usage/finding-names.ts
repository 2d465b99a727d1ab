// Names of findings that fit a line, each another.
type Named = Readonly<Record<"id" | "subject" | "detector" | "kind", string>>;

/**
 * A path by its last two parts: `Read src/server.ts: read again`. Where another of the list would have the same name, the folders in
 * which they differ stand before it: `Read api/…/src/server.ts: read again`.
 */
export function findingNames(rows: readonly Named[]): ReadonlyMap<string, string> {
  const named = rows.map((row) => ({ row, name: nameOf(row, "") }));
  const names = new Map<string, string>();
  for (const alike of Map.groupBy(named, ({ name }) => name).values()) {
    const folders = alike.map(({ row }) => foldersOf(row));
    const chosen = alike.length === 1 ? [] : tellingApart(folders);
    for (const [n, { row }] of alike.entries()) names.set(row.id, nameOf(row, withGaps(folders[n]!, chosen)));
  }
  return names;
}

/** Positions of folders that together tell all of these paths apart: first the one that tells most of them. */
function tellingApart(paths: readonly (readonly string[])[]): readonly number[] {
  const longest = Math.max(...paths.map(({ length }) => length));
  const kindsOf = (chosen: readonly number[]): number =>
    new Set(paths.map((path) => JSON.stringify(chosen.map((at) => path[at])))).size;
  const chosen: number[] = [];
  for (let most = 1; most < paths.length;) {
    const kinds = Array.from({ length: longest }, (_, at) => kindsOf([...chosen, at]));
    const next = kinds.indexOf(Math.max(...kinds));
    if (next < 0 || kinds[next]! <= most) break;
    most = kinds[next]!;
    chosen.push(next);
  }
  return chosen.toSorted((a, b) => a - b);
}

/** These folders of a path, with a gap where others are left out behind one. */
const withGaps = (path: readonly string[], chosen: readonly number[]): string =>
  chosen
    .filter((at) => at < path.length)
    .map((at) => `${path[at]!}/${at + 1 < path.length && !chosen.includes(at + 1) ? "…/" : ""}`)
    .join("");

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
