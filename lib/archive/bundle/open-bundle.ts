// A bundle as it came, from wherever: its directory, names, sizes and digests are looked at before anything of it is used.
// What is no plain zip of the entries that its manifest lists is refused as a whole.
import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import { promisify } from "node:util";
import { crc32, createInflateRaw, inflateRaw, type ZlibOptions } from "node:zlib";
import { fromFdPromise, type Entry, type ZipFile } from "yauzl";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import {
  entriesOf,
  isEntryName,
  MANIFEST,
  parseManifest,
  requireBounds,
  type BundleEntry,
  type Manifest,
} from "./bundle-manifest.ts";

export type OpenBundle = {
  readonly manifest: Manifest;
  /** The bytes of an entry, as many as the manifest says. */
  read(entry: BundleEntry): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
};

/** An entry of no more than this is unpacked in one piece; a larger one in pieces of so much. By 16 KB, 100 MB took twice as long. */
const SMALL_BYTES = 256 * 1024;
/** Entries that are checked side by side: each waits for the disk and for another thread. */
const AT_ONCE = 6;
const AS_STORED = { decodeFileData: false };
const inflated = promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw);

const EOCD_BYTES = 22;
const EOCD = 0x06054b50;
const ZIP64_LOCATOR = 0x07064b50;
const LOCAL_HEADERS: readonly number[] = [0x04034b50, EOCD];
const LINK = 0o120000;
const FILE_TYPE = 0o170000;
const ENCRYPTED = 1;
const DEFLATE = 8;
const ZIP64_EXTRA = 1;

/** True for a file that begins as a zip does. Nothing else is known of it then. */
export async function isZip(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(() => null);
  if (file === null) return false;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && LOCAL_HEADERS.includes(buffer.readUInt32LE(0));
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

const MARK = '"plimsollBundle"';
const LOCAL_NAME = 30;

/**
 * True for a zip with an entry that only a bundle has, by its name or by what its manifest says, and for a damaged one that begins
 * with such an entry: those are checked as bundles. Any other zip is an archive of files.
 */
export async function saysItIsBundle(path: string): Promise<boolean> {
  const file = await open(path, "r");
  let first: string | null = null;
  try {
    const head = Buffer.alloc(LOCAL_NAME + 256);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const end = LOCAL_NAME + Math.min(256, head.readUInt16LE(26));
    if (bytesRead >= end && end > LOCAL_NAME) first = head.toString("utf8", LOCAL_NAME, end);
    if (first !== null && first !== MANIFEST && isEntryName(first)) return true;
    const zip = await fromFdPromise(file.fd, { lazyEntries: true, autoClose: false, decodeStrings: false });
    for await (const entry of zip.eachEntry()) {
      const name = Buffer.from(entry.fileName as unknown as Uint8Array).toString("utf8");
      if (name === MANIFEST ? await hasMark(zip, entry) : isEntryName(name)) return true;
    }
    return false;
  } catch {
    // Damaged: one that begins as a bundle does, or ends before its first name, is refused as one.
    return first === null || first === MANIFEST;
  } finally {
    await file.close();
  }
}

async function hasMark(zip: ZipFile, entry: Entry): Promise<boolean> {
  const stream = await zip.openReadStreamPromise(entry);
  try {
    for await (const piece of stream) return Buffer.from(piece as Uint8Array).includes(MARK);
    return false;
  } finally {
    stream.destroy();
  }
}

/** Opens a bundle and checks its directory against its manifest; fails with what is wrong. Null for a zip that is no bundle. */
export async function openBundle(path: string): Promise<OpenBundle | null> {
  const file = await open(path, "r");
  try {
    await requirePlainEnd(file);
    const zip = await fromFdPromise(file.fd, { lazyEntries: true, autoClose: false, strictFileNames: true });
    const entries = await listEntries(zip, (await file.stat()).size);
    const own = entries.get(MANIFEST);
    if (own === undefined) return await closing(file, null);
    if (own.uncompressedSize > LIMITS.bundleManifestBytes)
      fail("too_large", `${MANIFEST} has ${own.uncompressedSize} bytes, over ${LIMITS.bundleManifestBytes}.`);
    for (const name of entries.keys()) if (!isEntryName(name)) refuse(`an entry is named "${name.slice(0, 80)}"`);
    const manifest = parseManifest(await textOf(zip, own));
    requireListed(manifest, entries);
    return {
      manifest,
      read: ({ name, sizeBytes }) => bytesOf(zip, entries.get(name)!, sizeBytes),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw refusal(error);
  }
}

async function closing<T>(file: FileHandle, result: T): Promise<T> {
  await file.close();
  return result;
}

/** The end of the directory stands at the end of the file, and there is no second one for large archives. */
async function requirePlainEnd(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, EOCD_BYTES + 20));
  await file.read(tail, 0, tail.length, size - tail.length);
  const end = tail.length - EOCD_BYTES;
  if (end < 0 || tail.readUInt32LE(end) !== EOCD) refuse("its end is missing; it is cut off, or is not a zip");
  if (end >= 20 && tail.readUInt32LE(0) === ZIP64_LOCATOR) refuse("it is a zip64");
  if (tail.readUInt16LE(end + 10) > LIMITS.bundleEntries) requireBounds(0, tail.readUInt16LE(end + 10));
}

async function listEntries(zip: ZipFile, zipBytes: number): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let sizeBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    const shown = `"${name.slice(0, 80)}"`;
    if (entries.has(name)) refuse(`two entries are named ${shown}`);
    if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) refuse(`the entry ${shown} is encrypted`);
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== DEFLATE)
      refuse(`the entry ${shown} has compression method ${entry.compressionMethod}`);
    if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK) refuse(`the entry ${shown} is a link`);
    if (entry.extraFields.some(({ id }) => id === ZIP64_EXTRA)) refuse(`the entry ${shown} is a zip64 entry`);
    entries.set(name, entry);
    sizeBytes += entry.uncompressedSize;
    requireBounds(sizeBytes, entries.size);
  }
  if (sizeBytes > LIMITS.bundleRatioFreeBytes && sizeBytes > zipBytes * LIMITS.bundleRatio)
    fail("too_large", `The bundle would unpack to ${sizeBytes} bytes, over ${LIMITS.bundleRatio} times its size.`);
  return entries;
}

function requireListed(manifest: Manifest, entries: ReadonlyMap<string, Entry>): void {
  const listed = entriesOf(manifest);
  const names = new Set(listed.map(({ name }) => name));
  if (names.size < listed.length) refuse("its manifest lists an entry twice");
  for (const name of entries.keys())
    if (name !== MANIFEST && !names.has(name)) refuse(`its manifest does not list the entry "${name}"`);
  for (const { name, sizeBytes } of listed) {
    const entry = entries.get(name);
    if (entry === undefined) refuse(`the entry "${name.slice(0, 80)}" is missing`);
    else if (entry.uncompressedSize !== sizeBytes)
      refuse(`the entry "${name}" has ${entry.uncompressedSize} bytes; its manifest says ${sizeBytes}`);
  }
}

/** Reads every entry and compares its digest: nothing of the bundle is used before. */
export async function verifyBundle(bundle: OpenBundle, onBytes: (bytes: number) => void): Promise<void> {
  const waiting = entriesOf(bundle.manifest).toReversed();
  const verifyNext = async (): Promise<void> => {
    try {
      for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop())
        for await (const piece of checked(bundle, entry)) onBytes(piece.length);
    } finally {
      // Where one fails the others end with the entry that they have.
      waiting.length = 0;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, verifyNext));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** The bytes of an entry; fails at its end when they are not those of its digest. */
export async function* checked(bundle: OpenBundle, entry: BundleEntry): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const piece of bundle.read(entry)) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") !== entry.sha256) refuse(`the bytes of "${entry.name}" do not match their digest`);
}

async function* bytesOf(zip: ZipFile, entry: Entry, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0;
  try {
    for await (const piece of entry.compressedSize <= SMALL_BYTES ? wholeOf(zip, entry) : piecesOf(zip, entry)) {
      seen += piece.length;
      if (seen > sizeBytes) refuse(`the entry "${entry.fileName}" has more than ${sizeBytes} bytes`);
      yield piece;
    }
  } catch (error) {
    throw refusal(error);
  }
  if (seen !== sizeBytes) refuse(`the entry "${entry.fileName}" has ${seen} bytes, not ${sizeBytes}`);
}

async function* wholeOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const packed = Buffer.concat(await (await zip.openReadStreamPromise(entry, AS_STORED)).toArray());
  if (entry.compressionMethod !== DEFLATE) return yield packed;
  const most = Math.max(1, entry.uncompressedSize);
  yield await inflated(packed, { maxOutputLength: most, chunkSize: Math.max(64, most) }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    return refuse(`the entry "${entry.fileName}" has more than ${entry.uncompressedSize} bytes`);
  });
}

async function* piecesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const packed = await zip.openReadStreamPromise(entry, AS_STORED);
  const stream =
    entry.compressionMethod === DEFLATE
      ? pipeline(packed, createInflateRaw({ chunkSize: SMALL_BYTES }), () => undefined)
      : packed;
  try {
    for await (const piece of stream) yield piece as Uint8Array;
  } finally {
    stream.destroy();
  }
}

async function textOf(zip: ZipFile, entry: Entry): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytesOf(zip, entry, entry.uncompressedSize)) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (crc32(bytes) !== entry.crc32) refuse(`the bytes of "${entry.fileName}" do not match their checksum`);
  return bytes.toString("utf8");
}

const refuse = (what: string): never => fail("invalid", `The bundle was refused: ${what}. Nothing was imported.`);

/** What the reader of zips says, as a refusal. A disk that cannot be read is none. */
function refusal(error: unknown): unknown {
  if (isAppError(error) || !(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && !code.startsWith("Z_")) return error;
  const said = error.message
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, "")
    .replace(/\.$/, "")
    .slice(0, 160);
  try {
    return refuse(said);
  } catch (refused) {
    return refused;
  }
}
