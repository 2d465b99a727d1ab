// One file of a bundle: its bytes become those of a source, and are read as every file is. Where they are here already, by
// whatever path, that source stays.
import { createHash, type Hash } from "node:crypto";
import { command, query, scalar } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { readBlocks } from "#lib/sources/blocks.ts";
import type { Archive } from "../base/archive-type.ts";
import { bundledPath } from "../base/bundle-path.ts";
import type { Batch } from "../base/batch.ts";
import { digestOfRecord } from "../import/version-recipe.ts";
import { WHOLE } from "../import/earlier-versions.ts";
import type { Outcome } from "../import/file-options.ts";
import { confirmPlans } from "../import/keep-memory.ts";
import { rawHandle } from "../import/raw-handle.ts";
import { packRaw, rawBytes } from "../import/raw-writer.ts";
import { noteRemoved } from "../import/remove-source.ts";
import { readOn, reparse, storedOutputsOf, type ReparseOptions } from "../import/reparse.ts";
import type { BlobTaker } from "./bundled-blobs.ts";
import type { BundledFile, BundleEntry } from "./bundle-manifest.ts";
import { addBesideFiles, deletedPointers } from "./bundled-session.ts";
import { noteGrowth } from "./grown-source.ts";
import { checked, type OpenBundle } from "./open-bundle.ts";

export type AddedFile = {
  readonly sourcePk: number;
  /** What was read; null where nothing had to be. */
  readonly outcome: Outcome | null;
  /** Its events have the numbers that the bundle's rows name. */
  readonly isSame: boolean;
  /** Why the file that is here was kept. */
  readonly reason: string | null;
};

export type FileInput = {
  readonly file: BundledFile;
  /** The file that it is an earlier version of. */
  readonly of: AddedFile | null;
  readonly blobs: BlobTaker;
  readonly onBytes: (bytes: number) => void;
  readonly isCopy?: boolean;
  readonly signal?: AbortSignal;
};

const REASON = "Imported from a bundle. Its file is not on this machine.";

export async function addBundledFile(
  archive: Archive,
  batch: Batch,
  bundle: OpenBundle,
  input: FileInput,
): Promise<AddedFile> {
  const { file, of } = input;
  if (!FORMATS.some(({ id }) => id === file.format))
    fail("unsupported", `The bundle has a file of the format "${file.format}", which this version does not know.`);
  const known = await findKnown(archive, bundle, input);
  const isBesideNew =
    (known?.change === "same" || known?.change === "grown") && (await addBeside(archive, bundle, input, known));
  const isLate = known?.change === "same" && (isBesideNew || hasLateOutputs(archive, known.pk, input));
  if (known !== null && known.change !== "grown" && !isLate)
    return {
      sourcePk: known.pk,
      outcome: null,
      isSame: known.change !== "other",
      reason:
        known.change === "other" ? `${file.path} differs from what is here; the one that is here was kept.` : null,
    };
  const pk = known?.pk ?? insertSource(archive, bundle.manifest, file, of);
  if (known === null) await addBeside(archive, bundle, input, { pk, path: bundledPath(file.path) });
  const from = known?.size ?? 0;
  await storeBytes(archive, bundle, pk, input, from);
  if (known?.change === "grown") noteGrowth(archive, pk, file);
  if (file.earlier !== null) await storeDigests(archive, pk);
  const outputs = new Map<string, { digest: string; size: number; lineCount: number | null; contentType: string }>();
  for (const { toolCallId, digest, sizeBytes, lineCount, contentType } of file.outputs) {
    await input.blobs.stage(digest);
    outputs.set(toolCallId, { digest, size: sizeBytes, lineCount, contentType });
  }
  noteRemoved(archive, bundledPath(file.path), false);
  const { signal, isCopy = false } = input;
  // What it tells of deleted outputs is known before they are read.
  await addDeletedPointers(archive, bundle, input);
  const options = {
    ...(isCopy ? { newerOutputs: outputs } : { outputs }),
    ...{ signal, onBytes: () => signal?.throwIfAborted() },
  };
  const outcome =
    (known === null || isBesideNew ? null : await addGrowth(archive, batch, pk, from, input, options)) ??
    (await readAgain(archive, batch, pk, file.format, known !== null, options));
  if (file.earlier === null && file.nativeId !== null) requireName(archive, pk, file);
  await batch.settle();
  return { sourcePk: pk, outcome, isSame: true, reason: null };
}

/** What came behind the bytes that are here; null where all of them are to be read again. */
async function addGrowth(
  archive: Archive,
  batch: Batch,
  pk: number,
  from: number,
  input: FileInput,
  options: ReparseOptions,
): Promise<Outcome | null> {
  const outcome = await readOn(archive, batch, pk, from, options);
  return hasLateOutputs(archive, pk, input) ? null : outcome;
}

/** Whether outputs of events that were read before were found since: of a copy they count as they are there. */
function hasLateOutputs(archive: Archive, pk: number, { file, isCopy = false }: FileInput): boolean {
  if (!isCopy || file.outputs.length === 0) return false;
  const own = storedOutputsOf(archive, pk);
  return file.outputs.some(({ toolCallId, digest }) => own.get(toolCallId)?.digest !== digest);
}

async function readAgain(
  archive: Archive,
  batch: Batch,
  pk: number,
  format: string,
  isGrown: boolean,
  options: ReparseOptions,
): Promise<Outcome> {
  const confirm = isGrown && isReadBy(archive, pk, format) ? confirmPlans(archive, pk) : () => undefined;
  const outcome = await reparse(archive, batch, pk, options);
  confirm();
  return outcome;
}

/** What the file is called is read from it; a bundle cannot give it another name. */
function requireName(archive: Archive, pk: number, { nativeId, path }: BundledFile): void {
  const name = scalar(archive.sqlite, "sources.native_id", "FROM sources WHERE pk = ?").get(pk);
  if (name !== nativeId) fail("invalid", `The bundle was refused: ${path} is the session ${name}, not ${nativeId}.`);
}

const isReadBy = (archive: Archive, pk: number, format: string): boolean =>
  scalar(archive.sqlite, "sources.format_version", "FROM sources WHERE pk = ?").get(pk) ===
  FORMATS.find(({ id }) => id === format)?.version;

type Known = {
  readonly pk: number;
  readonly change: "same" | "longer" | "grown" | "other";
  readonly path: string;
  /** Bytes that are here. */
  readonly size: number;
};

/** The source that has these bytes, or more; "grown": one of a bundle that has their beginning. */
async function findKnown(archive: Archive, bundle: OpenBundle, { file }: FileInput): Promise<Known | null> {
  const rows = query(
    archive.sqlite,
    { pk: "sources.pk", path: "sources.path", earlier: "sources.earlier", size: "integer" },
    `SELECT pk, path, earlier, (SELECT coalesce(max(byte_end), 0) FROM raw_blocks WHERE source_pk = sources.pk) AS size FROM sources
       WHERE (native_id = @name OR path = @path) AND (earlier IS NULL) = @isFile AND format IS NOT NULL ORDER BY pk`,
  ).all({ name: file.nativeId, path: bundledPath(file.path), isFile: file.earlier === null ? 1 : 0 });
  if (rows.length === 0) return null;
  const { sizeBytes } = file.entry;
  const cuts = [...new Set(rows.map(({ size }) => Math.min(size, sizeBytes)))].toSorted((a, b) => a - b);
  const theirs = await digestsAt(checked(bundle, file.entry), cuts);
  for (const { pk, path, size } of rows) {
    const cut = Math.min(size, sizeBytes);
    const [own] = await digestsAt(rawBytes(archive, pk, 0, cut), [cut]);
    if (own !== theirs[cuts.indexOf(cut)]) continue;
    if (size >= sizeBytes) return { pk, path, size, change: size === sizeBytes ? "same" : "longer" };
    if (path === bundledPath(file.path)) return { pk, path, size, change: "grown" };
  }
  // What is masked never takes the place of what is not.
  const same = bundle.manifest.masked === null ? rows.find(({ path }) => path === bundledPath(file.path)) : rows[0];
  return same === undefined ? null : { ...same, change: "other" };
}

/** The digests of the first bytes, up to each of these ends. */
async function digestsAt(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ends: readonly number[],
): Promise<string[]> {
  const hash: Hash = createHash("sha256");
  const digests: string[] = [];
  let seen = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (const end of ends.slice(digests.length)) {
      if (end > seen + piece.length) break;
      hash.update(piece.subarray(from, end - seen));
      from = end - seen;
      digests.push(hash.copy().digest("hex"));
    }
    hash.update(piece.subarray(from));
    seen += piece.length;
  }
  while (digests.length < ends.length) digests.push(hash.copy().digest("hex"));
  return digests;
}

function insertSource(
  archive: Archive,
  { masked }: OpenBundle["manifest"],
  file: BundledFile,
  of: AddedFile | null,
): number {
  const { sqlite } = archive;
  // Of a session that was removed a row without a format says so.
  command(sqlite, "DELETE FROM sources WHERE path = ? AND format IS NULL").run(bundledPath(file.path));
  const taken = scalar(sqlite, "integer?", "SELECT max(earlier) FROM sources WHERE native_id = ? AND earlier >= ?").get(
    file.nativeId,
    file.earlier,
  );
  const earlier = file.earlier === null ? null : Math.max(file.earlier, (taken ?? 0) + 1);
  const { lastInsertRowid } = command(
    sqlite,
    `INSERT INTO sources (path, format, status, reason, native_id, size, mtime_ms, changed_at, imported_at, head, head_bytes, state,
       earlier, earlier_of, replaced_at, is_part) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    bundledPath(file.path),
    file.format,
    file.earlier === null ? "gone" : "earlier version",
    file.earlier === null ? `${REASON}${masked === null ? "" : ` ${masked.sentence}`}` : null,
    file.nativeId,
    file.entry.sizeBytes,
    file.mtimeMs,
    file.changedAt,
    archive.host.now(),
    file.head,
    Math.min(4096, file.entry.sizeBytes),
    file.state,
    earlier,
    of?.sourcePk ?? null,
    file.replacedAt,
    file.isPart ? 1 : 0,
  );
  return Number(lastInsertRowid);
}

const LF = 0x0a;

/** Its bytes as raw blocks, cut at line ends as when it was read first. Those before `from` are here. */
async function storeBytes(
  archive: Archive,
  bundle: OpenBundle,
  pk: number,
  { file, onBytes }: FileInput,
  from: number,
): Promise<void> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let byteStart = from;
  let known = from;
  let packing = async (): Promise<void> => undefined;
  const flush = async (bytes: Uint8Array): Promise<void> => {
    // The next block is read while one is packed.
    await packing();
    packing = packRaw(archive, pk, { byteStart, byteEnd: byteStart + bytes.length, bytes });
    byteStart += bytes.length;
  };
  for await (const whole of checked(bundle, file.entry)) {
    onBytes(whole.length);
    const piece = whole.subarray(Math.min(known, whole.length));
    known -= whole.length - piece.length;
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < LIMITS.rawBlockBytes) continue;
    const bytes = Buffer.concat(held);
    const end = bytes.lastIndexOf(LF) + 1 || bytes.length;
    await flush(bytes.subarray(0, end));
    held = end < bytes.length ? [bytes.subarray(end)] : [];
    heldBytes = bytes.length - end;
  }
  if (heldBytes > 0) await flush(Buffer.concat(held));
  await packing();
}

async function storeDigests(archive: Archive, pk: number): Promise<void> {
  const add = command(archive.sqlite, "INSERT OR IGNORE INTO earlier_records (digest, source_pk) VALUES (?, ?)");
  for await (const block of readBlocks(rawHandle(archive, pk), WHOLE)) {
    for (const record of block.records) add.run(digestOfRecord(record), pk);
    block.release?.();
  }
}

async function addDeletedPointers(archive: Archive, bundle: OpenBundle, { file }: FileInput): Promise<void> {
  for (const rows of rowsOfFile(bundle, file)) await deletedPointers(archive, bundle, rows);
}

/** What lay beside the file, where it belongs to it alone; whether that is not what the file was read with here. */
async function addBeside(
  archive: Archive,
  bundle: OpenBundle,
  { file }: FileInput,
  source: { readonly pk: number; readonly path: string },
): Promise<boolean> {
  if (FORMATS.find(({ id }) => id === file.format)?.ownsSidecars !== true) return false;
  let isNew = false;
  for (const rows of rowsOfFile(bundle, file)) isNew = (await addBesideFiles(archive, bundle, rows, source)) || isNew;
  return isNew;
}

function rowsOfFile({ manifest }: OpenBundle, file: BundledFile): BundleEntry[] {
  const n = manifest.files.indexOf(file);
  return manifest.sessions.flatMap((session) => (session.file === n ? (session.rows ?? []) : []));
}
