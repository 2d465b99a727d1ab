import type { ImportProgress } from "#lib/wire/sources-schema.ts";
import type { ArchiveFile } from "./archive-source.ts";
import type { SessionRows } from "./database-source.ts";
import type { Wanted } from "./list-files.ts";

/** A file, the rows of a session, or an entry of an archive. */
export type Queued = Wanted & { readonly open?: SessionRows["open"]; readonly beside?: ArchiveFile["beside"] };

/** What the database or the archive at a place of the queue holds is read next, and counted with the files. */
export function queueHeld(
  queue: Queued[],
  at: number,
  held: readonly Omit<Queued, "roots" | "named">[],
  roots: readonly string[],
  progress: Pick<ImportProgress, "files" | "bytes">,
): void {
  queue.splice(at + 1, 0, ...held.map((one) => ({ ...one, roots, named: false })));
  progress.files += held.length;
  progress.bytes += held.reduce((sum, { size }) => sum + size, 0);
}
