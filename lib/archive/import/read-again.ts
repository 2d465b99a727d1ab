// What an older version of a format read, read again from the archive's own bytes: one transaction a source, so that a session
// is the old one until it is the new one. A write that comes meanwhile goes first: the source is taken back and read again
// in the next pause. What was not come to is read at the next start.
import { columns, query } from "#db/statement.ts";
import { setTimeout } from "node:timers/promises";
import { FORMATS } from "#lib/formats/index.ts";
import type { ImportProgress } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { inBatch } from "../base/in-batch.ts";
import { settleObserved } from "./observed-windows.ts";
import { reparse } from "./reparse.ts";

export type ReadAgainOptions = {
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Notified after each source: its sessions. */
  readonly onSessions?: (sessions: readonly string[]) => void;
  /** Awaited before each source: what does not wait for all of them. */
  readonly between?: () => Promise<void>;
  /** How long a source waits after a write came between (milliseconds). */
  readonly pauseMs?: number;
};

export type ReadAgainResult = {
  sources: number;
  sessions: number;
  /** Sources that stay as the older version read them: the reason of each. */
  failed: { path: string; reason: string }[];
  /** Sources that were not come to. */
  left: number;
  cancelled: boolean;
};

type Outdated = { readonly pk: number; readonly path: string; readonly bytes: number };

/** A source of 100 MB takes some 3 s: between writes that come more often it is left for the next start after this many tries. */
const TRIES = 20;
const PAUSE_MS = 1000;

/** The write that came between. */
class GaveWay extends Error {}

/** Sources that an older version of their format read. Of an older copy nothing is in the archive but its bytes. */
export function outdatedSources(archive: Archive): Outdated[] {
  const find = query(
    archive.sqlite,
    { ...columns("sources", "pk", "path"), bytes: "integer" },
    `SELECT pk, path, (SELECT max(byte_end) FROM raw_blocks WHERE source_pk = sources.pk) AS bytes FROM sources
       WHERE format = ? AND format_version < ? AND older_of IS NULL
         AND EXISTS (SELECT 1 FROM raw_blocks WHERE source_pk = sources.pk) ORDER BY changed_at DESC`,
  );
  return FORMATS.flatMap(({ id, version }) => find.all(id, version));
}

/** Reads every outdated source again. Stopped, it ends between two sources; what was read again stays. */
export async function readAgain(archive: Archive, options: ReadAgainOptions = {}): Promise<ReadAgainResult> {
  const { signal } = options;
  const sources = outdatedSources(archive);
  const result: ReadAgainResult = { sources: 0, sessions: 0, failed: [], left: 0, cancelled: false };
  if (sources.length === 0) return result;
  const progress: ImportProgress = {
    id: options.id ?? "read-again",
    kind: "read-again",
    state: "running",
    filesDone: 0,
    files: sources.length,
    bytesDone: 0,
    bytes: sources.reduce((sum, { bytes }) => sum + bytes, 0),
    events: 0,
    current: null,
    reason: null,
  };
  const notify = (): void => options.onProgress?.({ ...progress });
  const isStopped = (): boolean => signal?.aborted === true;
  for (const source of sources) {
    await options.between?.();
    if (isStopped()) break;
    progress.current = source.path;
    notify();
    try {
      const sessions = await readSource(archive, source, options);
      if (sessions === null) result.left++;
      else {
        result.sources++;
        result.sessions += sessions.length;
        options.onSessions?.(sessions);
      }
    } catch (error) {
      if (isStopped()) break;
      result.failed.push({ path: source.path, reason: error instanceof Error ? error.message : String(error) });
    }
    progress.filesDone++;
    progress.bytesDone += source.bytes;
  }
  if (result.sources > 0) await settleOthers(archive);
  result.cancelled = isStopped();
  progress.state = result.cancelled ? "cancelled" : result.failed.length > 0 ? "failed" : "done";
  if (result.failed.length > 0) progress.reason = reasonOf(result.failed);
  progress.current = null;
  notify();
  return result;
}

/** A sentence for the foot of the page; the log has the others. */
const reasonOf = ([first, ...others]: ReadAgainResult["failed"]): string =>
  `${first!.path}${others.length > 0 ? ` and ${others.length} more` : ""} were not updated (${first!.reason}). Please report it.`;

/** One source, as soon as no write comes between; null when one always did. */
export async function readSource(
  archive: Archive,
  source: Pick<Outdated, "pk">,
  options: Pick<ReadAgainOptions, "signal" | "pauseMs">,
): Promise<string[] | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await setTimeout(options.pauseMs ?? PAUSE_MS, undefined, { signal: options.signal });
    const onBytes = (): void => {
      if (archive.turn.isWanted) throw new GaveWay();
    };
    try {
      const { signal } = options;
      return (await inBatch(archive, (batch) => reparse(archive, batch, source.pk, { signal, onBytes }))).sessions;
    } catch (error) {
      if (!(error instanceof GaveWay)) throw error;
    }
  }
  return null;
}

/** Where sessions of a model were compacted says something of others of the model. */
const settleOthers = (archive: Archive): Promise<void> => inBatch(archive, () => settleObserved(archive));
