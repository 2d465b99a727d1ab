// Bytes on their way in: small ones stay in memory until it is decided what becomes of them, large ones go to the blob
// store piece by piece. Digest, lines, shape and both ends are known when the last piece has come.
import { hash } from "node:crypto";
import { ContentScan, type ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import { CHUNK_BYTES } from "#lib/kernel/artifacts/line-index.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { requireDigest } from "#lib/blobs/blob-store.ts";
import type { Archive } from "../archive.ts";

/** What is known of bytes that came in. */
export type Incoming = {
  readonly facts: ContentFacts;
  readonly digest: string;
  /** The bytes, when they are few enough to be held. */
  readonly bytes: Uint8Array | null;
  /** The first and the last bytes: what a truncated output is made of when storing failed. */
  readonly ends: { readonly head: Uint8Array; readonly tail: Uint8Array };
  /** Why the blob store could not take them, or null. */
  readonly failure: unknown;
  /** The digest that this put claims in the blob store, until letGo(). */
  claim: string | null;
};

/** The part of it that a write needs; it travels between threads. */
export type BlobWish = {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly lineCount: number | null;
  readonly chars: number | null;
  readonly shape: string;
  readonly lineIndex: Uint8Array | null;
  /** Bytes that the write itself stores, under its own barrier; null for those that are in the blob store already. */
  readonly bytes: Uint8Array | null;
};

export type TakeInWish = {
  readonly signal?: AbortSignal;
  /** What the bytes must hash to. */
  readonly digest?: string;
};

export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes that are held in memory: more go to the store as they come. */
const HELD_BYTES = 64 * 1024;
const END_BYTES = 32 * 1024;

/** Takes bytes in. They are durable only after keep(); a stream that breaks off leaves nothing. */
export async function takeIn(archive: Archive, content: Content, wish: TakeInWish = {}): Promise<Incoming> {
  const { signal, digest: expect } = wish;
  const scan = new ContentScan();
  const ends = endsOf();
  if (content instanceof Uint8Array) {
    refuseTooLarge(content.length);
    scan.add(content);
    ends.add(content);
    return { facts: scan.end(), digest: digestOf(content, expect), bytes: content, ends, failure: null, claim: null };
  }
  const pieces = content[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let size = 0;
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await pieces.next();
    if (done === true) return null;
    signal?.throwIfAborted();
    refuseTooLarge((size += value.length));
    scan.add(value);
    ends.add(value);
    return value;
  };
  for (let piece = await next(); ; piece = await next()) {
    if (piece === null) {
      const bytes = Buffer.concat(held);
      return { facts: scan.end(), digest: digestOf(bytes, expect), bytes, ends, failure: null, claim: null };
    }
    // A piece may be a view of a buffer that is filled again.
    held.push(Buffer.from(piece));
    if (size > HELD_BYTES) break;
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield* held.splice(0);
    for (let piece = await next(); piece !== null; piece = await next()) yield piece;
  }
  const all = rest();
  try {
    const { digest } = await archive.blobs.stageStream(all, {
      claim: true,
      ...(expect !== undefined && { expect }),
    });
    return { facts: scan.end(), digest, bytes: null, ends, failure: null, claim: digest };
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    // The disk failed, not the agent: what still comes is read to its end, so that the cut text has both ends.
    for (let piece = await next(); piece !== null; piece = await next());
    return { facts: scan.end(), digest: "", bytes: null, ends, failure: error, claim: null };
  }
}

/**
 * Makes many bytes durable: after it the blob is on the disk under its digest. Few of them travel with the write that names
 * them, and become durable under its barrier: one of their own, and the way back from it, was half of a small put.
 */
export async function keep(archive: Archive, incoming: Incoming): Promise<void> {
  if (incoming.failure !== null) throw incoming.failure;
  if (fewOf(incoming) !== null) return;
  if (incoming.bytes !== null) incoming.claim = archive.blobs.stage(incoming.bytes, { claim: true });
  await archive.blobs.flush(incoming.digest);
}

const fewOf = ({ bytes }: Incoming): Uint8Array | null => (bytes !== null && bytes.length <= HELD_BYTES ? bytes : null);

export function blobWish(incoming: Incoming): BlobWish {
  const { facts, digest } = incoming;
  const few = fewOf(incoming);
  return {
    digest,
    sizeBytes: facts.sizeBytes,
    lineCount: facts.isText ? facts.lineCount : null,
    chars: facts.chars,
    shape: JSON.stringify(facts.shape),
    // Short texts are read whole: an index pays from the second piece on.
    lineIndex: facts.isText && facts.sizeBytes > CHUNK_BYTES ? facts.index.encode() : null,
    // A copy of their own: between threads a view takes all of the buffer with it that it is a part of.
    bytes: few === null ? null : new Uint8Array(few),
  };
}

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
      `More than ${LIMITS.artifactMaxBytes} bytes came, the most that one artifact may have. Store it in parts.`,
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
      if (head.length < END_BYTES) head = Buffer.concat([head, piece.subarray(0, END_BYTES - head.length)]);
      tail =
        piece.length >= END_BYTES
          ? Buffer.from(piece.subarray(piece.length - END_BYTES))
          : Buffer.concat([tail, piece]).subarray(-END_BYTES);
    },
  };
}
