// Sessions whose outputs came into their files after they were read, read again.
import { command } from "#db/statement.ts";
import { dirname } from "node:path";
import { FORMATS } from "#lib/formats/index.ts";
import { isInside, type SourceHandle } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import { inBatch } from "../base/in-batch.ts";
import { awaitedOutputs, isOver, type Awaited } from "./awaited-outputs.ts";
import { openFullOutput } from "./full-output.ts";
import { readSource } from "./read-again.ts";

export type LateOptions = {
  readonly signal?: AbortSignal;
  readonly onSessions?: (sessions: readonly string[]) => void;
};

/** Reads the sessions at or below these paths again whose outputs came since they were read. */
export async function readLateOutputs(archive: Archive, paths: readonly string[], options: LateOptions): Promise<void> {
  const awaited = awaitedOutputs(archive).filter(({ path }) => paths.some((root) => isInside(path, root)));
  for (const [pk, outputs] of Map.groupBy(awaited, (one) => one.pk)) {
    if (options.signal?.aborted === true) return;
    const looked = await Promise.all(outputs.map((one) => lookFor(archive, one)));
    if (looked.some(({ isNew }) => isNew) && !(await readAnew(archive, pk, options))) continue;
    await forget(
      archive,
      pk,
      outputs.filter((_, at) => looked[at]!.isOver),
    );
  }
}

/** Reads a source again with what lies beside it now. False where it was cancelled, or writes came between each time. */
export async function readAnew(archive: Archive, pk: number, { signal, onSessions }: LateOptions): Promise<boolean> {
  const sessions = await readSource(archive, { pk }, { signal }).catch((error: unknown) => {
    // What was cancelled is read by the next import, as all that it did not come to.
    if (signal?.aborted !== true) throw error;
    return null;
  });
  if (sessions !== null) onSessions?.(sessions);
  return sessions !== null;
}

type Looked = {
  /** It is not what was read. */
  readonly isNew: boolean;
  /** It is not looked for again. */
  readonly isOver: boolean;
};

async function lookFor(archive: Archive, one: Awaited): Promise<Looked> {
  const { pk, path, format: id, storedPath } = one;
  const now = archive.host.now();
  const format = FORMATS.find((known) => known.id === id);
  const handle = format === undefined ? null : await openFullOutput(format, path, storedPath, [dirname(path)]);
  if (handle === null) return { isNew: false, isOver: isOver(one, now, null) };
  await handle.close();
  return { isNew: !isKept(archive, pk, handle), isOver: isOver(one, now, handle.mtimeMs) };
}

const isKept = ({ sqlite }: Archive, sourcePk: number, { path, size, mtimeMs }: SourceHandle): boolean =>
  command(
    sqlite,
    "SELECT 1 FROM beside_files WHERE source_pk = ? AND path = ? AND size = ? AND abs(mtime_ms - ?) < 1",
  ).get(sourcePk, path, size, mtimeMs) !== undefined;

async function forget(archive: Archive, sourcePk: number, outputs: readonly Awaited[]): Promise<void> {
  if (outputs.length === 0) return;
  const remove = command(archive.sqlite, "DELETE FROM awaited_outputs WHERE source_pk = ? AND stored_path = ?");
  await inBatch(archive, () => {
    for (const { storedPath } of outputs) remove.run(sourcePk, storedPath);
  });
}
