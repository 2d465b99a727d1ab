// Archives as sources: zip, tar, gzip and zstd. Their entries are written, one after the other, to files of ours with names of ours:
// what an entry is called is only a name. Bytes, entries and ratio are bounded before and while it is unpacked.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceHandle } from "./source-handle.ts";
import { isTarHeader, readTar } from "./tar-reader.ts";
import { zipEntries } from "./zip-entries.ts";
import { inflate } from "./zstd.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export type ArchiveKind = "zip" | "tar" | "tar.gz" | "tar.zst" | "gz";

/** An entry as it was unpacked. `file` is null for one that was left out. */
export type Unpacked = {
  readonly name: string;
  readonly file: string | null;
  readonly size: number;
  readonly mtimeMs: number;
};

export type Unpacking = {
  readonly entries: ReadonlyMap<string, Unpacked>;
  /** Why it was not read to its end; null for a whole one. */
  readonly problem: string | null;
  close(): void;
};

/** What one import may still unpack, its nested archives included. */
export type Budget = { bytes: number; entries: number; readonly most: number };

const PIECE_BYTES = 256 * 1024;
/** An entry's name, for lists: control characters are none, and a path is as long as a system lets one be. */
const NAME_CHARS = 1024;

export const budgetFor = (size: number): Budget => ({
  bytes: 0,
  entries: 0,
  most: Math.min(LIMITS.archiveBytes, Math.max(LIMITS.archiveFreeBytes, LIMITS.archiveRatio * size)),
});

/** What kind of archive a file is; null for any other file. A compressed file that holds one file is none, but for gzip. */
export async function archiveKind(handle: SourceHandle): Promise<ArchiveKind | null> {
  const head = await handle.read(0, 512);
  if (head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return "zip";
  if (isTarHeader(head)) return "tar";
  if (head[0] === 0x1f && head[1] === 0x8b) return (await beginsAsTar(gunzip(handle))) ? "tar.gz" : "gz";
  if (head[0] === 0x28 && head[1] === 0xb5 && (await beginsAsTar(inflate(handle, PIECE_BYTES)))) return "tar.zst";
  return null;
}

async function beginsAsTar(pieces: AsyncGenerator<Uint8Array, unknown>): Promise<boolean> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      held.push(next.value);
      bytes += next.value.length;
      if (bytes >= 512) break;
    }
  } catch {
    // Damaged at its very beginning: reading it says so.
  } finally {
    await pieces.return(undefined as never);
  }
  return isTarHeader(Buffer.concat(held).subarray(0, 512));
}

/** Unpacks into a new folder below `folder`. Fails where a bound is passed; of what is damaged the entries before are there. */
export async function unpack(
  handle: SourceHandle,
  kind: ArchiveKind,
  folder: string,
  budget: Budget,
  signal?: AbortSignal,
): Promise<Unpacking> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(folder, "unpacked-"));
  const close = (): void => rmSync(own, { recursive: true, force: true });
  const entries = new Map<string, Unpacked>();
  const take = async (
    name: string,
    size: number,
    mtimeMs: number,
    bytes: () => AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    signal?.throwIfAborted();
    if (++budget.entries > LIMITS.archiveEntries)
      fail(
        "too_large",
        `The archive has more than ${exactly(LIMITS.archiveEntries)} entries. Unpack it, and import the folder.`,
      );
    // What it says of itself may be more than it is, and never less: the bytes are counted too.
    if (budget.bytes + size > budget.most) refuseSize(budget);
    const file = join(own, String(entries.size));
    const written = createWriteStream(file, { flags: "w", mode: 0o600 });
    let count = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of bytes()) {
        count += piece.length;
        budget.bytes += piece.length;
        if (budget.bytes > budget.most) refuseSize(budget);
        yield piece;
      }
    };
    await pipeline(Readable.from(counted()), written, signal === undefined ? {} : { signal });
    // Of two with one name the last counts.
    entries.set(shownName(name), { name: shownName(name), file, size: count, mtimeMs: asTime(mtimeMs, handle) });
  };
  let problem: string | null = null;
  try {
    if (kind === "zip")
      for await (const one of zipEntries(handle)) await take(one.name, one.size, one.mtimeMs, one.read);
    else if (kind === "gz") await take(innerName(handle.path), 0, handle.mtimeMs, () => gunzip(handle));
    else
      for await (const one of readTar(tarBytes(handle, kind)))
        if (one.isFile) await take(one.name, one.size, one.mtimeMs, () => one.read());
  } catch (error) {
    if (!isDamage(error)) {
      close();
      throw error;
    }
    problem = `The archive is damaged: ${(error as Error).message.replace(/\.$/, "")}. Entries before the damage were read.`;
  }
  return { entries, problem, close };
}

const isDamage = (error: unknown): boolean =>
  isAppError(error)
    ? error.code === "invalid"
    : /^(?:Z_|ZSTD_|ERR_STREAM_PREMATURE|ERR_.*ZSTD)/.test((error as NodeJS.ErrnoException).code ?? "") ||
      (error instanceof Error && (error as NodeJS.ErrnoException).code === undefined && error.name === "Error");

function refuseSize(budget: Budget): never {
  fail(
    "too_large",
    `The archive unpacks to more than ${exactly(budget.most)} bytes. No file was read. Unpack it, and import the folder.`,
  );
}

/** A name without control characters, which a path of a source cannot have. */
const shownName = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, "�")
    .replaceAll("\\", "/")
    .slice(0, NAME_CHARS) || "unnamed";

const asTime = (ms: number, { mtimeMs }: SourceHandle): number => (Number.isFinite(ms) && ms > 0 ? ms : mtimeMs);

const innerName = (path: string): string => basename(path).replace(/\.gz$/i, "") || "content";

const tarBytes = (handle: SourceHandle, kind: ArchiveKind): AsyncIterable<Uint8Array> => {
  if (kind === "tar.gz") return gunzip(handle);
  return kind === "tar.zst" ? unzstd(handle) : pieces(handle);
};

async function* pieces(handle: SourceHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < handle.size;) {
    const bytes = await handle.read(at, Math.min(PIECE_BYTES, handle.size - at));
    if (bytes.length === 0) return;
    at += bytes.length;
    yield bytes;
  }
}

async function* gunzip(handle: SourceHandle): AsyncGenerator<Uint8Array> {
  yield* through(handle, createGunzip());
}

async function* unzstd(handle: SourceHandle): AsyncGenerator<Uint8Array> {
  yield* through(handle, createZstdDecompress());
}

async function* through(
  handle: SourceHandle,
  decompressor: ReturnType<typeof createGunzip | typeof createZstdDecompress>,
) {
  const input = Readable.from(pieces(handle));
  input.on("error", (error) => decompressor.destroy(error));
  input.pipe(decompressor);
  try {
    for await (const piece of decompressor as AsyncIterable<Buffer>) yield piece;
  } finally {
    input.destroy();
    decompressor.destroy();
  }
}
