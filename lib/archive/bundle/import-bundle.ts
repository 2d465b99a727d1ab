// A bundle into the archive: all of it in one transaction, or nothing. Files are read again from their bytes by the parser of
// today; logs without a file, memory and plans go in as rows. What is here already stays as it is.
import { fail } from "#lib/kernel/errors.ts";
import type { ImportedFile, ImportProgress } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { settleObserved } from "../import/observed-windows.ts";
import { importFailure } from "../import/import-failure.ts";
import { addBundledFile, type AddedFile } from "./bundled-file.ts";
import { addHeldLog, addPointers, mergeRows, sessionOfFile } from "./bundled-session.ts";
import { BlobTaker } from "./bundled-blobs.ts";
import { entriesOf } from "./bundle-manifest.ts";
import { openBundle, verifyBundle, type OpenBundle } from "./open-bundle.ts";

export type BundleOptions = {
  readonly id?: string;
  /** This archive has copies alone: what is kept beside a session and what was deleted are what the bundle says, and not both. */
  readonly isCopy?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
};

/** How often progress is told (milliseconds). */
const PROGRESS_MS = 200;

/** Imports a bundle; null for a zip that is none. A bundle that is refused leaves nothing, and fails with the reason. */
export async function importBundle(
  archive: Archive,
  path: string,
  options: BundleOptions = {},
): Promise<ImportedFile | null> {
  const bundle = await openBundle(path);
  if (bundle === null) return null;
  try {
    const onBytes = teller(bundle, path, options);
    await verifyBundle(bundle, onBytes);
    return await apply(archive, bundle, path, { ...options, onBytes });
  } finally {
    await bundle.close();
  }
}

/** Each byte is read to be checked, and again to be stored. */
function teller(bundle: OpenBundle, path: string, { id, signal, onProgress }: BundleOptions): (bytes: number) => void {
  const total = entriesOf(bundle.manifest).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const progress: ImportProgress = {
    id: id ?? "import",
    state: "running",
    filesDone: 0,
    files: 1,
    bytesDone: 0,
    bytes: total * 2,
    events: 0,
    current: path,
    reason: null,
  };
  let notifiedAt = 0;
  return (bytes) => {
    signal?.throwIfAborted();
    progress.bytesDone = Math.min(progress.bytes, progress.bytesDone + bytes);
    if (performance.now() - notifiedAt < PROGRESS_MS) return;
    notifiedAt = performance.now();
    onProgress?.({ ...progress });
  };
}

type Applying = BundleOptions & { readonly onBytes: (bytes: number) => void };

async function apply(archive: Archive, bundle: OpenBundle, path: string, options: Applying): Promise<ImportedFile> {
  await archive.turn.take();
  // Of a bundle that is refused nothing stays: on a slow machine outputs went to the disk ahead of the refusal.
  const batch = new Batch(archive, { ahead: false });
  try {
    batch.begin();
    const result = await addAll(archive, batch, bundle, options);
    if (result.isChanged) settleObserved(archive);
    await batch.commit();
    return answerOf(path, bundle, result);
  } catch (error) {
    await batch.rollback();
    if (options.signal?.aborted === true) throw error;
    if (isBadRow(error))
      fail("invalid", `The bundle was refused: a row does not fit (${(error as Error).message}).`, error);
    throw importFailure(error);
  } finally {
    archive.turn.give();
  }
}

/** A value that a table refuses, or that our own code did not expect of a bundle. */
const isBadRow = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof SyntaxError ||
  /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR)/.test(String((error as { code?: unknown } | null)?.code ?? ""));

type Added = {
  isChanged: boolean;
  sessions: string[];
  events: number;
  modelCalls: number;
  artifacts: number;
  records: number;
  /** Why something of the bundle was left out. */
  kept: string[];
};

async function addAll(archive: Archive, batch: Batch, bundle: OpenBundle, options: Applying): Promise<Added> {
  const { manifest } = bundle;
  const result: Added = {
    isChanged: false,
    sessions: [],
    events: 0,
    modelCalls: 0,
    artifacts: 0,
    records: 0,
    kept: [],
  };
  const blobs = new BlobTaker(archive, bundle, options.onBytes);
  const files: (AddedFile | undefined)[] = [];
  // Files before their versions.
  const order = [...manifest.files.keys()].toSorted(
    (a, b) => (manifest.files[a]!.earlier ?? 0) - (manifest.files[b]!.earlier ?? 0) || a - b,
  );
  for (const n of order) {
    const file = manifest.files[n]!;
    const of = file.earlierOf === null ? null : files[file.earlierOf]!;
    const added = await addBundledFile(archive, batch, bundle, { file, of, blobs, ...options });
    files[n] = added;
    if (added.outcome !== null) {
      result.isChanged = true;
      result.events += added.outcome.events;
      result.modelCalls += added.outcome.modelCalls;
      result.artifacts += added.outcome.artifacts;
      result.records += added.outcome.records;
    }
    if (added.reason !== null) result.kept.push(added.reason);
  }
  for (const session of manifest.sessions) {
    const held = session.file === null ? await addHeldLog(archive, batch, bundle, session, blobs) : null;
    if (held !== null) {
      result.isChanged ||= held.isNew;
      result.events += held.isNew ? session.events : 0;
      result.artifacts += held.artifacts;
      if (held.reason !== null) result.kept.push(held.reason);
      result.sessions.push(session.id);
      continue;
    }
    const file = files[session.file!]!;
    const own = sessionOfFile(archive, file.sourcePk, session.lane);
    if (own === null) continue;
    result.sessions.push(own.id);
    if (session.rows !== null && file.outcome !== null) await addPointers(archive, batch, bundle, session.rows, own.pk);
    if (file.isSame && (await mergeRows(archive, batch, bundle, session.rows, own.pk, options.isCopy === true)))
      result.isChanged = true;
  }
  return result;
}

function answerOf(path: string, { manifest }: OpenBundle, added: Added): ImportedFile {
  const { isChanged, kept, ...counts } = added;
  const said = [
    ...new Set(kept),
    ...(manifest.masked === null ? [] : [`This bundle is masked. ${manifest.masked.sentence}`]),
  ];
  return {
    path,
    format: "bundle",
    status: isChanged ? "imported" : "unchanged",
    ...counts,
    errors: [],
    ...(said.length > 0 && { reason: said.join(" ") }),
  };
}
