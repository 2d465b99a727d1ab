// Bytes on their way in: small ones stay in memory until it is decided what becomes of them, large ones go to the blob
// store piece by piece. Digest, lines, shape and both ends are known when the last piece has come.
import { hash } from "node:crypto";
import { ContentScan, type ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import { CHUNK_BYTES } from "#lib/kernel/artifacts/line-index.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { requireDigest } from "#lib/blobs/blob-store.ts";
import type { Archive } from "../base/archive-type.ts";

/** What is known of bytes that came in. */
export type Incoming = {
  readonly facts: ContentFacts;
  readonly digest: string;
  /** The bytes, when they are few enough to be held. */
  readonly bytes: Uint8Array | null;
  /** The first and the last bytes: what search finds it by, and what is shown of it when storing failed. */
  readonly ends: { readonly head: Uint8Array; readonly tail: Uint8Array };
  /** Why the blob store could not take them, or null. */
  readonly failure: unknown;
  /** The digest that this put claims in the blob store, until releaseClaim(). */
  claim: string | null;
};

/** The part of it that a write needs; it travels between threads. */
export type BlobInput = {
  readonly digest: string;
  /** The bytes, when they are few; others are durable already. */
  readonly bytes?: Uint8Array;
  readonly sizeBytes: number;
  readonly lineCount: number | null;
  readonly chars: number | null;
  readonly shape: string;
  readonly lineIndex: Uint8Array | null;
};

export type IngestInput = {
  readonly signal?: AbortSignal;
  /** What the bytes must hash to. */
  readonly digest?: string;
};

export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes that are held in memory: more go to the store as they come. */
const HELD_BYTES = 64 * 1024;
const END_BYTES = 32 * 1024;
/** Of the beginning more: it is what search finds a large output by. */
const HEAD_BYTES = LIMITS.searchChars;
const GATHER_BYTES = 256 * 1024;
const NOTHING = new Uint8Array(0);

/** Takes bytes in. They are durable only after keep(), or with the write that names them; a stream that breaks off leaves nothing. */
export async function ingestContent(archive: Archive, content: Content, input: IngestInput = {}): Promise<Incoming> {
  const { signal, digest: expect } = input;
  if (content instanceof Uint8Array) return whole(content, expect);
  const ends = endsOf();
  const pieces = content[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await pieces.next();
    if (done === true) return null;
    signal?.throwIfAborted();
    refuseTooLarge((size += value.length));
    ends.add(value);
    return value;
  };
  for (let piece = await next(); ; piece = await next()) {
    if (piece === null) {
      return whole(Buffer.concat(held), expect);
    }
    // A piece may be a view of a buffer that is filled again.
    held.push(Buffer.from(piece));
    if (size > HELD_BYTES) break;
  }
  return takeMany(archive, held, next, ends, expect);
}

function whole(bytes: Uint8Array, expect: string | undefined): Incoming {
  refuseTooLarge(bytes.length);
  const ends = { head: bytes.subarray(0, END_BYTES), tail: bytes.subarray(-END_BYTES) };
  const facts = new ContentScan(bytes).end();
  return { facts, digest: digestOf(bytes, expect), bytes, ends, failure: null, claim: null };
}

/** More than is held: what comes is looked through by one thread while it is hashed and written by others. */
async function takeMany(
  archive: Archive,
  waiting: Uint8Array[],
  next: () => Promise<Uint8Array | null>,
  ends: Incoming["ends"],
  expect: string | undefined,
): Promise<Incoming> {
  const scan = archive.jobs.scan();
  // Gathered, in one buffer: whoever writes a piece is done with it before the next is asked for. A socket gives 64 KB at
  // a time, and four steps a piece were a fifth of the time that 83 MB took.
  const buffer = Buffer.allocUnsafe(GATHER_BYTES);
  /** What came and was not looked through when writing broke off. */
  let left: Uint8Array = NOTHING;
  const more = async (): Promise<Uint8Array | null> => waiting.shift() ?? (await next());
  async function* rest(): AsyncGenerator<Uint8Array> {
    let filled = 0;
    for (let piece = await more(); piece !== null; piece = await more()) {
      for (let from = 0; from < piece.length;) {
        const part = piece.subarray(from, from + GATHER_BYTES - filled);
        buffer.set(part, filled);
        filled += part.length;
        from += part.length;
        if (filled < GATHER_BYTES) continue;
        left = piece.subarray(from);
        await scan.add(buffer);
        yield buffer;
        filled = 0;
        left = NOTHING;
      }
    }
    if (filled === 0) return;
    await scan.add(buffer.subarray(0, filled));
    yield buffer.subarray(0, filled);
  }
  const all = rest();
  let digest = "";
  let failure: unknown = null;
  try {
    digest = (await archive.blobs.stageStream(all, { claim: true, ...(expect !== undefined && { expect }) })).digest;
    return { facts: await scan.end(), digest, bytes: null, ends, failure, claim: digest };
  } catch (error) {
    if (digest !== "" || !isStorageFailure(error)) {
      scan.drop();
      if (digest !== "") archive.blobs.release(digest);
      throw error;
    }
    failure = error;
  }
  // The disk failed, not the agent: what still comes is read to its end, so that the cut text has both ends.
  for (let piece: Uint8Array | null = left; piece !== null; piece = await more()) await scan.add(piece);
  return { facts: await scan.end(), digest, bytes: null, ends, failure, claim: null };
}

/** Makes them durable; when they are few, the write that names them does. */
export async function keep(archive: Archive, incoming: Incoming): Promise<void> {
  if (incoming.failure !== null) throw incoming.failure;
  const { bytes, digest } = incoming;
  if (bytes !== null) {
    if (bytes.length <= HELD_BYTES) return;
    incoming.claim = archive.blobs.stage(bytes, { claim: true, digest });
  }
  await archive.blobs.flush(digest);
}

export function blobInput({ facts, digest, bytes }: Incoming): BlobInput {
  return {
    digest,
    ...(bytes !== null && bytes.length <= HELD_BYTES && { bytes: ownBytes(bytes) }),
    sizeBytes: facts.sizeBytes,
    lineCount: facts.isText ? facts.lineCount : null,
    chars: facts.chars,
    shape: JSON.stringify(facts.shape),
    // Short texts are read whole: an index pays from the second piece on.
    lineIndex: facts.isText && facts.sizeBytes > CHUNK_BYTES ? facts.index.encode() : null,
  };
}

/** Bytes that are no view of more: all of the buffer behind them travels to another thread. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** An error of the disk: full, over quota (for which libuv has no name on Linux), read-only, broken, out of descriptors. */
export const isStorageFailure = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|Unknown system error -122|EIO|EROFS|EMFILE|ENFILE|EACCES|EPERM|SQLITE_FULL|SQLITE_IOERR\w*|SQLITE_READONLY\w*)$/.test(
    (error as { code?: string } | null)?.code ?? "",
  );

function digestOf(bytes: Uint8Array, expect: string | undefined): string {
  const digest = hash("sha256", bytes, "hex");
  if (expect !== undefined) requireDigest(digest, expect);
  return digest;
}

function refuseTooLarge(sizeBytes: number): void {
  if (sizeBytes > LIMITS.artifactMaxBytes)
    fail(
      "too_large",
      `More than ${LIMITS.artifactMaxBytes} bytes were sent, over the limit of one artifact. Store it in parts.`,
    );
}

function endsOf() {
  let head: Uint8Array = new Uint8Array(0);
  let tail: Uint8Array = new Uint8Array(0);
  return {
    get head() {
      return head;
    },
    get tail() {
      return tail;
    },
    add(piece: Uint8Array): void {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES - head.length)]);
      tail =
        piece.length >= END_BYTES
          ? Buffer.from(piece.subarray(piece.length - END_BYTES))
          : Buffer.concat([tail, piece]).subarray(-END_BYTES);
    },
  };
}
