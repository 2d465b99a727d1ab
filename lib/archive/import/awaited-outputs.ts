// Outputs that come into their files after the record that names them, or still grow when it is read: an agent writes both at
// the same time. They are looked for again with each import of their session or of a folder that it lies in.
import { columns, command, query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { isBundled } from "../base/bundle-path.ts";

/** In a file that was left alone for so long the output is whole (milliseconds). */
const SETTLED_MS = 2000;
/** A session goes on whose file changed so recently … (milliseconds) */
const RUNNING_MS = 600_000;
/** … and an output that is not in its file after this time never was, or is gone (milliseconds). */
const GIVEN_UP_MS = 3_600_000;

/** A source as it was read. */
export type ReadSource = { readonly pk: number; readonly path: string; readonly mtimeMs: number };

/** Notes that an output is looked for again, if it may come or change. `foundMs`: when its file changed; null: it is not there. */
export function awaitOutput(archive: Archive, source: ReadSource, storedPath: string, foundMs: number | null): void {
  const now = archive.host.now();
  if (now - source.mtimeMs > RUNNING_MS || isBundled(source.path)) return;
  if (foundMs !== null && now - foundMs > SETTLED_MS) return;
  command(
    archive.sqlite,
    "INSERT INTO awaited_outputs (source_pk, stored_path, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  ).run(source.pk, storedPath, now);
}

export type Awaited = ReturnType<typeof awaitedOutputs>[number];

export const awaitedOutputs = ({ sqlite }: Archive) =>
  query(
    sqlite,
    {
      ...columns("sources", "pk", "path", "format"),
      ...columns("awaited_outputs", "since"),
      storedPath: "awaited_outputs.stored_path",
    },
    `SELECT s.pk, s.path, s.format, a.since, a.stored_path AS storedPath
       FROM awaited_outputs a JOIN sources s ON s.pk = a.source_pk
     WHERE s.older_of IS NULL AND EXISTS (SELECT 1 FROM raw_blocks WHERE source_pk = s.pk) ORDER BY s.pk`,
  ).all();

/** Whether it is looked for no more: it came, `changedMs` ago, or never will. */
export const isOver = ({ since }: Awaited, now: number, foundMs: number | null): boolean =>
  foundMs === null ? now - since > GIVEN_UP_MS : now - foundMs > SETTLED_MS;
