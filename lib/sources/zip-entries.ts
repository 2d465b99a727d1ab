// The files of a zip, by its directory. Compression by deflate and zstd; links, folders and encrypted entries are left out. Names
// are bytes that mean nothing to us, so that hostile ones need no refusal.
import type { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { fromFdPromise, type Entry, type ZipFile } from "yauzl";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceHandle } from "./source-handle.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export type ZipEntry = {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly read: () => AsyncIterable<Uint8Array>;
};

const LINK = 0o120000;
const FILE_TYPE = 0o170000;
const ENCRYPTED = 1;
const ZSTD = 93;

/** Of two entries with one name the last one alone. */
export async function* zipEntries(handle: SourceHandle): AsyncGenerator<ZipEntry> {
  const zip = await fromFdPromise(handle.fd, { lazyEntries: true, autoClose: false, decodeStrings: false });
  if (zip.entryCount > LIMITS.archiveEntries)
    fail(
      "too_large",
      `The archive has ${exactly(zip.entryCount)} entries, over ${exactly(LIMITS.archiveEntries)}. Unpack it, and import the folder.`,
    );
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = Buffer.from(entry.fileName as unknown as Uint8Array).toString("utf8");
    const isLink = ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
    if (name.endsWith("/") || isLink || (entry.generalPurposeBitFlag & ENCRYPTED) !== 0) continue;
    if (![0, 8, ZSTD].includes(entry.compressionMethod)) continue;
    entries.delete(name);
    entries.set(name, entry);
  }
  for (const [name, entry] of entries)
    yield {
      name,
      size: entry.uncompressedSize,
      mtimeMs: entry.getLastModDate().getTime(),
      read: () => bytesOf(zip, entry),
    };
}

async function* bytesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const isZstd = entry.compressionMethod === ZSTD;
  const raw: Readable = await (isZstd
    ? zip.openReadStreamPromise(entry, { decodeFileData: false } as never)
    : zip.openReadStreamPromise(entry));
  const decompressor = isZstd ? createZstdDecompress() : null;
  if (decompressor !== null) {
    raw.on("error", (error) => decompressor.destroy(error));
    raw.pipe(decompressor);
  }
  try {
    for await (const piece of (decompressor ?? raw) as AsyncIterable<Buffer>) yield piece;
  } finally {
    raw.destroy();
    decompressor?.destroy();
  }
}
